// CUDA device memory that grows in place, as a memory resource.
#pragma once

#include "memory/resource.hpp"

namespace devarray {

/// Each block has a range of addresses as large as the device's memory, and memory behind its front; a pool over this
/// resource makes its blocks longer instead of asking for others.
class VirtualResource final : public MemoryResource {
 public:
  /// Throws DeviceError for a device that is not CUDA's, or has no virtual memory management.
  explicit VirtualResource(DevicePtr device);

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  std::size_t granule() const override { return granule_; }
  bool extend(Block& block, std::size_t bytes) override;
  std::size_t shrink(Block& block, std::size_t bytes) override;
  DevicePtr device() const override { return device_; }
  MemoryKind kind() const override { return MemoryKind::device; }
  std::string describe() const override { return "virtual memory of " + device_->label(); }
  std::size_t trim() override { return sweep_parked(); }

 private:
  const DevicePtr device_;
  std::size_t granule_ = 0;
};

}  // namespace devarray
