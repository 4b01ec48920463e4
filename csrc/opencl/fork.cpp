#include "opencl/fork.hpp"

#include <map>
#include <mutex>

#include "common/fork.hpp"

namespace devarray::opencl {
namespace {

struct Runtime {
  unsigned generation;  ///< of the process that loaded it
  bool survives;        ///< whether it works on without its threads
};

struct Tables {
  std::mutex mutex;
  std::map<const Dispatch*, Runtime> runtimes;
  std::map<const Dispatch*, Dispatch> of_child;
};
Tables& tables() {
  static auto* t = new Tables;  // objects that outlive static destruction still call through them
  return *t;
}

/// Without the calls that hand work to threads or wait for them. What is there already may be read and given back.
Dispatch without_work(Dispatch d) {
  d.clCreateCommandQueue = nullptr;
  d.clCreateCommandQueueWithProperties = nullptr;
  d.clBuildProgram = nullptr;
  d.clCompileProgram = nullptr;
  d.clLinkProgram = nullptr;
  d.clWaitForEvents = nullptr;
  d.clFlush = nullptr;
  d.clFinish = nullptr;
  d.clEnqueueReadBuffer = nullptr;
  d.clEnqueueWriteBuffer = nullptr;
  d.clEnqueueCopyBuffer = nullptr;
  d.clEnqueueReadImage = nullptr;
  d.clEnqueueWriteImage = nullptr;
  d.clEnqueueCopyImage = nullptr;
  d.clEnqueueCopyImageToBuffer = nullptr;
  d.clEnqueueCopyBufferToImage = nullptr;
  d.clEnqueueMapBuffer = nullptr;
  d.clEnqueueMapImage = nullptr;
  d.clEnqueueUnmapMemObject = nullptr;
  d.clEnqueueNDRangeKernel = nullptr;
  d.clEnqueueNativeKernel = nullptr;
  d.clEnqueueReadBufferRect = nullptr;
  d.clEnqueueWriteBufferRect = nullptr;
  d.clEnqueueCopyBufferRect = nullptr;
  d.clEnqueueFillBuffer = nullptr;
  d.clEnqueueFillImage = nullptr;
  d.clEnqueueMigrateMemObjects = nullptr;
  d.clEnqueueMarkerWithWaitList = nullptr;
  d.clEnqueueBarrierWithWaitList = nullptr;
  d.clEnqueueSVMFree = nullptr;
  d.clEnqueueSVMMemcpy = nullptr;
  d.clEnqueueSVMMemFill = nullptr;
  d.clEnqueueSVMMap = nullptr;
  d.clEnqueueSVMUnmap = nullptr;
  d.clEnqueueSVMMigrateMem = nullptr;
  return d;
}

}  // namespace

void note_platform_for_forks(cl_platform_id platform) {
  // Intel's runtime for CPUs runs work in the thread that waits, where its helpers are gone. Others wait for ever.
  const std::string name =
      trimmed(info_bytes(DEVARRAY_CL_INFO(clGetPlatformInfo, platform, CL_PLATFORM_NAME), "clGetPlatformInfo"));
  Tables& t = tables();
  std::lock_guard lock(t.mutex);
  t.runtimes[&vendors_table(platform)] = {fork_generation(), name == "Intel(R) OpenCL"};
}

const Dispatch& table_of_child(const Dispatch& vendors) {
  Tables& t = tables();
  std::lock_guard lock(t.mutex);
  const auto known = t.runtimes.find(&vendors);
  if (known == t.runtimes.end() || known->second.generation == fork_generation()) return vendors;
  if (known->second.survives && fork_state.at_rest.load()) return vendors;
  const auto made = t.of_child.find(&vendors);
  return made != t.of_child.end() ? made->second : t.of_child.emplace(&vendors, without_work(vendors)).first->second;
}

}  // namespace devarray::opencl
