#include "engine/pending_views.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/expression.hpp"
#include "engine/host/at_once.hpp"
#include "engine/join.hpp"
#include "engine/partition.hpp"
#include "engine/plan.hpp"
#include "engine/reduce.hpp"
#include "engine/store_beside.hpp"
#include "engine/survey.hpp"
#include "engine/whole_copy.hpp"

namespace devarray {
namespace {

/// Below a value of a deeper graph, views do not wait: each view inside another one's expression copies it.
constexpr int kMaxDepthOfViews = 48;
/// Operations that the views below a root are computed by, all together, and the arrays that they read.
struct Room {
  std::size_t operations = kMostSurveyed, reads = 24;
};

bool same_view(const Node& a, const Node& b) {
  return a.shape == b.shape && a.strides == b.strides && a.offset == b.offset;
}

/// Where a view of a value lies in an operand of it, seen over the value's axes. Nothing where no strides say so.
std::optional<Placement> seen_in(const Node& leaf, const Node& base, const Node& view) {
  const Dims strides = broadcast_strides(leaf.shape, leaf.strides, base.shape);
  const Placement seen{view.strides, view.offset};
  if (keeps_axes(base.shape, view.shape, seen) || is_c_contiguous(base.shape, strides, leaf.itemsize()))
    return placement_of({base.shape, strides, leaf.offset}, view.shape, seen, leaf.itemsize());
  if (view.offset != 0 || view.size() != base.size() || !is_c_contiguous(view.shape, view.strides, 1)) return {};
  const auto joined = reshape_strides(base.shape, strides, view.shape, leaf.itemsize());
  return joined ? std::optional(Placement{*joined, leaf.offset}) : std::nullopt;
}

/// The views of one value below a root, and who else wants the value.
struct Group {
  NodeRef base;
  std::vector<NodeRef> views = {};    ///< all different
  std::vector<NodeRef> repeats = {};  ///< views that are like one of them
  bool held = false;                  ///< by arrays, of it or of views of it
  bool wanted = false;                ///< by other pending values
  bool direct = false;                ///< it is an operand of the root's expression, too

  void add(const NodeRef& view) {
    const bool known = std::any_of(views.begin(), views.end(), [&](const NodeRef& v) { return same_view(*v, *view); });
    (known ? repeats : views).push_back(view);
    held |= view->owners > 0;
  }

  /// Whether something still reads one of the views: another value's walk may have put expressions in their places.
  bool is_read() const {
    const auto read = [](const NodeRef& view) { return view->consumers != nullptr; };
    return std::any_of(views.begin(), views.end(), read) || std::any_of(repeats.begin(), repeats.end(), read);
  }
};

constexpr double kLoad = 0.5;  ///< of an element that lies next to the last one, in operations

/// What an element of a view costs to load. CPUs load such as do not lie side by side one by one, each several times as
/// dear as the operations that use it.
double cost_of_load(const Node& view) {
  constexpr double kNear = 2, kFar = 6, kOneByOne = 16;
  if (view.shape.back() == 1 || view.strides.back() == 1) return kLoad;
  if (view.place->device->strategy() == Strategy::cpu) return kOneByOne;
  return std::abs(view.strides.back()) <= 8 ? kNear : kFar;
}

/// Whether the views are to be computed from what their value is computed from. Once more is only worth it for what
/// costs less than to write the value and to read it again.
bool pays(const Group& group, const Survey& s, const Dims& space, const Room& room) {
  constexpr double kLimit = 4, kLimitOnGpu = 8;
  constexpr double kFew = 1.0 / 16;  // of a value, computed once more beside all of it that is not stored for them
  if (!s.movable || s.operations * group.views.size() > room.operations || s.reads * group.views.size() > room.reads)
    return false;
  const Node& base = *group.base;
  const double size = static_cast<double>(base.size());
  double share = 0, load = 0;
  bool foreign = false;
  for (const NodeRef& view : group.views) {
    share += static_cast<double>(view->size()) / size;
    load = std::max(load, cost_of_load(*view));
    if (!views_can_be_made(s, base, *view)) return false;
    foreign |= !(view->shape == space);
    // A result lies as its operands do, and these would not tell how the view does.
    if (!lies_by_rows(view->shape, view->strides) && !(s.full && s.in_c_order)) return false;
  }
  if (may_inherit(base) || may_take_source(base)) return true;
  // Values of all pairs and their like are never worth their bytes.
  if (s.bytes > 0 && s.weight <= kHeavyOp && 8 * s.bytes <= static_cast<std::uint64_t>(base.nbytes()) && !foreign)
    return true;
  if ((group.wanted || group.held) && !may_be_computed_again(base, s.weight, s.bytes, share <= 1)) return false;
  const bool gpu = base.place->device->strategy() == Strategy::gpu;
  if (foreign && !group.direct) return share <= 0.5;  // computed apart, in place of the whole value
  if (foreign) return gpu && share <= kFew && 2 * size * static_cast<double>(base.itemsize()) >= kLaunchBytes;
  const double once = group.direct ? 0 : 1, again = std::max(share - once, 0.0);
  const double reads = static_cast<double>(s.reads);
  const double loads = reads * share * load - once * reads * kLoad - share * load;
  return again * s.weight + std::max(loads, 0.0) <= (gpu ? kLimitOnGpu : kLimit);
}

/// The expression of a value, over views of its leaves.
class Moved {
 public:
  Moved(const Node& base, const Node& view) : base_(base), view_(view), epoch_(Node::new_epoch()) {}

