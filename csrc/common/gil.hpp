// The interpreter lock, seen from code that knows no Python. bind/ sets the hooks.
#pragma once

#include <atomic>
#include <cstdint>

namespace devarray {

/// How to let go of the interpreter lock and take it back. Null without an interpreter.
struct GilHooks {
  void* (*release)() = nullptr;
  void (*acquire)(void* token) noexcept = nullptr;
  bool (*held)() noexcept = nullptr;  ///< whether the calling thread has it
  /// What the engine has to do before other threads may run: launch what it holds back. Null while it holds nothing.
  std::atomic<void (*)()> before_release{nullptr};
  /// How often a thread let go of the lock to ask something of a driver, or to wait for it.
  std::atomic<std::uint64_t> releases{0};
  /// Threads between the two, at work in a driver or waiting for one.
  std::atomic<int> away{0};
};
GilHooks& gil_hooks() noexcept;

/// Around anything that blocks: other Python threads run meanwhile. A thread that Python ends at shutdown does not come
/// back from the destructor: it sleeps until the process is gone.
class GilRelease {
 public:
  enum class HeldBack : bool { goes, stays };
  /// What the engine holds back goes to its queue first, but for callers that have nothing to ask of that.
  explicit GilRelease(HeldBack held = HeldBack::goes) {
    GilHooks& hooks = gil_hooks();
    if (!hooks.release) return;
    if (held == HeldBack::goes) hooks.releases.fetch_add(1, std::memory_order_relaxed);
    if (const auto first = hooks.before_release.load(std::memory_order_relaxed); first && held == HeldBack::goes)
        [[unlikely]]
      first();
    hooks.away.fetch_add(1, std::memory_order_relaxed);
    token_ = hooks.release();
  }
  ~GilRelease() {
    if (!token_) return;
    GilHooks& hooks = gil_hooks();
    hooks.away.fetch_sub(1, std::memory_order_release);
    hooks.acquire(token_);
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  void* token_ = nullptr;
};

/// At the end of the process, before the drivers' own ends: waits a while for the threads that are still in one.
void wait_for_threads_away() noexcept;

}  // namespace devarray
