#include "engine/lock.hpp"

#include "common/error.hpp"

namespace devarray {

std::recursive_mutex& EngineLock::mutex() {
  static std::recursive_mutex m;
  return m;
}

void EngineLock::raise_broken() {
  throw ForkError(
      "this process was forked while other threads of its parent were at work on a device, and has no sound copy of "
      "that. Start processes by multiprocessing.get_context('spawn') or 'forkserver' (joblib's loky does so)");
}

}  // namespace devarray
