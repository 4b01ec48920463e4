#include "cuda/host_slot.hpp"

#include <algorithm>
#include <cstring>

namespace devarray::cuda {

HostSlot::HostSlot() { api().cuMemHostAlloc(&memory_, kBytes, CU_MEMHOSTALLOC_PORTABLE); }

HostSlot::~HostSlot() { api().cuMemFreeHost.status(memory_); }

void HostSlot::read(void* dst, CUdeviceptr src, std::size_t bytes, CUstream stream) {
  api().cuMemcpyDtoHAsync_v2(memory_, src, bytes, stream);
  api().cuStreamSynchronize(stream);
  std::memcpy(dst, memory_, bytes);
}

void HostSlot::copy(char* host, CUdeviceptr device, std::size_t bytes, bool to_host, CUstream stream) {
  for (std::size_t done = 0; done < bytes; done += kBytes) {
    const std::size_t n = std::min(kBytes, bytes - done);
    if (to_host) {
      read(host + done, device + done, n, stream);
      continue;
    }
    std::memcpy(memory_, host + done, n);
    api().cuMemcpyHtoDAsync_v2(device + done, memory_, n, stream);
    api().cuStreamSynchronize(stream);
  }
}

}  // namespace devarray::cuda
