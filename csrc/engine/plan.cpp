#include "engine/plan.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "engine/evaluate.hpp"
#include "engine/lock.hpp"
#include "engine/reduce_rows.hpp"

namespace devarray {
namespace {

/// Blocks of any size without memory, in place of another resource.
class NoMemory final : public MemoryResource {
 public:
  explicit NoMemory(ResourcePtr of) : of_(std::move(of)) {}
  Ref<Block> allocate(std::size_t bytes, const QueuePtr&) override { return block_of(bytes); }
  Ref<Block> try_allocate(std::size_t bytes, const QueuePtr&) override { return block_of(bytes); }
  void deallocate(Block*) noexcept override {}  // no block has it as its owner
  DevicePtr device() const override { return of_->device(); }
  MemoryKind kind() const override { return of_->kind(); }
  std::string describe() const override { return "none in place of " + of_->describe(); }

 private:
  static Ref<Block> block_of(std::size_t bytes) {
    Ref<Block> block(new Block());
    block->size = block->capacity = bytes;
    return block;
  }
  const ResourcePtr of_;
};

/// Pending nodes that are linked with `root` in any way, oldest first, and marked with `epoch`. Evaluating it touches
/// no other.
std::vector<Node*> linked(Node& root, std::uint64_t epoch) {
  std::vector<Node*> found;
  const auto add = [&](Node* n) {
    if (!n->is_pending() || n->epoch == epoch) return;
    n->epoch = epoch;
    found.push_back(n);
  };
  add(&root);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (int k = 0; k < found[i]->arity; ++k) add(found[i]->inputs[k].node.get());
    for (Node::Input* c = found[i]->consumers; c; c = c->next) add(c->consumer);
  }
  std::sort(found.begin(), found.end(), [](const Node* a, const Node* b) { return a->serial < b->serial; });
  return found;
}

/// Whether a pending node reads the storage that is not marked.
bool read_by_others(const Storage& storage, std::uint64_t epoch) {
  for (Node* view = storage.views; view; view = view->next)
    for (Node::Input* c = view->consumers; c; c = c->next)
      if (c->consumer->epoch != epoch) return true;
  return false;
}

/// A copy of the pending graph around a value: nodes, views and storages like the original's, over memory that is none.
class GraphCopy {
 public:
  GraphCopy(Node& root, std::vector<PlannedValue>& values) : values_(values) {
    const std::uint64_t epoch = Node::new_epoch();
    const std::vector<Node*> graph = linked(root, epoch);
    if (graph.empty()) add(root);
    for (Node* n : graph) {
      for (int i = 0; i < n->arity; ++i) add(*n->inputs[i].node);
      add(*n);
    }
    for (auto& [storage, copy] : storages_)
      if (copy.views < storage->use_count() || read_by_others(*storage, epoch)) used_elsewhere_.push_back(copy.storage);
    // Nodes and storages are kept by what reads them, as the originals are. Those that arrays have are kept here.
    storages_.clear();
    std::erase_if(held_, [](const NodeRef& n) { return n->owners == 0 && n->consumers; });
  }

  Node& copy_of(const Node& original) const { return *copies_.at(&original).first; }
  /// Of a copy.
  std::size_t number_of(const Node& copy) const { return numbers_.at(&copy); }
  void note_copy(const Node& made, const Node& of) { numbers_[&made] = numbers_.at(&of); }

 private:
  struct StorageCopy {
    StorageRef storage;
    std::uint32_t views = 0;
    std::size_t number = 0;
  };

  PlaceRef place_of(const PlaceRef& place) {
    PlaceRef& copy = places_[place.get()];
    if (!copy) {
      ResourcePtr& resource = resources_[place->resource.get()];
      if (!resource) resource = std::make_shared<NoMemory>(place->resource);
      copy = PlaceRef(new Place(place->queue, resource));
    }
    return copy;
  }

  StorageCopy& storage_of(const Storage& original) {
    StorageCopy& copy = storages_[&original];
    if (copy.storage) return copy;
    Ref<Block> block(new Block());
    block->allocation = original.block->allocation;
    block->offset = original.block->offset;
    block->size = original.block->size;
    block->capacity = original.block->capacity;
    copy.storage = StorageRef(new Storage(std::move(block), place_of(original.place)));
    copy.storage->exposed = original.exposed;
    copy.storage->read_only = original.read_only;
    copy.number = storages_.size();
    return copy;
  }

