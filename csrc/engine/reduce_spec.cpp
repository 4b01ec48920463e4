#include <algorithm>
#include <utility>

#include "engine/record.hpp"
#include "engine/reduce.hpp"

namespace devarray {

bool is_arg(const std::string& kind) { return kind == "argmin" || kind == "argmax"; }
bool is_total(const std::string& kind) { return kind == "sum" || kind == "prod"; }
bool is_deviation(const std::string& kind) { return kind == "deviation"; }

namespace {

/// The dtype that values are accumulated in.
DType accumulated_in(const std::string& kind, DType value) {
  if (kind == "any" || kind == "all") return DType::bool_;
  if (kind == "count_nonzero") return DType::int64;
  if (!is_total(kind)) return value;
  switch (kind_of(value)) {
    case Kind::boolean:
    case Kind::integer: return DType::int64;
    case Kind::unsigned_: return DType::uint64;
    default: return value == DType::float16 ? DType::float32 : value;
  }
}

}  // namespace

std::size_t partial_bytes(const std::string& kind, DType accumulator) {
  const std::size_t value = accumulator == DType::float16 ? 4 : size_of(accumulator);  // float16 is held as a float
  return is_deviation(kind) ? 4 * value : is_arg(kind) ? std::max<std::size_t>(value, 8) + 8 : value;
}

ReduceDtypes dtypes_of(const Reduction& r, DType x) {
  const DType wanted = is_total(r.kind) && r.dtype ? *r.dtype : x;
  DType accumulator = accumulated_in(r.kind, wanted);
  if (is_total(r.kind) && r.dtype && is_integer(*r.dtype)) accumulator = *r.dtype;
  if (is_arg(r.kind)) return {accumulator, DType::int64};
  if (is_total(r.kind) && kind_of(wanted) == Kind::real) return {accumulator, wanted};  // float16 is stored again
  return {accumulator, accumulator};
}

NodeRef record_post(NodeRef value, const Reduction& r) {
  for (const PostOp& p : r.post) {
    RecordArg args[2];
    args[0].node = std::move(value);
    if (p.scalar) {
      args[1].scalar.kind = Kind::real;
      args[1].scalar.re = *p.scalar;
    }
    value = record(p.op, args, p.scalar ? 2 : 1);
  }
  return value;
}

PostSpec spec_of_post(const Reduction& r, DType accumulator) {
  PostSpec made;
  std::uint8_t scalars = 0;
  for (const PostOp& p : r.post) scalars += p.scalar.has_value();
  std::uint8_t next_scalar = 1, next_node = static_cast<std::uint8_t>(1 + scalars);
  for (const PostOp& p : r.post) {
    SpecNode n{p.op, accumulator, accumulator, 1, {made.result, 0, 0}};
    if (p.scalar) {
      ScalarValue v;
      v.kind = Kind::real;
      v.re = *p.scalar;
      std::int64_t bits[2];
      const int count = encode_scalar(accumulator, v, bits);
      for (int i = 0; i < count; ++i) made.slots.push_back(bits[i]);
      made.scalars.push_back(accumulator);
      n.nargs = 2;
      n.args[1] = next_scalar++;
    }
    made.nodes.push_back(n);
    made.result = next_node++;
  }
  return made;
}

}  // namespace devarray
