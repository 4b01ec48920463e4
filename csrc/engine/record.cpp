#include "engine/record.hpp"

#include <algorithm>
#include <cmath>

#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/held_stores.hpp"
#include "engine/host/values.hpp"
#include "engine/join.hpp"
#include "engine/lock.hpp"
#include "engine/row_graph.hpp"

namespace devarray {
namespace {

struct Range {
  std::int64_t low;
  std::uint64_t high;
};

constexpr Range range_of(DType t) {
  const int bits = static_cast<int>(size_of(t)) * 8;
  if (kind_of(t) == Kind::unsigned_) return {0, bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1};
  return {bits == 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1)), (std::uint64_t{1} << (bits - 1)) - 1};
}

/// -1, 0, 1: below, inside, above the dtype's range.
int side_of(const RecordArg& arg, DType t) {
  if (arg.beyond) return arg.beyond;
  const Range r = range_of(t);
  if (arg.scalar.kind == Kind::unsigned_) return arg.scalar.u > r.high ? 1 : 0;
  if (arg.scalar.i < r.low) return -1;
  return arg.scalar.i > 0 && static_cast<std::uint64_t>(arg.scalar.i) > r.high ? 1 : 0;
}

bool is_weak_integer(const RecordArg& a) {
  return !a.node && (a.beyond || a.scalar.kind == Kind::integer || a.scalar.kind == Kind::unsigned_);
}

Kind weak_kind(const RecordArg& a) { return is_weak_integer(a) ? Kind::integer : a.scalar.kind; }

DType default_dtype(Kind k) {
  switch (k) {
    case Kind::boolean: return DType::bool_;
    case Kind::integer: return DType::int64;
    case Kind::real: return DType::float64;
    default: return DType::complex128;
  }
}

std::string describe(const RecordArg* args, int n) {
  std::string s;
  for (int i = 0; i < n; ++i) {
    s += i ? (i + 1 == n ? " and " : ", ") : "";
    if (args[i].node)
      s += name_of(args[i].node->dtype);
    else {
      const Kind k = weak_kind(args[i]);
      s += k == Kind::boolean   ? "a Python bool"
           : k == Kind::integer ? "a Python int"
           : k == Kind::real    ? "a Python float"
                                : "a Python complex";
    }
  }
  return s;
}

/// What is said of operands whose dtypes an operation does not take, in NumPy's words.
std::string undefined_for(const Op& op, const RecordArg* args, int n, bool booleans) {
  if (booleans && op.name == "negative")
    return "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the logical_not "
           "function instead.";
  if (booleans && op.name == "subtract")
    return "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or the "
           "logical_xor function instead.";
  return "ufunc '" + op.ufunc_name() +
         "' not supported for the input types, and the inputs could not be safely coerced to any supported types: " +
         describe(args, n);
}

DType promoted_dtype(const Op& op, const RecordArg* args, int n) {
  const int first = op.flags & Op::first_is_bool ? 1 : 0;
  if (n == 2 && !first && !(op.flags & Op::float_first)) {  // nearly all, at once
    const RecordArg &a = args[0], &b = args[1];
    if (a.node && b.node) return promote(a.node->dtype, b.node->dtype);
    if (a.node) return promote_weak(a.node->dtype, weak_kind(b));
    if (b.node) return promote_weak(b.node->dtype, weak_kind(a));
  }
  bool have = false, weak = false;
  for (int i = first; i < n; ++i) weak |= !args[i].node;
  DType t = DType::bool_;
  for (const bool integers : {false, true})  // floats first: int16, uint16 and float32 give float32
    for (int i = first; i < n; ++i) {
      if (!args[i].node) continue;
      DType own = args[i].node->dtype;
      if ((kind_rank(kind_of(own)) < 2) != integers) continue;
      if (integers && op.flags & Op::float_first && !weak) own = sized(Kind::real, float_bytes_for(own));
      t = have ? promote(t, own) : own;
      have = true;
    }
  for (int i = first; i < n; ++i)
    if (!args[i].node) {
      t = have ? promote_weak(t, weak_kind(args[i])) : default_dtype(weak_kind(args[i]));
      have = true;
    }
  return t;
}

