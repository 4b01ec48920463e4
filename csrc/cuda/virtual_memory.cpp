#include "cuda/virtual_memory.hpp"

#include <algorithm>

namespace devarray::cuda {
namespace {

CUmemAllocationProp properties_of(const Context& context) {
  CUmemAllocationProp p{};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device()}};
  int rdma = 0;
  api().cuDeviceGetAttribute.status(&rdma, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                                    context.device());
  p.allocFlags.gpuDirectRDMACapable = rdma != 0;
  return p;
}

}  // namespace

std::size_t VirtualMemory::granule(const ContextPtr& context) {
  const CUmemAllocationProp properties = properties_of(*context);
  std::size_t bytes = 0;
  api().cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  return bytes;
}

std::shared_ptr<VirtualMemory> VirtualMemory::reserve(const ContextPtr& context, std::size_t most) {
  Current current(*context);
  int supported = 0;
  api().cuDeviceGetAttribute.status(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                    context->device());
  if (!supported || !api().cuMemAddressReserve)
    throw DeviceError("the CUDA device has no virtual memory management; use PoolMemoryResource over device memory");
  const std::size_t step = granule(context);
  most = (most + step - 1) / step * step;
  CUdeviceptr address = 0;
  api().cuMemAddressReserve(&address, most, 0, 0, 0);
  return std::make_shared<VirtualMemory>(context, most, address);
}

bool VirtualMemory::extend(std::size_t bytes) {
  if (bytes > size() - mapped_) return false;
  Current current(*context());
  std::lock_guard lock(mutex_);
  const Api& a = api();
  const CUmemAllocationProp properties = properties_of(*context());
  pieces_.reserve(pieces_.size() + 1);
  CUmemGenericAllocationHandle handle = 0;
  check_allocation(a.cuMemCreate.status(&handle, bytes, &properties, 0), "cuMemCreate", bytes, "device");
  const CUdeviceptr end = address() + mapped_;
  if (const CUresult result = a.cuMemMap.status(end, bytes, 0, handle, 0); result != CUDA_SUCCESS) {
    a.cuMemRelease.status(handle);
    fail(result, "cuMemMap");
  }
  pieces_.push_back({handle, bytes});
  mapped_ += bytes;
  if (const CUresult result = grant(context()->device(), end, bytes); result != CUDA_SUCCESS) {
    drop_last();
    fail(result, "cuMemSetAccess");
  }
  for (const CUdevice other : others_) grant(other, end, bytes);
  return true;
}

CUresult VirtualMemory::grant(CUdevice device, CUdeviceptr from, std::size_t bytes) noexcept {
  const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, {device}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  return api().cuMemSetAccess.status(from, bytes, &access, 1);
}

void VirtualMemory::share(CUdevice device) {
  Current current(*context());
  std::lock_guard lock(mutex_);
  if (std::find(others_.begin(), others_.end(), device) != others_.end()) return;
  if (mapped_ == 0 || grant(device, address(), mapped_) == CUDA_SUCCESS) others_.push_back(device);
}

std::size_t VirtualMemory::shrink(std::size_t bytes) {
  Current current(*context());
  std::lock_guard lock(mutex_);
  std::size_t freed = 0;
  while (!pieces_.empty() && freed + pieces_.back().bytes <= bytes) {
    freed += pieces_.back().bytes;
    drop_last();
  }
  return freed;
}

void VirtualMemory::drop_last() noexcept {
  const Piece piece = pieces_.back();
  pieces_.pop_back();
  mapped_ -= piece.bytes;
  const Api& a = api();
  a.cuMemUnmap.status(reinterpret_cast<CUdeviceptr>(handle_) + mapped_, piece.bytes);
  a.cuMemRelease.status(piece.handle);
}

CUresult VirtualMemory::give_back() noexcept {
  while (!pieces_.empty()) drop_last();
  return api().cuMemAddressFree.status(reinterpret_cast<CUdeviceptr>(handle_), size());
}

}  // namespace devarray::cuda
