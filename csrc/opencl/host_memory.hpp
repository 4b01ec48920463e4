// The host's own memory as a device's.
#pragma once

#include "opencl/memory.hpp"

namespace devarray::opencl {

/// How a device can use memory that the host allocated by itself, without a copy.
enum class HostAccess : std::uint8_t {
  none,
  pointer,  ///< kernels take the address (fine-grained system SVM)
  buffer    ///< through CL_MEM_USE_HOST_PTR, with both sides seeing each other's writes
};
/// Asked of the driver, and tried out where the specification leaves it open; once a device.
HostAccess host_access(const ContextDevicePtr& device);

/// A buffer over host memory, which must outlive it and the work that uses it.
BufferPtr buffer_over(const ContextDevicePtr& device, void* host, std::size_t bytes);

}  // namespace devarray::opencl
