#include "engine/lock.hpp"

namespace devarray {

GilHooks& gil_hooks() {
  static GilHooks hooks;
  return hooks;
}

std::recursive_mutex& EngineLock::mutex() {
  static std::recursive_mutex m;
  return m;
}

}  // namespace devarray
