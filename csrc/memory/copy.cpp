#include "memory/copy.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace devarray {
namespace {

constexpr std::chrono::microseconds kSpin{50};         ///< that a thread stays awake for the next job
constexpr std::chrono::microseconds kSpinToEnd{1000};  ///< that the caller does for lanes which others have begun
constexpr unsigned kMostThreads = 256;

/// Threads that wait for work. A job is a number of lanes. Each thread, the caller too, begins with the lane of its own
/// number, whose data its core's cache may still hold from the last job (a matrix of 4 MB by a vector, on two cores of
/// 2 MB: half the time); then it takes what nobody has begun, so that a job ends even where no thread could be started.
class CopyThreads {
 public:
  explicit CopyThreads(unsigned helpers) {
    try {
      for (unsigned i = 1; i <= helpers; ++i) std::thread([this, i] { serve(i); }).detach();
    } catch (const std::system_error&) {
      // The system has no more threads to give: fewer do it, or the caller alone.
    }
  }
  ~CopyThreads() = delete;  // they wait for work until the process ends: daemon threads may copy to its last moment

  void run(unsigned lanes, const std::function<void(unsigned)>& work, bool more_follow) {
    Job job{&work, lanes, more_follow};
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
      open_.store(jobs_.size(), std::memory_order_relaxed);
    }
    for (unsigned i = 1; i < lanes; ++i) wake_.notify_one();
    job.take_lanes(0, mutex_);
    if (more_follow) spin_until(kSpinToEnd, [&] { return job.helpers.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(mutex_);
    std::erase(jobs_, &job);
    open_.store(jobs_.size(), std::memory_order_relaxed);
    job.left.wait(lock, [&] { return job.helpers == 0; });
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  struct Job {
    const std::function<void(unsigned)>* work;
    unsigned lanes;
    bool more_follow;
    std::array<std::atomic<std::uint64_t>, kMostThreads / 64> begun{};  ///< a bit for each lane
    std::atomic<unsigned> helpers{0};  ///< changed under the mutex; what follows is guarded by it
    std::exception_ptr error;
    std::condition_variable left;

    void take_lanes(unsigned own, std::mutex& mutex) {
      for (unsigned i = 0; i < lanes; ++i) {
        const unsigned lane = (own + i) % lanes;
        const std::uint64_t bit = std::uint64_t{1} << lane % 64;
        if (begun[lane / 64].fetch_or(bit) & bit) continue;
        try {
          (*work)(lane);
        } catch (...) {
          std::lock_guard lock(mutex);
          if (!error) error = std::current_exception();
        }
      }
    }
  };

  void serve(unsigned number) {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return !jobs_.empty(); });
      Job& job = *jobs_.front();
      const bool more_follow = job.more_follow;
      ++job.helpers;
      lock.unlock();
      job.take_lanes(number, mutex_);
      lock.lock();
      std::erase(jobs_, &job);  // no lane is left to take
      open_.store(jobs_.size(), std::memory_order_relaxed);
      if (--job.helpers == 0) job.left.notify_all();
      if (more_follow && jobs_.empty()) {
        lock.unlock();
        spin_until(kSpin, [this] { return open_.load(std::memory_order_relaxed) > 0; });
        lock.lock();
      }
    }
  }

  /// Waits for a moment without sleeping: to be woken takes as long as a small piece of work.
  template <class Condition>
  static void spin_until(std::chrono::microseconds most, const Condition& met) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!met() && std::chrono::steady_clock::now() < end) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#else
      std::this_thread::yield();
#endif
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job*> jobs_;
  std::atomic<std::size_t> open_{0};  ///< jobs_.size()
};

std::mutex start_mutex;
std::atomic<CopyThreads*> running{nullptr};

/// In a forked child there are no threads, and the lock may have been held: start afresh. The old object leaks.
void forget_threads() {
  running.store(nullptr);
  new (&start_mutex) std::mutex;
}

CopyThreads& threads() {
  if (CopyThreads* known = running.load(std::memory_order_acquire)) return *known;
  std::lock_guard lock(start_mutex);
  if (CopyThreads* known = running.load(std::memory_order_acquire)) return *known;
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, forget_threads);
  auto* made = new CopyThreads(copy_threads() - 1);
  running.store(made, std::memory_order_release);
  return *made;
}

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;  ///< what a thread takes at a time

/// Calls part(begin, end) for pieces of [0, n) on several threads.
void by_pieces(std::size_t n, std::size_t piece, const std::function<void(std::size_t, std::size_t)>& part) {
  const std::size_t pieces = (n + piece - 1) / piece;
  std::atomic<std::size_t> next{0};
  in_parallel(static_cast<unsigned>(std::min<std::size_t>(copy_threads(), pieces)), [&](unsigned) {
    for (std::size_t i; (i = next.fetch_add(1)) < pieces;) part(i * piece, std::min(n, (i + 1) * piece));
  });
}

/// `n` elements of a compile-time size, or of `itemsize` for Size 0.
template <std::size_t Size>
void copy_elements(char* dst, std::int64_t dst_stride, const char* src, std::int64_t src_stride, std::int64_t n,
                   std::size_t itemsize) {
  for (std::int64_t i = 0; i < n; ++i, dst += dst_stride, src += src_stride)
    std::memcpy(dst, src, Size ? Size : itemsize);
}

