// CUDA's stream-ordered pool as a memory resource.
#pragma once

#include "memory/resource.hpp"

namespace devarray {

/// Figures of the driver's pool, in bytes.
struct AsyncFigures {
  std::size_t used = 0, reserved = 0, peak_used = 0, peak_reserved = 0;
};

/// The driver hands memory out and takes it back in the order of streams; a block that other queues use is freed behind
/// them. What is free stays in the pool, one of its own, until trim().
class AsyncResource : public MemoryResource {
 public:
  virtual AsyncFigures figures() const = 0;
  virtual void reset_peaks() = 0;
};

/// Throws DeviceError for a device that is not CUDA's, DriverError for a driver without such pools.
std::shared_ptr<AsyncResource> async_resource(const DevicePtr& device);

}  // namespace devarray
