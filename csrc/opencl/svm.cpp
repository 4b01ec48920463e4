#include "opencl/svm.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "opencl/queue.hpp"

namespace devarray::opencl {
namespace {

/// NVIDIA's driver fails allocations that several threads ask for at once.
std::mutex& driver_mutex() {
  static auto* mutex = new std::mutex;  // allocations may outlive static objects
  return *mutex;
}

void* allocate(const ContextDevice& device, cl_svm_mem_flags flags, std::size_t bytes, cl_uint alignment) {
  if (device.info().platform_version < 200 || !device.info().svm)
    throw DeviceError(device.label() + " has no shared virtual memory");
  const std::lock_guard lock(driver_mutex());
  void* pointer = present(table(device.context()).clSVMAlloc, "clSVMAlloc")(device.context(), flags, bytes, alignment);
  if (!pointer)  // the entry point gives no status
    throw ClError("clSVMAlloc", CL_MEM_OBJECT_ALLOCATION_FAILURE,
                  std::to_string(bytes) + " bytes with alignment " + std::to_string(alignment) + " and flags " +
                      std::to_string(flags));
  return pointer;
}

/// The pointer list of a pending release. It lives until the driver has freed it: PoCL 3.0 keeps the caller's array
/// instead of copying it, and frees nothing itself where a callback is given.
struct PendingFree {
  cl_context context;  ///< the queue keeps it alive until the callback is done
  void* pointer;
};

void CL_CALLBACK free_pending(cl_command_queue, cl_uint, void**, void* data) {
  const std::unique_ptr<PendingFree> pending(static_cast<PendingFree*>(data));
  if (!shutting_down()) table(pending->context).clSVMFree(pending->context, pending->pointer);
}

cl_int enqueue_free(cl_command_queue queue, cl_context context, void* pointer, const WaitList& wait,
                    cl_event* event) noexcept {
  if (forked()) return CL_INVALID_COMMAND_QUEUE;  // freed at once: nothing uses it in a child
  auto* pending = new (std::nothrow) PendingFree{context, pointer};
  if (!pending) return CL_OUT_OF_HOST_MEMORY;
  const cl_int status = table(queue).clEnqueueSVMFree(queue, 1, &pending->pointer, free_pending, pending, wait.size(),
                                                      wait.data(), event);
  if (status != CL_SUCCESS) delete pending;
  return status;
}

void require_in_order(const CommandQueue& queue) {
  if (!queue.in_order())
    throw ValueError(
        "shared virtual memory needs an in-order queue to order its release; an out-of-order queue was "
        "given");
}

}  // namespace

SVMAllocation::SVMAllocation(ContextDevicePtr device, cl_svm_mem_flags flags, std::size_t bytes, cl_uint alignment,
                             std::shared_ptr<CommandQueue> queue)
    : Allocation(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? MemoryKind::svm_fine : MemoryKind::svm_coarse, bytes, nullptr,
                 nullptr),
      device_(std::move(device)),
      queue_(std::move(queue)) {
  if (queue_) require_in_order(*queue_);
  handle_ = allocate(*device_, flags, std::max<std::size_t>(bytes, 1), alignment);  // drivers refuse sizes of 0
  if (fine_grained()) host_ = handle_;
}

SVMAllocation::~SVMAllocation() {
  if (!handle_ || shutting_down()) return;
  if (queue_ && enqueue_free(queue_->get(), device_->context(), handle_, {}, nullptr) == CL_SUCCESS) {
    queue_->touch();
    return;
  }
  free_now();
}

void SVMAllocation::free_now() noexcept {
  const std::lock_guard lock(driver_mutex());
  table(device_->context()).clSVMFree(device_->context(), handle_);
}

void* SVMAllocation::svm_pointer() const {
  if (!handle_) throw ValueError("the shared virtual memory was released; it cannot be used any more");
  return handle_;
}

ClEventPtr SVMAllocation::enqueue_release(const std::shared_ptr<CommandQueue>& queue, const WaitList& wait) {
  const std::shared_ptr<CommandQueue>& chosen = queue ? queue : queue_;
  if (!chosen) throw ValueError("enqueue_release needs a queue: none was given, and the allocation is bound to none");
  void* memory = svm_pointer();
  require_releasable();
  cl_event event = nullptr;
  check(enqueue_free(chosen->get(), device_->context(), memory, wait, &event), "clEnqueueSVMFree");
  chosen->touch();
  handle_ = host_ = nullptr;
  return std::make_shared<ClEvent>(Handle<cl_event>::adopt(event));
}

void SVMAllocation::release() {
  svm_pointer();
  require_releasable();
  if (queue_) {
    enqueue_release(queue_, {});
  } else {
    free_now();
    handle_ = host_ = nullptr;
  }
}

void SVMAllocation::bind_to_queue(std::shared_ptr<CommandQueue> queue) {
  svm_pointer();
  require_in_order(*queue);
  if (queue_ && queue_ != queue) queue->wait_event(*queue_->record());
  queue_ = std::move(queue);
}

void SVMAllocation::unbind_from_queue() {
  if (queue_) queue_->finish();
  queue_.reset();
}

}  // namespace devarray::opencl
