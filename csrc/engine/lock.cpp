#include "engine/lock.hpp"

namespace devarray {

std::recursive_mutex& EngineLock::mutex() {
  static std::recursive_mutex m;
  return m;
}

}  // namespace devarray
