#include "cuda/device.hpp"
#include "memory/statistics.hpp"

namespace devarray {

Ref<Block> PrefetchResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  Ref<Block> block = Adaptor::allocate(bytes, queue);
  if (block->allocation && block->kind() == MemoryKind::managed && queue) {
    if (auto device = std::dynamic_pointer_cast<cuda::Device>(this->device())) {
      const cuda::Current current(*device->context());
      const auto address = reinterpret_cast<CUdeviceptr>(block->allocation->handle()) + block->offset;
      cuda::api().mem_prefetch_async(address, block->size, device->handle(),
                                     reinterpret_cast<CUstream>(queue->handle()));
    }
  }
  return block;
}

/// The prefetch is a driver call, so only empty blocks come this way.
Ref<Block> PrefetchResource::try_allocate(std::size_t bytes, const QueuePtr& queue) {
  return bytes == 0 ? empty_block(queue) : nullptr;
}

}  // namespace devarray
