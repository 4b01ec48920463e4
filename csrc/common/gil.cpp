#include "common/gil.hpp"

#include <chrono>
#include <thread>

namespace devarray {

GilHooks& gil_hooks() noexcept {
  static constinit GilHooks hooks;
  return hooks;
}

void wait_for_threads_away() noexcept {
  constexpr std::chrono::milliseconds kStep{1}, kMost{2000};  // a thread may be waiting for ever
  for (auto waited = kStep; waited < kMost && gil_hooks().away.load(std::memory_order_acquire) > 0; waited += kStep)
    std::this_thread::sleep_for(kStep);
}

}  // namespace devarray
