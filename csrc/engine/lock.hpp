// The engine lock, taken beside the GIL.
#pragma once

#include <mutex>

#include "common/gil.hpp"

namespace devarray {

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
