// The resource that every other one ends at: it allocates from the driver and frees there. A driver may free memory
// that work still uses; such a block is parked in a list until that work is done.
#pragma once

#include "memory/resource.hpp"

namespace devarray {

/// devarray.alloc.DeviceMemoryResource.
class DirectResource final : public MemoryResource {
 public:
  /// Throws DeviceError for a kind that the device does not have.
  DirectResource(DevicePtr device, MemoryKind kind);

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  DevicePtr device() const override { return device_; }
  MemoryKind kind() const override { return kind_; }
  std::string describe() const override;
  std::size_t trim() override { return sweep_parked(); }  ///< frees parked blocks whose work is done; returns bytes

 private:
  const DevicePtr device_;
  const MemoryKind kind_;
};

}  // namespace devarray
