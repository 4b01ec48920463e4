#include "engine/rows_launch.hpp"

#include <algorithm>
#include <cstdlib>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/hazards.hpp"
#include "engine/host/reduction.hpp"
#include "engine/index_flags.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/naming_lines.hpp"
#include "engine/partition.hpp"
#include "engine/ranges.hpp"
#include "engine/reduce.hpp"
#include "engine/reduce_plan.hpp"
#include "engine/reduce_scratch.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kCacheOfAUnit = 131072;  ///< bytes of a compute unit's cache for the rows of its groups
constexpr std::int64_t kItemsOfAUnit = 2048;    ///< work-items of groups that run at once
constexpr int kMostRowWeight = 128;             ///< operations of all walks together
constexpr int kMostVectorWeight = 256;          ///< the same of one row, which costs less than a launch

/// Whether the caller of a reduction said that nobody will use what it reduces again.
bool is_given_up(const ReducedGraph& graph, const Node& n) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const NodeRef& at) {
    return at->reduction && at->reduction->input_dies && at->inputs[0].node.get() == &n;
  });
}

/// One launch for all of a graph.
class RowsLaunch {
 public:
  RowsLaunch(const ReducedGraph& graph, Expression& e, Node& root)
      : graph_(graph), e_(e), root_(root), place_(*root.place) {}
  /// False where the geometry is none of whole rows.
  bool plan();
  /// False while its kernel is compiled in the background.
  bool run();

 private:
  Dims strides_of(const Node& n) const;
  Dims part(const Dims& strides, bool reduced) const;
  void describe();
  int weight() const;
  void add_row();
  void fit_vector();
  void widen_groups();
  bool hold_rows();
  void share_leaves();
  void find_neighbours();
  bool is_packed(const ReduceOperand& o) const;
  void enqueue(const KernelPtr& kernel);
  ActivityRecord profiled() const;
  std::string described() const;

  const ReducedGraph& graph_;
  Expression& e_;
  Node& root_;
  const Place& place_;
  std::size_t kept_dims_ = 0;
  std::vector<NodeRef> results_;
  std::vector<StorageRef> storage_;
  std::vector<Dims> strides_;
  ReduceProblem problem_;
  ReducePlan plan_;
  RowsSpec spec_;
  std::uint16_t rest_ = 0;  ///< RowsSpec::rest
  SmallVector<std::int64_t, 8> post_slots_;
};

/// The reduced axes are the last ones.
Dims RowsLaunch::part(const Dims& strides, bool reduced) const {
  const auto middle = strides.begin() + static_cast<std::ptrdiff_t>(kept_dims_);
  return reduced ? Dims(middle, strides.end()) : Dims(strides.begin(), middle);
}

/// Of fresh memory for a result.
Dims RowsLaunch::strides_of(const Node& n) const {
  return graph_.shared && !n.reduction ? e_.result_strides(n) : c_strides(n.shape, n.itemsize());
}

bool RowsLaunch::plan() {
  const Dims& space = e_.space();
  kept_dims_ = space.size() - graph_.axes;
  results_ = results_of_rows(graph_, e_, &root_);
  results_.push_back(graph_.nodes.back());
  if (static_cast<int>(results_.size()) > kMaxExtraOutputs ||
      weight() > (graph_.vector ? kMostVectorWeight : kMostRowWeight) || is_read_across(e_))
    return false;
  problem_.kept = part(space, false);
  problem_.reduced = part(space, true);
  for (const Operand& o : e_.operands)
    problem_.operands.push_back({o.dtype, part(o.strides, false), part(o.strides, true), o.repeated, false,
                                 o.storage->block->offset + static_cast<std::uint64_t>(o.offset)});
  for (const NodeRef& n : results_) {
    const Dims strides = broadcast_strides(n->shape, strides_of(*n), space);
    problem_.operands.push_back({n->dtype, part(strides, false), part(strides, true), false, true, 0});
  }
  problem_.result = c_strides(problem_.kept, 1);
  for (const NodeRef& n : graph_.nodes)
    if (n->reduction) {
      const DType t = dtypes_of(*n->reduction, n->inputs[0].node->dtype).accumulator;
      if (problem_.accumulator == DType::bool_ || size_of(t) > size_of(problem_.accumulator)) problem_.accumulator = t;
    }
  problem_.whole_rows = !graph_.shared;
  normalize(problem_);
  if (graph_.vector) add_row();
  if (problem_.kept.empty() != graph_.shared || (!graph_.shared && problem_.reduced.size() != 1)) return false;
  plan_ = plan_reduction(problem_, place_.device->strategy(), place_.device->caps());
  if (plan_.layout != ReduceLayout::row || plan_.flat || (plan_.split && !graph_.shared)) return false;
  if (graph_.vector)
    fit_vector();
  else if (!graph_.shared && !hold_rows())
    widen_groups();
  if (!graph_.vector && plan_.held > 0) share_leaves();
  find_neighbours();
  if (graph_.shared && element_count(space) <= config().vector_elements) {
    plan_.dims.local[0] = plan_.lanes;
    plan_.outs = 1;
  }
  return !graph_.shared || plan_.outs == 1;
}

