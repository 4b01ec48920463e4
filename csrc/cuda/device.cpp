#include "cuda/device.hpp"

#include <algorithm>

#include "cuda/memory.hpp"
#include "cuda/module.hpp"
#include "cuda/nvrtc.hpp"

namespace devarray::cuda {
namespace {

constexpr int kLargeParametersDriver = 12010;  // CUDA 12.1 raised the limit of a kernel's parameters ...
constexpr std::size_t kLargeParameterBytes = 32764, kSmallParameterBytes = 4096;  // ... from sm_70 on
constexpr std::size_t kAllocationAlignment = 256;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The part of the cache key that says which compiler: asked without failing, since a cached binary needs none.
std::string compiler_version() {
  try {
    return nvrtc().version();
  } catch (const Error&) {
    return "none";
  }
}

bool has_option(const std::vector<std::string>& options, std::initializer_list<const char*> prefixes) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char* prefix) { return option.rfind(prefix, 0) == 0; });
  });
}

}  // namespace

const std::vector<std::shared_ptr<Device>>& Device::all() {
  static std::mutex mutex;
  static std::atomic<const std::vector<std::shared_ptr<Device>>*> made{nullptr};
  if (auto* devices = made.load(std::memory_order_acquire)) return *devices;
  const Api& a = api();
  int count = 0;
  a.cuDeviceGetCount(&count);
  auto devices = std::make_unique<std::vector<std::shared_ptr<Device>>>();
  for (int i = 0; i < count; ++i) {
    CUdevice handle = 0;
    a.cuDeviceGet(&handle, i);
    devices->push_back(std::make_shared<Device>(i, handle));
  }
  // Built outside the lock, because asking for the compiler's version may call Python; a second list is dropped.
  std::lock_guard lock(mutex);
  if (!made.load(std::memory_order_acquire)) made.store(devices.release(), std::memory_order_release);
  return *made.load(std::memory_order_acquire);
}

std::shared_ptr<Device> Device::of(CUdevice handle) {
  for (const auto& device : all())
    if (device->handle() == handle) return device;
  throw DeviceError("no CUDA device has the handle " + std::to_string(handle));
}

Device::Device(int index, CUdevice handle) : devarray::Device(DeviceType::gpu), index_(index), handle_(handle) {
  read_capabilities();
}

int Device::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  api().cuDeviceGetAttribute(&value, attribute, handle_);
  return value;
}

void Device::read_capabilities() {
  const Api& a = api();
  char name[256] = {};
  a.cuDeviceGetName(name, sizeof name - 1, handle_);
  std::size_t total = 0;
  a.cuDeviceTotalMem_v2(&total, handle_);
  auto number = [this](CUdevice_attribute which) { return static_cast<std::size_t>(attribute(which)); };

  Capabilities& c = caps_;
  c.name = name;
  c.vendor = "NVIDIA Corporation";
  c.platform = "NVIDIA CUDA";
  c.version = "CUDA " + version_text(a.driver_version);
  c.driver_version = version_text(a.driver_version);
  c.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  c.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  c.fp64 = c.fp16 = c.int64_atomics = true;
  c.host_unified = attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
  c.max_work_group_size = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  c.compute_units = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  c.local_memory = number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  c.global_memory = c.max_allocation = total;
  c.max_parameter_bytes =
      a.driver_version >= kLargeParametersDriver && c.compute_major >= 7 ? kLargeParameterBytes : kSmallParameterBytes;
  c.sub_buffer_alignment = kAllocationAlignment;
  c.simd_width = static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  c.fingerprint = "cuda;" + c.name + ";sm_" + std::to_string(capability()) + ";driver " + c.driver_version + ";nvrtc " +
                  compiler_version();

  kinds_ = {MemoryKind::device};
  if (attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)) kinds_.push_back(MemoryKind::managed);
  if (attribute(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)) kinds_.push_back(MemoryKind::pinned);
}

const ContextPtr& Device::context() {
  if (!ready_.load(std::memory_order_acquire)) [[unlikely]] {
    std::lock_guard lock(mutex_);
    if (!context_) {
      context_ = Context::retain_primary(handle_);
      ready_.store(true, std::memory_order_release);
    }
  }
  return context_;
}

AllocationPtr Device::allocate(MemoryKind kind, std::size_t bytes) {
  if (std::find(kinds_.begin(), kinds_.end(), kind) == kinds_.end())
    throw DeviceError(label() + " has no " + name_of(kind) + " memory; it has device, managed or pinned memory");
  switch (kind) {
    case MemoryKind::managed: return ManagedMemory::allocate(context(), bytes, CU_MEM_ATTACH_GLOBAL);
    case MemoryKind::pinned:
      return PinnedMemory::allocate(context(), bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    default: return DeviceMemory::allocate(context(), bytes);
  }
}

QueuePtr Device::default_queue() {
  context();
  std::lock_guard lock(mutex_);
  if (!default_queue_) default_queue_ = Stream::create(context_);
  return default_queue_;
}

QueuePtr Device::stream(CUstream handle) {
  if (handle != nullptr && handle != CU_STREAM_LEGACY) return Stream::external(context(), handle);
  context();
  std::lock_guard lock(mutex_);
  if (!legacy_stream_) legacy_stream_ = Stream::external(context_, CU_STREAM_LEGACY);
  return legacy_stream_;
}

ProgramPtr Device::build(const std::string& source, const std::string& options) {
  const Nvrtc& compiler = nvrtc();
  std::vector<std::string> words = split_options(options);
  if (!has_option(words, {"-arch", "--gpu-architecture"})) words.push_back(compiler.arch_option(capability()));
  if (!has_option(words, {"-fmad", "--fmad", "-use_fast_math", "--use_fast_math"})) words.push_back("-fmad=false");
  CompiledCode code = compiler.compile(source, words);
  return Module::load(context(), std::move(code.image), {}, nullptr, std::move(code.log));
}

ProgramPtr Device::load(const std::string& binary, const std::string&) { return Module::load(context(), binary); }

void Device::reach(Device& other) {
  {
    std::lock_guard lock(mutex_);
    if (std::find(reached_.begin(), reached_.end(), &other) != reached_.end()) return;
    reached_.push_back(&other);
  }
  // Failure (no link between the two, or enabled by somebody else) is no error: copies then go through the host.
  for (auto [from, to] : {std::pair{this, &other}, std::pair{&other, this}}) {
    Current current(*from->context());
    api().cuCtxEnablePeerAccess.status(to->context()->handle(), 0);
  }
}

Device::MemoryInfo Device::memory_info() {
  Current current(*context());
  std::size_t free = 0, total = 0;
  api().cuMemGetInfo_v2(&free, &total);
  return {static_cast<long long>(free), static_cast<long long>(total)};
}

}  // namespace devarray::cuda
