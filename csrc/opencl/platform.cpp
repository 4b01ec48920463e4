#include "opencl/platform.hpp"

#include <cstdio>
#include <map>
#include <mutex>

#include "opencl/loader.hpp"

namespace devarray::opencl {
namespace {

/// The version in "OpenCL 3.0 PoCL ..." or "OpenCL C 1.2 PoCL".
Version version_in(const std::string& text) {
  const std::size_t digit = text.find_first_of("0123456789");
  int major = 0, minor = 0;
  if (digit == std::string::npos || std::sscanf(text.c_str() + digit, "%d.%d", &major, &minor) != 2) return 100;
  return 100 * major + 10 * minor;
}

std::string text_of(cl_device_id device, cl_device_info parameter) {
  return trimmed(device_info_bytes(device, parameter));
}

template <class T>
T value_of(cl_device_id device, cl_device_info parameter) {
  return info_value<T>(DEVARRAY_CL_INFO(clGetDeviceInfo, device, parameter), "clGetDeviceInfo");
}

template <class T>
T value_or(cl_device_id device, cl_device_info parameter, T otherwise) {
  return info_value_or<T>(DEVARRAY_CL_INFO(clGetDeviceInfo, device, parameter), otherwise);
}

unsigned simd_width(const DeviceInfo& info) {
  if (info.has("cl_nv_device_attribute_query")) return value_or<cl_uint>(info.id, CL_DEVICE_WARP_SIZE_NV, 32);
  if (info.has("cl_amd_device_attribute_query")) return value_or<cl_uint>(info.id, CL_DEVICE_WAVEFRONT_WIDTH_AMD, 64);
  if (info.type() == DeviceType::cpu) return value_or<cl_uint>(info.id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1);
  if (info.device_version >= 300)
    return static_cast<unsigned>(value_or<std::size_t>(info.id, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 32));
  return 32;
}

void read_capabilities(DeviceInfo& info) {
  const cl_device_id d = info.id;
  Capabilities& c = info.caps;
  const Platform platform(info.platform);
  c.name = text_of(d, CL_DEVICE_NAME);
  c.vendor = text_of(d, CL_DEVICE_VENDOR);
  c.platform = platform.name();
  c.version = text_of(d, CL_DEVICE_VERSION);
  c.driver_version = text_of(d, CL_DRIVER_VERSION);
  c.fingerprint = c.platform + " | " + platform.info(CL_PLATFORM_VERSION) + " | " + c.name + " | " + c.driver_version +
                  " | " + c.version;
  c.fp64 = value_or<cl_device_fp_config>(d, CL_DEVICE_DOUBLE_FP_CONFIG, 0) != 0;
  c.fp16 = info.has("cl_khr_fp16");
  c.host_unified = value_or<cl_bool>(d, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE);
  c.int64_atomics = info.has("cl_khr_int64_base_atomics");
  c.partial_groups = info.c_version >= 300
                         ? value_or<cl_bool>(d, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE) != CL_FALSE
                         : info.c_version >= 200;
  c.max_work_group_size = value_of<std::size_t>(d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  c.compute_units = value_of<cl_uint>(d, CL_DEVICE_MAX_COMPUTE_UNITS);
  c.local_memory = value_of<cl_ulong>(d, CL_DEVICE_LOCAL_MEM_SIZE);
  c.global_memory = value_of<cl_ulong>(d, CL_DEVICE_GLOBAL_MEM_SIZE);
  c.max_allocation = value_of<cl_ulong>(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  c.max_parameter_bytes = value_of<std::size_t>(d, CL_DEVICE_MAX_PARAMETER_SIZE);
  c.sub_buffer_alignment = std::max<std::size_t>(1, value_of<cl_uint>(d, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  c.simd_width = std::max(1u, simd_width(info));
  if (info.has("cl_nv_device_attribute_query")) {
    c.compute_major = static_cast<int>(value_or<cl_uint>(d, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, 0));
    c.compute_minor = static_cast<int>(value_or<cl_uint>(d, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, 0));
  }
}

DeviceInfoPtr read_device(cl_device_id device) {
  auto info = std::make_shared<DeviceInfo>();
  info->id = device;
  info->platform = value_of<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  info->platform_version = Platform(info->platform).version();
  info->device_version = version_in(text_of(device, CL_DEVICE_VERSION));
  info->c_version = version_in(text_of(device, CL_DEVICE_OPENCL_C_VERSION));
  info->cl_type = value_of<cl_device_type>(device, CL_DEVICE_TYPE);
  info->extensions = std::string(" ").append(text_of(device, CL_DEVICE_EXTENSIONS)).append(" ");
  if (info->platform_version >= 200)
    info->svm = value_or<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES, 0);
  info->correctly_rounded_divide_sqrt =
      value_or<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG, 0) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  if (value_or<cl_device_id>(device, CL_DEVICE_PARENT_DEVICE, nullptr))
    info->sub_device = Handle<cl_device_id>::share(device);
  read_capabilities(*info);
  return info;
}

}  // namespace

std::string Platform::info(cl_platform_info parameter) const {
  return trimmed(info_bytes(DEVARRAY_CL_INFO(clGetPlatformInfo, id_, parameter), "clGetPlatformInfo"));
}

Version Platform::version() const { return version_in(info(CL_PLATFORM_VERSION)); }

std::vector<cl_device_id> Platform::devices(cl_device_type type) const {
  cl_uint count = 0;
  const cl_int status = table(id_).clGetDeviceIDs(id_, type, 0, nullptr, &count);
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && count == 0)) return {};
  check(status, "clGetDeviceIDs");
  std::vector<cl_device_id> found(count);
  DEVARRAY_CL(id_, clGetDeviceIDs, id_, type, count, found.data(), nullptr);
  return found;
}

std::vector<Platform> platforms() {
  const auto& ids = platform_ids();
  return std::vector<Platform>(ids.begin(), ids.end());
}

bool DeviceInfo::has(const char* extension) const {
  return extensions.find(std::string(" ").append(extension).append(" ")) != std::string::npos;
}

DeviceType DeviceInfo::type() const noexcept {
  if (cl_type & CL_DEVICE_TYPE_GPU) return DeviceType::gpu;
  return cl_type & CL_DEVICE_TYPE_CPU ? DeviceType::cpu : DeviceType::accelerator;
}

DeviceInfoPtr device_info(cl_device_id device) {
  static std::mutex mutex;
  static auto* known = new std::map<cl_device_id, DeviceInfoPtr>;  // outlives static destruction
  {
    std::lock_guard lock(mutex);
    if (const auto at = known->find(device); at != known->end()) return at->second;
  }
  DeviceInfoPtr info = read_device(device);
  if (info->sub_device) return info;  // its handle may name another device once it is released
  std::lock_guard lock(mutex);
  return known->emplace(device, std::move(info)).first->second;
}

std::string device_info_bytes(cl_device_id device, cl_device_info parameter) {
  return info_bytes(DEVARRAY_CL_INFO(clGetDeviceInfo, device, parameter), "clGetDeviceInfo");
}

}  // namespace devarray::opencl
