#include "engine/kept_launch.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <utility>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/hazards.hpp"
#include "engine/launch.hpp"
#include "engine/partition.hpp"
#include "engine/pending_views.hpp"
#include "engine/plan.hpp"
#include "engine/profile.hpp"
#include "engine/reduce_scratch.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

struct Entry {
  std::uint64_t hash = 0;
  std::vector<std::uint64_t> key;
  std::shared_ptr<const KeptLaunch> launch;
  std::size_t bytes() const { return 8 * key.size() + launch->bytes() + sizeof(Entry) + 128; }
};

/// Launches by their graphs' keys, those used last at the front, up to kMaxPlanBytes.
class Plans {
 public:
  /// Null where there is none.
  std::shared_ptr<const KeptLaunch> find(const GraphKey& key) {
    const auto found = entries_.find(key.hash());
    if (found == entries_.end() || !std::ranges::equal(found->second->key, key.words())) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->launch;
  }

  void add(std::uint64_t hash, std::vector<std::uint64_t>&& words, KeptLaunch&& launch) {
    erase(hash);
    order_.push_front({hash, std::move(words), std::make_shared<const KeptLaunch>(std::move(launch))});
    entries_[hash] = order_.begin();
    bytes_ += order_.front().bytes();
    while (bytes_ > kMaxPlanBytes && order_.size() > 1) {
      erase(order_.back().hash);
      stats().plans_evicted.fetch_add(1, std::memory_order_relaxed);
    }
    count();
  }

  void erase(std::uint64_t hash) {
    const auto found = entries_.find(hash);
    if (found == entries_.end()) return;
    bytes_ -= found->second->bytes();
    order_.erase(found->second);
    entries_.erase(found);
    count();
  }

  void clear() {
    entries_.clear();
    order_.clear();
    seen_.fill(0);
    bytes_ = 0;
    count();
  }

  /// Whether a graph with that key came before, as far as is remembered: what comes once is not worth keeping.
  bool comes_again(std::uint64_t hash) {
    std::uint64_t& place = seen_[hash % seen_.size()];
    return std::exchange(place, hash) == hash;
  }

 private:
  void count() const { stats().plans.store(order_.size(), std::memory_order_relaxed); }

  std::list<Entry> order_;
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> entries_;
  std::array<std::uint64_t, 1024> seen_{};
  std::size_t bytes_ = 0;
};

Plans& plans() {
  static auto* kept = new Plans;  // outlives every static that may use it
  return *kept;
}

/// The key that is read. One piece of memory for all: they are read under the engine's lock, one after the other.
GraphKey& shared_key() {
  static auto* key = new GraphKey;
  return *key;
}

/// Whether plans follow from keys alone, and nobody wants to see them made. By the strategy of CPUs, small work is the
/// host's or not by what the queue is doing, and scalars' values decide what is computed once.
bool plans_repeat(const Node& root) {
  return root.place->device->strategy() == Strategy::gpu && !Planner::current() && !profiling() && !debugging(2) &&
         !config().check_bounds;
}

std::uint8_t alignment_of_memory(const Storage& s) { return static_cast<std::uint8_t>(s.block->offset % 16); }

/// A result of a launch that is being repeated, and where it goes. Arrays that the launch is given have no node here.
struct Result {
  NodeRef node;
  StorageRef storage;
  std::int64_t offset = 0;
};

/// Memory that a launch which is being repeated needs.
struct Memory {
  std::vector<Result> results;
  StorageRef scratch;
  Ref<Block> counters;
};

