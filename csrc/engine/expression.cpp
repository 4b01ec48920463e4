#include "engine/expression.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/index_flags.hpp"
#include "engine/kept_launch.hpp"
#include "engine/memory_order.hpp"
#include "engine/partition.hpp"
#include "engine/pending_views.hpp"
#include "engine/reduce.hpp"
#include "engine/steps.hpp"
#include "engine/whole_copy.hpp"

namespace devarray {
namespace {

/// What tells memory apart: of tables the block, since each use of a queue's flag has a storage of its own.
const void* memory_of(const Operand& o) {
  return o.table ? static_cast<const void*>(o.storage->block.get()) : o.storage;
}

std::size_t bucket_of(const Operand& o) {
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(memory_of(o)) ^ static_cast<std::uint64_t>(o.offset);
  return key * 0x9E3779B97F4A7C15u >> 59;
}

bool is_same_view(const Operand& a, const Operand& b) {
  return memory_of(a) == memory_of(b) && a.offset == b.offset && a.dtype == b.dtype && a.strides == b.strides &&
         a.table == b.table && a.shifts == b.shifts;
}

}  // namespace

Expression::Expression(Node& root, const Dims& space) : root_(root), space_(space) { walk(); }

Expression::Expression(const std::vector<NodeRef>& part) : Expression(part, part.back()->shape, {}) {}

Expression::Expression(const std::vector<NodeRef>& part, const Dims& space, const std::vector<NodeRef>& others)
    : root_(*part.back()), space_(space), epoch_(Node::new_epoch()) {
  for (const NodeRef& n : others) n->epoch = epoch_;
  newest_at_.fill(kNone);
  for (const NodeRef& n : part) {
    n->epoch = epoch_;
    for (int i = 0; i < n->arity; ++i)
      if (Node& in = *n->inputs[i].node; !in.is_pending()) visit(in);
    n->id = static_cast<std::uint16_t>(nodes.size());
    nodes.push_back(n.get());
  }
  find_living(nullptr);
  merge_repeated();
}

void Expression::walk() {
  evaluate_what_differs(root_, space_);
  operands.clear();
  operands.reserve(4);  // most have no more
  newest_at_.fill(kNone);
  older_at_.clear();
  leaf_nodes.clear();
  scalar_nodes.clear();
  nodes.clear();
  living_.clear();
  read_again_.clear();
  results_.clear();
  left_.clear();
  epoch_ = Node::new_epoch();
  visit(root_);
  order_by_age();
  find_living(&root_);
  merge_repeated();
}

void Expression::find_living(const Node* except) {
  for (Node* n : nodes) {
    if (n == except) continue;
    if (n->owners > 0 || is_read_outside(*n)) living_.push_back(n);
  }
}

bool Expression::is_read_outside(const Node& n) const {
  for (const Node::Input* c = n.consumers; c; c = c->next)
    if (c->consumer->epoch != epoch_) return true;
  return false;
}

void Expression::visit(Node& n) {
  if (n.epoch == epoch_) return;
  n.epoch = epoch_;
  switch (n.state) {
    case NodeState::leaf: add_leaf(n); return;
    case NodeState::scalar:
      n.id = static_cast<std::uint16_t>(scalar_nodes.size());
      scalar_nodes.push_back(&n);
      return;
    case NodeState::pending:
      for (int i = 0; i < n.arity; ++i) visit(*n.inputs[i].node);
      n.id = static_cast<std::uint16_t>(nodes.size());
      nodes.push_back(&n);
      return;
  }
}

void Expression::add_leaf(Node& n) {
  Operand o;
  o.storage = n.storage.get();
  o.dtype = n.dtype;
  o.offset = n.offset;
  o.table = n.reach != nullptr;
  o.strides = broadcast_strides(n.shape, n.strides, space_);
  o.repeated = true;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (space_[i] == 1) o.strides[i] = 0;
    o.repeated &= o.strides[i] == 0;
  }
  if (n.shifts && !o.repeated) {
    o.shifts.resize(space_.size() - n.shape.size(), 0);
    for (std::int64_t shift : *n.shifts) o.shifts.push_back(shift);
  }
  std::uint16_t& newest = newest_at_[bucket_of(o)];
  for (std::uint16_t i = newest; i != kNone; i = older_at_[i])
    if (is_same_view(operands[i], o)) {
      n.id = i;
      return;
    }
  n.id = static_cast<std::uint16_t>(operands.size());
  older_at_.push_back(std::exchange(newest, n.id));
  operands.push_back(std::move(o));
  leaf_nodes.push_back(&n);
}