  NodeRef of(Node& n) {
    if (n.state == NodeState::scalar || (n.is_leaf() && n.shape.empty())) return NodeRef(&n);
    if (n.epoch == epoch_) return made_[n.id];
    const NodeRef made = n.is_leaf() ? leaf(n) : operation(n);
    if (Planner* const planner = Planner::current()) planner->note_copy(*made, n);
    n.epoch = epoch_;
    n.id = static_cast<std::uint16_t>(made_.size());
    made_.push_back(made);
    return made;
  }

 private:
  NodeRef leaf(const Node& n) const {
    if (n.size() == 1) return Node::view(n, n.dtype, view_.shape, Dims(view_.shape.size(), 0), n.offset);
    const std::optional<Placement> seen = seen_in(n, base_, view_);
    return Node::view(n, n.dtype, view_.shape, seen->strides, seen->offset);
  }
  NodeRef operation(Node& n) {
    NodeRef in[3];
    for (int i = 0; i < n.arity; ++i) in[i] = of(*n.inputs[i].node);
    return Node::repeated_operation(n, view_.shape, in);
  }

  const Node &base_, &view_;
  const std::uint64_t epoch_;
  std::vector<NodeRef> made_;
};

/// An operation's use of a value.
struct Use {
  NodeRef consumer;
  int input;
};

/// A value of another shape, and the operations of the root's expression that use it.
struct Other {
  NodeRef node;
  std::vector<Use> uses;
};

/// The pending values below a root that are no part of its kernel.
class Below {
 public:
  Below(Node& root, const Dims& space) : epoch_(Node::new_epoch()) {
    SmallVector<Node*, 32> stack{&root};
    root.epoch = epoch_;
    while (!stack.empty()) {
      Node* n = stack.back();
      stack.pop_back();
      for (int i = 0; i < n->arity; ++i) {
        Node* in = n->inputs[i].node.get();
        if (!in->is_pending()) continue;
        if (in->reduction || in->join || (!in->is_pending_view && !(in->shape == space))) {
          note_other(*in, *n, i);
          continue;
        }
        if (in->epoch == epoch_) continue;
        if (in->is_pending_view) {
          if (!is_among_views(*in)) views.push_back(NodeRef(in));
          continue;
        }
        in->epoch = epoch_;
        stack.push_back(in);
      }
    }
  }

