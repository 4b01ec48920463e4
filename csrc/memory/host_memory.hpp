// Host memory for transfers: page-locked memory, which devices reach directly, and memory for new host arrays.
#pragma once

#include <cstddef>
#include <memory>

#include "memory/resource.hpp"

namespace devarray {

/// Page-locked host memory that `device` copies to and from directly, straight from its driver. Its kind is `pinned`
/// and host() its address. On OpenCL it is a host buffer that stays mapped, which kernels do not take.
/// Throws OutOfMemoryError; DeviceError where the driver has none.
AllocationPtr page_locked(Device& device, std::size_t bytes);

/// Whether a transfer of `device` reaches this memory directly: it was page-locked by anybody (CUDA) or by page_locked.
bool is_page_locked(Device& device, const void* data, std::size_t bytes);

/// A pool of page-locked memory, one a device, made at first use and kept until the process ends.
ResourcePtr page_locked_pool(const DevicePtr& device);

/// Memory of new host arrays is recycled from so many bytes on; below, malloc does it.
inline constexpr std::size_t kRecycledArrayBytes = std::size_t{1} << 20;
/// Bytes of dead host arrays that are held for the next ones.
inline constexpr std::size_t kHeldArrayBytes = std::size_t{1} << 30;

/// Memory for a new host array: recycled where a dead one was about as large, else fresh pages, huge ones where the
/// system has them. Its contents are undefined. Throws std::bad_alloc.
struct ArrayMemory {
  char* data = nullptr;
  std::size_t bytes = 0;  ///< a whole number of pages
};
ArrayMemory take_array_memory(std::size_t bytes);
void give_array_memory(ArrayMemory memory) noexcept;
/// Bytes held for new arrays; and giving them back to the system, which returns how many they were.
std::size_t held_array_bytes() noexcept;
std::size_t free_array_memory() noexcept;

}  // namespace devarray
