// Small blocking reads from device memory: a scalar, a shape, a flag.
#pragma once

#include "cuda/memory.hpp"
#include "cuda/module.hpp"

namespace devarray::cuda {

/// Page-locked memory into which a kernel writes the bytes and then a number that the host waits for. H200: 16 bytes
/// take 5 µs so; the driver's copy to page-locked memory takes 8, to pageable memory 10. For one thread at a time.
class SmallReader {
 public:
  static constexpr std::size_t kBytes = 4096;

  explicit SmallReader(const ContextPtr& context);
  /// Waits for what the stream was given before. `src` is memory of the context's device; at most kBytes.
  void read(void* dst, CUdeviceptr src, std::size_t bytes, CUstream stream);
  /// Between the device and any host memory, in pieces; waits.
  void copy(char* host, CUdeviceptr device, std::size_t bytes, bool to_host, CUstream stream);

 private:
  bool read_by_kernel(CUdeviceptr src, std::size_t bytes, CUstream stream);

  std::shared_ptr<PinnedMemory> slot_;  ///< kBytes, then the number
  std::shared_ptr<Function> kernel_;    ///< null where the driver does not take it
  std::uint32_t turn_ = 0;
};

}  // namespace devarray::cuda
