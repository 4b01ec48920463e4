#include "opencl/context.hpp"

#include <algorithm>

namespace devarray::opencl {

Handle<cl_context> create_context(const std::vector<cl_device_id>& devices, const ContextProperties& properties) {
  if (devices.empty()) throw ValueError("a context needs at least one device; none was given");
  ContextProperties list = properties;
  const bool names_platform = [&] {
    for (std::size_t i = 0; i + 1 < list.size(); i += 2)
      if (list[i] == CL_CONTEXT_PLATFORM) return true;
    return false;
  }();
  if (!names_platform) {
    list.push_back(CL_CONTEXT_PLATFORM);
    list.push_back(reinterpret_cast<cl_context_properties>(device_info(devices[0])->platform));
  }
  list.push_back(0);
  return Handle<cl_context>::adopt(DEVARRAY_CL_CREATE(devices[0], clCreateContext, list.data(),
                                                      static_cast<cl_uint>(devices.size()), devices.data(), nullptr,
                                                      nullptr));
}

Context::Context(Handle<cl_context> context) : context_(std::move(context)) {
  devices_ =
      info_array<cl_device_id>(DEVARRAY_CL_INFO(clGetContextInfo, get(), CL_CONTEXT_DEVICES), "clGetContextInfo");
  engine_.resize(devices_.size());
}

ContextPtr Context::create(const std::vector<cl_device_id>& devices, const ContextProperties& properties) {
  return std::make_shared<Context>(create_context(devices, properties));
}

ContextDevicePtr Context::engine(cl_device_id device) const {
  if (!device) device = devices_.front();
  const auto at = std::find(devices_.begin(), devices_.end(), device);
  if (at == devices_.end()) throw DeviceError("the device does not belong to this context");
  ContextDevicePtr& place = engine_[static_cast<std::size_t>(at - devices_.begin())];
  std::lock_guard lock(mutex_);
  if (!place) place = ContextDevice::of(get(), device);
  return place;
}

}  // namespace devarray::opencl
