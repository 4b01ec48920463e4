#include "opencl/device.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "opencl/context.hpp"
#include "opencl/loader.hpp"
#include "opencl/memory.hpp"
#include "opencl/program.hpp"
#include "opencl/queue.hpp"
#include "opencl/svm.hpp"

namespace devarray::opencl {
namespace {

using Key = std::pair<cl_context, cl_device_id>;
struct Registry {
  std::mutex mutex;
  std::map<Key, std::weak_ptr<ContextDevice>> devices;
};
Registry& registry() {
  static Registry* r = new Registry;  // outlives static destruction
  return *r;
}

/// OpenCL C 3.0 and 2.x where the compiler has them; 1.2 is what every other compiler takes.
const char* standard_option(Version c_version) {
  if (c_version >= 300) return "-cl-std=CL3.0";
  return c_version >= 200 ? "-cl-std=CL2.0" : "-cl-std=CL1.2";
}

int rank(const DeviceInfo& info) {
  switch (info.type()) {
    case DeviceType::gpu: return 0;
    case DeviceType::accelerator: return 1;
    default: return info.caps.platform == "Portable Computing Language" ? 3 : 2;
  }
}

/// Bytes that the host could give to a CPU device now, or -1.
// C's streams: C++'s number facets crash in processes that carry a second libstdc++.
long long host_memory_available() {
  std::FILE* meminfo = std::fopen("/proc/meminfo", "r");
  if (!meminfo) return -1;
  char line[256];
  long long kilobytes = -1;
  while (kilobytes < 0 && std::fgets(line, sizeof line, meminfo))
    if (std::sscanf(line, "MemAvailable: %lld", &kilobytes) != 1) kilobytes = -1;
  std::fclose(meminfo);
  return kilobytes < 0 ? -1 : kilobytes * 1024;
}

bool means_out_of_memory(long code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY ||
         code == CL_INVALID_BUFFER_SIZE;
}

}  // namespace

ContextDevice::ContextDevice(cl_context context, DeviceInfoPtr info)
    : Device(info->type()), context_(Handle<cl_context>::share(context)), info_(std::move(info)) {
  permanent_ = false;
}

ContextDevice::~ContextDevice() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto at = r.devices.find({context(), id()});
  if (at != r.devices.end() && at->second.expired()) r.devices.erase(at);
}

ContextDevicePtr ContextDevice::of(cl_context context, cl_device_id device) {
  Registry& r = registry();
  {
    std::lock_guard lock(r.mutex);
    if (const auto at = r.devices.find({context, device}); at != r.devices.end())
      if (ContextDevicePtr known = at->second.lock()) return known;
  }
  const DeviceInfoPtr info = device_info(device);
  if (info->device_version < 120)
    throw DeviceError(info->caps.name + " offers " + info->caps.version + "; devarray needs OpenCL 1.2 or newer");
  ContextDevicePtr made(new ContextDevice(context, info));
  ContextDevicePtr known;
  std::lock_guard lock(r.mutex);
  std::weak_ptr<ContextDevice>& place = r.devices[{context, device}];
  known = place.lock();
  if (!known) place = made;
  return known ? known : made;
}

std::vector<MemoryKind> ContextDevice::memory_kinds() const {
  std::vector<MemoryKind> kinds{MemoryKind::buffer};
  if (info_->svm_coarse()) kinds.push_back(MemoryKind::svm_coarse);
  if (info_->svm_fine()) {
    // On a CPU the host then reads and writes arrays in place; on a GPU it would put them on the far side of the bus.
    const bool preferred = strategy() == Strategy::cpu;
    kinds.insert(preferred ? kinds.begin() : kinds.end(), MemoryKind::svm_fine);
  }
  return kinds;
}

AllocationPtr ContextDevice::allocate(MemoryKind kind, std::size_t bytes) {
  const auto kinds = memory_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    std::string offered;
    for (MemoryKind k : kinds) offered += (offered.empty() ? "" : ", ") + std::string(name_of(k));
    throw DeviceError(label() + " has no memory of kind " + name_of(kind) + "; it has " + offered);
  }
  require_room(kind, bytes);
  try {
    return kind == MemoryKind::buffer ? allocate_buffer(bytes) : allocate_svm(kind, bytes);
  } catch (const DriverError& error) {
    if (means_out_of_memory(error.code)) raise_out_of_memory(kind, bytes, error.what());
    throw;
  }
}

