// The engine's switches, limits and counters, each with its meaning. Python sees them as devarray.config and
// devarray.stats().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

namespace devarray {

// --- limits of fusion (rule 7). A graph that reaches one is cut where that costs least (partition.hpp). ---
inline constexpr int kMaxDepth = 512;          ///< longest path from a pending result to its leaves
inline constexpr int kMaxPendingNodes = 2048;  ///< operations recorded below a pending result
/// The same by the strategy of CPUs, whose kernels have no loops for steps that repeat, so that they are cut in any
/// case.
inline constexpr int kMaxPendingOfCpu = 1024;
inline constexpr int kMaxElementNodes = 32;  ///< of these, operations on single elements: a kernel or two of them
/// Operations in one kernel, where one whose code is long counts as kHeavyOp. NVRTC, Intel's and PoCL's compilers take
/// 0.2, 0.2 and 0.6 s for 512 sums and products, and are linear in them to 1024 and beyond; for roots, quotients and
/// functions in float64 NVRTC takes 11 ms each up to 128 in a kernel, and 19 from 512 on.
inline constexpr int kMaxNodes = 512;
inline constexpr int kHeavyOp = 4;
inline constexpr int kMaxLeaves = 32;        ///< arrays read by one kernel
inline constexpr int kMaxExtraOutputs = 16;  ///< living interior nodes written beside the result
inline constexpr int kMaxScalars = 256;      ///< scalar arguments of one kernel
/// Bytes of the values that an element keeps between operations of one kernel: 160 of a GPU's registers.
inline constexpr int kMaxLiveBytes = 640;
/// Bytes that a launch costs at the bandwidth of fast memory, shared out over its elements.
inline constexpr double kLaunchBytes = 8e6;
/// Bytes that pending expressions may hold on any device; more where its memory is large (too_much_pending).
inline constexpr std::uint64_t kMaxPendingBytes = std::uint64_t{8} << 30;
/// Launches that a queue may have waiting before the host waits for half of them. CUDA's driver holds about a thousand.
inline constexpr unsigned kLaunchesInFlight = 512;
/// Bytes from which on memory is given back that only elements keep, which were read from an array that is gone.
inline constexpr std::size_t kLargeForElements = std::size_t{64} << 10;

/// Bytes that plans of launches take which are kept for graphs that come again.
inline constexpr std::size_t kMaxPlanBytes = std::size_t{4} << 20;

struct Config {
  bool deferred = true;       ///< DEVARRAY_EAGER=1 turns it off
  int debug = 0;              ///< DEVARRAY_DEBUG
  bool forbid_waits = false;  ///< raise on anything that makes the host wait (a debug switch)
  /// DEVARRAY_HOST_ELEMENTS: elements times operations up to which the host runs work itself where the memory is its
  /// own
  std::int64_t host_elements = 0;
  /// DEVARRAY_ROW_BYTES: of values, from which on reductions of their rows wait on GPUs for what is computed from them
  std::int64_t row_bytes = std::int64_t{1} << 19;
  /// Of memory, from which on launches are arranged by what a cache holds.
  std::int64_t large_bytes() const { return 16 * std::min(row_bytes, std::int64_t{1} << 50); }
  /// Elements of an array up to which reductions of all of them wait on GPUs, too; 0: none do (a test's switch)
  std::int64_t vector_elements = 1024;
  /// Elements, and distances between them, that GPUs' element-wise kernels count in 32 bits; a launch of more goes by
  /// parts. Less than 2^31, where the last block may reach beyond the end. (A test sets less.)
  std::int64_t short_counts = (std::int64_t{1} << 31) - (std::int64_t{1} << 16);
  bool background =
      false;  ///< DEVARRAY_BACKGROUND: on CPU devices the host stands in for kernels that are being compiled
  bool check_bounds = false;  ///< DEVARRAY_CHECK_BOUNDS: kernels check each access; set before the first one is made
};
inline Config& config() {
  static constinit Config c;
  return c;
}

struct Stats {
  std::atomic<std::uint64_t> launches{0}, host_runs{0}, recorded{0}, compilations{0}, memory_cache_hits{0},
      disk_cache_hits{0}, transfers_to_device{0}, transfers_to_host{0}, bytes_to_device{0}, bytes_to_host{0}, waits{0},
      cuts{0}, donations{0}, kernels_evicted{0}, moved_operands{0}, bytes_of_moved_operands{0},
      transfers_between_devices{0}, bytes_between_devices{0};
  std::atomic<std::uint64_t> bytes_moved{0};  ///< that launches read and write, each element of an operand once
  std::atomic<std::uint64_t> kernels{0};      ///< held in memory now
  std::atomic<std::uint64_t> plans{0};        ///< of launches, kept now
  std::atomic<std::uint64_t> plans_reused{0}, plans_evicted{0};
};
inline Stats& stats() {
  static constinit Stats s;
  return s;
}

/// Logs a message where DEVARRAY_DEBUG is at least `level`.
void debug_line(int level, const std::string& line);
inline bool debugging(int level) { return config().debug >= level; }

/// Counts a wait, and throws devarray::Error where waits are forbidden. `what` names the cause.
void note_wait(const char* what);

}  // namespace devarray
