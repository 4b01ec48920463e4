#include "engine/reduce_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/expression.hpp"
#include "engine/hazards.hpp"
#include "engine/index_flags.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/naming_lines.hpp"
#include "engine/partition.hpp"
#include "engine/plan.hpp"
#include "engine/ranges.hpp"
#include "engine/reduce_plan.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kLeastRow = 32;          ///< elements: shorter rows leave lanes idle
constexpr std::int64_t kMostRowBytes = 65536;   ///< that a compute unit's cache holds for the groups that run on it
constexpr std::int64_t kCacheOfAUnit = 131072;  ///< bytes of it for their rows
constexpr std::int64_t kItemsOfAUnit = 2048;    ///< work-items of groups that run at once
constexpr std::int64_t kRowsOfAUnit = 4;        ///< for each compute unit: with fewer, several groups share a row
constexpr std::size_t kMostSteps = 4;
constexpr int kMostRowWeight = 128;  ///< operations of all walks together

bool lies_by_rows_itself(const Node& n) {
  return n.is_leaf() ? lies_by_rows(n.shape, n.strides) && !n.storage->exposed : n.by_rows;
}

/// The pending values that one kernel of rows computes, each behind what it is computed from.
class RowGraph {
 public:
  /// False where there is something else among them.
  bool collect(Node& root) { return find_space(root) && add(root); }

  const Dims& space() const { return space_; }
  const std::vector<NodeRef>& nodes() const { return nodes_; }
  const Reduction& axes() const { return *first_->reduction; }
  /// Whether a value has an element for each row.
  bool is_of_rows(const Node& n) const { return n.shape == kept_; }

 private:
  /// The first reduction tells the shapes of all.
  bool find_space(Node& root) {
    const std::uint64_t epoch = Node::new_epoch();
    SmallVector<Node*, 32> stack{&root};
    root.epoch = epoch;
    while (!stack.empty()) {
      Node& n = *stack.back();
      stack.pop_back();
      if (n.is_pending_reduction()) {
        first_ = &n;
        space_ = n.inputs[0].node->shape;
        kept_ = n.shape;
        epoch_ = Node::new_epoch();
        return true;
      }
      for (int i = 0; i < n.arity; ++i) {
        Node& in = *n.inputs[i].node;
        if (!in.is_pending() || in.epoch == epoch) continue;
        in.epoch = epoch;
        stack.push_back(&in);
      }
    }
    return false;
  }

  bool add(Node& n) {
    if (n.epoch == epoch_) return true;
    if (n.is_pending_view || n.place->queue != first_->place->queue ||
        nodes_.size() >= 4 * static_cast<std::size_t>(kMaxLeaves))
      return false;
    const bool fits = n.is_pending_reduction() ? n.inputs[0].node->shape == space_ && n.shape == kept_
                                               : n.shape == space_ || n.shape == kept_;
    if (!fits) return false;
    n.epoch = epoch_;
    for (int i = 0; i < n.arity; ++i) {
      read_whole(n, i);
      Node& in = *n.inputs[i].node;
      if (in.is_pending() && !add(in)) return false;
      if (in.is_leaf() && (in.shifts || !lies_by_rows(in.shape, in.strides))) return false;
    }
    nodes_.emplace_back(&n);
    return true;
  }

  /// A view of a reduction's result that has the shape of the result, as `x.sum(1)[:, None]`, is the result.
  static void read_whole(Node& n, int input) {
    const NodeRef view = n.inputs[input].node;
    if (!view->is_pending_view) return;
    const NodeRef base = view->inputs[0].node;
    if (!base->is_pending_reduction() || !(view->shape == base->shape) || view->offset != 0) return;
    const Dims steps = c_strides(base->shape, 1);
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
      if (base->shape[axis] > 1 && view->strides[axis] != steps[axis]) return;
    n.replace_input(input, base);
  }

  const Node* first_ = nullptr;
  Dims space_, kept_;
  std::uint64_t epoch_ = 0;
  std::vector<NodeRef> nodes_;
};

/// One launch for all of a graph.
class RowsLaunch {
 public:
  RowsLaunch(const RowGraph& graph, Expression& e, Node& root)
      : graph_(graph), e_(e), root_(root), place_(*root.place) {}
  /// False where the geometry is none of whole rows.
  bool plan();
  void run();