/// Counts what is pending below a value, the value too; of one element alone where that is asked for.
std::uint64_t count_pending(Node& n, bool one_element) {
  SmallVector<Node*, 32> stack{&n};
  const std::uint64_t epoch = Node::new_epoch();
  std::uint64_t nodes = 0;
  n.epoch = epoch;
  while (!stack.empty()) {
    Node* at = stack.back();
    stack.pop_back();
    ++nodes;
    for (int i = 0; i < at->arity; ++i) {
      Node* in = at->inputs[i].node.get();
      if (!in->is_pending() || in->epoch == epoch || (one_element && in->size() != 1)) continue;
      in->epoch = epoch;
      stack.push_back(in);
    }
  }
  return nodes;
}

/// Whether more is pending below a value than may be. Operations recorded in between that are no part of it are told
/// apart by a count. Chains of single elements are kept short: storing one costs nothing, and a loop over elements that
/// is recorded operation by operation would be walked again for each kernel of it.
bool too_large(Node& n) {
  const std::uint64_t span = n.serial - n.oldest;
  if (n.depth > kMaxDepth) return true;
  if (span >= kMaxElementNodes && n.depth >= kMaxElementNodes / 4 && n.size() == 1 &&
      count_pending(n, true) > kMaxElementNodes)
    return true;
  const std::uint64_t most = n.place->device->strategy() == Strategy::gpu ? kMaxPendingNodes : kMaxPendingOfCpu;
  if (span < most) return false;
  n.oldest = n.serial + 1 - count_pending(n, false);
  return n.serial - n.oldest >= most;
}

/// The operation again, when parts of what is below it were evaluated, of its deepest input first; or all.
NodeRef with_less_below(OpId op, DType compute, DType result, const Dims& shape, const PlaceRef& place,
                        const NodeRef* in, int n) {
  SmallVector<Node*, 3> inputs;
  for (int i = 0; i < n; ++i) inputs.push_back(in[i].get());
  std::stable_sort(inputs.begin(), inputs.end(), [](const Node* a, const Node* b) { return a->depth > b->depth; });
  NodeRef node;
  for (Node* input : inputs) {
    node = nullptr;  // its inputs are not consumed by it while they are evaluated
    evaluate_part(*input);
    node = Node::pending(op, compute, result, shape, place, in, n);
    if (!too_large(*node)) return node;
  }
  node = nullptr;
  for (Node* input : inputs) evaluate(*input);
  return Node::pending(op, compute, result, shape, place, in, n);
}

