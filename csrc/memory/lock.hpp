// The leaf lock of the resources' hot paths: held for a few dozen instructions, with no driver call, upstream call,
// wait or Python under it. Half the cost of an uncontended std::mutex; gives way when its holder was preempted.
#pragma once

#include <atomic>
#include <thread>

namespace devarray {

class LeafLock {
 public:
  void lock() noexcept {
    for (int spins = 0; flag_.exchange(true, std::memory_order_acquire);) {
      while (flag_.load(std::memory_order_relaxed)) {
        if (++spins > 64) std::this_thread::yield();
      }
    }
  }
  bool try_lock() noexcept { return !flag_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { flag_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> flag_{false};
};

}  // namespace devarray
