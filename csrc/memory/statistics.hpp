// Adaptors that watch or react: tracking, logging, failure callback, prefetch.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/adaptor.hpp"

namespace devarray {

/// Who holds what: the blocks in use, each with the place that asked for it if `describe_place` is given.
class TrackingResource final : public Adaptor {
 public:
  using Describe = std::function<std::string()>;
  struct Entry {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    std::uint64_t number = 0;  ///< of the allocation, counted from 1
    std::string place;
  };

  explicit TrackingResource(ResourcePtr upstream, Describe describe_place = nullptr)
      : Adaptor(std::move(upstream)), describe_place_(std::move(describe_place)) {}
  std::string describe() const override { return "tracking over " + upstream_->describe(); }
  std::vector<Entry> outstanding() const;  ///< oldest first
  std::size_t allocated_bytes() const;
  bool captures_places() const { return static_cast<bool>(describe_place_); }

 private:
  void allocated(Block& block) override;
  void before_deallocate(Block& block) noexcept override;

  const Describe describe_place_;
  mutable std::mutex mutex_;
  std::unordered_map<const Block*, Entry> entries_;
  std::uint64_t count_ = 0;
  std::size_t bytes_ = 0;
};

/// Writes a line for each allocation, failure and free to a CSV file that benchmarks/replay.py reads:
/// Thread, Time (seconds from the start), Action (allocate, allocate failure, free), Pointer, Size, Stream.
class LoggingResource final : public Adaptor {
 public:
  /// Throws ValueError if the file cannot be written.
  LoggingResource(ResourcePtr upstream, std::string path);
  std::string describe() const override { return "logging over " + upstream_->describe(); }
  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  const std::string& path() const { return path_; }
  void flush();

 private:
  void allocated(Block& block) override;
  void before_deallocate(Block& block) noexcept override;
  void write(const char* action, std::uintptr_t pointer, std::size_t bytes, const QueuePtr& queue) noexcept;

  struct Close {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  const std::string path_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// Calls back when the upstream has nothing left, and asks again as long as the callback returns true.
class FailureCallbackResource final : public Adaptor {
 public:
  using Callback = std::function<bool(std::size_t)>;
  FailureCallbackResource(ResourcePtr upstream, Callback callback)
      : Adaptor(std::move(upstream)), callback_(std::move(callback)) {}
  std::string describe() const override { return "failure callback over " + upstream_->describe(); }
  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;

 private:
  const Callback callback_;
};

/// Moves managed memory to its device when it is handed out, on the queue it is handed out for. Other kinds pass.
class PrefetchResource final : public Adaptor {
 public:
  using Adaptor::Adaptor;
  std::string describe() const override { return "prefetch over " + upstream_->describe(); }
  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  Ref<Block> try_allocate(std::size_t bytes, const QueuePtr& queue) override;
};

}  // namespace devarray
