// A little page-locked memory of a stream or a context, for copies that do better by way of it.
#pragma once

#include "cuda/api.hpp"

namespace devarray::cuda {

/// For one thread at a time; both functions wait. Made, used and destroyed where a context is current.
class HostSlot {
 public:
  static constexpr std::size_t kBytes = 4096;

  HostSlot();
  ~HostSlot();
  HostSlot(const HostSlot&) = delete;
  HostSlot& operator=(const HostSlot&) = delete;
  /// At most kBytes from the device: quicker than the driver's copy to pageable memory (H200: by 1.6 of 9.5 µs).
  void read(void* dst, CUdeviceptr src, std::size_t bytes, CUstream stream);
  /// Between the device and any host memory, in pieces.
  void copy(char* host, CUdeviceptr device, std::size_t bytes, bool to_host, CUstream stream);

 private:
  void* memory_ = nullptr;
};

}  // namespace devarray::cuda
