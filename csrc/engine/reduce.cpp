#include "engine/reduce.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/at_once.hpp"
#include "engine/host/reduction.hpp"
#include "engine/index_flags.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/memory_order.hpp"
#include "engine/naming_lines.hpp"
#include "engine/pending_views.hpp"
#include "engine/ranges.hpp"
#include "engine/record.hpp"
#include "engine/reduce_rows.hpp"
#include "engine/reduce_scratch.hpp"
#include "engine/throttle.hpp"
#include "engine/unroll.hpp"

namespace devarray {

namespace {

/// Memory arguments of a reduction beside the leaves and the extra outputs.
constexpr std::size_t kReductionMemory = 4;

bool is_reduced(const Reduction& r, std::size_t axis) {
  return std::find(r.axes.begin(), r.axes.end(), static_cast<std::int64_t>(axis)) != r.axes.end();
}

Dims shape_after(const Dims& shape, const Reduction& r) {
  Dims out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!is_reduced(r, i))
      out.push_back(shape[i]);
    else if (r.keepdims)
      out.push_back(1);
  }
  return out;
}

/// Strides of the result: its axes lie as those of `x`, but positions, which lie in C order, as NumPy's do.
Dims strides_after(Node& x, const Reduction& r, const Dims& shape, std::int64_t itemsize) {
  if (shape.size() < 2 || is_arg(r.kind)) return c_strides(shape, itemsize);
  SmallVector<std::uint8_t, 8> number, order;  // of each axis of x: its number in the result
  std::uint8_t next = 0;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    number.push_back(next);
    next += r.keepdims || !is_reduced(r, i);
  }
  for (const std::uint8_t axis : order_of_axes(x))
    if (r.keepdims || !is_reduced(r, axis)) order.push_back(number[axis]);
  return strides_in_order(shape, order, itemsize);
}

class ReductionLaunch {
 public:
  ReductionLaunch(Expression& e, Node& x, const Reduction& r)
      : e_(e),
        x_(x),
        r_(r),
        place_(*x.place),
        types_(dtypes_of(r, x.dtype)),
        post_(spec_of_post(r, types_.accumulator)) {}
  /// `result` is fresh memory, allocated first: the plan may trust its size.
  void run(const NodeRef& result);

 private:
  void split_axes();
  Dims part(const Dims& strides, bool reduced) const;
  void add_extra(Node& n);
  void describe(const Node& result);
  bool suits_vectors() const;
  KernelPtr kernel(std::int64_t cost, Storage& result);
  void enqueue(const KernelPtr& kernel, const StorageRef& result);
  void note_results(const Storage& result) const;
  bool suits_host(Storage& result);
  bool stands_in(std::int64_t cost) const;
  host::ReductionWork host_work(Storage& result);
  void run_on_host(Storage& result);
  std::string name_of_launch() const;
  ActivityRecord profiled(std::size_t result_bytes) const;

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
  const Dims& strides = extra_strides_.emplace_back(e_.result_strides(n));
  problem_.operands.push_back({n.dtype, part(strides, false), part(strides, true), false, true, 0});
}

void ReductionLaunch::describe(const Node& result) {
  split_axes();
  for (const Operand& o : e_.operands)
    problem_.operands.push_back({o.dtype, part(o.strides, false), part(o.strides, true), o.repeated, false,
                                 o.storage->block->offset + static_cast<std::uint64_t>(o.offset)});
  for (Node* n : e_.stored()) add_extra(*n);
  if (x_.is_pending() && !r_.input_dies && e_.stores(x_)) add_extra(x_);
  for (std::size_t i = 0; i < result.shape.size(); ++i)
    if (!r_.keepdims || !is_reduced(r_, i)) problem_.result.push_back(result.strides[i]);
  problem_.accumulator = types_.accumulator;
  problem_.indexed = is_arg(r_.kind);
  problem_.exact = !is_total(r_.kind) || kind_rank(kind_of(types_.accumulator)) <= 1;
  problem_.vectors = suits_vectors();
  normalize(problem_);
  spec_.plan = plan_reduction(problem_, place_.device->strategy(), place_.device->caps());
  spec_.nkept = static_cast<std::uint8_t>(problem_.kept.size());
  spec_.nreduced = static_cast<std::uint8_t>(problem_.reduced.size());
  for (std::size_t i = 0; i < e_.operands.size(); ++i)
    spec_.body.leaves.push_back({e_.operands[i].dtype, spec_.plan.access[i]});
  e_.fill(spec_.body);
  for (std::size_t i = 0; i < extras_.size(); ++i)
    spec_.body.outputs.push_back({e_.id_of(*extras_[i]), extras_[i]->dtype, spec_.plan.access[e_.operands.size() + i]});
  spec_.kind = r_.kind;
  spec_.accumulator = types_.accumulator;
  spec_.value = e_.id_of(x_);
  spec_.result = types_.result;
  spec_.post_scalars = post_.scalars;
  spec_.post = post_.nodes;
  spec_.result_value = post_.result;
}

