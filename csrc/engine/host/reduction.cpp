#include "engine/host/reduction.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace devarray::host {
namespace {

constexpr std::array<const char*, kFoldKinds> kNames = {"sum", "prod",   "min",    "max",          "any",
                                                        "all", "argmin", "argmax", "count_nonzero"};

FoldKind kind_of_name(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<FoldKind>(i);
  throw Error("no reduction is named " + name);
}

/// The dtype of the values that are folded.
DType folded(const ReductionSpec& spec) {
  const FoldKind kind = kind_of_name(spec.kind);
  const bool truths = kind == FoldKind::any || kind == FoldKind::all || kind == FoldKind::count;
  return truths ? DType::bool_ : spec.accumulator;
}

bool is_indexed(const ReductionSpec& spec) {
  const FoldKind kind = kind_of_name(spec.kind);
  return kind == FoldKind::argmin || kind == FoldKind::argmax;
}

/// The dtype of what a fold gives.
DType accumulated(const ReductionSpec& spec) { return is_indexed(spec) ? DType::int64 : spec.accumulator; }

/// Adds partial results up; the op is the one of codegen/kernels/reduction_spec.py.
Loop joining_loop(const ReductionSpec& spec) {
  static constexpr std::array<const char*, kFoldKinds> ops_of = {
      "add", "multiply", "minimum", "maximum", "logical_or", "logical_and", "", "", "add"};
  return loops().find(ops_of[static_cast<std::size_t>(kind_of_name(spec.kind))], spec.accumulator);
}

FoldOrder order_of(const ReduceProblem& problem, const ReducePlan& plan, std::int64_t total) {
  FoldOrder order;
  order.lanes = plan.lanes;
  order.unroll = plan.unroll;
  order.stretch = plan.flat || problem.reduced.size() == 1 ? total : problem.reduced.back();
  if (plan.layout == ReduceLayout::row) {
    order.walk = plan.lanes > 1 ? FoldOrder::Walk::lanes : FoldOrder::Walk::lane;
  } else if (plan.tile <= kNarrow) {
    order.walk = FoldOrder::Walk::narrow;
  } else {
    order.walk = FoldOrder::Walk::strip;
    const std::int64_t inner = problem.kept.back(), outer = element_count(problem.kept) / inner, outs = plan.outs;
    const std::int64_t strips = static_cast<std::int64_t>(plan.dims.groups[0]) / outer;
    const std::int64_t wide = ((inner + strips - 1) / strips + outs - 1) / outs * outs;
    order.piece = wide * kLeastRows < kApart ? kApart / wide : kLeastRows;
  }
  return order;
}

Dims joined(const Dims& a, const Dims& b) {
  Dims both = a;
  for (std::int64_t d : b) both.push_back(d);
  return both;
}

/// The values to be folded, those of an output side by side, and the extra outputs.
void evaluate(const ReductionWork& work, DType dtype, char* values) {
  Dims sizes = joined(work.problem.kept, work.problem.reduced);
  std::vector<Dims> strides;
  for (const ReduceOperand& o : work.problem.operands) strides.push_back(joined(o.kept, o.reduced));
  std::vector<Dims*> all;
  for (Dims& s : strides) all.push_back(&s);
  collapse(sizes, all);
  const std::size_t leaves = work.expression.operands.size();
  SmallVector<const Dims*, 16> of_leaves;
  for (std::size_t i = 0; i < leaves; ++i) of_leaves.push_back(&strides[i]);
  SmallVector<Output, 8> outputs{{work.spec.value, dtype, values, nullptr, true, nullptr}};
  for (std::size_t i = 0; i < work.extra_count; ++i) {
    outputs.push_back(work.extras[i]);
    outputs.back().strides = &strides[leaves + i];
  }
  Evaluator(work.expression).run(sizes, of_leaves.data(), outputs.data(), outputs.size());
}

/// The post operations on `n` accumulated values, in place.
void finish(const ReductionWork& work, char* values, char* scalars, std::size_t n) {
  const std::int64_t* slot = work.post_slots;
  const DType dtype = work.spec.accumulator;
  const std::size_t size = value_size(dtype);
  for (const SpecNode& node : work.spec.post) {
    if (node.nargs == 2) {
      for (std::size_t i = 0; i < n; ++i) std::memcpy(scalars + i * size, slot, size);
      slot += dtype == DType::complex128 ? 2 : 1;
    }
    const void* in[2] = {values, scalars};
    loop_of(node.op, dtype)(values, in, n, 0);
  }
}

/// Folds the pieces that a kernel's groups take each, and joins their results as the last of its groups does.
void fold_pieces(const ReductionWork& work, char* out, const char* values, std::int64_t total, char* parts) {
  const ReductionSpec& spec = work.spec;
  const std::size_t in = value_size(folded(spec)), size = value_size(spec.accumulator);
  const std::int64_t chunk = spec.plan.chunk, count = (total + chunk - 1) / chunk, lanes = spec.plan.lanes;
  const FoldKind kind = kind_of_name(spec.kind);
  const Fold fold = loops().fold(kind, spec.accumulator);
  FoldOrder order = order_of(work.problem, spec.plan, total);
  for (std::int64_t part = 0; part < count; ++part) {
    const std::int64_t begin = part * chunk;
    order.stretch = std::min(chunk, total - begin);
    fold(parts + static_cast<std::size_t>(part) * size, values + static_cast<std::size_t>(begin) * in, order.stretch,
         order);
  }
  const Loop join = joining_loop(spec);
  const auto at = [&](char* memory, std::int64_t i) { return memory + static_cast<std::size_t>(i) * size; };
  char* sums = at(parts, count);
  for (std::int64_t lane = 0; lane < lanes; ++lane) fold(at(sums, lane), values, 0, order);  // the identity
  for (std::int64_t part = 0; part < count; part += lanes) {
    const void* pair[2] = {sums, at(parts, part)};
    join(sums, pair, static_cast<std::size_t>(std::min(lanes, count - part)), 0);
  }
  for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
    const void* pair[2] = {sums, at(sums, half)};
    join(sums, pair, static_cast<std::size_t>(half), 0);
  }
  std::memcpy(out, sums, size);
}

}  // namespace

