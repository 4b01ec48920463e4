// The pool: a resource that keeps what is given back and hands it out again.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "memory/free_store.hpp"
#include "memory/lock.hpp"
#include "memory/resource.hpp"

namespace devarray {

/// What a pool has, at one moment. Blocks and bytes.
struct PoolFigures {
  std::size_t held_blocks = 0;    ///< free, kept for the next request
  std::size_t active_blocks = 0;  ///< in use
  std::size_t held_bytes = 0;
  std::size_t active_bytes = 0;   ///< as asked for
  std::size_t managed_bytes = 0;  ///< what the pool has from its upstream: held and active, with what rounding adds
  std::size_t peak_active_bytes = 0;
  std::size_t peak_managed_bytes = 0;
  std::size_t largest_hole = 0;  ///< the largest held block
  std::size_t hits = 0;          ///< requests served without the upstream
  std::size_t misses = 0;
};

/// A block given back on one queue serves the next request of that queue at once; one of another queue only behind
/// an event. Blocks in use keep their pool alive. Zero-size requests succeed and are not counted.
class PoolResource final : public MemoryResource {
 public:
  PoolResource(ResourcePtr upstream, std::unique_ptr<FreeStore> store);
  ~PoolResource() override;

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  Ref<Block> try_allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  DevicePtr device() const override { return upstream_->device(); }
  MemoryKind kind() const override { return upstream_->kind(); }
  ResourcePtr upstream() const override { return upstream_; }
  std::string describe() const override { return "pool over " + upstream_->describe(); }
  std::size_t trim() override;

  PoolFigures figures() const;
  void reset_peaks();
  /// Gives held memory back upstream, behind the work that uses it; returns the bytes.
  std::size_t free_held();
  /// From now on what is given back goes upstream at once. Blocks in use are not touched.
  void stop_holding();
  bool holding() const;

 private:
  Ref<Block> take_from_any_queue(std::size_t bytes, const QueuePtr& queue, bool last_resort);
  Ref<Block> grow(std::size_t bytes, const QueuePtr& queue);
  Ref<Block> stretch(std::size_t bytes, const QueuePtr& queue);
  std::size_t free_whole();
  std::size_t shorten(bool wait);
  void make_room(std::size_t bytes, std::size_t capacity);
  Ref<Block> ask_after_trim(std::size_t bytes, std::size_t capacity, const QueuePtr& queue);
  Ref<Block> adopt(Ref<Block> base, std::size_t bytes, const QueuePtr& queue);
  Ref<Block> hand_out(Block* block, const QueuePtr& queue);
  void take_back(Block& block) noexcept;
  void count_active(Block& block, std::size_t bytes);
  [[noreturn]] void throw_exhausted(std::size_t asked, const OutOfMemoryError& cause) const;

  const ResourcePtr upstream_;
  std::mutex stretching_;      ///< held while the upstream makes a block longer or shorter; taken with the GIL released
  std::shared_mutex growing_;  ///< shared while memory comes from the upstream; alone, by who found none there
  mutable LeafLock lock_;      ///< guards what follows
  const std::unique_ptr<FreeStore> store_;
  PoolFigures figures_;
  bool holding_ = true;
};

/// A pool that splits and merges blocks where memory has addresses, and keeps bins where it has none (cl_mem).
std::shared_ptr<PoolResource> pool_resource(ResourcePtr upstream);

/// A pool of bins, for every kind. A request is rounded up to its bin's size, so that any block of a bin serves: sizes
/// of one bin agree in their `leading_bits` bits after the first (more than 7 are taken as 7; 4 adds at most 1/16).
std::shared_ptr<PoolResource> bin_pool(ResourcePtr upstream, unsigned leading_bits = 4);

/// The bin of a request, and the size of the blocks in a bin.
std::size_t bin_of(std::size_t bytes, unsigned leading_bits);
std::size_t bin_capacity(std::size_t bin, unsigned leading_bits);

}  // namespace devarray
