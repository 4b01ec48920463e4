#include "engine/reduction_launch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/hazards.hpp"
#include "engine/host/reduction.hpp"
#include "engine/index_flags.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/memory_order.hpp"
#include "engine/naming_lines.hpp"
#include "engine/partition.hpp"
#include "engine/ranges.hpp"
#include "engine/reduce_scratch.hpp"
#include "engine/throttle.hpp"

namespace devarray {

bool is_reduced(const Reduction& r, std::size_t axis) {
  return std::find(r.axes.begin(), r.axes.end(), static_cast<std::int64_t>(axis)) != r.axes.end();
}

namespace {

class ReductionLaunch {
 public:
  ReductionLaunch(Expression& e, Node& x, const Reduction& r, const ReducedGraph* rows = nullptr)
      : rows_(rows),
        e_(e),
        x_(x),
        r_(r),
        place_(*x.place),
        types_(dtypes_of(r, x.dtype)),
        post_(spec_of_post(r, types_.accumulator)) {}
  /// `result` is fresh memory, allocated first: the plan may trust its size.
  void run(const NodeRef& result);
  /// The same where `rows` are reduced below it. False, and nothing is done, where the geometry is none of whole rows.
  bool run_with_rows(const NodeRef& result);

 private:
  void split_axes();
  Dims part(const Dims& strides, bool reduced) const;
  void add_extra(Node& n);
  void describe(const Node& result);
  bool suits_vectors() const;
  void find_columns();
  KernelPtr kernel(std::int64_t cost, Storage& result);
  void enqueue(const KernelPtr& kernel, const StorageRef& result);
  void note_results(const Storage& result) const;
  bool suits_host(Storage& result);
  bool stands_in(std::int64_t cost) const;
  host::ReductionWork host_work(Storage& result);
  void run_on_host(Storage& result);
  void finish();
  std::string name_of_launch() const;
  ActivityRecord profiled(std::size_t result_bytes) const;

