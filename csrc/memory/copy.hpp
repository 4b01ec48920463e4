// Copying in host memory: several threads for large copies, and views of any strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/shape.hpp"

namespace devarray {

/// Copies of at least so many bytes are shared by threads: below, waking them takes longer than the copy.
inline constexpr std::size_t kParallelCopyBytes = std::size_t{1} << 20;
/// Threads that copy, the caller included, where DEVARRAY_COPY_THREADS does not say; never more than there are cores.
inline constexpr unsigned kCopyThreads = 8;

/// How many threads copy at once, the caller included.
unsigned copy_threads();

/// Calls work(0) to work(lanes - 1), on the copying threads and on the caller's, and returns when all are done. The
/// first exception is thrown again. Threads start at the first use. Takes locks: release the GIL first. Where
/// `more_follow`, as in loops of short pieces of work, the threads stay awake for some microseconds.
void in_parallel(unsigned lanes, const std::function<void(unsigned lane)>& work, bool more_follow = false);

/// memcpy by several threads where that pays.
void copy_bytes(void* dst, const void* src, std::size_t bytes);

/// A view of host memory. Strides in bytes, of any sign.
struct StridedView {
  char* data = nullptr;
  Dims shape, strides;
  std::int64_t itemsize = 0;
};

/// Elements [first, first + count) in C order, to or from dense memory. Bytes between the elements are not touched.
void gather(char* dense, const StridedView& from, std::int64_t first, std::int64_t count);
void scatter(const char* dense, const StridedView& to, std::int64_t first, std::int64_t count);

/// dst[...] = src, both of src's shape, by several threads where that pays.
void copy_strided(const StridedView& dst, const StridedView& src);

}  // namespace devarray
