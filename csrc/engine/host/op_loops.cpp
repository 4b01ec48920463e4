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
  // The first processors with vectors of 512 bits slowed down for them; those with VBMI2 do not. Complex numbers stay
  // with AVX2: GCC makes their products of fused operations, where there are such, whatever -ffp-contract says.
  static const LoopSet best = [] {
    LoopSet set = __builtin_cpu_supports("avx2") ? avx2_loops : baseline_loops;
    if (!__builtin_cpu_supports("avx512vbmi2")) return set;
    set = avx512_loops;
    set.find = [](const char* name, DType compute) {
      return (kind_of(compute) == Kind::complex ? avx2_loops : avx512_loops).find(name, compute);
    };
    return set;
  }();
  return best;
#else
  return baseline_loops;
#endif
}

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
  const LoopSet& set = loops();
  std::vector<OpLoops>& table = bound();
  table.clear();
  for (std::size_t id = 0; id < ops().size(); ++id) {
    const std::string& name = ops()[static_cast<OpId>(id)].name;
    OpLoops& row = table.emplace_back();
    for (int t = 0; t < kDTypes; ++t) {
      row.of[t] = set.find(name.c_str(), static_cast<DType>(t));
      row.between_scalars[t] = set.find((name + ":scalars").c_str(), static_cast<DType>(t));
    }
    row.signed_first = set.find((name + ":iu").c_str(), DType::float64);
    row.signed_second = set.find((name + ":ui").c_str(), DType::float64);
  }
}

}  // namespace devarray::host
