// Which loop computes an operation of the op table on the host.
#include <string>
#include <vector>

#include "engine/host/evaluator.hpp"
#include "engine/host/svml.hpp"

namespace devarray::host {
namespace {

struct OpLoops {
  Loop of[kDTypes] = {};
  Loop signed_first = nullptr, signed_second = nullptr;  ///< int64 and uint64 compared by value
  Loop between_scalars[kDTypes] = {};
};
std::vector<OpLoops>& bound() {
  static auto* table = new std::vector<OpLoops>;
  return *table;
}

bool is_signed(DType t) { return kind_of(t) == Kind::integer; }

}  // namespace

const LoopSet& loops() {
#ifdef DEVARRAY_X86_LOOPS
  // The first processors with vectors of 512 bits slowed down for them; those with VBMI2 do not.
  static const LoopSet& best = __builtin_cpu_supports("avx512vbmi2") ? avx512_loops
                               : __builtin_cpu_supports("avx2")      ? avx2_loops
                                                                     : baseline_loops;
  return best;
#else
  return baseline_loops;
#endif
}

namespace {

/// Complex numbers stay with AVX2 where there are wider vectors: GCC makes their products of fused operations, where
/// there are such, whatever -ffp-contract says.
const LoopSet& loops_of_complex() {
#ifdef DEVARRAY_X86_LOOPS
  if (&loops() == &avx512_loops) return avx2_loops;
#endif
  return loops();
}

/// Copies the loops of a name, if there are any.
void bind_row(const std::string& name, Loop (&to)[kDTypes]) {
  const Loop *own = loops().find(name.c_str()), *of_complex = loops_of_complex().find(name.c_str());
  for (int t = 0; t < kDTypes; ++t) {
    const Loop* from = kind_of(static_cast<DType>(t)) == Kind::complex ? of_complex : own;
    to[t] = from ? from[t] : nullptr;
  }
}

}  // namespace

Loop loop_of(OpId op, DType compute) {
  return op < bound().size() ? bound()[op].of[static_cast<int>(compute)] : nullptr;
}

Loop loop_for(const Device& device, OpId id, DType compute, const DType* given, int arity, bool scalars,
              DType* inputs) {
  if (id >= bound().size()) return nullptr;
  const OpLoops& loops = bound()[id];
  const Op& op = ops()[id];
  for (int i = 0; i < arity; ++i) inputs[i] = i == 0 && op.flags & Op::first_is_bool ? DType::bool_ : compute;
  if (op.flags & Op::comparison && compute == DType::float64) {
    const DType a = given[0], b = given[1];
    const bool first = is_signed(a) && b == DType::uint64, second = a == DType::uint64 && is_signed(b);
    if (first || second) {
      inputs[0] = first ? DType::int64 : DType::uint64;
      inputs[1] = first ? DType::uint64 : DType::int64;
      return first ? loops.signed_first : loops.signed_second;
    }
  }
  const auto row = static_cast<int>(compute);
  if (arity == 3 && scalars)
    if (const Loop loop = loops.between_scalars[row]) return loop;
  return loops.of[row] ? loops.of[row] : svml_loop(device, id, compute, scalars);
}

Loop loop_for(const Node& n, DType* inputs) {
  DType given[3];
  for (int i = 0; i < n.arity; ++i) given[i] = n.inputs[i].node->dtype;
  const auto is_scalar = [&](int i) { return n.inputs[i].node->state == NodeState::scalar; };
  bool scalars = n.arity > 1;
  for (int i = 1; i < n.arity; ++i) scalars &= is_scalar(i);
  return loop_for(*n.place->device, n.op, n.compute, given, n.arity, scalars, inputs);
}

void bind_loops() {
  std::vector<OpLoops>& table = bound();
  table.clear();
  for (std::size_t id = 0; id < ops().size(); ++id) {
    const Op& op = ops()[static_cast<OpId>(id)];
    OpLoops& row = table.emplace_back();
    bind_row(op.name, row.of);
    if (op.arity == 3) bind_row(op.name + ":scalars", row.between_scalars);
    if (!(op.flags & Op::comparison)) continue;
    const auto by_value = [&](const char* order) {
      const Loop* found = loops().find((op.name + order).c_str());
      return found ? found[static_cast<int>(DType::float64)] : nullptr;
    };
    row.signed_first = by_value(":iu");
    row.signed_second = by_value(":ui");
  }
}

}  // namespace devarray::host