bool ReductionLaunch::suits_vectors() const {
  const DType t = types_.accumulator;
  const bool extreme = r_.kind == "min" || r_.kind == "max" || is_arg(r_.kind);
  if (place_.device->strategy() != Strategy::cpu || config().check_bounds || e_.operands.empty()) return false;
  if (!extreme && !is_total(r_.kind)) return false;
  if (is_arg(r_.kind) && (size_of(t) < 4 || x_.size() > std::numeric_limits<std::int32_t>::max())) return false;
  if (t != DType::float32 && t != DType::float64) {  // integers as they lie in memory
    const bool integer = kind_rank(kind_of(x_.dtype)) == 1;
    return e_.nodes.empty() && (extreme ? integer : r_.kind == "sum" && (integer || x_.dtype == DType::bool_)) &&
           kind_rank(kind_of(t)) == 1 && (extreme || size_of(t) == 8);
  }
  if (x_.dtype != t) return false;
  for (const Operand& o : e_.operands)
    if (o.dtype != t) return false;
  for (const Node* s : e_.scalar_nodes)
    if (s->dtype != t) return false;
  for (const Node* n : e_.nodes)
    if (!(ops()[n->op].flags & Op::vectors) || n->compute != t || n->dtype != t) return false;
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
  if (spec_.plan.split) {
    slots.push_back(spec_.plan.chunk);
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
  const NamedRange range([&] { return profiled(0).name; });
  const auto timer = timer_of(Activity::kernel, place_.queue.get());
  place_.queue->launch(*kernel, spec_.plan.dims, memory.data(), memory.size(), slots.data(), slots.size());
  if (timer) timer->done(profiled(result->block->size));
  note_launch(*place_.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t bytes = bytes_reached(problem_.kept, problem_.result, types_.result);
  for (const Operand& o : e_.operands) bytes += bytes_reached(e_.space(), o.strides, o.dtype);
  for (const NodeRef& extra : extras_) bytes += static_cast<std::uint64_t>(extra->nbytes());
  stats().bytes_moved.fetch_add(bytes, std::memory_order_relaxed);
  if (plan) plan->note_launch(e_, kernel, spec_.plan.dims, slots, first_scalar, bytes);
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
  if (!host::can_write(result, place_)) return false;
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
  const std::int64_t cost = host::cost_of(e_, x_.size());
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
  for (std::size_t i = 0; i < extras_.size(); ++i) {
    Node& n = *extras_[i];
    n.materialize(extra_storage_[i], std::move(extra_strides_[i]), 0);
  }
  e_.renumber_left();
}

/// A reduction of no elements: the identity, and what follows it.
NodeRef reduce_nothing(Node& x, const Reduction& r, const Dims& shape) {
  if (is_arg(r.kind))
    throw ValueError("attempt to get " + r.kind + " of an empty sequence (shape " + to_string(x.shape) + ")");
  if (r.kind == "min" || r.kind == "max")
    throw ValueError("zero-size array to reduction operation " + r.kind + "imum which has no identity (shape " +
                     to_string(x.shape) + ")");
  const ReduceDtypes types = dtypes_of(r, x.dtype);
  ScalarValue identity;
  identity.i = r.kind == "prod" || r.kind == "all";
  NodeRef value = full(x.place, types.accumulator, shape, identity);
  for (const PostOp& p : r.post) {
    RecordArg args[2];
    args[0].node = value;
    if (p.scalar) {
      args[1].scalar.kind = Kind::real;
      args[1].scalar.re = *p.scalar;
    }
    value = record(p.op, args, p.scalar ? 2 : 1);
  }
  return cast(value, types.result);
}

/// Reduces the expression that a view of a pending value stands for, where that costs no more than the value.
NodeRef reduce_view(const NodeRef& x, const Reduction& r) {
  if (host::evaluate_at_once(*x)) return reduce(x, r);
  make_room(*x->place->queue);
  NodeRef source = x;
  {
    EngineLock lock;
    if (x->is_pending_view) source = expression_of_view(x, r.input_dies);
  }
  Reduction own = r;
  own.input_dies |= source != x;
  return reduce(source, own);
}

/// What its plan follows from beside the graph. Not `keepdims`, by which the result's shape alone differs.
Purpose purpose_of(const Reduction& r, const Node& result) {
  Purpose p{.stage = Stage::reduction};
  const std::uint64_t dtype = r.dtype ? static_cast<std::uint64_t>(*r.dtype) : 0xFF;
  p.words.push_back(dtype | static_cast<std::uint64_t>(r.input_dies) << 8 |
                    static_cast<std::uint64_t>(r.kind.size()) << 16 | static_cast<std::uint64_t>(r.axes.size()) << 32 |
                    static_cast<std::uint64_t>(r.post.size()) << 48);
  for (std::size_t at = 0; at < r.kind.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, r.kind.data() + at, std::min<std::size_t>(8, r.kind.size() - at));
    p.words.push_back(word);
  }
  for (const std::int64_t axis : r.axes) p.words.push_back(static_cast<std::uint64_t>(axis));
  for (const PostOp& op : r.post) {
    p.words.push_back(op.op | static_cast<std::uint64_t>(op.scalar.has_value()) << 32);
    p.words.push_back(std::bit_cast<std::uint64_t>(op.scalar.value_or(0)));
  }
  if (!lies_by_rows(result.shape, result.strides))
    for (std::size_t i = 0; i < result.shape.size(); ++i)
      if (!r.keepdims || !is_reduced(r, i)) p.words.push_back(static_cast<std::uint64_t>(result.strides[i]));
  return p;
}

/// Whether a work-item has all columns of the values that are reduced, and computes once what they share:
/// columns_of_an_item() in reduce_plan.cpp.
bool shares_columns(const Node& x, const Reduction& r) {
  if (x.place->device->strategy() != Strategy::gpu || !config().deferred || x.shape.size() < 3) return false;
  const std::int64_t columns = x.shape.back();
  return columns > 1 && columns <= kFewColumns &&
         std::find(r.axes.begin(), r.axes.end(), std::ssize(x.shape) - 1) == r.axes.end();
}

/// Whether the expression can stand inside a reduction's kernel.
bool absorbable(const Expression& e, const Place& place) {
  if (e.counts_elements() || e.has_shifts()) return false;
  return parameter_bytes(e.operands.size() + e.living().size() + kReductionMemory, e.space().size(),
                         e.further_slots() + 8) <= place.device->caps().max_parameter_bytes;
}

/// One that is launched now, under the engine's lock.
NodeRef launch_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType dtype) {
  if (x->is_pending() && shares_columns(*x, r)) take_in_repeated(*x);
  const Dims strides = strides_after(*x, r, shape, static_cast<std::int64_t>(size_of(dtype)));
  const NodeRef result = empty_in_order(x->place, dtype, shape, strides);
  const Purpose purpose = purpose_of(r, *result);
  for (;;) {
    PlanOf plan(*x, purpose, result.get());
    if (plan.done()) return result;
    Expression e(*x, x->shape);
    while (!e.fits(kReductionMemory) && e.cut());
    if (!absorbable(e, *x->place) && x->is_pending()) {
      evaluate(*x);
      continue;
    }
    ReductionLaunch(e, *x, r).run(result);
    plan.keep();
    return result;
  }
}

}  // namespace