  NodeRef copied(const Node& n) {
    if (n.state == NodeState::scalar) return Node::scalar(n.dtype, n.value);
    if (n.is_pending()) {
      NodeRef in[3];
      for (int i = 0; i < n.arity; ++i) in[i] = NodeRef(&copy_of(*n.inputs[i].node));
      NodeRef copy = n.is_pending_view
                         ? Node::pending_view(in[0], n.shape, n.strides, n.offset, n.writable)
                         : Node::pending(n.op, n.compute, n.dtype, n.shape, place_of(n.place), in, n.arity);
      copy->joins_axes = n.joins_axes;
      copy->serial = n.serial;
      copy->oldest = n.oldest;
      copy->depth = n.depth;
      if (n.left_pending == kStored) copy->store_next();
      while (copy->left_pending < n.left_pending) copy->leave_pending();
      copy->line = n.line;
      return copy;
    }
    StorageCopy& storage = storage_of(*n.storage);
    ++storage.views;
    NodeRef copy = Node::derived_leaf(storage.storage, n.dtype, n.shape, n.strides, n.offset);
    copy->is_view = n.is_view;
    if (n.shifts) copy->shifts = std::make_unique<const Dims>(*n.shifts);
    if (n.reach) copy->reach = std::make_unique<const Extent>(*n.reach);
    return copy;
  }

  PlannedValue described(const Node& n) const {
    PlannedValue v;
    v.state = n.state;
    v.op = n.is_pending_view ? core_ops().copy : n.op;
    v.compute = n.compute;
    v.dtype = n.dtype;
    v.shape = n.shape;
    v.owners = n.owners;
    v.line = n.line;
    v.scalar = n.value;
    if (n.is_leaf()) {
      v.strides = n.strides;
      v.memory = storages_.at(n.storage.get()).number;
    }
    for (int i = 0; i < n.arity && n.is_pending(); ++i) v.inputs.push_back(copies_.at(n.inputs[i].node.get()).second);
    return v;
  }

  void add(Node& n) {
    if (copies_.contains(&n)) return;
    const NodeRef& copy = held_.emplace_back(copied(n));
    copy->owners = n.owners;
    copies_.emplace(&n, std::pair(copy.get(), values_.size()));
    numbers_.emplace(copy.get(), values_.size());
    values_.push_back(described(n));
  }

  std::vector<PlannedValue>& values_;
  std::unordered_map<const MemoryResource*, ResourcePtr> resources_;
  std::unordered_map<const Place*, PlaceRef> places_;
  std::unordered_map<const Storage*, StorageCopy> storages_;
  std::unordered_map<const Node*, std::pair<Node*, std::size_t>> copies_;  ///< of each original, and its number
  std::unordered_map<const Node*, std::size_t> numbers_;                   ///< of each copy
  std::vector<StorageRef> used_elsewhere_;  ///< storages that something else needs: they are donated to nobody
  std::vector<NodeRef> held_;
};

/// Makes a planner the current one.
class AtWork {
 public:
  explicit AtWork(Planner& planner) { Planner::current() = &planner; }
  ~AtWork() { Planner::current() = nullptr; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

}  // namespace

const char* name_of(Limit limit) {
  switch (limit) {
    case Limit::none: return "none";
    case Limit::nodes: return "nodes";
    case Limit::leaves: return "leaves";
    case Limit::scalars: return "scalars";
    case Limit::extra_outputs: return "extra_outputs";
    case Limit::live_bytes: return "live_bytes";
    case Limit::parameter_bytes: return "parameter_bytes";
  }
  return "";
}

const char* name_of(CutReason::Kind kind) {
  switch (kind) {
    case CutReason::asked: return "asked";
    case CutReason::shape: return "shape";
    case CutReason::whole: return "whole";
    case CutReason::limit: return "limit";
  }
  return "";
}

void Planner::add(PlannedKernel&& kernel) {
  kernel.reason = reason;
  plan_.kernels.push_back(std::move(kernel));
}

bool Planner::launched() const {
  return !std::all_of(plan_.kernels.begin(), plan_.kernels.end(), [](const PlannedKernel& k) { return k.on_host; });
}

void Planner::note_cut(const CutReason& found, std::size_t connected, std::size_t taken, double cost) {
  reason.fitting = found.fitting;
  reason.longest = found.longest;
  reason.cost_of_longest = found.cost_of_longest;
  reason.connected = connected;
  reason.taken = taken;
  reason.cost_taken = cost;
}

Because::Because(CutReason::Kind kind, Excess excess) {
  Planner* const planner = Planner::current();
  if (!planner) return;
  before_ = std::exchange(planner->reason, CutReason{.kind = kind, .excess = excess});
}

Because::~Because() {
  if (Planner* const planner = Planner::current()) planner->reason = before_;
}

Plan plan_evaluation(Node& n) {
  EngineLock lock;
  if (n.is_known()) evaluate(n);
  evaluate_reductions_below(n);
  Planner planner;
  GraphCopy copy(n, planner.plan_.values);
  planner.number_of_ = [&](const Node& node) { return copy.number_of(node); };
  planner.note_copy_ = [&](const Node& made, const Node& of) { copy.note_copy(made, of); };
  const NodeRef root(&copy.copy_of(n));
  planner.plan_.result = copy.number_of(*root);
  const AtWork at_work(planner);
  evaluate(*root);
  return std::move(planner.plan_);
}

}  // namespace devarray