/// A kept axis for the elements of a vector, which are one row.
void RowsLaunch::add_row() {
  problem_.kept = Dims{1};
  problem_.result = Dims{0};
  for (ReduceOperand& o : problem_.operands) o.kept = Dims{0};
}

/// Lanes for one row alone, and no kernel of its own for each odd size.
void RowsLaunch::fit_vector() {
  constexpr std::uint16_t kLeastItems = 32;
  if (problem_.reduced[0] % (plan_.lanes * plan_.unroll) != 0 || !hold_rows()) plan_.held = 0;
  plan_.outs = std::max<std::uint16_t>(1, kLeastItems / plan_.lanes);
  plan_.dims.local[0] = static_cast<std::size_t>(plan_.lanes) * plan_.outs;
}

/// Keeps rows in registers where each lane has the same few elements of one.
bool RowsLaunch::hold_rows() {
  constexpr std::int64_t kHeld = 16, kMostHeld = 32;  // elements of a lane; up to the latter, lanes are those of sums
  constexpr std::int64_t kMostBytes = 512;            // of all operands
  if (plan_.held > 0) return true;
  const std::int64_t row = problem_.reduced[0];
  const auto most = static_cast<std::int64_t>(std::min<std::size_t>(1024, place_.device->caps().max_work_group_size));
  std::int64_t lanes = plan_.lanes, bytes = 0;
  while (plan_.outs == 1 && row > lanes * kHeld && 2 * lanes <= most) lanes *= 2;
  const std::int64_t unroll = plan_.unroll;
  const std::int64_t full = row / (lanes * unroll) * unroll, rest = (row - full * lanes + lanes - 1) / lanes;
  const std::int64_t each = full + rest;
  for (const ReduceOperand& o : problem_.operands)
    if (!o.repeated && o.reduced[0] != 0) bytes += each * static_cast<std::int64_t>(size_of(o.dtype));
  if (each > kMostHeld || bytes > kMostBytes) return false;
  rest_ = static_cast<std::uint16_t>(rest);
  plan_.held = static_cast<std::uint16_t>(each);
  plan_.lanes = static_cast<std::uint16_t>(lanes);
  plan_.dims.local[0] = static_cast<std::size_t>(lanes) * plan_.outs;
  return true;
}

/// Several rows for a work-item where they are many and leaves are the same for all.
void RowsLaunch::share_leaves() {
  constexpr std::size_t kRows = 8, kGroupsPerUnit = 8;
  if (plan_.dims.groups[0] < kRows * kGroupsPerUnit * place_.device->caps().compute_units) return;
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    const ReduceOperand& o = problem_.operands[i];
    const auto is_zero = [](std::int64_t stride) { return stride == 0; };
    if (!o.repeated && o.reduced[0] != 0 && std::all_of(o.kept.begin(), o.kept.end(), is_zero))
      spec_.still.push_back(static_cast<std::uint8_t>(i));
  }
  if (spec_.still.empty()) return;
  spec_.several = kRows;
  plan_.dims.groups[0] = (plan_.dims.groups[0] + kRows - 1) / kRows;
}

