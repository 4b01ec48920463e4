// The engine's view of OpenCL: a cl_device in a cl_context.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "opencl/platform.hpp"

namespace devarray::opencl {

class CommandQueue;

class ContextDevice final : public Device {
 public:
  /// The one object for this device in this context.
  static std::shared_ptr<ContextDevice> of(cl_context context, cl_device_id device);
  ~ContextDevice() override;

  cl_context context() const noexcept { return context_.get(); }
  cl_device_id id() const noexcept { return info_->id; }
  const DeviceInfo& info() const noexcept { return *info_; }

  DriverKind driver() const noexcept override { return DriverKind::opencl; }
  const Capabilities& caps() const noexcept override { return info_->caps; }
  int index() const noexcept override { return index_; }
  std::vector<MemoryKind> memory_kinds() const override;
  AllocationPtr allocate(MemoryKind kind, std::size_t bytes) override;
  QueuePtr create_queue() override;
  QueuePtr default_queue() override;
  ProgramPtr build(const std::string& source, const std::string& options) override;
  ProgramPtr load(const std::string& binary, const std::string& options) override;
  MemoryInfo memory_info() override;

  /// Adds -cl-std and IEEE division and square root to the caller's options, unless they set a standard themselves.
  std::string build_options(const std::string& options) const;

 private:
  friend const std::vector<std::shared_ptr<ContextDevice>>& devices();
  ContextDevice(cl_context context, DeviceInfoPtr info);
  std::shared_ptr<ContextDevice> self() { return std::static_pointer_cast<ContextDevice>(shared_from_this()); }
  AllocationPtr allocate_buffer(std::size_t bytes);
  AllocationPtr allocate_svm(MemoryKind kind, std::size_t bytes);

  Handle<cl_context> context_;
  DeviceInfoPtr info_;
  int index_ = -1;
  std::mutex mutex_;
  std::weak_ptr<CommandQueue> default_queue_;
  std::shared_ptr<CommandQueue> kept_queue_;  ///< for the devices of devices(): a cycle, and meant to be
  Handle<cl_command_queue> commit_queue_;     ///< makes new buffers real without waiting for anybody's work
};
using ContextDevicePtr = std::shared_ptr<ContextDevice>;

/// The engine's devices, each in a context of its own: GPUs, accelerators, CPUs; among CPUs PoCL last.
/// Empty where no runtime was found. Lives until the process ends.
const std::vector<ContextDevicePtr>& devices();

/// What to tell a user who has no OpenCL runtime.
std::string missing_runtime_message();

}  // namespace devarray::opencl