Expression::Sources Expression::sources_of(const Node& n, bool up_to_results) const {
  Sources found;
  found.read.resize(operands.size(), false);
  SmallVector<bool, 16> seen;
  seen.resize(nodes.size(), false);
  SmallVector<const Node*, 16> stack{&n};
  while (!stack.empty()) {
    const Node* at = stack.back();
    stack.pop_back();
    if (at->op != core_ops().copy) found.weight += weight_of(at->op);  // shifted operands are copies
    found.fills |= fills(*at);
    for (int i = 0; i < at->arity; ++i) {
      const Node* in = at->inputs[i].node.get();
      if (in->state == NodeState::leaf) found.read[in->id] = true;
      if (in->state != NodeState::pending || seen[in->id]) continue;
      seen[in->id] = true;
      if (up_to_results && !results_.empty() && results_[in->id])
        found.results += static_cast<std::uint64_t>(in->nbytes());
      else
        stack.push_back(in);
    }
  }
  return found;
}

Dims Expression::result_strides(const Node& n) const {
  const Sources from = sources_of(n, false);
  std::vector<const Dims*> strides;
  for (std::size_t i = 0; i < operands.size() && !from.fills; ++i)
    if (from.read[i]) strides.push_back(&operands[i].strides);
  return strides_in_order(space_, agreed_order(space_, strides), n.itemsize());
}

std::uint16_t Expression::id_of(const Node& n) const {
  std::size_t id = n.id;
  if (n.state != NodeState::leaf) id += operands.size();
  if (n.state == NodeState::pending) id += scalar_nodes.size();
  return static_cast<std::uint16_t>(id);
}

bool Expression::counts_elements() const {
  for (const Node* n : nodes)
    if (has_flag(n->op, Op::indexed)) return true;
  return false;
}

bool Expression::has_tables() const {
  return std::ranges::any_of(operands, [](const Operand& o) { return o.table; });
}

bool Expression::has_shifts() const {
  for (const Operand& o : operands)
    if (!o.shifts.empty()) return true;
  return false;
}

std::size_t Expression::further_slots() const {
  std::size_t slots = 0;
  for (const Operand& o : operands) slots += o.shifts.size();
  for (const Node* s : scalar_nodes) slots += s->dtype == DType::complex128 ? 2 : 1;
  return slots;
}

std::uint64_t bytes_reached(const Dims& sizes, const Dims& strides, DType dtype) {
  std::uint64_t bytes = size_of(dtype);
  for (std::size_t i = 0; i < strides.size(); ++i)
    if (strides[i] != 0) bytes *= static_cast<std::uint64_t>(sizes[i]);
  return bytes;
}

std::size_t parameter_bytes(std::size_t memory, std::size_t ndim, std::size_t further_slots) {
  return 8 * (memory + ndim + memory * (1 + ndim) + further_slots + bounds_slots(memory));
}

Excess parameter_excess(std::size_t memory, std::size_t ndim, std::size_t further_slots, const Device& device) {
  const std::size_t bytes = parameter_bytes(memory, ndim, further_slots), most = device.caps().max_parameter_bytes;
  if (bytes <= most) return {};
  return {Limit::parameter_bytes, static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(most)};
}

