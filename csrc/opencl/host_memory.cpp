#include "opencl/host_memory.hpp"

#include <algorithm>
#include <map>

#include "opencl/queue.hpp"

namespace devarray::opencl {
namespace {

/// Whether a buffer over host memory is that memory: OpenCL lets a driver keep a copy and update the host's side at a
/// map only. Tried at an address that is aligned for elements and for nothing more.
bool shares_writes(const ContextDevicePtr& device) {
  constexpr std::size_t bytes = 64;
  alignas(64) unsigned char room[16 + bytes] = {}, seen[bytes] = {};
  unsigned char* host = room + 16;
  const auto queue = CommandQueue::create(device, 0);
  const BufferPtr buffer = buffer_over(device, host, bytes);
  const unsigned char first = 0x5a, second = 0x3c;
  queue->fill(*buffer, 0, &first, 1, bytes);
  queue->finish();
  const bool device_to_host = std::all_of(host, host + bytes, [&](unsigned char c) { return c == first; });
  std::fill(host, host + bytes, second);
  queue->read(seen, *buffer, 0, bytes, true);
  return device_to_host && std::all_of(seen, seen + bytes, [&](unsigned char c) { return c == second; });
}

HostAccess find_host_access(const ContextDevicePtr& device) {
  if (device->type() != DeviceType::cpu) return HostAccess::none;
  if (device->info().svm_fine() && device->info().svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) return HostAccess::pointer;
  return shares_writes(device) ? HostAccess::buffer : HostAccess::none;
}

}  // namespace

HostAccess host_access(const ContextDevicePtr& device) {
  static std::mutex mutex;
  static auto* known = new std::map<cl_device_id, HostAccess>;
  std::lock_guard lock(mutex);
  const auto at = known->find(device->id());
  return at != known->end() ? at->second : known->emplace(device->id(), find_host_access(device)).first->second;
}

BufferPtr buffer_over(const ContextDevicePtr& device, void* host, std::size_t bytes) {
  return Buffer::create(device, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host);
}

}  // namespace devarray::opencl
