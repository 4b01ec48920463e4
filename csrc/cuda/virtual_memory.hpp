// Device memory that grows and shrinks in place: a range of addresses, filled with physical memory from the front.
#pragma once

#include <vector>

#include "cuda/memory.hpp"

namespace devarray::cuda {

/// One thread at a time may make it longer or shorter. Its size() is that of the range; what lies behind `mapped()`
/// bytes must not be used.
class VirtualMemory final : public Memory {
 public:
  /// A range of at least `most` addresses, without memory yet. Throws DeviceError where the device has no such memory.
  static std::shared_ptr<VirtualMemory> reserve(const ContextPtr& context, std::size_t most);
  /// Bytes that extend() and shrink() count in, of this device.
  static std::size_t granule(const ContextPtr& context);

  VirtualMemory(ContextPtr context, std::size_t most, CUdeviceptr address)
      : Memory(MemoryKind::device, std::move(context), most, address, nullptr) {}
  ~VirtualMemory() override { release(); }

  std::size_t mapped() const noexcept { return mapped_; }
  /// Adds memory at the end: whole granules. False where the range has no room for it; throws OutOfMemoryError.
  bool extend(std::size_t bytes);
  /// Gives memory at the end back, at most `bytes`, by the pieces in which it was added; returns how much.
  std::size_t shrink(std::size_t bytes);
  /// Lets another device reach it, now and as it grows; where the hardware cannot, nothing changes.
  void share(CUdevice device);

 private:
  struct Piece {
    CUmemGenericAllocationHandle handle;
    std::size_t bytes;
  };
  CUresult grant(CUdevice device, CUdeviceptr from, std::size_t bytes) noexcept;
  void drop_last() noexcept;
  CUresult give_back() noexcept override;
  std::mutex mutex_;  ///< guards what follows
  std::vector<Piece> pieces_;
  std::vector<CUdevice> others_;
  std::size_t mapped_ = 0;
};

}  // namespace devarray::cuda
