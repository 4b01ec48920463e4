#include "engine/host/reduction.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "engine/config.hpp"
#include "engine/host/at_once.hpp"
#include "engine/host/values.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"
#include "memory/block_record.hpp"

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
DType folded(FoldKind kind, DType accumulator) {
  const bool truths = kind == FoldKind::any || kind == FoldKind::all || kind == FoldKind::count;
  return truths ? DType::bool_ : accumulator;
}

/// The dtype of what a fold gives.
DType accumulated(FoldKind kind, DType accumulator) {
  return kind == FoldKind::argmin || kind == FoldKind::argmax ? DType::int64 : accumulator;
}

FoldOrder order_of(const ReduceProblem& problem, const ReducePlan& plan, std::int64_t total) {
  FoldOrder order;
  order.lanes = plan.lanes;
  order.unroll = plan.unroll;
  order.chunk = plan.split ? plan.chunk : total;
  order.stretch = plan.flat || problem.reduced.size() == 1 ? total : problem.reduced.back();
  if (plan.layout == ReduceLayout::row) {
    order.walk = plan.lanes > 1 ? FoldOrder::Walk::lanes : FoldOrder::Walk::lane;
    if (plan.lanes > 1 && plan.unroll != 4 && plan.unroll != 8)
      throw Error("the host folds lanes of 4 or 8 accumulators, and the plan has " + std::to_string(plan.unroll));
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

/// Where the values to be folded lie, in value form: those of a row side by side, or the rows of several columns.
class Values {
 public:
  Values(const ReductionWork& work, DType dtype, bool columns);
  std::size_t bytes() const;    ///< of memory that evaluate() wants
  void evaluate(char* memory);  ///< computes them, and the extra outputs, where they do not lie in memory as they are
  const char* of(std::int64_t output) const;                                 ///< the first value of an output
  std::int64_t step() const { return step_; }                                ///< columns: values from row to row
  std::int64_t apart() const { return steps_.empty() ? 0 : steps_.back(); }  ///< bytes between neighbouring outputs

 private:
  bool lie_in_memory();
  Dims walked(const Dims& kept, const Dims& reduced) const;

  const ReductionWork& work_;
  DType dtype_;
  bool columns_;
  std::int64_t total_, inner_, step_;
  const char* at_ = nullptr;
  Dims steps_;  ///< bytes between outputs, along the kept dims
};

Values::Values(const ReductionWork& work, DType dtype, bool columns)
    : work_(work), dtype_(dtype), columns_(columns), total_(element_count(work.problem.reduced)) {
  const Dims& kept = work.problem.kept;
  inner_ = kept.empty() ? 1 : kept.back();
  step_ = inner_;
  if (lie_in_memory()) return;
  const auto size = static_cast<std::int64_t>(value_size(dtype));
  steps_ = Dims(kept.size(), 0);
  std::int64_t step = columns ? size : size * total_;
  for (std::size_t d = kept.size(); d-- > 0; step *= kept[d]) {
    steps_[d] = step;
    if (columns && d + 1 == kept.size()) step *= total_;
  }
}

/// Whether an array's memory holds them as folds take them.
bool Values::lie_in_memory() {
  const ReduceProblem& p = work_.problem;
  const auto size = static_cast<std::int64_t>(value_size(dtype_));
  if (!work_.expression.nodes.empty() || work_.extra_count || p.operands.size() != 1 || p.reduced.size() != 1)
    return false;
  const ReduceOperand& o = p.operands[0];
  if (o.repeated || o.dtype != dtype_ || loops().load(dtype_)) return false;
  if (columns_ ? inner_ < kFoldColumns || o.kept.back() != size || o.reduced[0] % size : o.reduced[0] != size)
    return false;
  const Operand& leaf = work_.expression.operands[0];
  at_ = static_cast<const char*>(leaf.storage->block->host()) + leaf.offset;
  if (columns_) step_ = o.reduced[0] / size;
  steps_ = o.kept;
  return true;
}

std::size_t Values::bytes() const {
  if (at_) return 0;
  const std::int64_t count = element_count(work_.problem.kept) * total_;
  const std::int64_t behind = columns_ ? kFoldColumns : 0;  // columns that there are not are read, too
  return static_cast<std::size_t>(count + behind) * value_size(dtype_);
}

/// Sizes, or strides, in the order in which values lie.
Dims Values::walked(const Dims& kept, const Dims& reduced) const {
  Dims all = kept;
  if (columns_) all.pop_back();
  for (std::int64_t d : reduced) all.push_back(d);
  if (columns_) all.push_back(kept.back());
  return all;
}

void Values::evaluate(char* memory) {
  if (at_) return;
  at_ = memory;
  Dims sizes = walked(work_.problem.kept, work_.problem.reduced);
  std::vector<Dims> strides;
  for (const ReduceOperand& o : work_.problem.operands) strides.push_back(walked(o.kept, o.reduced));
  std::vector<Dims*> all;
  for (Dims& s : strides) all.push_back(&s);
  collapse(sizes, all);
  const std::size_t leaves = work_.expression.operands.size();
  SmallVector<const Dims*, 16> of_leaves;
  for (std::size_t i = 0; i < leaves; ++i) of_leaves.push_back(&strides[i]);
  SmallVector<Output, 8> outputs{{work_.spec.value, dtype_, memory, nullptr, true, nullptr}};
  for (std::size_t i = 0; i < work_.extra_count; ++i) {
    outputs.push_back(work_.extras[i]);
    outputs.back().strides = &strides[leaves + i];
  }
  Evaluator(work_.expression).run(sizes, of_leaves.data(), outputs.data(), outputs.size());
}

const char* Values::of(std::int64_t output) const {
  const Dims& kept = work_.problem.kept;
  const char* at = at_;
  for (std::size_t d = kept.size(); d-- > 1; output /= kept[d]) at += output % kept[d] * steps_[d];
  return kept.empty() ? at : at + output * steps_[0];
}

/// Folds the columns of each row of outputs, kFoldColumns at a time. The last ones are taken once more where a row does
/// not end with as many.
void fold_rows_of_columns(char* results, std::size_t size, std::int64_t n, std::int64_t inner, std::int64_t total,
                          const Values& values, FoldColumns fold, const FoldOrder& order) {
  alignas(64) char some[16 * kFoldColumns];
  for (std::int64_t row = 0; row < n; row += inner)
    for (std::int64_t x = 0; x < inner; x += kFoldColumns) {
      const std::int64_t first = row + std::max<std::int64_t>(std::min(x, inner - kFoldColumns), 0);
      const std::int64_t count = std::min<std::int64_t>(inner, kFoldColumns);
      fold(some, values.of(first), total, values.step(), order);
      std::memcpy(results + static_cast<std::size_t>(first) * size, some, static_cast<std::size_t>(count) * size);
    }
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

}  // namespace

bool has_loops(const ReductionWork& work) {
  if (!loops().fold(kind_of_name(work.spec.kind), work.spec.accumulator)) return false;
  for (const SpecNode& node : work.spec.post)
    if (!loop_of(node.op, node.compute)) return false;
  return Evaluator(work.expression).has_loops();
}

void run(const ReductionWork& work) {
  const ReductionSpec& spec = work.spec;
  const FoldKind kind = kind_of_name(spec.kind);
  const DType in = folded(kind, spec.accumulator), out = accumulated(kind, spec.accumulator);
  const std::int64_t total = element_count(work.problem.reduced), outputs = element_count(work.problem.kept);
  const auto n = static_cast<std::size_t>(outputs);
  const FoldOrder order = order_of(work.problem, spec.plan, total);
  const FoldColumns of_columns = order.walk == FoldOrder::Walk::narrow || order.walk == FoldOrder::Walk::strip
                                     ? loops().fold_columns(kind, spec.accumulator)
                                     : nullptr;
  Values values(work, in, of_columns);
  const auto room = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
  char* memory = scratch(Scratch::reduction, room(values.bytes()) + 2 * room(n * 16));
  char *accumulators = memory + room(values.bytes()), *more = accumulators + room(n * 16);
  values.evaluate(memory);
  const std::size_t size = value_size(out);
  if (of_columns) {
    fold_rows_of_columns(accumulators, size, outputs, work.problem.kept.back(), total, values, of_columns, order);
  } else {
    const Fold fold = loops().fold(kind, spec.accumulator);
    const std::int64_t inner = work.problem.kept.empty() ? 1 : work.problem.kept.back();
    for (std::int64_t first = 0; first < outputs; first += inner)
      fold(accumulators + static_cast<std::size_t>(first) * size, values.of(first), total, order, inner,
           values.apart());
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

namespace {

/// The plan's order for `n` elements side by side.
FoldOrder order_of_row(const Node& x, DType accumulator, bool indexed, std::int64_t n) {
  static ReduceProblem problem;  // kept for its memory
  problem.reduced = Dims{n};
  problem.operands.resize(1);
  problem.operands[0] = {x.dtype, Dims(), Dims{x.itemsize()}, false, false};
  problem.accumulator = accumulator;
  problem.indexed = indexed;
  const ReducePlan plan = plan_reduction(problem, Strategy::cpu, x.place->device->caps());
  return order_of(problem, plan, n);
}

/// The reduction of a dense leaf's elements, which are cast to `in` and give an `out`, as a `result` in memory.
void fold_row(const Node& x, Fold fold, const FoldOrder& order, DType in, DType out, DType result, void* memory) {
  const std::int64_t n = x.size();
  const void* values = static_cast<const char*>(x.storage->block->host()) + x.offset;
  char* room = scratch(Scratch::reduction, static_cast<std::size_t>(n) * 32);
  for (const Convert convert : {loops().load(x.dtype), loops().cast(x.dtype, in)}) {
    if (!convert) continue;
    convert(room, values, static_cast<std::size_t>(n));
    values = room;
    room += static_cast<std::size_t>(n) * 16;
  }
  alignas(16) char value[3][16] = {};
  fold(value[0], values, n, order, 1, 0);
  int last = 0;
  if (const Convert cast = loops().cast(out, result)) cast(value[last + 1], value[last], 1), ++last;
  if (const Convert store = loops().store(result)) store(value[last + 1], value[last], 1), ++last;
  std::memcpy(memory, value[last], size_of(result));
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

NodeRef reduce_at_once(Node& x, const Reduction& r, DType accumulator, DType result, const Dims& shape) {
  const std::int64_t n = x.size();
  if (r.axes.size() != x.shape.size() || !r.post.empty() || profiling() || debugging(2) || EngineLock::held() ||
      !takes(*x.place, 2 * n))
    return nullptr;
  const FoldKind kind = kind_of_name(r.kind);
  const DType in = folded(kind, accumulator), out = accumulated(kind, accumulator);
  const Fold fold = loops().fold(kind, accumulator);
  if (!fold) return nullptr;
  // So few elements are folded in the same order whether they lie in memory or are computed on the way.
  if (x.is_pending() && !evaluate_at_once(x)) return nullptr;
  if (!x.is_leaf() || x.shifts || !x.c_contiguous() || !can_read(*x.storage, *x.place)) return nullptr;
  const FoldOrder order = order_of_row(x, accumulator, out != accumulator, n);
  const PlaceRef& place = x.place;
  if (shape.empty() && result != DType::float16) {
    alignas(16) char total[16];
    fold_row(x, fold, order, in, out, result, total);
    if (NodeRef value = known_value(result, total, place)) return value;
  }
  Ref<Block> block = place->resource->try_allocate(size_of(result), place->queue);
  if (!block) return nullptr;
  note_block(*block);
  const StorageRef storage(new Storage(std::move(block), place));
  // An allocator may have let other threads run.
  if (!can_write(*storage, *place) || !place->queue->known_idle() || EngineLock::held()) return nullptr;
  fold_row(x, fold, order, in, out, result, storage->block->host());
  return Node::derived_leaf(storage, result, shape, c_strides(shape, static_cast<std::int64_t>(size_of(result))), 0);
}

}  // namespace devarray::host
