// What ran, when, and for which lines of the user's program: devarray.profile(). Off, a launch tests one flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/driver.hpp"
#include "engine/config.hpp"

namespace devarray {

enum class Activity : std::uint8_t { kernel, library, to_device, to_host, wait, compilation, host };

/// A line of the user's program, as a number that a LineSource gave out; 0 where none is known.
using SourceLine = std::uint32_t;
/// The line that is running now. Called with the GIL or without.
using LineSource = SourceLine (*)() noexcept;
void set_line_source(LineSource source);

/// The public function that the program called, by the stack; empty where none is known.
using FunctionSource = std::string (*)() noexcept;
void set_function_source(FunctionSource source);
std::string asked_function();

struct ActivityRecord {
  Activity activity = Activity::kernel;
  std::string name;
  std::string device;         ///< its label; empty for what the host did
  std::uint64_t queue = 0;    ///< its serial; 0 where the host's own time counts
  double begin = 0, end = 0;  ///< seconds of the host's steady clock
  std::uint64_t read = 0;     ///< bytes of arrays, each element once
  std::uint64_t written = 0;
  std::uint32_t operations = 0;   ///< that a kernel computes
  std::vector<SourceLine> lines;  ///< that asked for it; the result's first
};

namespace detail {
extern std::atomic<bool> profile_is_on;
extern std::atomic<bool> lines_are_kept;
}  // namespace detail

inline bool profiling() noexcept { return detail::profile_is_on.load(std::memory_order_relaxed); }
/// Whether pending operations note their line: while a profile is taken, and where DEVARRAY_DEBUG is set.
inline bool keeping_lines() noexcept { return detail::lines_are_kept.load(std::memory_order_relaxed); }
void keep_lines(bool on) noexcept;
/// The line that is running now; 0 where lines are not kept.
SourceLine current_line() noexcept;

void start_profile();
/// Ends the profile: what was noted, in the order in which it was enqueued. Waits for the work.
std::vector<ActivityRecord> stop_profile();

/// Times one piece of work from its making to done(). Without done(), where an error came between, nothing is noted.
class ActivityTimer {
 public:
  /// Work on a queue, or of the host where there is none.
  explicit ActivityTimer(Activity activity, Queue* queue = nullptr);
  void done(ActivityRecord&& record);
  /// After done(), where DEVARRAY_DEBUG asks for kernels: ", 12.5 us". Blocks until the work is over.
  std::string took() const;

 private:
  Activity activity_;
  Queue* queue_;
  std::unique_ptr<Stopwatch> watch_;
  double begin_ = 0, seconds_ = 0;
};

/// Null while no profile is taken, and nobody asked for the time of each kernel.
inline std::unique_ptr<ActivityTimer> timer_of(Activity activity, Queue* queue = nullptr) {
  return profiling() || debugging(2) ? std::make_unique<ActivityTimer>(activity, queue) : nullptr;
}

/// Runs work of the host, and notes it by name.
template <class F>
void timed(Activity activity, const char* name, F&& work) {
  const auto timer = timer_of(activity);
  work();
  if (timer) timer->done({.name = name});
}

}  // namespace devarray
