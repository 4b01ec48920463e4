// Memory objects: what cl_mem stands for, and buffers.
#pragma once

#include <memory>
#include <string>

#include "opencl/device.hpp"

namespace devarray::opencl {

/// Keeps something of the caller's alive, such as the host memory under CL_MEM_USE_HOST_PTR.
using KeepAlive = std::shared_ptr<void>;

class MemoryObject : public Allocation {
 public:
  MemoryObject(ContextDevicePtr device, Handle<cl_mem> memory, KeepAlive keep_alive = {});
  /// Where the size is known and need not be asked for.
  MemoryObject(ContextDevicePtr device, std::size_t bytes, Handle<cl_mem> memory, KeepAlive keep_alive);
  /// Throws ValueError once released.
  cl_mem get() const;
  bool released() const noexcept { return handle_ == nullptr; }
  ContextDevice& device() const override { return *device_; }
  const ContextDevicePtr& engine_device() const noexcept { return device_; }
  const KeepAlive& keep_alive() const noexcept { return keep_alive_; }
  /// Gives the reference back now. The driver keeps the memory while enqueued work uses it.
  virtual void release();
  /// The same without an error where it was released before; the object may then get other memory.
  void retire() noexcept;
  void renew(ContextDevicePtr device, std::size_t bytes, Handle<cl_mem> memory) noexcept;

 protected:
  /// Forgets the memory without giving a reference back: for those that borrow it.
  void forget() noexcept;

 private:
  Handle<cl_mem> memory_;
  ContextDevicePtr device_;
  KeepAlive keep_alive_;
};
using MemoryObjectPtr = std::shared_ptr<MemoryObject>;

class Buffer : public MemoryObject {
 public:
  using MemoryObject::MemoryObject;
  static std::shared_ptr<Buffer> create(const ContextDevicePtr& device, cl_mem_flags flags, std::size_t bytes,
                                        void* host, KeepAlive keep_alive = {});
  std::shared_ptr<Buffer> sub_region(std::size_t origin, std::size_t bytes, cl_mem_flags flags) const;
};
using BufferPtr = std::shared_ptr<Buffer>;

template <class T>
T memory_info_value(cl_mem memory, cl_mem_info parameter) {
  return info_value<T>(DEVARRAY_CL_INFO(clGetMemObjectInfo, memory, parameter), "clGetMemObjectInfo");
}

}  // namespace devarray::opencl
