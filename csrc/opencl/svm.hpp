// Shared virtual memory.
#pragma once

#include <memory>
#include <optional>

#include "opencl/device.hpp"
#include "opencl/event.hpp"

namespace devarray::opencl {

class CommandQueue;

/// Anything that stands for an address in shared virtual memory.
class SVMPointer {
 public:
  virtual ~SVMPointer() = default;
  /// Throws ValueError once released.
  virtual void* svm_pointer() const = 0;
  /// Bytes, where known.
  virtual std::optional<std::size_t> svm_size() const = 0;
};

/// Memory from clSVMAlloc. OpenCL does not count its references: freed while enqueued work uses it, that work reads
/// or writes foreign memory. Bound to a queue, it is freed behind the work that was enqueued there.
class SVMAllocation final : public Allocation, public SVMPointer {
 public:
  SVMAllocation(ContextDevicePtr device, cl_svm_mem_flags flags, std::size_t bytes, cl_uint alignment,
                std::shared_ptr<CommandQueue> queue = nullptr);
  ~SVMAllocation() override;

  ContextDevice& device() const override { return *device_; }
  const ContextDevicePtr& engine_device() const noexcept { return device_; }
  void* svm_pointer() const override;
  std::optional<std::size_t> svm_size() const override { return size(); }
  bool released() const noexcept { return handle_ == nullptr; }
  bool fine_grained() const noexcept { return kind_ == MemoryKind::svm_fine; }

  /// Frees it behind everything enqueued on the queue, the bound one by default. On GPUs and CPUs alike the memory
  /// must not be used any more. Returns the event of the release.
  ClEventPtr enqueue_release(const std::shared_ptr<CommandQueue>& queue, const WaitList& wait);
  /// Frees it now, or behind the bound queue's work.
  void release();

  const std::shared_ptr<CommandQueue>& queue() const noexcept { return queue_; }
  /// Another queue orders the release from now on; it waits for what is enqueued on the one before.
  void bind_to_queue(std::shared_ptr<CommandQueue> queue);
  /// Waits for the bound queue's work; after that the release is immediate.
  void unbind_from_queue();

 private:
  void free_now() noexcept;
  ContextDevicePtr device_;
  std::shared_ptr<CommandQueue> queue_;
};
using SVMAllocationPtr = std::shared_ptr<SVMAllocation>;

}  // namespace devarray::opencl
