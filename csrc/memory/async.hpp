// CUDA's stream-ordered pool as a memory resource.
#pragma once

#include <memory>

#include "memory/resource.hpp"

namespace devarray {

/// Figures of the driver's pool, in bytes.
struct AsyncFigures {
  std::size_t used = 0, reserved = 0, peak_used = 0, peak_reserved = 0;
};

/// The driver hands memory out and takes it back in the order of streams; a block that other queues use is freed behind
/// them. What is free stays in the pool, one of its own, until trim().
class AsyncResource final : public MemoryResource {
 public:
  /// Throws DeviceError for a device that is not CUDA's, and an error for a driver without such pools.
  explicit AsyncResource(const DevicePtr& device);
  ~AsyncResource() override;

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  DevicePtr device() const override { return queue_->device(); }
  MemoryKind kind() const override { return MemoryKind::device; }
  std::string describe() const override { return "stream-ordered memory of " + device()->label(); }
  std::size_t trim() override;
  AsyncFigures figures() const;
  void reset_peaks();

 private:
  struct Pool;            ///< the driver's
  const QueuePtr queue_;  ///< for memory that is bound to none
  std::unique_ptr<Pool> pool_;
};

}  // namespace devarray
