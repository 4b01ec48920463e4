// Copies between host and device memory by the quickest way: at once where the host sees the memory or has page-locked
// its own, and for the rest through a ring of page-locked blocks that several threads fill or empty while the device
// copies.
#pragma once

#include <cstddef>

#include "memory/copy.hpp"
#include "memory/resource.hpp"

namespace devarray {

/// What decides about staging. Tests set it; everybody else leaves it.
struct StagingLimits {
  std::size_t least = std::size_t{1} << 20;  ///< bytes: below, the driver's own copy of pageable memory is as quick
  std::size_t chunk = std::size_t{2} << 20;  ///< bytes of one staging block
  bool everywhere = false;                   ///< also where the memory is near, which has nothing to gain
};
StagingLimits& staging_limits();

/// Bytes of page-locked memory in the rings of all devices.
std::size_t staging_bytes() noexcept;

/// Whether the host reads and writes this memory in place as quickly as any other. False for managed memory, which
/// would move.
bool is_near_host(const Allocation& device);
/// Whether a transfer of dense host memory goes through staging: large, far from the host, and not page-locked.
bool worth_staging(Device& device, const void* host, std::size_t bytes);

/// device[offset, ...) = the elements of `host` in C order; dense on the device. When it returns the host memory may
/// change, unless `blocking` is false: then once the event is done. Release the GIL first.
EventPtr write_from_host(Queue& queue, Allocation& device, std::size_t offset, const StridedView& host, bool blocking);

/// The elements of `host` in C order = device[offset, ...). Done when it returns, unless `blocking` is false: then once
/// the event is done, if there is one.
EventPtr read_to_host(Queue& queue, Allocation& device, std::size_t offset, const StridedView& host, bool blocking);

}  // namespace devarray