NodeRef make_pending(OpId op, DType compute, DType result, const Dims& shape, const PlaceRef& place, const NodeRef* in,
                     int n, bool hold = false) {
  for (int i = 0; i < n; ++i)
    if (awaits_store(*in[i])) [[unlikely]]
      release_stores();
  NodeRef node = Node::pending(op, compute, result, shape, place, in, n);
  std::atomic<std::uint64_t>& recorded = stats().recorded;  // counted with the GIL alone
  recorded.store(recorded.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (too_large(*node)) {
    stats().cuts.fetch_add(1, std::memory_order_relaxed);
    debug_line(3, "graph cut before " + ops()[op].name + ": depth " + std::to_string(node->depth) + ", " +
                      std::to_string(node->serial - node->oldest + 1) + " operations");
    node = nullptr;
    node = with_less_below(op, compute, result, shape, place, in, n);
  }
  if (keeping_lines()) [[unlikely]]
    node->line = current_line();
  if (hold) return node;
  bool now = !config().deferred || too_much_pending();
  for (int i = 0; i < n && !now; ++i) now = in[i]->is_leaf() && in[i]->storage->exposed;
  if (now) evaluate(*node);
  return node;
}

/// Gives known values among the operands memory where a kernel will take them, so that kernels do not differ by who
/// knew what when.
void give_memory(const RecordArg* args, int n, const Dims& shape) {
  constexpr std::int64_t kSmall = 4096;
  bool small = false;
  for (int i = 0; i < n; ++i) small |= args[i].node && args[i].node->state != NodeState::scalar;
  if (small && element_count(shape) <= kSmall) return;
  for (int i = 0; i < n; ++i)
    if (args[i].node && args[i].node->is_known()) evaluate(*args[i].node);
}

/// Evaluates what is computed from reductions of small arrays where the operation is of another shape: no kernel of
/// theirs takes it, and kernels of its own shape may have other reductions.
void settle_vectors(const RecordArg* args, int n, const Dims& shape) {
  for (int i = 0; i < n; ++i) {
    Node* const node = args[i].node.get();
    if (!node || !node->is_pending() || !node->of_vector || node->shape == shape) continue;
    const bool suits = node->size() == 1 && (element_count(shape) == 1 || reduces_shape(*node, shape));
    if (!suits && reductions_below(*node) > 0) evaluate(*node);
  }
}

/// The value of an operation whose operands are all scalars, where the host can tell it now.
NodeRef known_result(OpId op, DType compute, DType result, const RecordArg* args, int n, int first,
                     const PlaceRef& place) {
  host::HostScalar given[3];
  for (int i = 0; i < n; ++i) {
    if (args[i].node) {
      given[i] = {args[i].node->dtype, &args[i].node->value};
      continue;
    }
    if (args[i].beyond) return nullptr;
    given[i] = {i < first ? DType::bool_ : compute, &args[i].scalar};
    if (!first) checked_scalar(args[i], compute);  // throws
  }
  return host::value_of(op, compute, result, given, n, place);
}

}  // namespace

bool is_supported(const Device& device, DType dtype) {
  return (dtype != DType::float64 && dtype != DType::complex128) || device.caps().fp64;
}

void check_supported(const Device& device, DType dtype) {
  if (!is_supported(device, dtype))
    throw DTypeError(device.label() + " does not compute in " + name_of(dtype) + "; use " +
                     (dtype == DType::float64 ? "float32" : "complex64"));
}

ScalarValue checked_scalar(const RecordArg& arg, DType t) {
  if (is_integer(t) && is_weak_integer(arg) && side_of(arg, t) != 0)
    throw OverflowError("Python integer " +
                        (arg.beyond                           ? std::string("beyond 64 bits")
                         : arg.scalar.kind == Kind::unsigned_ ? std::to_string(arg.scalar.u)
                                                              : std::to_string(arg.scalar.i)) +
                        " out of bounds for " + name_of(t));
  if (arg.beyond) {
    if (std::isinf(arg.scalar.re))
      throw OverflowError("a Python integer beyond 1024 bits is too large for " + std::string(name_of(t)));
    ScalarValue v;
    v.kind = Kind::real;
    v.re = arg.scalar.re;
    return v;
  }
  return arg.scalar;
}

