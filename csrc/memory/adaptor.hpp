// Resources that decorate another one. They hand out their upstream's blocks and stand in as the owner, so that
// giving back passes through them; no block is wrapped.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "memory/lock.hpp"
#include "memory/resource.hpp"

namespace devarray {

class Adaptor : public MemoryResource {
 public:
  explicit Adaptor(ResourcePtr upstream) : upstream_(std::move(upstream)) {}

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  Ref<Block> try_allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  DevicePtr device() const override { return upstream_->device(); }
  MemoryKind kind() const override { return upstream_->kind(); }
  ResourcePtr upstream() const override { return upstream_; }
  std::size_t trim() override { return upstream_->trim(); }

 protected:
  // What an adaptor adds. Not called for empty blocks.

  /// Before the upstream is asked. May throw.
  virtual void before_allocate(std::size_t) {}
  /// The upstream had nothing: undoes before_allocate.
  virtual void not_allocated(std::size_t) noexcept {}
  /// May throw; the block then goes back.
  virtual void allocated(Block&) {}
  virtual void before_deallocate(Block&) noexcept {}

  const ResourcePtr upstream_;

 private:
  template <class Ask>
  Ref<Block> allocate_by(Ask ask, std::size_t bytes, const QueuePtr& queue);
};

/// Refuses what would bring the bytes in use above a limit.
class LimitingResource final : public Adaptor {
 public:
  LimitingResource(ResourcePtr upstream, std::size_t limit) : Adaptor(std::move(upstream)), limit_(limit) {}
  std::string describe() const override;
  std::size_t limit() const { return limit_; }
  std::size_t allocated_bytes() const { return used_.load(std::memory_order_relaxed); }

 private:
  void before_allocate(std::size_t bytes) override;
  void not_allocated(std::size_t bytes) noexcept override { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  void before_deallocate(Block& block) noexcept override { not_allocated(block.size); }

  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

/// Bytes and blocks: now, at most, and in all.
struct Statistics {
  long long current_bytes = 0, current_count = 0, peak_bytes = 0, peak_count = 0, total_bytes = 0, total_count = 0;
  void add(long long bytes);
  void remove(long long bytes);
};

/// Counts what passes. Scopes nest: each has its own figures, counted from its push.
class StatisticsResource final : public Adaptor {
 public:
  explicit StatisticsResource(ResourcePtr upstream) : Adaptor(std::move(upstream)), scopes_(1) {}
  std::string describe() const override { return "statistics over " + upstream_->describe(); }
  /// Adds the scope's figures to an error of exhausted memory.
  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  /// Those of the innermost scope.
  Statistics statistics() const;
  /// Opens a scope; returns the figures of the one around it.
  Statistics push();
  /// Closes the innermost scope and returns its figures. Throws ValueError where none was opened.
  Statistics pop();

 private:
  void allocated(Block& block) override;
  void before_deallocate(Block& block) noexcept override;

  mutable LeafLock lock_;
  std::vector<Statistics> scopes_;
};

}  // namespace devarray