/// Donated, fresh, or given. False where that would have to wait, or lies otherwise.
bool find_memory(const KeptLaunch& launch, const GraphKey& key, std::span<const Node* const> given,
                 const PlaceRef& place, Memory& m) {
  m.results.reserve(launch.writes.size());
  auto next = given.begin();
  for (const KeptLaunch::Write& w : launch.writes) {
    if (w.node == KeptLaunch::Write::kGiven) {
      m.results.push_back({nullptr, (*next)->storage, (*next)->offset});
      ++next;
      continue;
    }
    Node& n = *key.nodes()[w.node];
    if (w.donated != KeptLaunch::Write::kFresh) {
      const Node& leaf = *key.leaves()[w.donated];
      m.results.push_back({NodeRef(&n), leaf.storage, leaf.offset});
      continue;
    }
    StorageRef storage = try_allocate_storage(n.place, n.nbytes());
    if (!storage || alignment_of_memory(*storage) != w.alignment) return false;
    m.results.push_back({NodeRef(&n), std::move(storage), 0});
  }
  if (!launch.scratch_bytes) return true;
  m.counters = known_counters(*place->queue);
  if (m.counters) m.scratch = try_allocate_storage(place, static_cast<std::int64_t>(launch.scratch_bytes));
  return m.scratch != nullptr;
}

/// A launch as its queue gets it.
struct Arguments {
  SmallVector<MemoryArg, 32> memory;
  SmallVector<std::int64_t, 64> slots;
  SmallVector<Storage*, 32> storages;  ///< leaves, then results
};

Arguments arguments_of(const KeptLaunch& launch, const GraphKey& key, const Memory& m) {
  Arguments a;
  a.slots.assign(launch.slots.data(), launch.slots.data() + launch.slots.size());
  for (const KeptLaunch::Read& r : launch.reads) {
    const Node& leaf = *key.leaves()[r.leaf];
    a.storages.push_back(leaf.storage.get());
    a.memory.push_back(memory_arg(*leaf.storage));
    a.slots[r.slot] = static_cast<std::int64_t>(leaf.storage->block->offset) + leaf.offset;
  }
  for (std::size_t i = 0; i < m.results.size(); ++i) {
    Storage& s = *m.results[i].storage;
    a.storages.push_back(&s);
    a.memory.push_back(memory_arg(s));
    a.slots[launch.writes[i].slot] = static_cast<std::int64_t>(s.block->offset) + m.results[i].offset;
  }
  std::size_t at = launch.first_scalar;
  for (const KeptLaunch::Number number : launch.scalars) {
    const Node& s = *key.scalars()[number];
    std::int64_t bits[2];
    const int count = encode_scalar(s.dtype, s.value, bits);
    for (int i = 0; i < count; ++i) a.slots[at++] = bits[i];
  }
  if (m.scratch) {
    a.memory.push_back(start_of(*m.scratch->block));
    a.memory.push_back(start_of(*m.counters));
  }
  return a;
}

void enqueue(const KeptLaunch& launch, Arguments& a, BatchOffer& batch, const StencilOffer& offer,
             const KernelPtr& kernel, const Place& place) {
  const std::size_t reads = launch.reads.size();
  if (batch.held()) return batch.hold_back(a.memory, a.slots, a.storages);
  if (offer.held())
    return offer.hold_back(
        {launch.stage, kernel, launch.dims, a.memory, a.slots, {}, launch.bytes_moved, launch.turning_slot == 0});
  if (!offer.passes())
    for (std::size_t i = 0; i < a.storages.size(); ++i)
      i < reads ? acquire_read(*a.storages[i], place) : acquire_write(*a.storages[i], place);
  if (launch.turning_slot >= 0) {
    std::int64_t& slot = a.slots[static_cast<std::size_t>(launch.turning_slot)];
    slot = turned(slot, *place.queue);
  }
  const auto call = offer.passes() ? &Queue::launch_first : &Queue::launch;
  ((*place.queue).*call)(*kernel, launch.dims, a.memory.data(), a.memory.size(), a.slots.data(), a.slots.size());
  for (std::size_t i = 0; i < a.storages.size(); ++i)
    i < reads ? release_read(*a.storages[i], place) : release_write(*a.storages[i], place);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_moved.fetch_add(launch.bytes_moved, std::memory_order_relaxed);
}