NodeRef reduce(const NodeRef& x, const Reduction& r) {
  if (x->is_pending_view && x->size() > 0) [[unlikely]]
    return reduce_view(x, r);
  const ReduceDtypes types = dtypes_of(r, x->dtype);
  if (is_total(r.kind) && r.dtype && kind_of(x->dtype) == Kind::complex && kind_of(*r.dtype) != Kind::complex)
    throw DTypeError(r.kind + " of " + name_of(x->dtype) + " in " + name_of(*r.dtype) +
                     " would drop imaginary parts; take real() first");
  check_supported(*x->place->device, types.accumulator);
  const Dims shape = shape_after(x->shape, r);
  if (element_count(shape) == 0) {
    if (r.kind == "min" || r.kind == "max" || is_arg(r.kind))
      for (std::int64_t axis : r.axes)
        if (x->shape[static_cast<std::size_t>(axis)] == 0) return reduce_nothing(*x, r, shape);
    return empty(x->place, types.result, shape);
  }
  if (x->size() == 0) return reduce_nothing(*x, r, shape);
  if (x->is_known()) evaluate(*x);
  if (NodeRef done = host::reduce_at_once(*x, r, types.accumulator, types.result, shape)) return done;
  if (reduction_waits(*x, r)) return waiting_reduction(x, r, shape, types.result);
  make_room(*x->place->queue);
  EngineLock lock;
  if (NodeRef sum = unrolled(x, r, types.accumulator, types.result)) return sum;
  return launch_reduction(x, r, shape, types.result);
}

void evaluate_reduction(Node& n) {
  const NodeRef x = n.inputs[0].node;
  Reduction r = *n.reduction;
  r.input_dies |= x->owners == 0 && x->consumers == &n.inputs[0] && !n.inputs[0].next;
  const NodeRef result = launch_reduction(x, r, n.shape, n.dtype);
  if (n.is_pending()) n.materialize(result->storage, result->strides, result->offset);
}

}  // namespace devarray