Excess Expression::excess(std::size_t results) const {
  if (static_cast<int>(operands.size()) > kMaxLeaves) return {Limit::leaves, std::ssize(operands), kMaxLeaves};
  if (static_cast<int>(scalar_nodes.size()) > kMaxScalars)
    return {Limit::scalars, std::ssize(scalar_nodes), kMaxScalars};
  if (static_cast<int>(living_.size()) > kMaxExtraOutputs)
    return {Limit::extra_outputs, std::ssize(living_), kMaxExtraOutputs};
  if (const int weight = text_weight(); weight > kMaxNodes) return {Limit::nodes, weight, kMaxNodes};
  if (!root_.is_pending()) return {};
  return parameter_excess(operands.size() + living_.size() + results, space_.size(), further_slots(),
                          *root_.place->device);
}

int Expression::text_weight() const {
  int weight = 0;
  if (static_cast<int>(nodes.size()) * kHeavyOp <= kMaxNodes) return weight;
  for (const Node* n : nodes) weight += weight_of(n->op);
  if (weight <= kMaxNodes || root_.place->device->strategy() != Strategy::gpu) return weight;
  std::vector<bool> kept(nodes.size(), false);
  for (const Node* n : living_) kept[n->id] = true;
  const std::vector<int> weights = weights_of_steps({nodes.begin(), nodes.end()}, kept);
  return std::accumulate(weights.begin(), weights.end(), 0);
}

bool Expression::cut(bool with_root) {
  const bool planning = Planner::current() != nullptr;
  const Because because(CutReason::limit, planning ? excess() : Excess());
  if (!planning) stats().cuts.fetch_add(1, std::memory_order_relaxed);
  if (PlanOf* const plan = PlanOf::current()) plan->note_cut();
  if (!planning && debugging(3))
    debug_line(3, "graph cut at " + std::to_string(nodes.size()) + " operations, " + std::to_string(operands.size()) +
                      " leaves, " + std::to_string(living_.size()) + " living interior values");
  const bool any = evaluate_oldest(root_, with_root ? Cut::with_root : Cut::below_root);
  walk();
  return any;
}

bool may_be_computed_again(const Node& n, int weight, std::uint64_t reads, bool in_parts) {
  constexpr int kHidden = 12;  // operations behind the reads of memory that storing would need, too
  constexpr int kMost = 40;    // that are done once more if the value is asked for: they take as long as to store it
  constexpr std::uint8_t kTimes = 3;  // reading the operands instead of the stored value costs a quarter more at most
  constexpr double kSeldom = 2;       // one in so many is asked for again, by a launch of its own
  const auto own = static_cast<std::uint64_t>(n.nbytes());
  const bool once = weight <= kMost && (in_parts || 4 * reads <= 3 * own);  // memory leaves them the time
  const std::uint8_t times = weight <= kHidden ? kTimes : once ? 1 : 0;
  if (n.place->device->strategy() != Strategy::gpu || n.left_pending >= times || too_much_left()) return false;
  if (kSeldom * static_cast<double>(own) < kLaunchBytes) return false;  // the launch would cost more than the write
  // Stored for who asks next, it would be written and read again beside what it is computed from.
  if (in_parts && n.left_pending == 0 && weight <= kMost && reads > 0 && reads <= 3 * own) return true;
  return reads > 0 && 4 * reads <= 5 * own;
}

void Expression::leave_out(const Node& n) {
  const auto at = std::find(living_.begin(), living_.end(), &n);
  if (at != living_.end()) living_.erase(static_cast<std::size_t>(at - living_.begin()));
}

void Expression::note_result(const Node& n) {
  results_.resize(nodes.size(), false);
  results_[n.id] = true;
}

