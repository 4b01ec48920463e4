// Which operands of a GPU's launch are read by tiles of local memory, and what a tile is.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "common/shape.hpp"
#include "engine/launch.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kElements = 1024;      ///< of a tile
constexpr std::int64_t kManyElements = 4096;  ///< the same where no operand has more than kNarrow bytes an element,
constexpr std::int64_t kLeastElements = 512;  ///< of the array in it: few for a group's work
constexpr std::int64_t kGroupsOfUnit = 4;     ///< and each compute unit of the device has so many groups
constexpr std::size_t kNarrow = 4;
constexpr std::int64_t kFar = 8;      ///< times its size: how far apart neighbours read an operand that goes by tiles
constexpr std::int64_t kSector = 32;  ///< bytes: no need to read them further apart
constexpr std::int64_t kNear = 4;     ///< times its size: how far apart they read it by tiles, at most
constexpr std::size_t kLocalBytes = 32768;

std::int64_t ceil_power(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// The dim along which an operand's elements are near each other; -1 where they are along the last one.
int dim_of_neighbours(const Dims& sizes, const Dims& strides, std::int64_t itemsize) {
  const std::int64_t last = std::abs(strides.back());
  if (last < std::min(kFar * itemsize, kSector)) return -1;
  int best = -1;
  std::int64_t least = std::min(last / 2, kNear * itemsize);
  for (std::size_t dim = 0; dim + 1 < sizes.size(); ++dim) {
    const std::int64_t stride = std::abs(strides[dim]);
    if (stride == 0 || stride > least) continue;
    best = static_cast<int>(dim);
    least = stride - 1;
  }
  return best;
}

struct Tile {
  std::int64_t across, along;
  std::size_t elements() const { return static_cast<std::size_t>((across + 1) * along); }  ///< of local memory
};

/// A square, or where a dim is shorter than its side, the longer along the other one.
Tile tile_of(std::int64_t elements, std::int64_t across, std::int64_t along) {
  std::int64_t side = 1;
  while (side * side < elements) side *= 2;
  Tile t{std::min(side, ceil_power(across)), std::min(side, ceil_power(along))};
  if (t.across < side) t.along = std::min(elements / t.across, ceil_power(along));
  if (t.along < side) t.across = std::min(elements / t.along, ceil_power(across));
  return t;
}

}  // namespace

bool is_read_across(const Expression& e) {
  if (element_count(e.space()) < kLeastReadAcross || e.operands.size() < 2 || !e.reads_in_place() ||
      e.leaf_nodes[0]->place->device->strategy() != Strategy::gpu)
    return false;
  std::vector<const Dims*> seen;
  for (const Operand& o : e.operands) seen.push_back(&o.strides);
  const auto order = agreed_order(e.space(), seen);
  Dims sizes = permuted(e.space(), order);
  std::vector<Dims> strides;
  for (const Operand& o : e.operands) strides.push_back(permuted(o.strides, order));
  std::vector<Dims*> all;
  for (Dims& s : strides) all.push_back(&s);
  collapse(sizes, all);
  for (std::size_t i = 0; i < strides.size() && sizes.size() > 1; ++i) {
    if (e.operands[i].repeated) continue;
    const int dim = dim_of_neighbours(sizes, strides[i], static_cast<std::int64_t>(size_of(e.operands[i].dtype)));
    if (dim < 0) continue;
    const Tile tile = tile_of(kElements, sizes[static_cast<std::size_t>(dim)], sizes.back());
    if (tile.across * tile.along >= kLeastElements) return true;
  }
  return false;
}

void ElementwiseLaunch::find_tiles() {
  if (place_.device->strategy() != Strategy::gpu || sizes_.size() < 2) return;
  std::size_t widest = 1, bytes = 0;  // those of an element of all that go by tiles
  int across = -1;
  SmallVector<std::size_t, 8> tiled;
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    const Operand& o = e_.operands[i];
    if (o.repeated) continue;
    widest = std::max(widest, size_of(o.dtype));
    if (spec_.body.leaves[i].access != Access::strided) continue;
    const int dim = dim_of_neighbours(sizes_, o.strides, static_cast<std::int64_t>(size_of(o.dtype)));
    if (dim < 0 || (across >= 0 && dim != across)) continue;
    across = dim;
    tiled.push_back(i);
    bytes += size_of(o.dtype);
  }
  if (across < 0) return;
  for (const Target& t : targets_) widest = std::max(widest, size_of(t.dtype));
  const auto& caps = place_.device->caps();
  const auto units = static_cast<std::int64_t>(std::max<std::size_t>(caps.compute_units, 1));
  const std::size_t room = std::min(kLocalBytes, caps.local_memory);
  const auto of = [&](std::int64_t elements) {
    return tile_of(elements, sizes_[static_cast<std::size_t>(across)], sizes_.back());
  };
  Tile tile = of(kElements);
  const bool many = widest <= kNarrow && element_count(sizes_) >= kManyElements * kGroupsOfUnit * units;
  if (many && of(kManyElements).elements() * bytes <= room) tile = of(kManyElements);
  if (tile.across * tile.along < kLeastElements) return;
  bytes = 0;
  for (const std::size_t i : tiled) {
    bytes += tile.elements() * size_of(e_.operands[i].dtype);
    if (bytes > room) break;
    spec_.body.leaves[i].access = Access::tiled;
    spec_.mode = Mode::tiles;
  }
  if (spec_.mode != Mode::tiles) return;
  spec_.across = static_cast<std::uint8_t>(across);
  spec_.tile_across = static_cast<std::uint16_t>(tile.across);
  spec_.tile_along = static_cast<std::uint16_t>(tile.along);
}

}  // namespace devarray