/// A kernel, and those of the launch's scalars that are in its code.
struct Variant {
  KernelPtr kernel;
  const std::vector<SpecConstant>& constants;
  bool lasts = true;  ///< no other one is about to take over
};

Variant variant_of(const KeptLaunch& launch, const Arguments& a, const KernelPtr& kernel) {
  static const std::vector<SpecConstant> none;
  if (!launch.constants) return {kernel, none};
  const KernelPtr own = launch.constants->kernel_for(a.slots);
  if (!own || own->max_work_group_size() < launch.dims.local[0] * launch.dims.local[1] * launch.dims.local[2])
    return {kernel, none, launch.constants->values().empty()};
  own->note_use();
  return {own, launch.constants->values()};
}

void count(const KeptLaunch& launch) {
  Stats& s = stats();
  const auto add = [](std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    if (n) counter.fetch_add(n, std::memory_order_relaxed);
  };
  std::uint64_t donations = 0;
  for (const KeptLaunch::Write& w : launch.writes) donations += w.donated != KeptLaunch::Write::kFresh;
  add(s.memory_cache_hits, 1);
  add(s.plans_reused, 1);
  add(s.cuts, launch.cuts);
  add(s.donations, donations);
}

/// Launches it on the graph whose key was just read. False, and nothing is done, where it cannot be. Without a kernel
/// it can be held back as a step of a chain.
bool repeat(const KeptLaunch& launch, const GraphKey& key, std::span<const Node* const> given, const PlaceRef& place,
            const KernelPtr& kernel) {
  Memory memory;
  const std::uint64_t number = key.number();
  if (!find_memory(launch, key, given, place, memory) || key.number() != number) return false;
  Arguments arguments = arguments_of(launch, key, memory);
  const std::size_t reads = launch.reads.size();
  const Variant variant = variant_of(launch, arguments, kernel);
  // Kernels for later are asked for while nothing is done yet: Python may be interrupted there.
  if (launch.constants) launch.constants->ask(*place->device);
  BatchOffer batch({launch.batch, variant.kernel, launch.dims, launch.bytes_moved, launch.turning_slot == 0},
                   variant.constants, *place, arguments.storages, arguments.slots);
  if (batch.wants_kernel() && variant.lasts) launch.batch->ask(*place->device, variant.constants);
  const StencilOffer offer(launch.stage, *place, arguments.storages, reads, arguments.slots, batch.held());
  // Allocators may be programs of their own, and launches that were held back be compiled. Whatever ran, nothing else
  // may have been evaluated.
  if (key.number() != number || (!kernel && !offer.held())) return false;
  std::vector<NodeRef> rest, left;
  rest.reserve(launch.rest.size());
  left.reserve(launch.left.size());
  for (const KeptLaunch::Number n : launch.left) left.emplace_back(key.nodes()[n]);
  for (const KeptLaunch::Number n : launch.rest) rest.emplace_back(key.nodes()[n]);
  if (kernel) kernel->note_use();
  enqueue(launch, arguments, batch, offer, variant.kernel, *place);
  count(launch);
  for (const NodeRef& n : left) n->leave_pending();
  for (std::size_t i = 0; i < memory.results.size(); ++i)
    if (Result& r = memory.results[i]; r.node)
      r.node->materialize(std::move(r.storage), launch.writes[i].strides, r.offset);
  for (const NodeRef& n : left) n->renumber_with_inputs();
  for (const NodeRef& n : rest)
    if (n->is_pending()) n->renumber();
  if (!batch.held()) note_launch(*place->queue);  // others may run meanwhile, here and below
  batch.note_done(*place->queue);
  return true;
}

}  // namespace

std::size_t KeptLaunch::bytes() const {
  return sizeof(KeptLaunch) + 8 * slots.size() + sizeof(Read) * reads.size() + sizeof(Write) * writes.size() +
         sizeof(Number) * (scalars.size() + left.size() + rest.size()) + (stage ? 2 * sizeof(StencilStage) : 0) +
         (constants ? constants->bytes() : 0) + (batch ? batch->bytes() : 0);
}

