#include "engine/fork.hpp"

#include <chrono>
#include <thread>

#include "common/driver.hpp"
#include "common/gil.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

bool idle(Queue& queue) {
  if (queue.device()->type() != DeviceType::cpu) return true;  // a child has no use for other devices, whatever they do
  try {
    return queue.idle();
  } catch (const Error&) {
    return true;  // it is broken, and has nothing to do any more
  }
}

bool is_at_rest() {
  if (gil_hooks().away.load(std::memory_order_acquire) != 0 || EngineLock::held()) return false;
  for (const QueuePtr& queue : Queue::all())
    if (!idle(*queue)) return false;
  return true;
}

}  // namespace

bool at_rest(double seconds) {
  const double end = steady_seconds() + seconds;
  while (!is_at_rest()) {
    if (steady_seconds() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

}  // namespace devarray