 private:
  void choose_results();
  Dims part(const Dims& strides, bool reduced) const;
  void add_steps();
  int weight() const;
  void widen_groups();
  bool is_packed(const ReduceOperand& o) const;
  void enqueue(const KernelPtr& kernel);
  ActivityRecord profiled() const;
  std::string described() const;

  const RowGraph& graph_;
  Expression& e_;
  Node& root_;
  const Place& place_;
  std::size_t kept_dims_ = 0;
  std::vector<NodeRef> results_;
  std::vector<StorageRef> storage_;
  ReduceProblem problem_;
  ReducePlan plan_;
  RowsSpec spec_;
  SmallVector<std::int64_t, 16> post_slots_;
};

/// What arrays hold, and what reductions gave that something else still reads: other values of the whole space that
/// only pending values want stay pending.
void RowsLaunch::choose_results() {
  for (Node* n : e_.living())
    if (n != &root_ && (n->owners > 0 || graph_.is_of_rows(*n))) results_.emplace_back(n);
  results_.emplace_back(&root_);
}

/// The reduced axes are the last ones.
Dims RowsLaunch::part(const Dims& strides, bool reduced) const {
  const auto middle = strides.begin() + static_cast<std::ptrdiff_t>(kept_dims_);
  return reduced ? Dims(middle, strides.end()) : Dims(strides.begin(), middle);
}

bool RowsLaunch::plan() {
  const Dims& space = e_.space();
  kept_dims_ = space.size() - graph_.axes().axes.size();
  choose_results();
  if (static_cast<int>(results_.size()) > kMaxExtraOutputs || weight() > kMostRowWeight) return false;
  problem_.kept = part(space, false);
  problem_.reduced = part(space, true);
  for (const Operand& o : e_.operands)
    problem_.operands.push_back({o.dtype, part(o.strides, false), part(o.strides, true), o.repeated, false,
                                 o.storage->block->offset + static_cast<std::uint64_t>(o.offset)});
  for (const NodeRef& n : results_) {
    const Dims strides = broadcast_strides(n->shape, c_strides(n->shape, n->itemsize()), space);
    problem_.operands.push_back({n->dtype, part(strides, false), part(strides, true), false, true, 0});
  }
  problem_.result = c_strides(problem_.kept, 1);
  for (const NodeRef& n : graph_.nodes())
    if (n->reduction) {
      const DType t = dtypes_of(*n->reduction, n->inputs[0].node->dtype).accumulator;
      if (problem_.accumulator == DType::bool_ || size_of(t) > size_of(problem_.accumulator)) problem_.accumulator = t;
    }
  normalize(problem_);
  if (problem_.kept.empty() || problem_.reduced.size() != 1) return false;
  plan_ = plan_reduction(problem_, place_.device->strategy(), place_.device->caps());
  if (plan_.layout != ReduceLayout::row || plan_.split || plan_.flat) return false;
  widen_groups();
  return true;
}

/// Larger groups where the rows of those that run at once would not stay in the cache.
void RowsLaunch::widen_groups() {
  std::int64_t row = 0;
  for (const ReduceOperand& o : problem_.operands)
    if (!o.written && o.reduced[0] != 0)
      row = std::max(row, problem_.reduced[0] * std::int64_t{std::llabs(o.reduced[0])});
  const auto most = static_cast<std::int64_t>(std::min<std::size_t>(1024, place_.device->caps().max_work_group_size));
  std::int64_t lanes = plan_.lanes;
  while (plan_.outs == 1 && 2 * lanes <= most && row * (kItemsOfAUnit / lanes) > kCacheOfAUnit) lanes *= 2;
  if (lanes == plan_.lanes) return;
  const std::int64_t each = problem_.reduced[0] / lanes;
  plan_.unroll = static_cast<std::uint16_t>(std::min<std::int64_t>(plan_.unroll, each >= 8 ? 8 : each >= 4 ? 4 : 1));
  plan_.pack = std::min(plan_.pack, plan_.unroll);
  plan_.lanes = static_cast<std::uint16_t>(lanes);
  plan_.dims.local[0] = static_cast<std::size_t>(lanes);
}

/// Of every walk over the rows: each computes again what its own value is computed from, up to other steps' results.
int RowsLaunch::weight() const {
  int total = 0;
  const auto add_below = [&](Node& n) {
    const std::uint64_t epoch = Node::new_epoch();
    SmallVector<Node*, 32> stack{&n};
    while (!stack.empty()) {
      Node& at = *stack.back();
      stack.pop_back();
      if (!at.is_pending() || at.epoch == epoch || at.reduction) continue;
      at.epoch = epoch;
      total += weight_of(at.op);
      for (int i = 0; i < at.arity; ++i) stack.push_back(at.inputs[i].node.get());
    }
  };
  for (const NodeRef& n : graph_.nodes())
    if (n->reduction) add_below(*n->inputs[0].node);
  for (const NodeRef& n : results_) add_below(*n);
  return total;
}

