#include "memory/async.hpp"

#include "cuda/device.hpp"
#include "cuda/pool.hpp"

namespace devarray {

struct AsyncResource::Pool {
  explicit Pool(Device& device) {
    auto* cuda = dynamic_cast<cuda::Device*>(&device);
    if (!cuda) throw DeviceError(device.label() + " has no stream-ordered pool of its own; use PoolMemoryResource");
    driver = cuda::MemoryPool::create(cuda->context());
  }
  AllocationPtr allocate(std::size_t bytes, const QueuePtr& queue) {
    return cuda::PoolMemory::allocate(driver, bytes, queue);
  }
  static void free(AllocationPtr memory, const QueuePtr& queue) {
    static_cast<cuda::PoolMemory&>(*memory).free_on(queue);
  }
  std::shared_ptr<cuda::MemoryPool> driver;
};

std::size_t AsyncResource::trim() {
  queue_->finish();
  return pool_->driver->trim();
}

AsyncFigures AsyncResource::figures() const {
  const cuda::MemoryPool& pool = *pool_->driver;
  return {pool.figure(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), pool.figure(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT),
          pool.figure(CU_MEMPOOL_ATTR_USED_MEM_HIGH), pool.figure(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)};
}

void AsyncResource::reset_peaks() { pool_->driver->reset_peaks(); }

AsyncResource::AsyncResource(const DevicePtr& device)
    : queue_(device->default_queue()), pool_(std::make_unique<Pool>(*device)) {}

AsyncResource::~AsyncResource() = default;

Ref<Block> AsyncResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  if (bytes == 0) return empty_block(queue);
  const QueuePtr& order = queue ? queue : queue_;
  Ref<Block> block(new Block);
  try {
    block->allocation = pool_->allocate(bytes, order);
  } catch (const OutOfMemoryError&) {
    order->finish();
    sweep_parked(true, device().get());
    trim();
    block->allocation = pool_->allocate(bytes, order);
  }
  block->allocation->lend();
  if (!queue) order->finish();  // asked for memory that no pending work uses
  block->size = block->capacity = bytes;
  block->timeline = timeline_of(queue);
  block->owner = shared_from_this();
  return block;
}

void AsyncResource::deallocate(Block* block) noexcept {
  if (block->allocation && !shutting_down()) {
    try {
      QueuePtr queue = block->timeline ? block->timeline->queue() : nullptr;
      if (!queue) queue = queue_;
      block->hand_to(queue);
      Pool::free(std::move(block->allocation), queue);
    } catch (const std::exception&) {
      // A broken queue says so at its next use. Whether its work is over cannot be known: the memory stays.
      if (block->allocation) new AllocationPtr(std::move(block->allocation));
    }
  }
  delete block;
}

}  // namespace devarray