  const ReducedGraph* rows_;  ///< null: there are no reductions below it
  Expression& e_;
  Node& x_;
  const Reduction& r_;
  const Place& place_;
  const ReduceDtypes types_;
  SmallVector<std::uint8_t, 8> kept_, reduced_;
  ReduceProblem problem_;
  ReductionSpec spec_;
  std::vector<NodeRef> extras_;
  std::vector<StorageRef> extra_storage_;
  std::vector<Dims> extra_strides_;
  PostSpec post_;
  SmallVector<host::Output, 8> host_extras_;
};

void ReductionLaunch::split_axes() {
  for (std::size_t i = 0; i < x_.shape.size(); ++i) {
    const bool reduced = is_reduced(r_, i);
    (reduced ? reduced_ : kept_).push_back(static_cast<std::uint8_t>(i));
    (reduced ? problem_.reduced : problem_.kept).push_back(x_.shape[i]);
  }
  if (reduced_.empty()) problem_.reduced.push_back(1);
}

Dims ReductionLaunch::part(const Dims& strides, bool reduced) const {
  Dims out = permuted(strides, reduced ? reduced_ : kept_);
  if (reduced && reduced_.empty()) out.push_back(0);
  return out;
}

void ReductionLaunch::add_extra(Node& n) {
  extras_.emplace_back(&n);
  extra_storage_.push_back(allocate_storage(n.place, n.nbytes()));
  const bool of_row = rows_ && !(n.shape == e_.space());
  const Dims& own = extra_strides_.emplace_back(of_row ? c_strides(n.shape, n.itemsize()) : e_.result_strides(n));
  const Dims strides = broadcast_strides(n.shape, own, e_.space());
  problem_.operands.push_back({n.dtype, part(strides, false), part(strides, true), false, true, 0});
}

void ReductionLaunch::describe(const Node& result) {
  split_axes();
  for (const Operand& o : e_.operands)
    problem_.operands.push_back({o.dtype, part(o.strides, false), part(o.strides, true), o.repeated, false,
                                 o.storage->block->offset + static_cast<std::uint64_t>(o.offset)});
  if (rows_)
    for (const NodeRef& n : results_of_rows(*rows_, e_, nullptr, r_.dying)) add_extra(*n);
  else
    for (Node* n : e_.stored()) add_extra(*n);
  if (x_.is_pending() && !r_.input_dies && e_.stores(x_)) add_extra(x_);
  for (std::size_t i = 0; i < result.shape.size(); ++i)
    if (!r_.keepdims || !is_reduced(r_, i)) problem_.result.push_back(result.strides[i]);
  problem_.accumulator = types_.accumulator;
  problem_.indexed = is_arg(r_.kind);
  problem_.partial_bytes = partial_bytes(r_.kind, types_.accumulator);
  problem_.exact = !is_deviation(r_.kind) && (!is_total(r_.kind) || kind_rank(kind_of(types_.accumulator)) <= 1);
  problem_.vectors = suits_vectors();
  problem_.whole_rows = rows_ != nullptr;
  normalize(problem_);
  spec_.plan = plan_reduction(problem_, place_.device->strategy(), place_.device->caps());
  spec_.nkept = static_cast<std::uint8_t>(problem_.kept.size());
  spec_.nreduced = static_cast<std::uint8_t>(problem_.reduced.size());
  for (std::size_t i = 0; i < e_.operands.size(); ++i)
    spec_.body.leaves.push_back({e_.operands[i].dtype, spec_.plan.access[i]});
  e_.fill(spec_.body);
  for (std::size_t i = 0; i < extras_.size(); ++i)
    spec_.body.outputs.push_back({e_.id_of(*extras_[i]), extras_[i]->dtype, spec_.plan.access[e_.operands.size() + i]});
  find_columns();
  spec_.kind = r_.kind;
  spec_.accumulator = types_.accumulator;
  spec_.value = e_.id_of(x_);
  spec_.result = types_.result;
  spec_.post_scalars = post_.scalars;
  spec_.post = post_.nodes;
  spec_.result_value = post_.result;
  if (rows_) spec_.steps = row_steps(*rows_, e_, post_.slots);
}

/// Where work-items have whole rows: leaves that are one column of another leaf, as which the kernel reads them.
void ReductionLaunch::find_columns() {
  const ReducePlan& plan = spec_.plan;
  if (!plan.turns || plan.layout != ReduceLayout::column || plan.tile == 1 || plan.tile != problem_.kept.back()) return;
  const auto outer = [](const Dims& kept) { return Dims(kept.begin(), kept.end() - 1); };
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    const ReduceOperand& one = problem_.operands[i];
    const auto size = static_cast<std::int64_t>(size_of(one.dtype));
    if (one.repeated || one.kept.back() != 0) continue;
    for (std::size_t j = 0; j < e_.operands.size(); ++j) {
      const ReduceOperand& rows = problem_.operands[j];
      const std::int64_t bytes = e_.operands[i].offset - e_.operands[j].offset, column = bytes / size;
      if (rows.repeated || rows.dtype != one.dtype || rows.kept.back() != size || rows.reduced != one.reduced ||
          e_.operands[i].storage != e_.operands[j].storage || outer(rows.kept) != outer(one.kept) ||
          bytes % size != 0 || column < 0 || column >= plan.tile)
        continue;
      for (const std::size_t number : {i, j, static_cast<std::size_t>(column)})
        spec_.columns.push_back(static_cast<std::uint8_t>(number));
      break;
    }
  }
}

bool ReductionLaunch::suits_vectors() const {
  const DType t = types_.accumulator;
  const bool extreme = r_.kind == "min" || r_.kind == "max" || is_arg(r_.kind);
  if (place_.device->strategy() != Strategy::cpu || config().check_bounds || e_.operands.empty()) return false;
  if (!extreme && !is_total(r_.kind)) return false;
  if (is_arg(r_.kind) && (size_of(t) < 4 || x_.size() > std::numeric_limits<std::int32_t>::max())) return false;
  if (t != DType::float32 && t != DType::float64) {  // integers as they lie in memory
    const bool integer = is_integer(x_.dtype);
    return e_.nodes.empty() && (extreme ? integer : r_.kind == "sum" && (integer || x_.dtype == DType::bool_)) &&
           is_integer(t) && (extreme || size_of(t) == 8);
  }
  if (x_.dtype != t) return false;
  for (const Operand& o : e_.operands)
    if (o.dtype != t) return false;
  for (const Node* s : e_.scalar_nodes)
    if (s->dtype != t) return false;
  for (const Node* n : e_.nodes)
    if (!has_flag(n->op, Op::vectors) || n->compute != t || n->dtype != t) return false;
  return true;
}

KernelPtr ReductionLaunch::kernel(std::int64_t cost, Storage& result) {
  Device& device = *place_.device;
  return cached_kernel(device, SpecKey('r', spec_), [&](const std::string* source) {
    const bool soon = stands_in(cost) && suits_host(result);
    return naming_lines(e_, [&] { return build_hooks().reduction(device, spec_, soon, source); });
  });
}

void ReductionLaunch::enqueue(const KernelPtr& kernel, const StorageRef& result) {
  PlanOf* const plan = PlanOf::current();
  SmallVector<MemoryArg, 32> memory;
  SmallVector<std::int64_t, 64> slots;
  for (std::int64_t d : problem_.kept) slots.push_back(d);
  for (std::int64_t d : problem_.reduced) slots.push_back(d);
  const auto add = [&](const Storage& s, std::int64_t offset) {
    memory.push_back(memory_arg(s));
    if (plan) plan->note_offset(slots.size());
    slots.push_back(static_cast<std::int64_t>(s.block->offset) + offset);
  };
  for (std::size_t i = 0; i < problem_.operands.size(); ++i) {
    const bool leaf = i < e_.operands.size();
    add(leaf ? *e_.operands[i].storage : *extra_storage_[i - e_.operands.size()], leaf ? e_.operands[i].offset : 0);
    if (spec_.plan.access[i] == Access::uniform) continue;
    for (std::int64_t stride : problem_.operands[i].kept) slots.push_back(stride);
    for (std::int64_t stride : problem_.operands[i].reduced) slots.push_back(stride);
  }
  add(*result, 0);
  for (std::int64_t stride : problem_.result) slots.push_back(stride);
  const std::size_t first_scalar = slots.size();
  e_.append_scalar_slots(slots);
  for (std::int64_t bits : post_.slots) slots.push_back(bits);
  StorageRef scratch;
  Ref<Block> counters;
  const std::size_t turning = slots.size();
  if (spec_.plan.split || spec_.plan.turns) slots.push_back(spec_.plan.chunk);
  if (spec_.plan.split) {
    scratch = allocate_storage(x_.place, static_cast<std::int64_t>(spec_.plan.scratch_bytes));
    counters = counters_for(place_);
    if (plan) plan->note_scratch(spec_.plan.scratch_bytes);
    memory.push_back(start_of(*scratch->block));
    memory.push_back(start_of(*counters));
  }
  for (const Operand& o : e_.operands) acquire_read(*o.storage, place_);
  for (const StorageRef& extra : extra_storage_) acquire_write(*extra, place_);
  result->note_write();
  if (config().check_bounds) {
    std::vector<const Block*> blocks;
    for (const Operand& o : e_.operands) blocks.push_back(o.storage->block.get());
    for (const StorageRef& extra : extra_storage_) blocks.push_back(extra->block.get());
    blocks.push_back(result->block.get());
    if (spec_.plan.split) blocks.insert(blocks.end(), {scratch->block.get(), counters.get()});
    add_bounds(place_, "kernel " + name_of_launch(), blocks, memory, slots);
  }
  std::uint64_t bytes = bytes_reached(problem_.kept, problem_.result, types_.result);
  for (const Operand& o : e_.operands) bytes += bytes_reached(e_.space(), o.strides, o.dtype);
  for (const NodeRef& extra : extras_) bytes += static_cast<std::uint64_t>(extra->nbytes());
  if (plan) plan->note_launch(e_, kernel, spec_.plan.dims, slots, first_scalar, bytes);
  if (spec_.plan.turns && may_turn(*place_.device, bytes)) {
    if (plan) plan->note_turns(turning);
    slots[turning] = turned(slots[turning], *place_.queue);
  }
  const NamedRange range([&] { return profiled(0).name; });
  const auto timer = timer_of(Activity::kernel, place_.queue.get());
  place_.queue->launch(*kernel, spec_.plan.dims, memory.data(), memory.size(), slots.data(), slots.size());
  if (timer) timer->done(profiled(result->block->size));
  note_launch(*place_.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_moved.fetch_add(bytes, std::memory_order_relaxed);
  for (const Operand& o : e_.operands) release_read(*o.storage, place_);
  for (const StorageRef& extra : extra_storage_) release_write(*extra, place_);
  if (debugging(2)) debug_line(2, "kernel " + name_of_launch() + (timer ? timer->took() : ""));
}

/// Where it is small, the host can, and the memory is its own.
host::ReductionWork ReductionLaunch::host_work(Storage& result) {
  host_extras_.clear();
  for (std::size_t i = 0; i < extras_.size(); ++i)
    host_extras_.push_back({e_.id_of(*extras_[i]), extras_[i]->dtype,
                            static_cast<char*>(extra_storage_[i]->block->host()), nullptr, false,
                            extra_storage_[i].get()});
  return {e_,
          problem_,
          spec_,
          post_.slots.data(),
          host_extras_.data(),
          host_extras_.size(),
          static_cast<char*>(result.block->host())};
}

bool ReductionLaunch::stands_in(std::int64_t cost) const {
  return x_.size() <= host::kMostReduced && host::stands_in(place_, cost);
}

bool ReductionLaunch::suits_host(Storage& result) {
  if (is_deviation(r_.kind) || !host::can_write(result, place_)) return false;
  for (const Operand& o : e_.operands)
    if (!host::can_read(*o.storage, place_)) return false;
  for (const StorageRef& extra : extra_storage_)
    if (!host::can_write(*extra, place_)) return false;
  return host::has_loops(host_work(result));
}

void ReductionLaunch::run_on_host(Storage& result) {
  const auto timer = timer_of(Activity::host);
  host::run(host_work(result));
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done(profiled(result.block->size));
  if (debugging(2)) debug_line(2, "host " + name_of_launch() + (timer ? timer->took() : ""));
}

ActivityRecord ReductionLaunch::profiled(std::size_t result_bytes) const {
  ActivityRecord record = e_.described(e_.space());
  record.name = r_.kind + "(" + record.name + ")";
  if (const SourceLine line = current_line()) record.lines.insert(record.lines.begin(), line);
  record.written = result_bytes;
  for (const NodeRef& n : extras_) record.written += static_cast<std::uint64_t>(n->nbytes());
  return record;
}

std::string ReductionLaunch::name_of_launch() const {
  return r_.kind + " over " + to_string(problem_.reduced) + " for " + to_string(problem_.kept) + ", " +
         std::to_string(e_.nodes.size()) + " operations absorbed";
}

/// In the order of memory arguments.
void ReductionLaunch::note_results(const Storage& result) const {
  PlanOf* const plan = PlanOf::current();
  if (!plan) return;
  for (std::size_t i = 0; i < extras_.size(); ++i)
    plan->note_result(e_, extras_[i].get(), *extra_storage_[i], extra_strides_[i]);
  plan->note_result(e_, nullptr, result, Dims());
}

void ReductionLaunch::run(const NodeRef& result) {
  describe(*result);
  Storage& storage = *result->storage;
  const std::int64_t rows = spec_.plan.layout == ReduceLayout::row ? element_count(problem_.kept) : 0;
  const std::int64_t cost = host::cost_of(e_, x_.size(), rows);
  if (host::is_small(place_, cost) && suits_host(storage) && host::takes_behind_short(place_, cost)) {
    run_on_host(storage);
  } else if (const KernelPtr k = kernel(cost, storage)) {
    enqueue(k, result->storage);
    note_results(storage);
    host::note_launch(place_, cost);
  } else {
    host::settle(place_);
    run_on_host(storage);
  }
  finish();
}

bool ReductionLaunch::run_with_rows(const NodeRef& result) {
  describe(*result);
  const bool whole = problem_.kept.size() == 1 && spec_.plan.outs * spec_.plan.tile == problem_.kept[0];
  if (spec_.plan.layout != ReduceLayout::column || !whole) return false;
  const KernelPtr k = cached_kernel(*place_.device, SpecKey('r', spec_), [&](const std::string* source) {
    return naming_lines(e_, [&] { return build_hooks().reduction(*place_.device, spec_, false, source); });
  });
  enqueue(k, result->storage);
  finish();
  rows_->settle_row_values();
  return true;
}

/// What was stored beside the result becomes memory.
void ReductionLaunch::finish() {
  for (std::size_t i = 0; i < extras_.size(); ++i) {
    Node& n = *extras_[i];
    n.materialize(extra_storage_[i], std::move(extra_strides_[i]), 0);
  }
  e_.renumber_left();
}

}  // namespace

/// Whether the expression can stand inside a reduction's kernel.
bool absorbable(const Expression& e, const Place& place) {
  if (!e.reads_in_place()) return false;
  return parameter_bytes(e.operands.size() + e.living().size() + kReductionMemory, e.space().size(),
                         e.further_slots() + 8) <= place.device->caps().max_parameter_bytes;
}

void launch_reduction_of(Expression& e, Node& x, const Reduction& r, const NodeRef& result) {
  ReductionLaunch(e, x, r).run(result);
}

NodeRef launch_row_columns(const NodeRef& x, const Reduction& r, const Dims& shape, DType dtype) {
  const std::int64_t columns = x->shape.empty() ? 0 : x->shape.back();
  if (!x->is_pending() || !x->over_reduction || is_arg(r.kind) || is_deviation(r.kind) || Planner::current())
    return nullptr;
  if (columns < 2 || columns > kNarrow || r.axes.size() + 1 != x->shape.size() || is_reduced(r, r.axes.size()))
    return nullptr;
  const std::optional<ReducedGraph> graph = rows_below(*x);
  if (!graph || graph->axes != 1 || graph->nodes.back() != x) return nullptr;
  Expression e(graph->nodes, graph->space, graph->values_of_rows());
  if (!e.fits(kReductionMemory + graph->nodes.size()) || !absorbable(e, *x->place)) return nullptr;
  PlanOf::spoil();
  const NodeRef result = empty(x->place, dtype, shape);
  return ReductionLaunch(e, *x, r, &*graph).run_with_rows(result) ? result : nullptr;
}

}  // namespace devarray
