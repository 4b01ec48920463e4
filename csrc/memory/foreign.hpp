// Memory that another library owns and arrays use.
#pragma once

#include <utility>

#include "memory/resource.hpp"

namespace devarray {

/// A device's view of memory that `owner` keeps. Letting go of it lets go of the owner.
class ForeignMemory final : public Allocation {
 public:
  /// `handle` is the cl_mem or the device address; `host` where the host reads it in place, or null.
  ForeignMemory(DevicePtr device, MemoryKind kind, std::size_t bytes, void* handle, void* host,
                std::shared_ptr<void> owner)
      : Allocation(kind, bytes, handle, host), device_(std::move(device)), owner_(std::move(owner)) {}
  Device& device() const override { return *device_; }

 private:
  DevicePtr device_;
  std::shared_ptr<void> owner_;
};

/// A block over the whole of an allocation that no resource made. It lets go of the allocation behind the work that
/// uses it.
Ref<Block> adopt(AllocationPtr allocation, const QueuePtr& queue);

}  // namespace devarray
