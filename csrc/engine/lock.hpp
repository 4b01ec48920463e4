// The engine lock and the GIL, seen from code that knows no Python. bind/ sets the hooks.
#pragma once

#include <mutex>

namespace devarray {

/// How to let go of the interpreter lock and take it back. Null without an interpreter.
struct GilHooks {
  void* (*release)() = nullptr;
  void (*acquire)(void* token) = nullptr;
};
GilHooks& gil_hooks();

/// Around anything that blocks: other Python threads run meanwhile.
class GilRelease {
 public:
  GilRelease() : token_(gil_hooks().release ? gil_hooks().release() : nullptr) {}
  ~GilRelease() {
    if (gil_hooks().acquire && token_) gil_hooks().acquire(token_);
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  void* token_;
};

/// Held while a flush plans, compiles and launches. Contention is met with the GIL released, so that the holder,
/// which may be waiting for the GIL after a compilation, can go on.
class EngineLock {
 public:
  EngineLock() : lock_(mutex(), std::try_to_lock) {
    if (!lock_.owns_lock()) {
      GilRelease unlocked;
      lock_.lock();
    }
  }

 private:
  static std::recursive_mutex& mutex();
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace devarray