void copy_row(char* dst, std::int64_t dst_stride, const char* src, std::int64_t src_stride, std::int64_t n,
              std::int64_t itemsize) {
  const auto size = static_cast<std::size_t>(itemsize);
  if (dst_stride == itemsize && src_stride == itemsize) {
    std::memcpy(dst, src, static_cast<std::size_t>(n) * size);
    return;
  }
  switch (itemsize) {
    case 1: return copy_elements<1>(dst, dst_stride, src, src_stride, n, size);
    case 2: return copy_elements<2>(dst, dst_stride, src, src_stride, n, size);
    case 4: return copy_elements<4>(dst, dst_stride, src, src_stride, n, size);
    case 8: return copy_elements<8>(dst, dst_stride, src, src_stride, n, size);
    case 16: return copy_elements<16>(dst, dst_stride, src, src_stride, n, size);
    default: return copy_elements<0>(dst, dst_stride, src, src_stride, n, size);
  }
}

/// Calls row(address, index of its first element, elements) for the parts of innermost rows that [first, first + count)
/// is.
template <class Row>
void for_rows(const StridedView& v, std::int64_t first, std::int64_t count, Row&& row) {
  const std::size_t ndim = v.shape.size();
  const std::int64_t width = ndim ? v.shape[ndim - 1] : 1, step = ndim ? v.strides[ndim - 1] : 0;
  while (count > 0) {
    std::int64_t rest = first / width, at = first % width;
    char* data = v.data + at * step;
    for (std::size_t d = ndim > 1 ? ndim - 1 : 0; d-- > 0; rest /= v.shape[d]) data += rest % v.shape[d] * v.strides[d];
    const std::int64_t n = std::min(count, width - at);
    row(data, step, n);
    first += n;
    count -= n;
  }
}

void copy_below(char* dst, const Dims& dst_strides, const char* src, const Dims& src_strides, const Dims& shape,
                std::size_t d, std::int64_t itemsize) {
  const std::int64_t n = shape[d], a = dst_strides[d], b = src_strides[d];
  if (d + 1 == shape.size()) return copy_row(dst, a, src, b, n, itemsize);
  for (std::int64_t i = 0; i < n; ++i)
    copy_below(dst + i * a, dst_strides, src + i * b, src_strides, shape, d + 1, itemsize);
}

unsigned wanted_threads() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const char* given = std::getenv("DEVARRAY_COPY_THREADS");
  const long n = given ? std::strtol(given, nullptr, 10) : 0;
  return n > 0 ? static_cast<unsigned>(std::min<long>(n, kMostThreads)) : std::min(cores, kCopyThreads);
}

}  // namespace

unsigned copy_threads() {
  static const unsigned n = wanted_threads();
  return n;
}

void in_parallel(unsigned lanes, const std::function<void(unsigned)>& work, bool more_follow) {
  if (lanes > 1)
    threads().run(lanes, work, more_follow);
  else if (lanes == 1)
    work(0);
}

void copy_bytes(void* dst, const void* src, std::size_t bytes) {
  if (bytes < kParallelCopyBytes) {
    std::memcpy(dst, src, bytes);
    return;
  }
  by_pieces(bytes, kPieceBytes, [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<char*>(dst) + begin, static_cast<const char*>(src) + begin, end - begin);
  });
}

void gather(char* dense, const StridedView& from, std::int64_t first, std::int64_t count) {
  for_rows(from, first, count, [&](const char* data, std::int64_t step, std::int64_t n) {
    copy_row(dense, from.itemsize, data, step, n, from.itemsize);
    dense += n * from.itemsize;
  });
}

void scatter(const char* dense, const StridedView& to, std::int64_t first, std::int64_t count) {
  for_rows(to, first, count, [&](char* data, std::int64_t step, std::int64_t n) {
    copy_row(data, step, dense, to.itemsize, n, to.itemsize);
    dense += n * to.itemsize;
  });
}

void copy_strided(const StridedView& dst, const StridedView& src) {
  const std::int64_t itemsize = src.itemsize, size = element_count(src.shape);
  if (size == 0) return;
  // In the order of the target's memory, merged where both sides step evenly.
  const auto order = k_order(src.shape, {&dst.strides, &src.strides});
  Dims shape = permuted(src.shape, order), to = permuted(dst.strides, order), from = permuted(src.strides, order);
  collapse(shape, {&to, &from});
  if (shape.empty()) {
    std::memcpy(dst.data, src.data, static_cast<std::size_t>(itemsize));
    return;
  }
  const auto bytes = static_cast<std::size_t>(size * itemsize);
  const auto outer = static_cast<std::size_t>(shape[0]);
  if (bytes < kParallelCopyBytes || outer < 2) {
    copy_below(dst.data, to, src.data, from, shape, 0, itemsize);
    return;
  }
  const std::size_t piece = std::max<std::size_t>(1, outer * kPieceBytes / bytes);
  by_pieces(outer, piece, [&](std::size_t begin, std::size_t end) {
    Dims part = shape;
    part[0] = static_cast<std::int64_t>(end - begin);
    const auto at = static_cast<std::int64_t>(begin);
    copy_below(dst.data + at * to[0], to, src.data + at * from[0], from, part, 0, itemsize);
  });
}

}  // namespace devarray