/// Whether a result's neighbours can be stored together, as those of an operand are loaded.
bool RowsLaunch::is_packed(const ReduceOperand& o) const {
  const auto bytes = static_cast<std::int64_t>(plan_.pack) * static_cast<std::int64_t>(size_of(o.dtype));
  return plan_.pack > 1 && bytes <= 16 && o.reduced[0] == static_cast<std::int64_t>(size_of(o.dtype)) &&
         std::all_of(o.kept.begin(), o.kept.end(), [&](std::int64_t stride) { return stride % bytes == 0; });
}

void RowsLaunch::add_steps() {
  for (const NodeRef& n : graph_.nodes()) {
    if (!n->reduction) continue;
    const ReduceDtypes types = dtypes_of(*n->reduction, n->inputs[0].node->dtype);
    const PostSpec post = spec_of_post(*n->reduction, types.accumulator);
    RowStep step;
    step.node = e_.id_of(*n);
    step.kind = n->reduction->kind;
    step.accumulator = types.accumulator;
    step.value = e_.id_of(*n->inputs[0].node);
    step.post_scalars = post.scalars;
    step.post = post.nodes;
    step.result = {post.result, types.result};
    for (std::int64_t bits : post.slots) post_slots_.push_back(bits);
    spec_.steps.push_back(std::move(step));
  }
}

void RowsLaunch::enqueue(const KernelPtr& kernel) {
  SmallVector<MemoryArg, 32> memory;
  SmallVector<std::int64_t, 64> slots;
  for (std::int64_t d : problem_.kept) slots.push_back(d);
  for (std::int64_t d : problem_.reduced) slots.push_back(d);
  const std::size_t leaves = e_.operands.size();
  for (std::size_t i = 0; i < problem_.operands.size(); ++i) {
    const Storage& s = i < leaves ? *e_.operands[i].storage : *storage_[i - leaves];
    memory.push_back(memory_arg(s));
    slots.push_back(static_cast<std::int64_t>(s.block->offset) + (i < leaves ? e_.operands[i].offset : 0));
    if (plan_.access[i] == Access::uniform) continue;
    for (std::int64_t stride : problem_.operands[i].kept) slots.push_back(stride);
    for (std::int64_t stride : problem_.operands[i].reduced) slots.push_back(stride);
  }
  e_.append_scalar_slots(slots);
  for (std::int64_t bits : post_slots_) slots.push_back(bits);
  for (const Operand& o : e_.operands) acquire_read(*o.storage, place_);
  for (const StorageRef& s : storage_) acquire_write(*s, place_);
  if (config().check_bounds) {
    std::vector<const Block*> blocks;
    for (const Operand& o : e_.operands) blocks.push_back(o.storage->block.get());
    for (const StorageRef& s : storage_) blocks.push_back(s->block.get());
    add_bounds(place_, "kernel " + described(), blocks, memory, slots);
  }
  const NamedRange range([&] { return profiled().name; });
  const auto timer = timer_of(Activity::kernel, place_.queue.get());
  place_.queue->launch(*kernel, plan_.dims, memory.data(), memory.size(), slots.data(), slots.size());
  if (timer) timer->done(profiled());
  note_launch(*place_.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t bytes = 0;
  for (const Operand& o : e_.operands) bytes += bytes_reached(e_.space(), o.strides, o.dtype);
  for (const NodeRef& n : results_) bytes += static_cast<std::uint64_t>(n->nbytes());
  stats().bytes_moved.fetch_add(bytes, std::memory_order_relaxed);
  for (const Operand& o : e_.operands) release_read(*o.storage, place_);
  for (const StorageRef& s : storage_) release_write(*s, place_);
  if (debugging(2)) debug_line(2, "kernel " + described() + (timer ? timer->took() : ""));
}

ActivityRecord RowsLaunch::profiled() const {
  ActivityRecord record = e_.described(e_.space());
  for (const NodeRef& n : results_) record.written += static_cast<std::uint64_t>(n->nbytes());
  return record;
}

std::string RowsLaunch::described() const {
  return "rows " + to_string(problem_.reduced) + " for " + to_string(problem_.kept) + ", " +
         std::to_string(spec_.steps.size()) + " reductions, " + std::to_string(e_.nodes.size()) + " operations";
}

void RowsLaunch::run() {
  for (const NodeRef& n : results_) storage_.push_back(allocate_storage(n->place, n->nbytes()));
  spec_.nkept = static_cast<std::uint8_t>(problem_.kept.size());
  spec_.wide = plan_.wide;
  spec_.outs = plan_.outs;
  spec_.lanes = plan_.lanes;
  spec_.unroll = plan_.unroll;
  spec_.pack = plan_.pack;
  for (std::size_t i = 0; i < e_.operands.size(); ++i)
    spec_.body.leaves.push_back({e_.operands[i].dtype, plan_.access[i]});
  e_.fill(spec_.body);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const std::size_t at = e_.operands.size() + i;
    const std::size_t start = storage_[i]->block->offset % 16;
    const Access access = start == 0 && is_packed(problem_.operands[at]) ? Access::packed_unit : plan_.access[at];
    spec_.body.outputs.push_back({e_.id_of(*results_[i]), results_[i]->dtype, access});
  }
  add_steps();
  Device& device = *place_.device;
  const KernelPtr kernel = cached_kernel(device, SpecKey('w', spec_), [&](const std::string* source) {
    return naming_lines(e_, [&] { return build_hooks().rows(device, spec_, source); });
  });
  enqueue(kernel);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    Node& n = *results_[i];
    n.materialize(storage_[i], c_strides(n.shape, n.itemsize()), 0);
  }
}

}  // namespace

