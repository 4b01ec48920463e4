#include "memory/adaptor.hpp"

#include <algorithm>
#include <mutex>

namespace devarray {

template <class Ask>
Ref<Block> Adaptor::allocate_by(Ask ask, std::size_t bytes, const QueuePtr& queue) {
  Ref<Block> block;
  if (bytes > 0) before_allocate(bytes);
  try {
    block = ask(bytes, queue);
  } catch (...) {
    if (bytes > 0) not_allocated(bytes);
    throw;
  }
  if (!block) {
    if (bytes > 0) not_allocated(bytes);
    return block;
  }
  if (bytes > 0) {
    try {
      allocated(*block);
    } catch (...) {
      not_allocated(bytes);
      throw;
    }
  }
  block->owner = shared_from_this();
  return block;
}

Ref<Block> Adaptor::allocate(std::size_t bytes, const QueuePtr& queue) {
  return allocate_by([this](std::size_t n, const QueuePtr& q) { return upstream_->allocate(n, q); }, bytes, queue);
}

Ref<Block> Adaptor::try_allocate(std::size_t bytes, const QueuePtr& queue) {
  try {
    return allocate_by([this](std::size_t n, const QueuePtr& q) { return upstream_->try_allocate(n, q); }, bytes,
                       queue);
  } catch (const OutOfMemoryError&) {
    return nullptr;  // a limit: allocate() says so
  }
}

void Adaptor::deallocate(Block* block) noexcept {
  if (block->allocation) before_deallocate(*block);
  upstream_->deallocate(block);
}

std::string LimitingResource::describe() const {
  return "limit of " + std::to_string(limit_) + " B over " + upstream_->describe();
}

void LimitingResource::before_allocate(std::size_t bytes) {
  std::size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ || used > limit_ - bytes) {
      OutOfMemoryError::Figures figures;
      figures.asked = static_cast<long long>(bytes);
      figures.free = static_cast<long long>(limit_ - used);
      figures.total = static_cast<long long>(limit_);
      figures.active = static_cast<long long>(used);
      throw OutOfMemoryError(std::to_string(bytes) + " B asked for where " + std::to_string(used) +
                                 " B are in use and the limit is " + std::to_string(limit_) + " B (" + describe() + ")",
                             figures);
    }
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
}

void Statistics::add(long long bytes) {
  current_bytes += bytes;
  current_count += 1;
  total_bytes += bytes;
  total_count += 1;
  peak_bytes = std::max(peak_bytes, current_bytes);
  peak_count = std::max(peak_count, current_count);
}

void Statistics::remove(long long bytes) {
  current_bytes -= bytes;
  current_count -= 1;
}

Ref<Block> StatisticsResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  try {
    return Adaptor::allocate(bytes, queue);
  } catch (const OutOfMemoryError& error) {
    const Statistics now = statistics();
    throw OutOfMemoryError(std::string(error.what()) +
                               " Statistics of the scope: " + std::to_string(now.current_bytes) + " B in use in " +
                               std::to_string(now.current_count) + " blocks, at most " +
                               std::to_string(now.peak_bytes) + " B, " + std::to_string(now.total_bytes) + " B in all.",
                           error.figures);
  }
}

Statistics StatisticsResource::statistics() const {
  std::lock_guard lock(lock_);
  return scopes_.back();
}

Statistics StatisticsResource::push() {
  std::lock_guard lock(lock_);
  scopes_.emplace_back();
  return scopes_[scopes_.size() - 2];
}

Statistics StatisticsResource::pop() {
  std::lock_guard lock(lock_);
  if (scopes_.size() == 1)
    throw ValueError("pop_counters: no scope is open; each pop_counters() closes one push_counters()");
  const Statistics closed = scopes_.back();
  scopes_.pop_back();
  return closed;
}

void StatisticsResource::allocated(Block& block) {
  std::lock_guard lock(lock_);
  for (Statistics& s : scopes_) s.add(static_cast<long long>(block.size));
}

void StatisticsResource::before_deallocate(Block& block) noexcept {
  std::lock_guard lock(lock_);
  for (Statistics& s : scopes_) s.remove(static_cast<long long>(block.size));
}

}  // namespace devarray
