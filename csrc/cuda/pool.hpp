// The driver's own stream-ordered pool.
#pragma once

#include <cstdint>

#include "cuda/memory.hpp"

namespace devarray::cuda {

/// Memory that is allocated and freed in a stream's order. What is freed stays in the pool until it is trimmed.
class MemoryPool final {
 public:
  static std::shared_ptr<MemoryPool> create(const ContextPtr& context);
  explicit MemoryPool(ContextPtr context, CUmemoryPool pool) : context_(std::move(context)), pool_(pool) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  CUmemoryPool handle() const noexcept { return pool_; }
  const ContextPtr& context() const noexcept { return context_; }
  std::size_t figure(CUmemPool_attribute which) const;
  void reset_peaks();
  /// Gives what is free back to the system; returns its bytes.
  std::size_t trim();

 private:
  ContextPtr context_;
  CUmemoryPool pool_;
};

/// A piece of a pool. Freed in the order of the stream that free_on() named last, which it keeps alive till then.
class PoolMemory final : public Memory {
 public:
  static std::shared_ptr<PoolMemory> allocate(std::shared_ptr<MemoryPool> pool, std::size_t bytes, QueuePtr stream);
  PoolMemory(std::shared_ptr<MemoryPool> pool, std::size_t size, CUdeviceptr address, QueuePtr stream)
      : Memory(MemoryKind::device, pool->context(), size, address, nullptr),
        pool_(std::move(pool)),
        stream_(std::move(stream)) {}
  ~PoolMemory() override { release(); }
  void free_on(QueuePtr stream) noexcept { stream_ = std::move(stream); }

 private:
  CUresult give_back() noexcept override;
  std::shared_ptr<MemoryPool> pool_;
  QueuePtr stream_;
};

}  // namespace devarray::cuda