bool reduction_waits(const Node& x, const Reduction& r) {
  const std::size_t ndim = x.shape.size();
  if (!config().deferred || is_arg(r.kind) || r.axes.empty() || r.axes.size() >= ndim) return false;
  if (x.place->device->strategy() != Strategy::gpu || x.nbytes() < config().row_bytes || x.is_of_another())
    return false;
  std::int64_t row = 1;
  for (std::size_t axis = ndim - r.axes.size(); axis < ndim; ++axis) {
    if (std::find(r.axes.begin(), r.axes.end(), static_cast<std::int64_t>(axis)) == r.axes.end()) return false;
    row *= x.shape[axis];
  }
  const auto units = static_cast<std::int64_t>(std::max<std::size_t>(x.place->device->caps().compute_units, 1));
  return row >= kLeastRow && row * x.itemsize() <= kMostRowBytes && x.size() / row >= kRowsOfAUnit * units &&
         lies_by_rows_itself(x);
}

NodeRef waiting_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType result) {
  Dims kept = x->shape;
  for (const std::int64_t axis : r.axes) kept[static_cast<std::size_t>(axis)] = 1;
  Reduction own = r;
  own.keepdims = true;
  NodeRef n = Node::pending_reduction(x, kept, result, own);
  if (keeping_lines()) [[unlikely]]
    n->line = current_line();
  if (!r.keepdims) {
    n = Node::pending_view(n, shape, c_strides(shape, 1), 0, true);
    n->is_view = false;  // nothing else has its memory
  }
  if (too_much_pending()) evaluate(*n);
  return n;
}

bool evaluate_rows(Node& root) {
  if (Planner::current()) return false;
  RowGraph graph;
  if (!graph.collect(root)) return false;
  std::size_t steps = 0;
  for (const NodeRef& n : graph.nodes()) steps += n->reduction != nullptr;
  if (steps > kMostSteps) return false;
  Expression e(graph.nodes(), graph.space());
  if (!e.fits(graph.nodes().size()) || e.counts_elements()) return false;
  RowsLaunch launch(graph, e, root);
  if (!launch.plan()) return false;
  PlanOf::spoil();
  launch.run();
  return true;
}

void evaluate_reductions_below(Node& n) {
  for (;;) {
    if (!n.is_pending()) return;
    const std::uint64_t epoch = Node::new_epoch();
    SmallVector<Node*, 32> stack{&n};
    Node* found = nullptr;
    while (!stack.empty() && !found) {
      Node& at = *stack.back();
      stack.pop_back();
      if (!at.is_pending() || at.epoch == epoch) continue;
      at.epoch = epoch;
      if (at.reduction) found = &at;
      for (int i = 0; i < at.arity; ++i) stack.push_back(at.inputs[i].node.get());
    }
    if (!found) return;
    evaluate(*found);
  }
}

}  // namespace devarray
