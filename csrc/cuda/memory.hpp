// Memory that the CUDA driver allocates: on the device, managed, and page-locked on the host.
#pragma once

#include "cuda/context.hpp"

namespace devarray::cuda {

/// An allocating call's result; running out of memory says what was asked for and what there is.
void check_allocation(CUresult result, const char* call, std::size_t bytes, const char* what);

class Memory : public Allocation {
 public:
  devarray::Device& device() const override;
  const ContextPtr& context() const noexcept { return context_; }
  /// Throws once freed.
  CUdeviceptr address() const;
  bool freed() const noexcept { return freed_; }
  /// Gives the memory back now; the destructor does it otherwise. Throws when done before.
  void free();

 protected:
  Memory(MemoryKind kind, ContextPtr context, std::size_t size, CUdeviceptr address, void* host)
      : Allocation(kind, size, reinterpret_cast<void*>(address), host), context_(std::move(context)) {}
  /// For destructors, which alone know how their memory is freed.
  void release() noexcept;

  ContextPtr context_;
  bool freed_ = false;

 private:
  virtual CUresult give_back() noexcept = 0;
};

class DeviceMemory : public Memory {
 public:
  static std::shared_ptr<DeviceMemory> allocate(const ContextPtr& context, std::size_t bytes);
  /// Rows of at least `width` bytes, aligned for accesses of `access_size` bytes; sets the row's real width.
  static std::shared_ptr<DeviceMemory> allocate_pitched(const ContextPtr& context, std::size_t width,
                                                        std::size_t height, unsigned access_size, std::size_t* pitch);
  DeviceMemory(ContextPtr context, std::size_t size, CUdeviceptr address)
      : Memory(MemoryKind::device, std::move(context), size, address, nullptr) {}
  ~DeviceMemory() override { release(); }

  /// Lets go of memory and context. After it only renew() makes sense, which allocates anew.
  void retire() noexcept;
  void renew(const ContextPtr& context, std::size_t bytes);

 private:
  CUresult give_back() noexcept override;
};

/// Another process's device memory, opened by its handle. A handle stands for a whole allocation: what the other
/// process means may start at an offset in it.
class IpcMemory final : public Memory {
 public:
  static std::shared_ptr<IpcMemory> open(const ContextPtr& context, const std::string& handle, unsigned flags,
                                         std::size_t offset);
  IpcMemory(ContextPtr context, std::size_t size, CUdeviceptr base, std::size_t offset)
      : Memory(MemoryKind::device, std::move(context), size - offset, base + offset, nullptr), base_(base) {}
  ~IpcMemory() override { release(); }

 private:
  CUresult give_back() noexcept override;
  CUdeviceptr base_;
};

/// Memory that the host reads and writes as well.
class HostVisibleMemory : public Memory {
 public:
  /// Where the device sees it.
  CUdeviceptr device_pointer() const { return address(); }

 protected:
  using Memory::Memory;
};

class ManagedMemory final : public HostVisibleMemory {
 public:
  static std::shared_ptr<ManagedMemory> allocate(const ContextPtr& context, std::size_t bytes, unsigned flags);
  ManagedMemory(ContextPtr context, std::size_t size, CUdeviceptr address)
      : HostVisibleMemory(MemoryKind::managed, std::move(context), size, address, reinterpret_cast<void*>(address)) {}
  ~ManagedMemory() override { release(); }

  void attach(unsigned flags, CUstream stream) const;
  /// `device` may be CU_DEVICE_CPU.
  void prefetch(CUdevice device, CUstream stream) const;
  void advise(CUmem_advise advice, CUdevice device) const;

 private:
  CUresult give_back() noexcept override;
};

class PinnedMemory final : public HostVisibleMemory {
 public:
  static std::shared_ptr<PinnedMemory> allocate(const ContextPtr& context, std::size_t bytes, unsigned flags);
  PinnedMemory(ContextPtr context, std::size_t size, CUdeviceptr address, void* host)
      : HostVisibleMemory(MemoryKind::pinned, std::move(context), size, address, host) {}
  ~PinnedMemory() override { release(); }
  unsigned flags() const;

 private:
  CUresult give_back() noexcept override;
};

/// Page-locks memory that belongs to somebody else; only the lock is given back.
class RegisteredMemory final : public HostVisibleMemory {
 public:
  static std::shared_ptr<RegisteredMemory> lock(const ContextPtr& context, void* host, std::size_t bytes,
                                                unsigned flags);
  RegisteredMemory(ContextPtr context, std::size_t size, CUdeviceptr address, void* host)
      : HostVisibleMemory(MemoryKind::pinned, std::move(context), size, address, host) {}
  ~RegisteredMemory() override { release(); }

 private:
  CUresult give_back() noexcept override;
};

/// Whether the driver knows this host address as page-locked (or managed), by whoever locked it. Never throws.
bool is_page_locked(const void* host) noexcept;

/// The opaque bytes by which another process opens the allocation that holds `address`.
std::string ipc_handle(CUdeviceptr address);

}  // namespace devarray::cuda