NodeRef record(OpId id, const RecordArg* args, int n, bool hold) {
  if (waiting_joins > 0) [[unlikely]]
    if (NodeRef made = record_by_parts(id, args, n, hold)) return made;
  const Op& op = ops()[id];
  if (n != op.arity)
    throw DTypeError(op.name + " takes " + std::to_string(op.arity) + " operands, " + std::to_string(n) +
                     " were given");
  PlaceRef place;
  Dims broadcast;
  const Dims* shape = nullptr;  // of an operand, where all have the same
  bool known = false, of_vectors = false;
  int scalars = 0;
  for (int i = 0; i < n; ++i) {
    const Node* node = args[i].node.get();
    scalars += !node || node->state == NodeState::scalar;
    if (!node || !node->place) continue;
    known |= node->is_known();
    of_vectors |= node->of_vector;
    if (!place) {
      place = node->place;
      shape = &node->shape;
    } else {
      if (node->place->device != place->device)
        throw DeviceError(op.name + " got arrays of " + place->device->label() + " and of " +
                          node->place->device->label() + "; move one with to_device()");
      if (!(node->shape == *shape)) {
        broadcast = broadcast_shapes(*shape, node->shape);
        shape = &broadcast;
      }
    }
  }
  if (!place) throw DTypeError(op.name + " needs at least one device array");
  const DType promoted = promoted_dtype(op, args, n);
  DType compute = op.compute[static_cast<int>(promoted)];
  const DType result = op.result[static_cast<int>(promoted)];
  if (compute == kOpaque) throw DTypeError(undefined_for(op, args, n, kind_of(promoted) == Kind::boolean));
  if (!place->device->caps().fp64) {
    check_supported(*place->device, compute);
    check_supported(*place->device, result);
  }
  if (of_vectors) settle_vectors(args, n, *shape);
  NodeRef in[3];
  const int first = op.flags & Op::first_is_bool ? 1 : 0;
  int out_of_range = 0, side = 0;
  if (op.flags & Op::comparison && is_integer(compute))
    for (int i = first; i < n; ++i)
      if (is_weak_integer(args[i]) && side_of(args[i], compute) != 0) {
        out_of_range = i + 1;
        side = side_of(args[i], compute);
      }
  if (known) [[unlikely]] {
    if (scalars == n && !out_of_range)
      if (NodeRef value = known_result(id, compute, result, args, n, first, place)) return value;
    give_memory(args, n, *shape);
  }
  for (int i = 0; i < n; ++i) {
    if (out_of_range) {
      // The integer lies outside the dtype, so every element compares with it alike: 0 stands for the elements.
      ScalarValue v;
      v.i = i + 1 == out_of_range ? side : 0;
      in[i] = Node::scalar(DType::int8, v);
    } else if (args[i].node) {
      in[i] = args[i].node;
    } else {
      const DType t = i < first ? DType::bool_ : compute;
      // Between choices nothing is computed: as NumPy casts them, an integer beyond the dtype keeps its low bits.
      in[i] = Node::scalar(t, first && !args[i].beyond ? args[i].scalar : checked_scalar(args[i], t));
    }
  }
  if (out_of_range) compute = DType::int8;
  return make_pending(id, compute, result, *shape, place, in, n, hold);
}

NodeRef record_as(OpId op, DType compute, DType dtype, const Dims& shape, const PlaceRef& place, const NodeRef* inputs,
                  int n) {
  return make_pending(op, compute, dtype, shape, place, inputs, n);
}

NodeRef cast(const NodeRef& n, DType dtype, bool hold) {
  if (n->dtype == dtype) return n;
  check_supported(*n->place->device, dtype);
  if (waiting_joins > 0) [[unlikely]]
    if (NodeRef made = cast_by_parts(n, dtype)) return made;
  return make_pending(core_ops().astype, dtype, dtype, n->shape, n->place, &n, 1, hold);
}

NodeRef full(const PlaceRef& place, DType dtype, const Dims& shape, const ScalarValue& value) {
  check_supported(*place->device, dtype);
  // A float for integers is cast by the kernel, as astype() casts: C leaves infinities and what is out of range
  // undefined.
  const bool cast = is_integer(dtype) && (value.kind == Kind::real || value.kind == Kind::complex);
  const NodeRef scalar = Node::scalar(!cast                        ? dtype
                                      : place->device->caps().fp64 ? DType::float64
                                                                   : DType::float32,
                                      value);
  return make_pending(core_ops().copy, dtype, dtype, shape, place, &scalar, 1);
}

NodeRef iota(const PlaceRef& place, DType dtype, const Dims& shape, const ScalarValue& start, const ScalarValue& step) {
  check_supported(*place->device, dtype);
  const NodeRef in[2] = {Node::scalar(dtype, start), Node::scalar(dtype, step)};
  return make_pending(core_ops().iota, dtype, dtype, shape, place, in, 2);
}

}  // namespace devarray
