// Platforms and devices. Facts about root devices are read once and kept for the life of the process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "opencl/api.hpp"

namespace devarray::opencl {

/// OpenCL's version of a platform or device, 100 * major + 10 * minor: 120, 200, 300.
using Version = int;

class Platform {
 public:
  explicit Platform(cl_platform_id id) : id_(id) {}
  cl_platform_id get() const noexcept { return id_; }
  std::string info(cl_platform_info parameter) const;
  std::string name() const { return info(CL_PLATFORM_NAME); }
  Version version() const;
  /// Devices of the type, in the driver's order. Empty where there is none.
  std::vector<cl_device_id> devices(cl_device_type type = CL_DEVICE_TYPE_ALL) const;

 private:
  cl_platform_id id_;
};

/// Every platform of this machine and Python environment, in the loader's order. Empty where there is none.
std::vector<Platform> platforms();

/// A device as the driver names it. Keeps sub-devices alive; for root devices the driver counts no references.
class ClDevice {
 public:
  explicit ClDevice(cl_device_id id) : id_(Handle<cl_device_id>::share(id)) {}
  /// Takes over the caller's reference.
  explicit ClDevice(Handle<cl_device_id> id) : id_(std::move(id)) {}
  cl_device_id get() const noexcept { return id_.get(); }

 private:
  Handle<cl_device_id> id_;
};

/// What the other classes need to know of a device.
struct DeviceInfo {
  cl_device_id id = nullptr;
  cl_platform_id platform = nullptr;
  Handle<cl_device_id> sub_device;  ///< keeps a sub-device alive; empty for root devices
  Version platform_version = 0, device_version = 0;
  Version c_version = 0;  ///< the OpenCL C that its compiler takes by default
  cl_device_type cl_type = 0;
  cl_device_svm_capabilities svm = 0;
  bool correctly_rounded_divide_sqrt = false;
  std::string extensions;
  Capabilities caps;

  bool has(const char* extension) const;
  bool svm_coarse() const noexcept { return svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER; }
  bool svm_fine() const noexcept { return svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER; }
  DeviceType type() const noexcept;
};
using DeviceInfoPtr = std::shared_ptr<const DeviceInfo>;

/// Read from the driver at the first call for a device.
DeviceInfoPtr device_info(cl_device_id device);

/// Bytes of an attribute as the driver gives them.
std::string device_info_bytes(cl_device_id device, cl_device_info parameter);

}  // namespace devarray::opencl
