#include "memory/virtual.hpp"

#include <algorithm>

#include "cuda/device.hpp"
#include "cuda/virtual_memory.hpp"

namespace devarray {

namespace {

cuda::VirtualMemory& memory_of(const Block& block) { return static_cast<cuda::VirtualMemory&>(*block.allocation); }

/// Waits for memory that is about to be free before it gives up.
bool extend_or_wait(cuda::VirtualMemory& memory, std::size_t bytes, const Device* device) {
  try {
    return memory.extend(bytes);
  } catch (const OutOfMemoryError&) {
    if (sweep_parked(true, device) == 0) throw;
  }
  return memory.extend(bytes);
}

}  // namespace

VirtualResource::VirtualResource(DevicePtr device) : device_(std::move(device)) {
  auto* cuda = dynamic_cast<cuda::Device*>(device_.get());
  if (!cuda) throw DeviceError(device_->label() + " has no virtual memory management of ours; use PoolMemoryResource");
  cuda::VirtualMemory::reserve(cuda->context(), 1);  // says now where there is none
  granule_ = cuda::VirtualMemory::granule(cuda->context());
}

Ref<Block> VirtualResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  if (bytes == 0) return empty_block(queue);
  const std::size_t whole = (bytes + granule_ - 1) / granule_ * granule_;
  auto& cuda = static_cast<cuda::Device&>(*device_);
  const auto memory = cuda::VirtualMemory::reserve(cuda.context(), std::max(whole, cuda.caps().global_memory));
  extend_or_wait(*memory, whole, device_.get());
  Ref<Block> block(new Block);
  block->allocation = memory;
  block->allocation->lend();
  block->size = bytes;
  block->capacity = whole;
  block->timeline = timeline_of(queue);
  block->owner = shared_from_this();
  return block;
}

bool VirtualResource::extend(Block& block, std::size_t bytes) {
  if (!extend_or_wait(memory_of(block), bytes, device_.get())) return false;
  block.size = block.capacity += bytes;
  return true;
}

std::size_t VirtualResource::shrink(Block& block, std::size_t bytes) {
  const std::size_t freed = memory_of(block).shrink(bytes);
  block.size = block.capacity -= freed;
  return freed;
}

void VirtualResource::deallocate(Block* block) noexcept {
  park_if_used(*block);
  delete block;
}

}  // namespace devarray
