#include "engine/fork.hpp"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
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
  bool idle_queues = true;  // asked of all: what that enqueues wakes threads which PoCL has left waiting for a queue
  for (const QueuePtr& queue : Queue::all()) idle_queues &= idle(*queue);
  return idle_queues && gil_hooks().away.load(std::memory_order_acquire) == 0 && !EngineLock::held();
}

/// Whether the kernel runs no other thread of this process. True where the system does not say.
bool others_sleep() {
  const std::string own = std::to_string(syscall(SYS_gettid));
  DIR* tasks = opendir("/proc/self/task");
  if (!tasks) return true;
  bool all = true;
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] == '.' || own == task->d_name) continue;
    char line[256] = {};
    if (std::FILE* file = std::fopen((std::string("/proc/self/task/") + task->d_name + "/stat").c_str(), "r")) {
      const char* state = std::fgets(line, sizeof line, file) ? std::strrchr(line, ')') : nullptr;
      all &= !state || state[1] != ' ' || state[2] == 'S';
      std::fclose(file);
    }
  }
  closedir(tasks);
  return all;
}

/// A runtime's threads go on for a moment behind the last work, until they sleep, and hold its locks meanwhile. Other
/// threads that run are the program's: they are not waited for.
void let_runtimes_settle() {
  constexpr double kMost = 0.05;
  const double end = steady_seconds() + kMost;
  while (!others_sleep() && steady_seconds() < end) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace

bool at_rest(double seconds) {
  if (Queue::live() == 0) return gil_hooks().away.load(std::memory_order_acquire) == 0;
  const double end = steady_seconds() + seconds;
  while (!is_at_rest()) {
    if (steady_seconds() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  let_runtimes_settle();
  return true;
}

}  // namespace devarray