  std::vector<Group> groups() const {
    std::vector<Group> found;
    for (const NodeRef& view : views) {
      const NodeRef& base = view->inputs[0].node;
      auto at = std::find_if(found.begin(), found.end(), [&](const Group& g) { return g.base == base; });
      if (at == found.end()) at = found.insert(found.end(), Group{.base = base, .held = base->owners > 0});
      at->add(view);
    }
    bool any = false;
    for (Group& group : found)
      for (Node::Input* c = group.base->consumers; c; c = c->next) {
        group.direct |= c->consumer->epoch == epoch_;
        group.wanted |= c->consumer->epoch != epoch_ && !is_among_views(*c->consumer);
        any |= group.wanted;
      }
    if (any) look_below(found);
    return found;
  }

  std::vector<NodeRef> views;
  std::vector<Other> others;

 private:
  bool is_among_views(const Node& n) const {
    return std::any_of(views.begin(), views.end(), [&](const NodeRef& view) { return view.get() == &n; });
  }

  /// What wants a value may itself be what some of the views are of, or below that, and be gone with them.
  void look_below(std::vector<Group>& groups) const {
    const std::uint64_t epoch = Node::new_epoch();
    SmallVector<Node*, 32> stack;
    for (const Group& group : groups) stack.push_back(group.base.get());
    while (!stack.empty()) {
      Node& n = *stack.back();
      stack.pop_back();
      if (!n.is_pending() || n.epoch == epoch) continue;
      n.epoch = epoch;
      for (int i = 0; i < n.arity; ++i) stack.push_back(n.inputs[i].node.get());
    }
    for (Group& group : groups) {
      if (!group.wanted || group.direct) continue;
      group.wanted = false;
      for (Node::Input* c = group.base->consumers; c; c = c->next)
        group.wanted |= c->consumer->epoch != epoch && !is_among_views(*c->consumer);
    }
  }

  void note_other(Node& other, Node& consumer, int input) {
    if (other.epoch != epoch_) others.push_back({NodeRef(&other), {}});
    other.epoch = epoch_;
    const auto at = std::find_if(others.begin(), others.end(), [&](const Other& o) { return o.node.get() == &other; });
    at->uses.push_back({NodeRef(&consumer), input});
  }

