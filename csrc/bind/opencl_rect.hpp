// Origins, regions and pitches of rectangular transfers, and the checks that keep them inside host memory.
#pragma once

#include <array>
#include <string>

#include "bind/opencl.hpp"
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

/// Throws ValueError where rows of `region[0]` bytes, with row and slice `pitch` in bytes, leave the host memory.
inline void require_room(const HostBuffer& host, std::size_t offset, std::array<std::size_t, 3> region,
                         std::array<std::size_t, 2> pitch) {
  if (!region[0] || !region[1] || !region[2]) return;
  const std::size_t end = offset + (region[2] - 1) * pitch[1] + (region[1] - 1) * pitch[0] + region[0];
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
  const auto events = events_of(wait_for);
  GilRelease release;
  cl_event event = nullptr;
  enqueue(queue.get(), WaitList(events), &event);
  return event_of(queue, event);
}

}  // namespace devarray::opencl
