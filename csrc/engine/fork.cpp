#include "engine/fork.hpp"

#include <dirent.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "common/driver.hpp"
#include "common/fork.hpp"
#include "common/gil.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

std::atomic<bool> working_off{false};

/// In a forked process no thread of a runtime's is left, and work is done by whoever waits for it: one of ours does,
/// since work may wait for the thread that asks.
void work_off(const QueuePtr& queue) {
  if (working_off.exchange(true)) return;
  std::thread([queue] {
    try {
      queue->finish();
    } catch (const Error&) {  // told where Python waits for it
    }
    working_off = false;
  }).detach();
}

bool idle(const QueuePtr& queue) {
  if (queue->device()->type() != DeviceType::cpu)
    return true;  // a child has no use for other devices, whatever they do
  try {
    const bool done = queue->idle();
    if (!done && forked()) work_off(queue);
    return done;
  } catch (const Error&) {
    return true;  // it is broken, and has nothing to do any more
  }
}

bool is_at_rest() {
  bool idle_queues = true;  // asked of all: what that enqueues wakes threads which PoCL has left waiting for a queue
  for (const QueuePtr& queue : Queue::all()) idle_queues &= idle(queue);
  return idle_queues && !working_off && gil_hooks().away.load(std::memory_order_acquire) == 0 && EngineLock::is_free();
}

/// Whether the threads that are not Python's sleep: a runtime's go on for a moment behind the last work, and hold its
/// locks meanwhile. True where the system does not say.
bool runtimes_sleep(const std::vector<long>& pythons) {
  DIR* tasks = opendir("/proc/self/task");
  if (!tasks) return true;
  bool all = true;
  while (const dirent* task = readdir(tasks)) {
    const long id = std::strtol(task->d_name, nullptr, 10);
    if (id == 0 || std::find(pythons.begin(), pythons.end(), id) != pythons.end()) continue;
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

}  // namespace

namespace {

std::vector<long> known_pythons;  // guarded by the GIL
std::atomic<bool> rested{true};

/// The last look, within fork(): between Python's hooks and it the GIL may have changed hands.
void look_again() {
  constexpr double kMost = 1;
  rested = at_rest(kMost, known_pythons);
}

[[maybe_unused]] const int watched = pthread_atfork(look_again, nullptr, [] {
  working_off = false;  // the thread is not in the child
  note_fork(rested);
});

}  // namespace

bool at_rest(double seconds, const std::vector<long>& pythons) {
  known_pythons = std::vector<long>(pythons);
  const double end = steady_seconds() + seconds;
  while (!(is_at_rest() && (Queue::live() == 0 || runtimes_sleep(pythons)))) {
    if (steady_seconds() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace devarray