/// Leaves that lie beside another one along all rows: columns of one table, whose address is computed once.
void RowsLaunch::find_neighbours() {
  for (std::size_t i = 0; i < e_.operands.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const ReduceOperand &leaf = problem_.operands[i], &first = problem_.operands[j];
      const auto size = static_cast<std::int64_t>(size_of(leaf.dtype));
      const std::int64_t bytes = e_.operands[i].offset - e_.operands[j].offset, apart = bytes / size;
      if (leaf.repeated || first.repeated || leaf.dtype != first.dtype || leaf.kept != first.kept ||
          leaf.reduced != first.reduced || e_.operands[i].storage != e_.operands[j].storage || bytes % size != 0 ||
          apart < 0 || apart > UINT8_MAX)
        continue;
      for (const std::size_t number : {i, j, static_cast<std::size_t>(apart)})
        spec_.beside.push_back(static_cast<std::uint8_t>(number));
      break;
    }
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
  for (const NodeRef& n : graph_.nodes)
    if (n->reduction) add_below(*n->inputs[0].node);
  for (const NodeRef& n : results_) add_below(*n);
  return total;
}

/// Whether a result's neighbours can be stored together, as those of an operand are loaded.
bool RowsLaunch::is_packed(const ReduceOperand& o) const {
  const auto bytes = static_cast<std::int64_t>(plan_.pack) * static_cast<std::int64_t>(size_of(o.dtype));
  const std::int64_t piece = bytes % 16 == 0 ? 16 : bytes;
  return plan_.pack > 1 && 16 % piece == 0 && o.reduced.back() == static_cast<std::int64_t>(size_of(o.dtype)) &&
         std::all_of(o.kept.begin(), o.kept.end(), [&](std::int64_t stride) { return stride % piece == 0; });
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
  StorageRef scratch;
  Ref<Block> counters;
  const std::size_t turning = slots.size();
  if (plan_.split || plan_.turns) slots.push_back(plan_.chunk);
  if (plan_.split) {
    scratch = allocate_storage(root_.place,
                               static_cast<std::int64_t>(plan_.dims.groups[1] * spec_.steps.size() * kPartialBytes));
    counters = counters_for(place_);
    memory.push_back(start_of(*scratch->block));
    memory.push_back(start_of(*counters));
  }
  for (const Operand& o : e_.operands) acquire_read(*o.storage, place_);
  for (const StorageRef& s : storage_) acquire_write(*s, place_);
  if (config().check_bounds) {
    std::vector<const Block*> blocks;
    for (const Operand& o : e_.operands) blocks.push_back(o.storage->block.get());
    for (const StorageRef& s : storage_) blocks.push_back(s->block.get());
    if (plan_.split) blocks.insert(blocks.end(), {scratch->block.get(), counters.get()});
    add_bounds(place_, "kernel " + described(), blocks, memory, slots);
  }
  std::uint64_t bytes = 0;
  for (const Operand& o : e_.operands) bytes += bytes_reached(e_.space(), o.strides, o.dtype);
  for (const NodeRef& n : results_) bytes += static_cast<std::uint64_t>(n->nbytes());
  if (plan_.turns && may_turn(*place_.device, bytes)) slots[turning] = turned(slots[turning], *place_.queue);
  const NamedRange range([&] { return profiled().name; });
  const auto timer = timer_of(Activity::kernel, place_.queue.get());
  place_.queue->launch(*kernel, plan_.dims, memory.data(), memory.size(), slots.data(), slots.size());
  if (timer) timer->done(profiled());
  note_launch(*place_.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
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
  return std::string(graph_.shared ? "reductions of " : "rows ") + to_string(problem_.reduced) + " for " +
         to_string(problem_.kept) + ", " + std::to_string(spec_.steps.size()) + " reductions, " +
         std::to_string(e_.nodes.size()) + " operations";
}

/// All that the nodes' numbers are asked for: to allocate may let other threads in, which count nodes themselves.
void RowsLaunch::describe() {
  spec_.shared = graph_.shared;
  spec_.split = plan_.split;
  spec_.nkept = static_cast<std::uint8_t>(problem_.kept.size() + problem_.reduced.size() - 1);
  spec_.wide = plan_.wide;
  spec_.outs = plan_.outs;
  spec_.lanes = plan_.lanes;
  spec_.unroll = plan_.unroll;
  spec_.pack = plan_.pack;
  spec_.held = plan_.held;
  spec_.rest = rest_;
  for (std::size_t i = 0; i < e_.operands.size(); ++i)
    spec_.body.leaves.push_back({e_.operands[i].dtype, plan_.access[i]});
  e_.fill(spec_.body);
  for (std::size_t i = 0; i < results_.size(); ++i)
    spec_.body.outputs.push_back({e_.id_of(*results_[i]), results_[i]->dtype, plan_.access[e_.operands.size() + i]});
  spec_.steps = row_steps(graph_, e_, post_slots_);
  for (const NodeRef& n : results_) strides_.push_back(strides_of(*n));
}

bool RowsLaunch::run() {
  describe();
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Node& n = *results_[i];
    storage_.push_back(allocate_storage(n.place, n.nbytes()));
    const bool aligned = storage_[i]->block->offset % 16 == 0;
    if (aligned && is_packed(problem_.operands[e_.operands.size() + i]))
      spec_.body.outputs[i].access = Access::packed_unit;
  }
  Device& device = *place_.device;
  const std::int64_t size = element_count(e_.space());
  const bool soon = size <= host::kMostReduced && host::stands_in(place_, host::cost_of(e_, size, 0));
  const KernelPtr kernel = cached_kernel(device, SpecKey('w', spec_), [&](const std::string* source) {
    return naming_lines(e_, [&] { return build_hooks().rows(device, spec_, soon, source); });
  });
  if (!kernel) return false;
  enqueue(kernel);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    Node& n = *results_[i];
    n.materialize(storage_[i], strides_[i], 0);
  }
  e_.renumber_left();
  return true;
}

}  // namespace