PlanOf::PlanOf(Node& root, const Purpose& purpose, std::span<const Node* const> given) {
  before_ = std::exchange(current_, nullptr);  // what is evaluated on the way is another plan's
  if (before_) before_->spoiled_ = true;
  if (!plans_repeat(root)) return;
  GraphKey& key = shared_key();
  GraphKey::Found found = key.read(root, purpose);
  if (found == GraphKey::Found::differs) {
    evaluate_what_differs(root, root.shape);
    done_ = !root.is_pending() && given.empty();
    if (done_) return;
    found = key.read(root, purpose);
  }
  if (found != GraphKey::Found::complete) return;
  if (const std::shared_ptr<const KeptLaunch> launch = plans().find(key)) {
    const KernelPtr kernel = launch->kernel.lock();
    const std::uint64_t number = key.number();
    if (kernel || launch->stage) done_ = repeat(*launch, key, given, PlaceRef(root.place), kernel);
    if (kernel || done_ || key.number() != number) return;
  } else if (!plans().comes_again(key.hash())) {
    return;
  }
  take_notes(key);
}

PlanOf::~PlanOf() { current_ = before_; }

void PlanOf::take_notes(const GraphKey& key) {
  hash_ = key.hash();
  words_.assign(key.words().begin(), key.words().end());
  for (const GraphKey::Nodes* nodes : {&key.nodes(), &key.leaves(), &key.scalars()})
    for (std::size_t i = 0; i < nodes->size(); ++i) numbers_.emplace((*nodes)[i], static_cast<KeptLaunch::Number>(i));
  current_ = this;
}

/// What planning made by itself has no number.
KeptLaunch::Number PlanOf::number_of(const Node& n) {
  const auto found = numbers_.find(&n);
  if (found != numbers_.end()) return found->second;
  spoiled_ = true;
  return 0;
}

void PlanOf::note_rest(const std::vector<NodeRef>& rest) {
  for (const NodeRef& n : rest) launch_.rest.push_back(number_of(*n));
}

void PlanOf::note_launch(const Expression& e, const KernelPtr& kernel, const LaunchDims& dims,
                         const SmallVector<std::int64_t, 64>& slots, std::size_t first_scalar,
                         std::uint64_t bytes_moved) {
  ++launches_;
  launch_.kernel = kernel;
  launch_.dims = dims;
  launch_.bytes_moved = bytes_moved;
  launch_.slots.assign(slots.begin(), slots.end());
  launch_.first_scalar = static_cast<std::uint32_t>(first_scalar);
  for (const Node* s : e.scalar_nodes) launch_.scalars.push_back(number_of(*s));
  for (std::size_t i = 0; i < e.leaf_nodes.size(); ++i)
    launch_.reads.push_back({number_of(*e.leaf_nodes[i]), offsets_[i]});
}

void PlanOf::note_result(const Expression& e, const Node* n, const Storage& storage, const Dims& strides) {
  if (launches_ != 1) return spoil();
  KeptLaunch::Write w;
  w.slot = offsets_[launch_.reads.size() + launch_.writes.size()];
  if (n) {
    w.node = number_of(*n);
    w.alignment = alignment_of_memory(storage);
    w.strides = strides;
    for (std::size_t i = 0; i < e.operands.size(); ++i)
      if (e.operands[i].storage == &storage) w.donated = number_of(*e.leaf_nodes[i]);
  }
  launch_.writes.push_back(std::move(w));
}

void PlanOf::keep() {
  if (current_ != this || spoiled_ || launches_ != 1 || launch_.writes.empty()) return;
  plans().add(hash_, std::move(words_), std::move(launch_));
}

void clear_kept_launches() { plans().clear(); }

}  // namespace devarray
