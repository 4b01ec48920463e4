// Processes that were forked from one that had used a runtime: its threads are not in them.
#pragma once

#include <atomic>

namespace devarray {

struct ForkState {
  std::atomic<unsigned> generation{0};  ///< forks between the first process and this one
  std::atomic<bool> at_rest{true};  ///< at each of them no thread was at work in a runtime, with a lock of one taken
};
inline ForkState fork_state;

inline unsigned fork_generation() noexcept { return fork_state.generation.load(std::memory_order_relaxed); }
inline bool forked() noexcept { return fork_generation() != 0; }

/// In the child.
inline void note_fork(bool at_rest) noexcept {
  fork_state.generation.fetch_add(1, std::memory_order_relaxed);
  if (!at_rest) fork_state.at_rest.store(false, std::memory_order_relaxed);
}

}  // namespace devarray
