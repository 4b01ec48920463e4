// Origins, regions and pitches of rectangular transfers, and the checks that keep them inside host memory.
#pragma once

#include <array>
#include <string>

#include "bind/opencl/opencl.hpp"
#include "common/checked.hpp"
#include "opencl/image.hpp"

namespace devarray::opencl {

using Lengths = std::vector<std::size_t>;

/// Three lengths from up to three.
class Triple {
 public:
  Triple(const Lengths& given, std::size_t missing) : values_{missing, missing, missing} {
    if (given.size() > 3)
      throw ValueError("origins and regions have at most three entries; got " + std::to_string(given.size()));
    std::copy(given.begin(), given.end(), values_.begin());
  }
  const std::size_t* data() const noexcept { return values_.data(); }
  std::size_t operator[](std::size_t i) const noexcept { return values_[i]; }

 private:
  std::array<std::size_t, 3> values_;
};

// Drivers check offsets against a memory object's size, but add them up first, in 64 bits that overflow.

/// Throws the driver's own error where [offset, offset + bytes) leaves the memory object.
inline void require_range(const MemoryObject& memory, std::size_t offset, std::size_t bytes, const char* call) {
  if (offset <= memory.size() && bytes <= memory.size() - offset) return;
  throw ClError(call, CL_INVALID_VALUE,
                std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                    " of a memory "
                    "object of " +
                    std::to_string(memory.size()) + " bytes");
}

/// The same for rows of `region[0]` bytes with row and slice `pitch` in bytes.
inline void require_rectangle(const MemoryObject& memory, const Triple& origin, const Triple& region,
                              const std::array<std::size_t, 2>& pitch, const char* call) {
  require_range(memory, 0, rectangle_end(origin.data(), region.data(), pitch.data()), call);
}

/// Throws ValueError where the end of a region of pixels does not fit into 64 bits.
inline void require_box(const Triple& origin, const Triple& region) {
  for (std::size_t i = 0; i < 3; ++i) checked_add(origin[i], region[i], "the end of a region");
}

/// Throws ValueError where rows of `region[0]` bytes, with row and slice `pitch` in bytes, leave the host memory.
inline void require_room(const HostBuffer& host, const Triple& origin, const std::array<std::size_t, 3>& region,
                         const std::array<std::size_t, 2>& pitch) {
  const std::size_t end = rectangle_end(origin.data(), region.data(), pitch.data());
  if (end > host.size())
    throw ValueError("the transfer would touch host byte " + std::to_string(end - 1) + ", but the host memory has " +
                     std::to_string(host.size()) + " bytes");
}
void require_pixels(const Image& image, const HostBuffer& host, const Triple& region, std::size_t row_pitch,
                    std::size_t slice_pitch);

/// The event of a transfer with host memory: one that keeps the memory alive, unless the transfer is complete.
inline ClEventPtr nanny(CommandQueue& queue, cl_event event, HostBufferPtr host, bool blocking) {
  queue.touch();
  return std::make_shared<NannyEvent>(Handle<cl_event>::adopt(event), blocking ? nullptr : std::move(host));
}

/// Enqueues without the GIL: `enqueue(queue, wait list, &event)`.
template <class Enqueue>
ClEventPtr enqueue_with(CommandQueue& queue, const py::object& wait_for, Enqueue&& enqueue) {
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  cl_event event = nullptr;
  enqueue(queue.get(), WaitList(events), &event);
  return event_of(queue, event);
}

}  // namespace devarray::opencl