std::vector<NodeRef> results_of_rows(const ReducedGraph& graph, Expression& e, Node* wanted, const Node* dying) {
  std::vector<NodeRef> results;
  const Node* const last = graph.nodes.back().get();
  const auto add = [&](Node& n) {
    if (&n == last || std::any_of(results.begin(), results.end(), [&](const NodeRef& r) { return r.get() == &n; }))
      return;
    results.emplace_back(&n);
  };
  bool again = false;
  for (const NodeRef& n : graph.nodes)
    if (n->reduction) e.note_result(*n);
  // A root that lost the reduced axes is none of the nodes: it takes the memory of one (settle_row_values).
  const auto is_wanted = [&](const NodeRef& n) { return n.get() == wanted; };
  if (wanted != last && std::any_of(graph.nodes.begin(), graph.nodes.end(), is_wanted)) {
    e.note_result(*wanted);
    add(*wanted);
  }
  for (const auto& [value, made] : graph.row_values)
    if ((value->owners > (value.get() == dying ? 1u : 0u) || e.is_read_outside(*value)) && made->is_pending()) {
      e.note_result(*made);
      add(*made);
    }
  for (Node* n : e.living()) {
    if (n == last || n == wanted || is_given_up(graph, *n)) continue;
    const bool of_row = n->reduction || graph.is_of_row(*n);
    if (!of_row && !graph.shared && n->owners == 0) continue;
    if (of_row || e.stores(*n))
      add(*n);
    else
      again = true;
  }
  for (const NodeRef& n : graph.nodes)
    if (again && n->reduction) add(*n);
  return results;
}

std::vector<RowStep> row_steps(const ReducedGraph& graph, const Expression& e, SmallVector<std::int64_t, 8>& slots) {
  std::vector<RowStep> steps;
  for (const NodeRef& n : graph.nodes) {
    if (!n->reduction) continue;
    const ReduceDtypes types = dtypes_of(*n->reduction, n->inputs[0].node->dtype);
    const PostSpec post = spec_of_post(*n->reduction, types.accumulator);
    RowStep step;
    step.node = e.id_of(*n);
    step.kind = n->reduction->kind;
    step.accumulator = types.accumulator;
    step.value = e.id_of(*n->inputs[0].node);
    step.post_scalars = post.scalars;
    step.post = post.nodes;
    step.result = {post.result, types.result};
    for (std::int64_t bits : post.slots) slots.push_back(bits);
    steps.push_back(std::move(step));
  }
  return steps;
}

bool launch_reduced(const ReducedGraph& graph, Node& root) {
  Expression e(graph.nodes, graph.space, graph.values_of_rows());
  if (!e.fits(graph.nodes.size()) || !e.reads_in_place()) return false;
  RowsLaunch launch(graph, e, root);
  if (!launch.plan()) return false;
  PlanOf::spoil();
  if (!launch.run()) return false;
  graph.settle_row_values();
  return true;
}

}  // namespace devarray
