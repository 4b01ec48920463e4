#include "memory/async.hpp"

#ifdef DEVARRAY_HAS_CUDA
#include "cuda/device.hpp"
#include "cuda/pool.hpp"
#endif

namespace devarray {

#ifdef DEVARRAY_HAS_CUDA
namespace {

CUstream stream_of(const Queue& queue) { return reinterpret_cast<CUstream>(queue.handle()); }

class CudaAsyncResource final : public AsyncResource {
 public:
  explicit CudaAsyncResource(const std::shared_ptr<cuda::Device>& device)
      : device_(device), queue_(device->default_queue()), pool_(cuda::MemoryPool::create(device->context())) {}

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override {
    if (bytes == 0) return empty_block(queue);
    Ref<Block> block(new Block);
    block->allocation = allocate_or_trim(bytes, queue ? *queue : *queue_);
    if (!queue) queue_->finish();  // asked for memory that no pending work uses
    block->size = block->capacity = bytes;
    block->queue = queue;
    block->owner = shared_from_this();
    return block;
  }

  void deallocate(Block* block) noexcept override {
    if (block->allocation && !shutting_down()) {
      try {
        const QueuePtr queue = block->queue ? block->queue : queue_;
        block->hand_to(queue);
        static_cast<cuda::PoolMemory&>(*block->allocation).free_on(stream_of(*queue));
        block->allocation = nullptr;
      } catch (const std::exception&) {
        // A broken queue says so at its next use. Whether its work is over cannot be known: the memory stays.
        new AllocationPtr(std::move(block->allocation));
      }
    }
    delete block;
  }

  DevicePtr device() const override { return device_; }
  MemoryKind kind() const override { return MemoryKind::device; }
  std::string describe() const override { return "stream-ordered memory of " + device_->label(); }
  std::size_t trim() override {
    queue_->finish();
    return pool_->trim();
  }
  AsyncFigures figures() const override {
    return {pool_->figure(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), pool_->figure(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT),
            pool_->figure(CU_MEMPOOL_ATTR_USED_MEM_HIGH), pool_->figure(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)};
  }
  void reset_peaks() override { pool_->reset_peaks(); }

 private:
  AllocationPtr allocate_or_trim(std::size_t bytes, Queue& queue) {
    try {
      return cuda::PoolMemory::allocate(pool_, bytes, stream_of(queue));
    } catch (const OutOfMemoryError&) {
      queue.finish();
      sweep_parked(true, device_.get());
      pool_->trim();
    }
    return cuda::PoolMemory::allocate(pool_, bytes, stream_of(queue));
  }

  const std::shared_ptr<cuda::Device> device_;
  const QueuePtr queue_;  ///< for memory that is bound to none
  const std::shared_ptr<cuda::MemoryPool> pool_;
};

}  // namespace
#endif

std::shared_ptr<AsyncResource> async_resource(const DevicePtr& device) {
#ifdef DEVARRAY_HAS_CUDA
  if (auto cuda = std::dynamic_pointer_cast<cuda::Device>(device)) return std::make_shared<CudaAsyncResource>(cuda);
#endif
  throw DeviceError(device->label() + " has no stream-ordered pool of its own; use PoolMemoryResource");
}

}  // namespace devarray
