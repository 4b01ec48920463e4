// The resource at the bottom: the driver's own memory. What the driver would free under running work is parked.
#pragma once

#include "memory/resource.hpp"

namespace devarray {

class DirectResource final : public MemoryResource {
 public:
  /// Throws DeviceError for a kind that the device does not have.
  DirectResource(DevicePtr device, MemoryKind kind);

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  DevicePtr device() const override { return device_; }
  MemoryKind kind() const override { return kind_; }
  std::string describe() const override;
  std::size_t trim() override { return sweep_parked(); }

 private:
  const DevicePtr device_;
  const MemoryKind kind_;
};

}  // namespace devarray
