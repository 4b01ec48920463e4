// The lock of the engine's state, for work that releases the GIL.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "common/fork.hpp"
#include "common/gil.hpp"

namespace devarray {

/// Held while a flush plans, compiles and launches. Contention is met with the GIL released, so that the holder,
/// which may be waiting for the GIL after a compilation, can go on.
class EngineLock {
 public:
  /// Whether stores that wait for others (held_stores.hpp) are launched first.
  enum class HeldStores : bool { go, stay };
  explicit EngineLock(HeldStores stores = HeldStores::go) : lock_(mutex(), std::defer_lock) {
    if (!fork_state.at_rest.load(std::memory_order_relaxed)) [[unlikely]]
      raise_broken();
    lock_.try_lock();
    if (!lock_.owns_lock()) {
      GilRelease unlocked(GilRelease::HeldBack::stays);  // it is launched with this lock
      lock_.lock();
    }
    if (const auto first = before_work.load(std::memory_order_relaxed); first && stores == HeldStores::go) [[unlikely]]
      first();
    depth_.store(depth_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  ~EngineLock() { depth_.store(depth_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed); }
  EngineLock(const EngineLock&) = delete;
  EngineLock& operator=(const EngineLock&) = delete;
  /// Whether the caller could have it at once. A thread that has it may not have counted itself as its holder yet.
  static bool is_free() { return std::unique_lock(mutex(), std::try_to_lock).owns_lock(); }
  /// Whether any thread holds it, this one included.
  static bool held() { return depth_.load(std::memory_order_relaxed) != 0; }
  /// Launches the stores that wait. Null while there are none.
  static inline std::atomic<void (*)()> before_work{nullptr};
  /// How often it was taken, also by a thread that had it.
  static std::uint64_t taken() { return taken_.load(std::memory_order_relaxed); }

 private:
  static std::recursive_mutex& mutex();
  [[noreturn]] static void raise_broken();
  static inline std::atomic<int> depth_ = 0;  ///< written by the holder only, as the next one
  static inline std::atomic<std::uint64_t> taken_ = 0;
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace devarray