bool has_loops(const ReductionWork& work) {
  if (!loops().fold(kind_of_name(work.spec.kind), work.spec.accumulator)) return false;
  if (work.spec.plan.split && !is_indexed(work.spec)) {
    const FoldOrder order = order_of(work.problem, work.spec.plan, element_count(work.problem.reduced));
    if (order.stretch != element_count(work.problem.reduced) || !joining_loop(work.spec)) return false;
  }
  for (const SpecNode& node : work.spec.post)
    if (!loop_of(node.op, node.compute)) return false;
  return Evaluator(work.expression).has_loops();
}

void run(const ReductionWork& work) {
  const ReductionSpec& spec = work.spec;
  const DType in = folded(spec), out = accumulated(spec);
  const std::int64_t total = element_count(work.problem.reduced), outputs = element_count(work.problem.kept);
  const auto n = static_cast<std::size_t>(outputs);
  const std::size_t row = static_cast<std::size_t>(total) * value_size(in);
  const auto room = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
  const bool pieces = spec.plan.split && !is_indexed(spec);
  const std::size_t of_pieces = pieces ? room((spec.plan.dims.groups[1] + spec.plan.lanes) * 16) : 0;
  char* values = scratch(Scratch::reduction, room(n * row) + 2 * room(n * 16) + of_pieces);
  char *accumulators = values + room(n * row), *more = accumulators + room(n * 16), *parts = more + room(n * 16);
  evaluate(work, in, values);
  const Fold fold = loops().fold(kind_of_name(spec.kind), spec.accumulator);
  const FoldOrder order = order_of(work.problem, spec.plan, total);
  const std::size_t size = value_size(out);
  for (std::size_t i = 0; i < n; ++i) {
    if (pieces)
      fold_pieces(work, accumulators + i * size, values + i * row, total, parts);
    else
      fold(accumulators + i * size, values + i * row, total, order);
  }
  finish(work, accumulators, more, n);
  if (const Convert cast = loops().cast(out, spec.result)) {
    cast(more, accumulators, n);
    std::swap(accumulators, more);
  }
  if (const Convert store = loops().store(spec.result)) {
    store(more, accumulators, n);
    std::swap(accumulators, more);
  }
  scatter(work.result, accumulators, size_of(spec.result), work.problem.kept, work.problem.result);
}

}  // namespace devarray::host
