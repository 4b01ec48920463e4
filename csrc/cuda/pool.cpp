#include "cuda/pool.hpp"

namespace devarray::cuda {

std::shared_ptr<MemoryPool> MemoryPool::create(const ContextPtr& context) {
  const Current current(*context);
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context->device();
  CUmemoryPool raw = nullptr;
  api().cuMemPoolCreate(&raw, &properties);
  auto pool = std::make_shared<MemoryPool>(context, raw);
  std::uint64_t keep = ~std::uint64_t{0};  // else every synchronisation would give free memory back
  api().cuMemPoolSetAttribute(raw, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
  return pool;
}

MemoryPool::~MemoryPool() {
  if (const CurrentForRelease current(*context_); current) api().cuMemPoolDestroy.status(pool_);
}

std::size_t MemoryPool::figure(CUmemPool_attribute which) const {
  const Current current(*context_);
  std::uint64_t value = 0;
  api().cuMemPoolGetAttribute(pool_, which, &value);
  return value;
}

void MemoryPool::reset_peaks() {
  const Current current(*context_);
  std::uint64_t zero = 0;
  api().cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero);
  api().cuMemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero);
}

std::size_t MemoryPool::trim() {
  const Current current(*context_);
  const std::size_t before = figure(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  api().cuMemPoolTrimTo(pool_, 0);
  const std::size_t after = figure(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  return before > after ? before - after : 0;
}

std::shared_ptr<PoolMemory> PoolMemory::allocate(std::shared_ptr<MemoryPool> pool, std::size_t bytes, QueuePtr stream) {
  const Current current(*pool->context());
  CUdeviceptr address = 0;
  check_allocation(api().cuMemAllocFromPoolAsync.status(&address, bytes, pool->handle(),
                                                        reinterpret_cast<CUstream>(stream->handle())),
                   "cuMemAllocFromPoolAsync", bytes, "stream-ordered device");
  return std::make_shared<PoolMemory>(std::move(pool), bytes, address, std::move(stream));
}

CUresult PoolMemory::give_back() noexcept {
  return api().cuMemFreeAsync.status(reinterpret_cast<CUdeviceptr>(handle_),
                                     reinterpret_cast<CUstream>(stream_->handle()));
}

}  // namespace devarray::cuda