  const std::uint64_t epoch_;
};

/// Whether reductions of rows wait below a value, which one kernel computes together with it.
bool reduces_its_rows(Node& base) {
  if (!base.over_reduction) return false;
  const std::uint64_t epoch = Node::new_epoch();
  SmallVector<Node*, 32> stack{&base};
  while (!stack.empty()) {
    Node& n = *stack.back();
    stack.pop_back();
    if (!n.is_pending() || n.epoch == epoch) continue;
    n.epoch = epoch;
    if (n.reduction) return n.reduction->axes.size() < n.inputs[0].node->shape.size();
    for (int i = 0; i < n.arity; ++i) stack.push_back(n.inputs[i].node.get());
  }
  return false;
}

/// What the value of some views is computed by, where they are to be computed from that; else it is evaluated.
std::optional<Survey> survey_or_evaluate(const Group& group, const Dims& space, const Room& room) {
  Node& base = *group.base;
  if (!base.is_pending() || !group.is_read()) return {};
  const bool alone = (group.held || group.wanted) && reduces_its_rows(base);  // in a kernel of rows
  if (!alone) evaluate_what_differs(base, base.shape);
  if (!base.is_pending()) return {};
  if (!alone)
    if (const Survey found = survey(base); pays(group, found, space, room)) return found;
  evaluate(base);
  return {};
}

void take_room(Room& room, const Group& group, const Survey& found) {
  room.operations -= found.operations * group.views.size();
  room.reads -= found.reads * group.views.size();
}

/// Puts expressions in the places of views, or evaluates their value.
void settle(Group& group, const Dims& space, Room& room) {
  const std::optional<Survey> found = survey_or_evaluate(group, space, room);
  if (!found) return;
  Node& base = *group.base;
  if (group.held || group.wanted) base.leave_pending();
  take_room(room, group, *found);
  for (const NodeRef& view : group.views) {
    const NodeRef expression = Moved(base, *view).of(base);
    expression->take_consumers_of(*view);
    for (const NodeRef& repeat : group.repeats)
      if (same_view(*repeat, *view)) expression->take_consumers_of(*repeat);
  }
}

/// The same for several values. Those that are evaluated come first: what is evaluated with them has memory then.
void settle_all(std::vector<Group> groups, const Dims& space, Room& room) {
  Room asked = room;
  for (const Group& group : groups)
    if (groups.size() > 1)
      if (const auto found = survey_or_evaluate(group, space, asked)) take_room(asked, group, *found);
  for (Group& group : groups) settle(group, space, room);
}

/// Computes a value inside the kernel that repeats it along axes, where that costs less than a launch of its own: a few
/// quick operations on what is no larger than the value, as the root of a sum of squares and its like. For GPUs, which
/// hide them behind the reads of memory. An array that holds the value still can ask for it.
bool repeats_inside(const Other& other, const Dims& space) {
  constexpr int kMostWeight = 8;        // two functions
  constexpr int kQuick = 2;             // hidden behind the kernel's memory, however large it is
  constexpr double kMostWork = 3e7;     // operations that take as long as a launch
  constexpr std::size_t kReads = 4;     // operands
  constexpr std::uint64_t kBytes = 64;  // that are read in any case
  constexpr std::uint8_t kTimes = 3;    // from then on the value is stored, if an array has it
  Node& base = *other.node;
  if (base.place->device->strategy() != Strategy::gpu || !config().deferred) return false;
  if (base.owners > 0 && base.left_pending >= kTimes) return false;
  evaluate_what_differs(base, base.shape);
  if (!base.is_pending()) return true;  // there is nothing left to do
  const Survey found = survey(base);
  if (!found.movable || found.filled || found.weight > kMostWeight || found.reads > kReads ||
      found.bytes > 4 * static_cast<std::uint64_t>(base.nbytes()) + kBytes)
    return false;
  const double work = static_cast<double>(element_count(space)) * found.weight;
  if (found.weight > kQuick && work > kMostWork) return false;
  if (base.owners > 0) base.leave_pending();
  const Dims strides = broadcast_strides(base.shape, c_strides(base.shape, 1), space);
  const NodeRef repeated = Node::pending_view(other.node, space, strides, 0, false);
  const NodeRef expression = Moved(base, *repeated).of(base);
  for (const Use& use : other.uses)
    if (use.consumer->is_pending() && use.consumer->inputs[use.input].node.get() == &base)
      use.consumer->replace_input(use.input, expression);
  return true;
}

/// Evaluates the reduction that was recorded last, if one waits: others may be part of its kernel.
bool evaluate_last_reduction(const Below& below) {
  Node* last = nullptr;
  const auto look_at = [&](Node& n) {
    if (n.is_pending_reduction() && (!last || n.serial > last->serial)) last = &n;
  };
  for (const NodeRef& view : below.views)
    if (view->is_pending_view) look_at(*view->inputs[0].node);
  for (const Other& other : below.others) look_at(*other.node);
  if (last) evaluate(*last);
  return last != nullptr;
}

}  // namespace

bool views_wait(Node& n) {
  return n.is_pending() && config().deferred && !n.shape.empty() && n.depth < kMaxDepthOfViews && n.size() > 0 &&
         !host::evaluate_at_once(n);
}

bool views_can_be_made(const Survey& found, const Node& base, const Node& view) {
  return std::all_of(found.leaves.begin(), found.leaves.end(),
                     [&](const Node* leaf) { return seen_in(*leaf, base, view).has_value(); });
}

bool lands_in_c_order(const Node& n) {
  return n.is_pending() && n.by_rows && !n.is_pending_view && !n.is_pending_reduction();
}

Placement pending_placement(const Node& n) {
  return n.is_pending_view ? Placement{n.strides, n.offset} : Placement{c_strides(n.shape, 1), 0};
}

NodeRef view_of_pending(const NodeRef& n, const Dims& shape, const Placement& placement) {
  const NodeRef& base = n->is_pending_view ? n->inputs[0].node : n;
  const bool joins = !shape.empty() && !keeps_axes(base->shape, shape, placement);
  if (shape.empty() || (joins && !lands_in_c_order(*base))) return nullptr;
  const NodeRef view = Node::pending_view(base, shape, placement.strides, placement.offset, n->writable);
  view->joins_axes |= joins;
  return view;
}

namespace {

/// Evaluates what differs below a root that is an operation, or stands for several of them.
void evaluate_below(Node& root, const Dims& space, Room room) {
  while (root.is_pending()) {
    const Below below(root, space);
    if (below.views.empty() && below.others.empty()) return;
    const Because because(CutReason::shape);
    if (evaluate_last_reduction(below)) continue;
    settle_all(below.groups(), space, room);
    if (!below.views.empty()) continue;  // their expressions may have another shape
    for (const Other& other : below.others)
      if (other.node->is_pending() && !repeats_inside(other, space)) evaluate(*other.node);
    return;
  }
}

}  // namespace

void evaluate_what_differs(Node& root, const Dims& space) {
  if (root.is_pending_reduction() || root.is_pending_join()) return evaluate(root);
  evaluate_below(root, space, {});
}

void evaluate_what_differs(const std::vector<NodeRef>& roots, const Dims& space) {
  if (roots.size() == 1) return evaluate_what_differs(*roots[0], space);
  Room room;
  room.reads *= 2;
  evaluate_below(*Node::pending_join(roots, space, {0, true}), space, room);
}

void take_in_repeated(Node& root) {
  constexpr int kMostWeight = 32;  // of a value: less than to write and to read it
  const Dims& space = root.shape;
  const auto repeats = [&](const NodeRef& view) {
    Dims whole = view->shape;
    if (whole.size() != space.size() || whole.back() != 1) return false;
    whole.back() = space.back();
    return whole == space && keeps_axes(view->inputs[0].node->shape, view->shape, {view->strides, view->offset});
  };
  Room room;
  const Below below(root, space);
  for (Group& group : below.groups()) {
    Node& base = *group.base;
    if (!base.is_pending() || !std::all_of(group.views.begin(), group.views.end(), repeats)) continue;
    evaluate_what_differs(base, base.shape);
    if (!base.is_pending()) continue;
    const Survey found = survey(base);
    if (!found.movable || found.bytes == 0 || 8 * found.bytes > static_cast<std::uint64_t>(base.nbytes()) ||
        found.weight > kMostWeight || found.operations * group.views.size() > room.operations ||
        found.reads * group.views.size() > room.reads)
      continue;
    room.operations -= found.operations * group.views.size();
    room.reads -= found.reads * group.views.size();
    for (const NodeRef& view : group.views) {
      Dims strides = view->strides;
      strides.back() = 0;
      const NodeRef repeated = Node::pending_view(group.base, space, strides, view->offset, false);
      Moved(base, *repeated).of(base)->take_consumers_of(*view);
    }
  }
}

NodeRef expression_of_view(const NodeRef& view, bool dies) {
  Group group{view->inputs[0].node, {view}};
  group.held = group.base->owners > 0 || view->owners > (dies ? 1 : 0);
  for (Node::Input* c = group.base->consumers; c; c = c->next) group.wanted |= c->consumer != view.get();
  NodeRef reader = Node::pending(core_ops().copy, view->dtype, view->dtype, view->shape, view->place, &view, 1);
  Room room;
  settle(group, view->shape, room);
  // Code of the program's that ran meanwhile, as in an allocator, may have evaluated all that reads the view.
  return reader->is_pending() ? reader->inputs[0].node : reader;
}

}  // namespace devarray