bool Expression::leaves_pending(Node& n, const Sources& from) {
  constexpr int kQuick = 4;             // of what is repeated: computed once for many elements each time
  std::uint64_t views = 0, memory = 0;  // bytes: each view by itself, and each storage once
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!from.read[i]) continue;
    if (operands[i].table) return false;
    views += bytes_reached(space_, operands[i].strides, operands[i].dtype);
    bool again = false;
    for (std::size_t k = 0; k < i; ++k) again |= from.read[k] && operands[k].storage == operands[i].storage;
    if (!again) memory += operands[i].storage->block->size;
  }
  const auto own = static_cast<std::uint64_t>(n.nbytes());
  if (views > 0 && from.results == 0 && from.weight <= kQuick && 8 * views <= own) return true;
  // Results of the same kernel count by half: what a program made together, it mostly reads together.
  if (!may_take_source(n) && !may_be_computed_again(n, from.weight, std::min(views, memory) + from.results / 2))
    return false;
  n.leave_pending();
  left_.emplace_back(&n);
  if (PlanOf* const plan = PlanOf::current()) plan->note_left(n);
  return true;
}

bool Expression::stores(Node& n) {
  const Sources from = sources_of(n, true);
  if (leaves_pending(n, from)) {
    read_again_.resize(operands.size(), false);
    for (std::size_t i = 0; i < operands.size(); ++i) read_again_[i] |= from.read[i];
    return false;
  }
  note_result(n);
  return true;
}

SmallVector<Node*, 8> Expression::stored(const Node* wanted, bool with_read) {
  SmallVector<Node*, 8> out;
  read_again_.clear();
  results_.clear();
  left_.clear();
  for (Node* n : living_) {
    if (n == wanted || (with_read && is_read_outside(*n)))
      note_result(*n);
    else if (!stores(*n))
      continue;
    out.push_back(n);
  }
  return out;
}

void Expression::renumber_left() const {
  for (const NodeRef& n : left_) n->renumber_with_inputs();
}

bool Expression::shares_values() const {
  for (const Node* n : living_)
    if (n->owners == 0) return true;
  return false;
}

bool Expression::evaluate_whole_graph() {
  const Because because(CutReason::whole);
  if (evaluate_oldest(root_, Cut::nowhere)) return true;
  walk();
  return false;
}

bool Expression::can_donate(const Node& leaf) const {
  if (leaf.owners > 0 || leaf.storage->exposed || leaf.storage->read_only || leaf.storage->use_count() != 1)
    return false;
  if (!read_again_.empty() && read_again_[leaf.id]) return false;
  for (Node::Input* c = leaf.consumers; c; c = c->next)
    if (c->consumer->epoch != epoch_) return false;
  return true;
}

ActivityRecord Expression::described(const Dims& sizes) const {
  ActivityRecord record;
  record.operations = static_cast<std::uint32_t>(nodes.size());
  std::vector<std::pair<std::string, int>> names;
  for (auto n = nodes.end(); n != nodes.begin();) {  // the result's line first
    const Node& node = **--n;
    if (node.line && std::find(record.lines.begin(), record.lines.end(), node.line) == record.lines.end())
      record.lines.push_back(node.line);
  }
  for (const Node* n : nodes) {
    const std::string& name = n->reduction ? n->reduction->kind : ops()[n->op].name;
    const auto known = std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
    if (known == names.end())
      names.emplace_back(name, 1);
    else
      ++known->second;
  }
  for (const auto& [name, count] : names) {
    record.name += (record.name.empty() ? "" : " ") + name;
    if (count > 1) record.name += "*" + std::to_string(count);
  }
  for (const Operand& o : operands) record.read += bytes_reached(sizes, o.strides, o.dtype);
  return record;
}

void Expression::fill(ExpressionSpec& spec) const {
  for (Node* s : scalar_nodes) spec.scalars.push_back(s->dtype);
  for (Node* n : nodes) {
    SpecNode sn{n->op, n->compute, n->dtype, n->arity, {0, 0, 0}};
    for (int i = 0; i < n->arity; ++i) sn.args[i] = id_of(*n->inputs[i].node);
    spec.nodes.push_back(sn);
  }
}

void Expression::append_scalar_slots(SmallVector<std::int64_t, 64>& slots) const {
  for (Node* s : scalar_nodes) {
    std::int64_t bits[2];
    const int n = encode_scalar(s->dtype, s->value, bits);
    for (int i = 0; i < n; ++i) slots.push_back(bits[i]);
  }
}

}  // namespace devarray