AllocationPtr ContextDevice::allocate_buffer(std::size_t bytes) {
  auto buffer = Buffer::create(self(), CL_MEM_READ_WRITE, bytes, nullptr);
  Handle<cl_command_queue> held;
  {
    std::lock_guard lock(mutex_);
    if (!commit_queue_) commit_queue_ = CommandQueue::create_raw(*this, 0);
    held = Handle<cl_command_queue>::share(commit_queue_.get());
  }
  const cl_command_queue queue = held.get();
  static const char zero = 0;
  try {
    DEVARRAY_CL(queue, clEnqueueWriteBuffer, queue, buffer->get(), CL_FALSE, 0, 1, &zero, 0, nullptr, nullptr);
    DEVARRAY_CL(queue, clFinish,
                queue);  // a blocking write may return before the bytes arrive, and overtake the user's
  } catch (const DriverError&) {
    std::lock_guard lock(mutex_);  // a command that failed may have broken the queue: the next buffer gets a fresh one
    if (commit_queue_.get() == queue) commit_queue_ = {};
    throw;
  }
  return buffer;
}

AllocationPtr ContextDevice::allocate_svm(MemoryKind kind, std::size_t bytes) {
  const bool fine = kind == MemoryKind::svm_fine;
  const cl_svm_mem_flags flags = CL_MEM_READ_WRITE | (fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
  return std::make_shared<SVMAllocation>(self(), flags, bytes, 0);
}

QueuePtr ContextDevice::create_queue() { return CommandQueue::create(self(), 0); }

QueuePtr ContextDevice::default_queue() {
  std::lock_guard lock(mutex_);
  std::shared_ptr<CommandQueue> queue = default_queue_.lock();
  if (!queue) {
    queue = CommandQueue::create(self(), 0);
    default_queue_ = queue;
    if (permanent_) kept_queue_ = queue;
  }
  return queue;
}

std::string ContextDevice::build_options(const std::string& options) const {
  if (options.find("-cl-std") != std::string::npos) return options;
  std::string result = standard_option(info_->c_version);
  if (info_->correctly_rounded_divide_sqrt) result += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options.empty() ? result : result + " " + options;
}

ProgramPtr ContextDevice::build(const std::string& source, const std::string& options) {
  auto program = ClProgram::from_source(self(), source);
  program->build(build_options(options));
  return program;
}

ProgramPtr ContextDevice::load(const std::string& binary, const std::string& options) {
  auto program = ClProgram::from_binary(self(), binary);
  program->build(options);
  return program;
}

Device::MemoryInfo ContextDevice::memory_info() {
  MemoryInfo result;
  result.total = static_cast<long long>(caps().global_memory);
  if (info_->has("cl_amd_device_attribute_query")) {
    std::size_t kilobytes[2] = {0, 0};
    if (table(id()).clGetDeviceInfo(id(), CL_DEVICE_GLOBAL_FREE_MEMORY_AMD, sizeof kilobytes, kilobytes, nullptr) ==
        CL_SUCCESS)
      result.free = static_cast<long long>(kilobytes[0]) * 1024;
  } else if (type() == DeviceType::cpu) {
    result.free = std::min(static_cast<long long>(host_memory_available()), result.total);
  }
  return result;
}

const std::vector<ContextDevicePtr>& devices() {
  const std::vector<Platform> known = platforms();  // may run the finder, which wants the GIL: not inside the static
  static const auto* all = [&known] {
    std::vector<DeviceInfoPtr> found;
    for (const Platform& platform : known)
      for (cl_device_id id : platform.devices())
        if (auto info = device_info(id); info->device_version >= 120) found.push_back(std::move(info));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return rank(*a) < rank(*b); });
    auto* list = new std::vector<ContextDevicePtr>;
    for (const DeviceInfoPtr& info : found) {
      const Handle<cl_context> context = create_context({info->id}, {});
      ContextDevicePtr device = ContextDevice::of(context.get(), info->id);
      device->index_ = static_cast<int>(list->size());
      device->permanent_ = true;
      list->push_back(std::move(device));
    }
    return list;
  }();
  return *all;
}

std::string missing_runtime_message() {
  std::string message =
      "no OpenCL runtime found. Install a CPU runtime with  pip install 'devarray[cpu]'  (Intel's, x86-64) or  "
      "pip install 'devarray[pocl]',  or the OpenCL driver of your GPU.";
  for (const LoadedLibrary& library : loaded_libraries())
    message += "\n  " + library.library + " (" + library.origin + "): " + library.problem;
  return message;
}

}  // namespace devarray::opencl
