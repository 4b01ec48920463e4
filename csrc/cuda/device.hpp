// CUDA devices as arrays see them: the device and its primary context, which is retained at the first use.
#pragma once

#include <mutex>

#include "cuda/context.hpp"
#include "cuda/stream.hpp"

namespace devarray::cuda {

class Device final : public devarray::Device {
 public:
  /// All devices of the driver, made once. Throws MissingDriverError where there is no usable driver.
  static const std::vector<std::shared_ptr<Device>>& all();
  static std::shared_ptr<Device> of(CUdevice handle);

  Device(int index, CUdevice handle);

  DriverKind driver() const noexcept override { return DriverKind::cuda; }
  const Capabilities& caps() const noexcept override { return caps_; }
  int index() const noexcept override { return index_; }
  std::vector<MemoryKind> memory_kinds() const override { return kinds_; }

  AllocationPtr allocate(MemoryKind kind, std::size_t bytes) override;
  QueuePtr create_queue() override { return Stream::create(context()); }
  QueuePtr default_queue() override;
  /// A stream of somebody else's, or one of the driver's own. The legacy default stream is one object a device.
  QueuePtr stream(CUstream handle);
  /// Options are NVRTC's. Added where they are not given: the device's architecture, and -fmad=false, because a fused
  /// multiply-add rounds once where NumPy rounds twice.
  ProgramPtr build(const std::string& source, const std::string& options) override;
  ProgramPtr load(const std::string& binary, const std::string& options) override;
  MemoryInfo memory_info() override;

  /// Lets the two devices copy to each other directly, where the hardware can. Asked for once a pair.
  void reach(Device& other);

  CUdevice handle() const noexcept { return handle_; }
  const ContextPtr& context();
  int attribute(CUdevice_attribute attribute) const;
  int capability() const noexcept { return caps_.compute_major * 10 + caps_.compute_minor; }

 private:
  void read_capabilities();

  int index_;
  CUdevice handle_;
  Capabilities caps_;
  std::vector<MemoryKind> kinds_;
  std::mutex mutex_;
  ContextPtr context_;
  std::atomic<bool> ready_{false};
  QueuePtr default_queue_, legacy_stream_;
  std::vector<const Device*> reached_;
};

}  // namespace devarray::cuda
