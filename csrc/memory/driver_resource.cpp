#include "memory/driver_resource.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

namespace devarray {
namespace {

/// Memory that its user has freed while work on it was pending, oldest first. One list for the process, so that no
/// resource has to wait when it ends, and a resource that runs out can wait for what another one freed.
class ParkingLot {
 public:
  struct Entry {
    AllocationPtr allocation;
    std::vector<EventPtr> events;
    bool done() const {
      return std::all_of(events.begin(), events.end(), [](const EventPtr& e) { return e->done(); });
    }
  };

  void park(Entry entry) {
    std::lock_guard lock(mutex_);
    bytes_.fetch_add(entry.allocation->size(), std::memory_order_relaxed);
    entries_.push_back(std::move(entry));
  }

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// Looks at up to `limit` entries and frees those whose work is done. What is not goes to the back.
  std::size_t sweep(std::size_t limit) {
    std::size_t freed = 0;
    for (std::size_t n = std::min(limit, count()); n > 0; --n) {
      Entry entry;
      if (!pop(entry)) break;
      if (entry.done())
        freed += free(entry);
      else
        push_back(std::move(entry));
    }
    return freed;
  }

  /// Waits for the work behind each entry of `device` (null: all) and frees it.
  std::size_t drain(const Device* device) {
    std::size_t freed = 0;
    for (std::size_t n = count(); n > 0; --n) {
      Entry entry;
      if (!pop(entry)) break;
      if (device && &entry.allocation->device() != device) {
        push_back(std::move(entry));
        continue;
      }
      for (const EventPtr& event : entry.events) event->wait();
      freed += free(entry);
    }
    return freed;
  }

 private:
  std::size_t count() const {
    if (bytes() == 0) return 0;
    std::lock_guard lock(mutex_);
    return entries_.size();
  }
  bool pop(Entry& entry) {
    std::lock_guard lock(mutex_);
    if (entries_.empty()) return false;
    entry = std::move(entries_.front());
    entries_.pop_front();
    return true;
  }
  void push_back(Entry entry) {
    std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
  }
  std::size_t free(Entry& entry) {
    const std::size_t bytes = entry.allocation->size();
    entry = Entry();
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return bytes;
  }

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::atomic<std::size_t> bytes_{0};
};

/// Never destroyed: at the end of the process its memory goes with the process, not to a driver that may be gone.
ParkingLot& parking_lot() {
  static auto* lot = new ParkingLot;
  return *lot;
}

constexpr std::size_t sweep_step = 8;  ///< entries that one allocate or deallocate looks at

AllocationPtr allocate_or_wait(Device& device, MemoryKind kind, std::size_t bytes) {
  try {
    return device.allocate(kind, bytes);
  } catch (const OutOfMemoryError&) {
    if (parking_lot().drain(&device) == 0) throw;
  }
  return device.allocate(kind, bytes);
}

}  // namespace

DirectResource::DirectResource(DevicePtr device, MemoryKind kind) : device_(std::move(device)), kind_(kind) {
  const auto kinds = device_->memory_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return;
  std::string names;
  for (MemoryKind k : kinds) names += std::string(names.empty() ? "" : ", ") + name_of(k);
  throw DeviceError(device_->label() + " has no memory of kind '" + name_of(kind) + "'; it has " + names);
}

Ref<Block> DirectResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  if (bytes == 0) return empty_block(queue);
  parking_lot().sweep(sweep_step);
  Ref<Block> block(new Block);
  block->allocation = allocate_or_wait(*device_, kind_, bytes);
  block->allocation->lend();
  block->size = block->capacity = bytes;
  block->timeline = timeline_of(queue);
  block->owner = shared_from_this();
  return block;
}

void DirectResource::deallocate(Block* block) noexcept {
  park_if_used(*block);
  delete block;
}

std::string DirectResource::describe() const {
  return std::string("direct ") + name_of(kind_) + " of " + device_->label();
}

void park_if_used(Block& block) noexcept {
  if (block.allocation && !block.allocation->is_buffer()) park(block);
}

void park(Block& block) noexcept {
  if (!block.allocation || shutting_down()) return;
  try {
    parking_lot().sweep(sweep_step);
    if (block.quiet()) return;
    ParkingLot::Entry entry;
    entry.events = block.take_events();
    entry.allocation = std::move(block.allocation);
    parking_lot().park(std::move(entry));
  } catch (const std::exception&) {
    // A queue that records no event is broken and says so at its next use. Whether its work is over cannot be
    // known, so the memory stays with the process.
    if (block.allocation) new AllocationPtr(std::move(block.allocation));
  }
}

ResourcePtr direct_resource(const DevicePtr& device, MemoryKind kind) {
  return std::make_shared<DirectResource>(device, kind);
}

std::size_t sweep_parked(bool wait, const Device* device) {
  return wait ? parking_lot().drain(device) : parking_lot().sweep(parking_lot().bytes());
}

std::size_t parked_bytes() { return parking_lot().bytes(); }

}  // namespace devarray
