#include "cuda/memory.hpp"

#include <cstring>

#include "common/checked.hpp"
#include "cuda/device.hpp"

namespace devarray::cuda {

void check_allocation(CUresult result, const char* call, std::size_t bytes, const char* what) {
  if (result == CUDA_SUCCESS) return;
  if (result != CUDA_ERROR_OUT_OF_MEMORY) fail(result, call);
  OutOfMemoryError::Figures figures;
  figures.asked = static_cast<long long>(bytes);
  std::string message = "cuda: no " + std::to_string(bytes) + " bytes of " + what + " memory to be had";
  std::size_t free = 0, total = 0;
  if (api().cuMemGetInfo_v2.status(&free, &total) == CUDA_SUCCESS) {
    figures.free = static_cast<long long>(free);
    figures.total = static_cast<long long>(total);
    message += "; the device has " + std::to_string(free) + " free of " + std::to_string(total);
  }
  throw OutOfMemoryError(message, figures);
}

devarray::Device& Memory::device() const { return *Device::of(context_->device()); }

CUdeviceptr Memory::address() const {
  if (freed_) throw ValueError("this CUDA allocation was freed; allocate another one");
  if (!context_->alive())
    throw DeviceError("the context of this CUDA allocation was detached, and its memory went with it");
  return reinterpret_cast<CUdeviceptr>(handle_);
}

void Memory::free() {
  if (freed_) throw ValueError("this CUDA allocation was freed before");
  require_releasable();
  Current current(*context_);
  freed_ = true;
  const CUresult result = give_back();
  handle_ = host_ = nullptr;
  if (result != CUDA_SUCCESS) fail(result, "free");
}

void Memory::release() noexcept {
  if (freed_) return;
  freed_ = true;
  if (CurrentForRelease current(*context_); current) give_back();
}

namespace {

CUdeviceptr allocate_on_device(const Context& context, std::size_t bytes) {
  Current current(context);
  CUdeviceptr address = 0;
  check_allocation(api().cuMemAlloc_v2.status(&address, bytes), "cuMemAlloc", bytes, "device");
  return address;
}

}  // namespace

std::shared_ptr<DeviceMemory> DeviceMemory::allocate(const ContextPtr& context, std::size_t bytes) {
  return std::make_shared<DeviceMemory>(context, bytes, allocate_on_device(*context, bytes));
}

void DeviceMemory::retire() noexcept {
  release();
  handle_ = nullptr;
  context_.reset();
}

void DeviceMemory::renew(const ContextPtr& context, std::size_t bytes) {
  handle_ = reinterpret_cast<void*>(allocate_on_device(*context, bytes));
  size_ = bytes;
  context_ = context;
  freed_ = false;
  lent_.store(0, std::memory_order_relaxed);  // the memory before may have been an allocator's
}

std::shared_ptr<DeviceMemory> DeviceMemory::allocate_pitched(const ContextPtr& context, std::size_t width,
                                                             std::size_t height, unsigned access_size,
                                                             std::size_t* pitch) {
  Current current(*context);
  CUdeviceptr address = 0;
  const std::size_t bytes = checked_mul(width, height, "the bytes of rows");
  check_allocation(api().cuMemAllocPitch_v2.status(&address, pitch, width, height, access_size), "cuMemAllocPitch",
                   bytes, "device");
  return std::make_shared<DeviceMemory>(context, *pitch * height, address);
}

CUresult DeviceMemory::give_back() noexcept {
  return api().cuMemFree_v2.status(reinterpret_cast<CUdeviceptr>(handle_));
}

std::shared_ptr<IpcMemory> IpcMemory::open(const ContextPtr& context, const std::string& handle, unsigned flags,
                                           std::size_t offset) {
  CUipcMemHandle ipc{};
  if (handle.size() != sizeof ipc)
    throw ValueError("a memory IPC handle has " + std::to_string(sizeof ipc) + " bytes, not " +
                     std::to_string(handle.size()));
  std::memcpy(&ipc, handle.data(), sizeof ipc);
  Current current(*context);
  const Api& a = api();
  CUdeviceptr base = 0;
  a.cuIpcOpenMemHandle_v2(&base, ipc, flags);
  std::size_t size = 0;
  a.cuMemGetAddressRange_v2.status(nullptr, &size, base);
  if (offset > size) {
    a.cuIpcCloseMemHandle.status(base);
    throw ValueError("an offset of " + std::to_string(offset) + " in an IPC allocation of " + std::to_string(size) +
                     " bytes");
  }
  return std::make_shared<IpcMemory>(context, size, base, offset);
}

CUresult IpcMemory::give_back() noexcept { return api().cuIpcCloseMemHandle.status(base_); }

std::shared_ptr<ManagedMemory> ManagedMemory::allocate(const ContextPtr& context, std::size_t bytes, unsigned flags) {
  Current current(*context);
  CUdeviceptr address = 0;
  check_allocation(api().cuMemAllocManaged.status(&address, bytes, flags), "cuMemAllocManaged", bytes, "managed");
  return std::make_shared<ManagedMemory>(context, bytes, address);
}

CUresult ManagedMemory::give_back() noexcept {
  return api().cuMemFree_v2.status(reinterpret_cast<CUdeviceptr>(handle_));
}

void ManagedMemory::attach(unsigned flags, CUstream stream) const {
  Current current(*context());
  api().cuStreamAttachMemAsync(stream, address(), 0, flags);  // 0: the whole allocation
}

void ManagedMemory::prefetch(CUdevice device, CUstream stream) const {
  Current current(*context());
  api().mem_prefetch_async(address(), size(), device, stream);
}

void ManagedMemory::advise(CUmem_advise advice, CUdevice device) const {
  Current current(*context());
  api().mem_advise(address(), size(), advice, device);
}

std::shared_ptr<PinnedMemory> PinnedMemory::allocate(const ContextPtr& context, std::size_t bytes, unsigned flags) {
  Current current(*context);
  const Api& a = api();
  void* host = nullptr;
  check_allocation(a.cuMemHostAlloc.status(&host, bytes, flags), "cuMemHostAlloc", bytes, "page-locked host");
  CUdeviceptr address = 0;
  const CUresult result = a.cuMemHostGetDevicePointer_v2.status(&address, host, 0);
  if (result != CUDA_SUCCESS) {
    a.cuMemFreeHost.status(host);
    fail(result, "cuMemHostGetDevicePointer");
  }
  return std::make_shared<PinnedMemory>(context, bytes, address, host);
}

CUresult PinnedMemory::give_back() noexcept { return api().cuMemFreeHost.status(host_); }

unsigned PinnedMemory::flags() const {
  Current current(*context());
  unsigned flags = 0;
  api().cuMemHostGetFlags(&flags, reinterpret_cast<void*>(host_));
  return flags;
}

std::shared_ptr<RegisteredMemory> RegisteredMemory::lock(const ContextPtr& context, void* host, std::size_t bytes,
                                                         unsigned flags) {
  Current current(*context);
  const Api& a = api();
  check_allocation(a.cuMemHostRegister_v2.status(host, bytes, flags), "cuMemHostRegister", bytes, "page-locked host");
  CUdeviceptr address = 0;
  const CUresult result = a.cuMemHostGetDevicePointer_v2.status(&address, host, 0);
  if (result != CUDA_SUCCESS) {
    a.cuMemHostUnregister.status(host);
    fail(result, "cuMemHostGetDevicePointer");
  }
  return std::make_shared<RegisteredMemory>(context, bytes, address, host);
}

CUresult RegisteredMemory::give_back() noexcept { return api().cuMemHostUnregister.status(host_); }

bool is_page_locked(const void* host) noexcept {
  // The call for several attributes takes any address: zero stands for memory that the driver does not know.
  unsigned type = 0;
  CUpointer_attribute which = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void* where = &type;
  const auto address = reinterpret_cast<CUdeviceptr>(host);
  return api().cuPointerGetAttributes.status(1, &which, &where, address) == CUDA_SUCCESS && type != 0;
}

std::string ipc_handle(CUdeviceptr address) {
  CUipcMemHandle ipc{};
  api().cuIpcGetMemHandle(&ipc, address);
  return std::string(reinterpret_cast<const char*>(&ipc), sizeof ipc);
}

}  // namespace devarray::cuda
