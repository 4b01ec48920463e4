#include "opencl/memory.hpp"

namespace devarray::opencl {
namespace {

void CL_CALLBACK drop_keep_alive(cl_mem, void* data) {
  if (!shutting_down()) delete static_cast<KeepAlive*>(data);
}

}  // namespace

MemoryObject::MemoryObject(ContextDevicePtr device, Handle<cl_mem> memory, KeepAlive keep_alive)
    // Braces: the size is read before the handle moves on.
    : MemoryObject{std::move(device), memory_info_value<std::size_t>(memory.get(), CL_MEM_SIZE), std::move(memory),
                   std::move(keep_alive)} {}

MemoryObject::MemoryObject(ContextDevicePtr device, std::size_t bytes, Handle<cl_mem> memory, KeepAlive keep_alive)
    : Allocation(MemoryKind::buffer, bytes, memory.get(), nullptr),
      memory_(std::move(memory)),
      device_(std::move(device)),
      keep_alive_(std::move(keep_alive)) {
  if (!keep_alive_) return;
  // Enqueued work may use the host's memory after this object is gone: the driver says when it is done with it.
  auto held = std::make_unique<KeepAlive>(keep_alive_);
  DEVARRAY_CL(get(), clSetMemObjectDestructorCallback, get(), drop_keep_alive, held.get());
  held.release();
}

cl_mem MemoryObject::get() const {
  if (!handle_) throw ValueError("the memory object was released; it cannot be used any more");
  return memory_.get();
}

void MemoryObject::release() {
  const cl_mem memory = get();
  require_releasable();
  handle_ = host_ = nullptr;
  memory_.detach();  // released here instead, to see the status
  keep_alive_.reset();
  DEVARRAY_CL(memory, clReleaseMemObject, memory);
}

void MemoryObject::retire() noexcept {
  handle_ = host_ = nullptr;
  memory_.reset();
  keep_alive_.reset();
  device_.reset();
}

void MemoryObject::renew(ContextDevicePtr device, std::size_t bytes, Handle<cl_mem> memory) noexcept {
  size_ = bytes;
  handle_ = memory.get();
  memory_ = std::move(memory);
  device_ = std::move(device);
  lent_.store(0, std::memory_order_relaxed);  // the memory before may have been an allocator's
}

void MemoryObject::forget() noexcept {
  handle_ = nullptr;
  memory_.detach();
}

BufferPtr Buffer::create(const ContextDevicePtr& device, cl_mem_flags flags, std::size_t bytes, void* host,
                         KeepAlive keep_alive) {
  auto memory = Handle<cl_mem>::adopt(
      DEVARRAY_CL_CREATE(device->context(), clCreateBuffer, device->context(), flags, bytes, host));
  return std::make_shared<Buffer>(device, bytes, std::move(memory), std::move(keep_alive));
}

BufferPtr Buffer::sub_region(std::size_t origin, std::size_t bytes, cl_mem_flags flags) const {
  if (origin > size() || bytes > size() - origin)  // drivers add the two up in 64 bits that overflow
    throw ClError("clCreateSubBuffer", CL_INVALID_VALUE,
                  std::to_string(bytes) + " bytes from byte " + std::to_string(origin) + " of a buffer of " +
                      std::to_string(size()) + " bytes");
  const cl_buffer_region region{origin, bytes};
  auto memory = Handle<cl_mem>::adopt(
      DEVARRAY_CL_CREATE(get(), clCreateSubBuffer, get(), flags, CL_BUFFER_CREATE_TYPE_REGION, &region));
  return std::make_shared<Buffer>(engine_device(), std::move(memory));
}

}  // namespace devarray::opencl
