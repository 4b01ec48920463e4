// How an element-wise launch is cut into groups, and from which end they run.
#include <algorithm>

#include "engine/config.hpp"
#include "engine/launch.hpp"

namespace devarray {
namespace {

/// Of a GPU: with 7 or 8 for each unit, those with 7 idle an eighth of the time.
constexpr std::int64_t kGroupsPerUnit = 16;
constexpr std::int64_t kLeastGroup = 64;  ///< work-items
/// Of a row that leaves read shifted along it, on CPUs: the one or two groups with the end of a leaf's row take longer.
constexpr std::int64_t kGroupsOfShiftedRow = 8;
constexpr std::int64_t kVector = 16;  ///< work-items of a CPU's vector, at most

}  // namespace

bool may_turn(const Device& device, std::uint64_t bytes) {
  return device.strategy() == Strategy::gpu && !device.exact_launches() &&
         bytes >= 2 * static_cast<std::uint64_t>(config().large_bytes());
}

std::int64_t turned(std::int64_t size, Queue& queue) {
  constexpr std::int64_t kBackwards = std::int64_t{1} << 32;
  queue.walks_backwards = !queue.walks_backwards;
  return (size & (kBackwards - 1)) | (queue.walks_backwards ? kBackwards : 0);
}

LaunchDims elementwise_dims(const Device& device, const Kernel& kernel, Mode mode, int vec, const Dims& sizes,
                            bool shifted_rows) {
  const bool cpu = device.strategy() == Strategy::cpu;
  const std::int64_t most =
      static_cast<std::int64_t>(std::min<std::size_t>(kernel.max_work_group_size(), cpu ? 1024 : 256));
  const auto groups = [](std::int64_t n, std::int64_t per) { return static_cast<std::size_t>((n + per - 1) / per); };
  LaunchDims dims;
  if (mode != Mode::rows) {
    const std::int64_t n = (element_count(sizes) + vec - 1) / vec;
    std::int64_t local = most;
    if (!cpu) {  // smaller groups where few large ones would leave some units more of them than others
      const auto units = static_cast<std::int64_t>(std::max<std::size_t>(device.caps().compute_units, 1));
      while (local > kLeastGroup && n < kGroupsPerUnit * units * local) local /= 2;
    }
    dims.local[0] = static_cast<std::size_t>(local);
    dims.groups[0] = groups(n, local);
    if (device.exact_launches()) dims.items[0] = static_cast<std::size_t>(n);
    return dims;
  }
  const std::int64_t inner = sizes.back(), outer = element_count(sizes) / inner;
  std::int64_t widest = most;
  const std::int64_t part = (inner / kGroupsOfShiftedRow + kVector - 1) / kVector * kVector;
  if (cpu && shifted_rows && part >= kLeastGroup) widest = std::min(most, part);
  if (device.exact_launches()) {
    const std::int64_t width = std::min(inner, widest), height = std::min(outer, most / width);
    dims.local[0] = static_cast<std::size_t>(width);
    dims.local[1] = static_cast<std::size_t>(height);
    dims.groups[0] = groups(inner, width);
    dims.groups[1] = groups(outer, height);
    dims.items[0] = static_cast<std::size_t>(inner);
    dims.items[1] = static_cast<std::size_t>(outer);
    return dims;
  }
  std::int64_t width = 16;
  while (width < inner && width < widest) width *= 2;
  width = std::min(width, most);
  std::int64_t height = 1;
  while (height * 2 * width <= most && height < outer) height *= 2;
  dims.local[0] = static_cast<std::size_t>(width);
  dims.local[1] = static_cast<std::size_t>(height);
  dims.groups[0] = groups(inner, width);
  dims.groups[1] = groups(outer, cpu ? height : height * kRowsOfAnItem);
  if (!cpu) dims.groups[1] = std::min<std::size_t>(dims.groups[1], 65535);  // the kernel loops
  return dims;
}

LaunchDims tile_dims(const ElementwiseSpec& spec, const Dims& sizes) {
  std::int64_t groups = 1;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    const std::int64_t side = dim + 1 == sizes.size() ? spec.tile_along : dim == spec.across ? spec.tile_across : 1;
    groups *= (sizes[dim] + side - 1) / side;
  }
  LaunchDims dims;
  dims.local[0] = static_cast<std::size_t>(kItemsOfTile);
  dims.groups[0] = static_cast<std::size_t>(groups);
  return dims;
}

}  // namespace devarray
