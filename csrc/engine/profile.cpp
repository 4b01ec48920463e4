#include "engine/profile.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

#include "common/gil.hpp"

namespace devarray {
namespace {

/// Stopwatches that are read late. Each holds two events of the driver's.
constexpr std::size_t kUnreadStopwatches = 4096;

struct Notes {
  struct Unread {
    std::size_t record;
    std::unique_ptr<Stopwatch> watch;
  };
  std::mutex mutex;
  std::vector<ActivityRecord> records;
  std::vector<Unread> unread;

  void read() {
    for (Unread& u : unread) {
      const Stopwatch::Span span = u.watch->span();
      records[u.record].begin = span.begin;
      records[u.record].end = span.end;
    }
    unread.clear();
  }
};

Notes& notes() {
  static Notes n;
  return n;
}

LineSource line_source = nullptr;
FunctionSource function_source = nullptr;
std::atomic<bool> lines_were_kept{false};  ///< before the profile

}  // namespace

namespace detail {
std::atomic<bool> profile_is_on{false};
std::atomic<bool> lines_are_kept{false};
}  // namespace detail

void set_line_source(LineSource source) { line_source = source; }
void keep_lines(bool on) noexcept {
  lines_were_kept.store(on);
  detail::lines_are_kept.store(on || profiling());
}
void set_function_source(FunctionSource source) { function_source = source; }
std::string asked_function() { return function_source ? function_source() : ""; }
SourceLine current_line() noexcept { return keeping_lines() && line_source ? line_source() : 0; }

void start_profile() {
  const std::lock_guard lock(notes().mutex);
  if (profiling()) throw Error("a profile is being taken; one at a time");
  notes().records.clear();
  notes().unread.clear();
  detail::profile_is_on.store(true);
  detail::lines_are_kept.store(true);
}

std::vector<ActivityRecord> stop_profile() {
  detail::profile_is_on.store(false);
  detail::lines_are_kept.store(lines_were_kept.load());
  const std::lock_guard lock(notes().mutex);
  notes().read();
  return std::exchange(notes().records, {});
}

ActivityTimer::ActivityTimer(Activity activity, Queue* queue) : activity_(activity), queue_(queue) {
  if (queue) {
    GilRelease unlocked;  // it may block
    watch_ = queue->stopwatch();
  }
  begin_ = steady_seconds();
}

void ActivityTimer::done(ActivityRecord&& record) {
  record.activity = activity_;
  if (watch_) {
    GilRelease unlocked;
    watch_->stop();
  }
  record.begin = begin_;
  record.end = steady_seconds();
  if (queue_) {
    record.queue = queue_->serial();
    record.device = queue_->device()->label();
  }
  if (record.lines.empty()) record.lines.push_back(current_line());
  if (watch_ && debugging(2)) {
    GilRelease unlocked;
    const Stopwatch::Span span = watch_->span();
    seconds_ = span.end - span.begin;
  }
  const std::lock_guard lock(notes().mutex);
  if (!profiling()) return;
  if (watch_) {
    if (notes().unread.size() == kUnreadStopwatches) notes().read();
    notes().unread.push_back({notes().records.size(), std::move(watch_)});
  }
  notes().records.push_back(std::move(record));
}

std::string ActivityTimer::took() const {
  char text[32];
  std::snprintf(text, sizeof text, ", %.1f us", seconds_ * 1e6);
  return text;
}

}  // namespace devarray
