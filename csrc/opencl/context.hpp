// Contexts.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "opencl/device.hpp"

namespace devarray::opencl {

using ContextProperties = std::vector<cl_context_properties>;  ///< pairs, without the terminating zero

Handle<cl_context> create_context(const std::vector<cl_device_id>& devices, const ContextProperties& properties);

class Context {
 public:
  explicit Context(Handle<cl_context> context);
  static std::shared_ptr<Context> create(const std::vector<cl_device_id>& devices,
                                         const ContextProperties& properties = {});
  static std::shared_ptr<Context> share(cl_context context) {
    return std::make_shared<Context>(Handle<cl_context>::share(context));
  }

  cl_context get() const noexcept { return context_.get(); }
  const std::vector<cl_device_id>& devices() const noexcept { return devices_; }
  /// The engine's device for one of this context's devices; the first one without an argument.
  ContextDevicePtr engine(cl_device_id device = nullptr) const;

 private:
  Handle<cl_context> context_;
  std::vector<cl_device_id> devices_;
  mutable std::mutex mutex_;
  mutable std::vector<ContextDevicePtr> engine_;  ///< parallel to devices_, made at first use
};
using ContextPtr = std::shared_ptr<Context>;

}  // namespace devarray::opencl
