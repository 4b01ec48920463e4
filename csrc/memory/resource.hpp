// Memory resources: objects that hand out blocks. They compose by owning their upstream.
//
// Order of reuse. A block notes where it is used: `timeline` is that of the queue of its last use, and for every other
// queue that used it an event stands in `foreign_uses`. Work on that queue needs no event, since queues are in order,
// and none is recorded while a block stays on one queue: the event of a queue is recorded when the block leaves it, or
// the queue ends. That is later than the last use, hence safe; it may wait for more than it must, and saves a driver
// call at every free. A timeline outlives its queue, so that no block keeps a queue alive.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/driver.hpp"
#include "common/ref.hpp"

namespace devarray {

class MemoryResource;
using ResourcePtr = std::shared_ptr<MemoryResource>;

/// A piece of memory in use. The last reference gives it back to its resource, which may keep it and the Block
/// object for the next request. Sizes and offsets in bytes.
class Block final : public RefCounted<Block> {
 public:
  AllocationPtr allocation;  ///< what the block lies in; null for a zero-size block
  std::size_t offset = 0;    ///< where in the allocation it starts
  std::size_t size = 0;      ///< as asked for
  std::size_t capacity = 0;  ///< as reserved
  ResourcePtr owner;         ///< set while in use
  TimelinePtr timeline;      ///< of the queue whose order protects its reuse: that of its last use
  /// Uses on other queues: reuse waits for them. At most one event a queue, pruned when done. A null event stands for
  /// all that was enqueued there up to the moment it is asked for.
  std::vector<std::pair<TimelinePtr, EventPtr>> foreign_uses;
  Ref<Block> base;       ///< the upstream's block that this one is all of; null where it is a part
  void* user = nullptr;  ///< for the resource that made it

  /// Notes that work on `q` (already enqueued) uses this block.
  void used_on(const QueuePtr& q) {
    if (q->timeline().get() != timeline.get()) move_to(q);
  }
  /// Notes a use on another queue that is over where `event` is.
  void used_until(const TimelinePtr& other, EventPtr event);
  /// Notes all that is enqueued on `q` by the time the block is used again. Makes no driver call.
  void used_until_now_on(const QueuePtr& q) {
    if (q->timeline().get() != timeline.get()) note_all_of(*q);
  }
  void* host() const noexcept {
    return allocation && allocation->host() ? static_cast<char*>(allocation->host()) + offset : nullptr;
  }
  MemoryKind kind() const noexcept { return allocation->kind(); }
  void dispose() noexcept;  ///< owner->deallocate(this), or delete

  // For resources, on blocks that nobody uses any more.

  /// Makes work enqueued on `q` from now on run behind every use noted so far. The host does not wait.
  void hand_to(const QueuePtr& q);
  /// Whether every use noted so far is done. Drops the notes of those that are.
  bool quiet();
  /// Blocks the calling thread until every use noted so far is done.
  void wait();
  /// Of a queue that is gone: the block belongs to no queue any more, but waits for that one's last work.
  void leave_timeline() {
    if (timeline) foreign_uses.emplace_back(std::move(timeline), nullptr);
    timeline = nullptr;
  }
  /// Takes over what `from` has noted: from now on this block stands for both. Makes no driver call.
  void take_uses(Block& from);
  /// An event for each use that is not done, in the caller's hands; nothing is noted any more.
  std::vector<EventPtr> take_events();

 private:
  void move_to(const QueuePtr& q);
  void note_all_of(const Queue& q);
};

/// Interface of everything that can stand behind `allocator=`.
class MemoryResource : public std::enable_shared_from_this<MemoryResource> {
 public:
  virtual ~MemoryResource() = default;
  /// `bytes` may be 0: a block without allocation. `queue` is where the block will be used first; null asks for
  /// memory that no pending work uses. Throws OutOfMemoryError. May wait for the device: release the GIL first.
  virtual Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) = 0;
  /// The same where it takes neither a driver call nor a wait, else null: what a caller that holds the GIL tries first.
  /// Does not throw OutOfMemoryError.
  virtual Ref<Block> try_allocate(std::size_t, const QueuePtr&) { return nullptr; }
  /// Called once, when the last reference to the block is gone. Never throws, never calls Python with a lock held.
  virtual void deallocate(Block* block) noexcept = 0;
  virtual DevicePtr device() const = 0;
  virtual MemoryKind kind() const = 0;
  virtual ResourcePtr upstream() const { return nullptr; }
  virtual std::string describe() const = 0;  ///< "pool over direct svm_fine of opencl:0 (...)"
  /// Bytes that extend() and shrink() count in; 0 where blocks have the size that they were made with.
  virtual std::size_t granule() const { return 0; }
  /// Makes a block that it handed out longer in place, by a multiple of the granule. False where there is no room
  /// behind it; throws OutOfMemoryError. One caller a block; the driver may take its time: release the GIL first.
  virtual bool extend(Block&, std::size_t) { return false; }
  /// Gives the end of a block back, which nothing uses: at most `bytes`; returns how much.
  virtual std::size_t shrink(Block&, std::size_t) { return 0; }
  /// Gives what is held and free back upstream; returns the bytes released. Adaptors pass it on.
  virtual std::size_t trim() { return 0; }

 protected:
  /// A block without memory, which every resource hands out for a request of 0 bytes and nobody counts.
  Ref<Block> empty_block(const QueuePtr& queue);
};

/// Straight to the driver and back. Frees behind the queue that used the block last where the driver's own
/// reference counting does not do that (SVM, CUDA): such memory is parked with its events and freed by later calls.
/// Throws DeviceError for a kind that the device does not have.
ResourcePtr direct_resource(const DevicePtr& device, MemoryKind kind);

/// What stands behind arrays of a device for which nothing else was said: a pool over direct memory of the device's
/// preferred kind, one a device, made at first use and kept until the process ends.
ResourcePtr default_resource(const DevicePtr& device);
/// Replaces it; null puts the built-in one back. Throws DeviceError if the resource is of another device.
void set_default_resource(const DevicePtr& device, ResourcePtr resource);
/// How often any was replaced: who keeps one looks whether it still is the default.
std::uint64_t default_resource_changes() noexcept;

/// For resources whose memory is freed with its Allocation: takes it off a block that pending work uses and parks it
/// with the events of that work. Leaves it where nothing uses it, or the driver counts references itself (cl_mem).
void park_if_used(Block& block) noexcept;
/// The same for every kind of memory.
void park(Block& block) noexcept;
/// Frees parked memory whose work is done; returns the bytes. With `wait`, blocks until that of `device` is.
std::size_t sweep_parked(bool wait = false, const Device* device = nullptr);
/// Bytes freed by their users and not yet by the driver, since work that uses them is pending.
std::size_t parked_bytes();

}  // namespace devarray
