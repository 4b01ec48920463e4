#include "engine/stencil_links.hpp"

#include <algorithm>
#include <cstdlib>

namespace devarray {
namespace {

using StepSlots = SmallVector<std::int64_t, 64>;

/// Two operands of the same memory: a leaf, and a result of an earlier launch or another leaf.
struct Pair {
  const StencilStage& stage;
  const StepSlots &slots, &others;
  std::size_t leaf;       ///< operand
  std::size_t at, other;  ///< slots of their offsets
  DType dtype;            ///< of the other one
};

struct Distance {
  std::int64_t rows = 0, columns = 0;
  bool shifted = false;
  bool any() const { return rows != 0 || columns != 0; }
  std::int64_t far() const { return std::max(std::abs(rows), std::abs(columns)); }
};

std::int64_t nearer(std::int64_t shift, std::int64_t size) { return 2 * shift > size ? shift - size : shift; }

/// Whether both see the same elements, as rows of neighbours.
bool see_alike(const Pair& p) {
  const SpecOperand& leaf = p.stage.spec.body.leaves[p.leaf];
  const auto itemsize = static_cast<std::int64_t>(size_of(leaf.dtype));
  const std::int64_t pitch = p.slots[p.at + 1];
  return leaf.dtype == p.dtype && leaf.access == Access::unit && pitch == p.others[p.other + 1] &&
         pitch >= kTileColumns * itemsize && pitch % itemsize == 0;
}

/// How far apart element i of the leaf and element i of the other one are. False where that is no distance.
bool distance_of(const Pair& p, std::int64_t rows, std::int64_t columns, Distance& d) {
  if (!see_alike(p)) return false;
  const SpecOperand& leaf = p.stage.spec.body.leaves[p.leaf];
  const auto itemsize = static_cast<std::int64_t>(size_of(leaf.dtype));
  const std::int64_t bytes = p.slots[p.at] - p.others[p.other], pitch = p.slots[p.at + 1] / itemsize;
  if (leaf.shifted) {
    d = {nearer(p.slots[p.at + 3], rows), nearer(p.slots[p.at + 4], columns), true};
    return bytes == 0 && d.far() <= kReach;
  }
  if (bytes % itemsize != 0) return false;
  const std::int64_t elements = bytes / itemsize, half = elements + pitch / 2;
  d.rows = half >= 0 ? half / pitch : -((pitch - 1 - half) / pitch);
  d.columns = elements - d.rows * pitch;
  return d.far() <= kReach;
}

/// Whether the other one's memory reaches so far around it.
bool reaches(const Pair& p, const Block& block, std::int64_t rows, std::int64_t columns, std::int64_t by) {
  const auto itemsize = static_cast<std::int64_t>(size_of(p.dtype));
  const std::int64_t first = p.others[p.other] - static_cast<std::int64_t>(block.offset), pitch = p.others[p.other + 1];
  return first - by * pitch - by * itemsize >= 0 &&
         first + (rows - 1 + by) * pitch + (columns + by) * itemsize <= static_cast<std::int64_t>(block.size);
}

/// Whether what lies so many columns beside a row of the window is no element of another row of it.
bool is_beside(const Pair& p, std::int64_t columns, std::int64_t by) {
  return (columns + std::abs(by)) * static_cast<std::int64_t>(size_of(p.dtype)) <= p.others[p.other + 1];
}

}  // namespace

bool StencilSteps::writes(const Block* block) const {
  for (const StencilLaunch& l : launches)
    for (std::size_t i = leaves_of(*l.stage); i < l.blocks.size(); ++i)
      if (l.blocks[i].get() == block) return true;
  return false;
}

std::uint32_t StencilSteps::sides_of(const Block* block) const {
  std::uint32_t count = 0;
  for (const StencilLaunch& side : sides) count += side.blocks[0].get() == block;
  return count;
}

bool StencilSteps::uses(const Block* block) const {
  for (const StencilLaunch& l : launches)
    for (const Ref<Block>& b : l.blocks)
      if (b.get() == block) return true;
  return false;
}

namespace {

/// The result of an earlier launch that a leaf reads, and its distance.
struct Found {
  std::size_t step = 0, output = 0;
  Distance distance;
};

/// False where the leaf is in memory that the steps write, in any other way.
bool find_result(const StencilSteps& steps, const StencilStage& stage, const StepSlots& slots, std::size_t leaf,
                 const Block& block, Found& found) {
  const std::int64_t rows = steps.size(0), columns = steps.size(1);
  for (std::size_t s = 0; s < steps.launches.size(); ++s) {
    const StencilLaunch& from = steps.launches[s];
    const std::size_t leaves = leaves_of(*from.stage);
    for (std::size_t o = leaves; o < from.blocks.size(); ++o) {
      if (from.blocks[o].get() != &block) continue;
      const Pair pair{stage,
                      slots,
                      from.slots,
                      leaf,
                      stage.slot_of[leaf],
                      from.stage->slot_of[o],
                      from.stage->spec.body.outputs[o - leaves].dtype};
      Distance& d = found.distance;
      if (!distance_of(pair, rows, columns, d)) return false;
      found.step = s;
      found.output = o - leaves;
      if (!d.any()) return true;
      return s + 1 == steps.launches.size() &&
             (d.shifted || (is_beside(pair, columns, d.columns) && reaches(pair, block, rows, columns, d.far())));
    }
  }
  return false;
}

}  // namespace

bool link_step(const StencilSteps& steps, const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots,
               const std::vector<const Block*>& blocks, StencilLinks& found) {
  if ((slots[0] & 0xFFFFFFFF) != steps.size(0) || (slots[1] & 0xFFFFFFFF) != steps.size(1)) return false;
  found.periodic = steps.periodic;
  found.bounded = steps.bounded;
  std::int64_t rows = 0, columns = 0;
  for (std::size_t leaf = 0; leaf < leaves_of(stage); ++leaf) {
    if (!steps.writes(blocks[leaf])) continue;
    Found from;
    if (!find_result(steps, stage, slots, leaf, *blocks[leaf], from)) return false;
    const Distance& d = from.distance;
    if (d.any()) (d.shifted ? found.periodic : found.bounded) = true;
    rows = std::max(rows, std::abs(d.rows));
    columns = std::max(columns, std::abs(d.columns));
    for (std::size_t number : {steps.launches.size(), leaf, from.step, from.output})
      found.links.push_back(static_cast<std::uint8_t>(number));
    found.links.push_back(static_cast<std::uint8_t>(kNoDistance + d.rows));
    found.links.push_back(static_cast<std::uint8_t>(kNoDistance + d.columns));
  }
  found.rows = steps.margins.back().rows + static_cast<int>(rows);
  found.columns = steps.margins.back().columns + static_cast<int>(columns);
  return rows + columns > 0 && !(found.periodic && found.bounded) && 4 * found.rows <= steps.tile.rows &&
         4 * found.columns <= kTileColumns;
}

namespace {

/// The leaf that another one is a neighbour of: the first in the same memory that it has a distance from.
std::size_t leader_of(const StencilSteps& steps, const StencilLaunch& l, std::size_t leaf, Distance& d) {
  const StencilStage& stage = *l.stage;
  for (std::size_t first = 0; first < leaf; ++first) {
    if (l.blocks[first] != l.blocks[leaf]) continue;
    const SpecOperand& other = stage.spec.body.leaves[first];
    if (other.access != Access::unit || (steps.bounded && other.shifted)) continue;
    const Pair pair{stage, l.slots, l.slots, leaf, stage.slot_of[leaf], stage.slot_of[first], other.dtype};
    if (!distance_of(pair, steps.size(0), steps.size(1), d) || (steps.periodic && d.any() && !d.shifted)) continue;
    if (!steps.bounded || reaches(pair, *l.blocks[leaf], steps.size(0), steps.size(1), d.far())) return first;
  }
  const Pair itself{
      stage, l.slots, l.slots, leaf, stage.slot_of[leaf], stage.slot_of[leaf], stage.spec.body.leaves[leaf].dtype};
  return distance_of(itself, steps.size(0), steps.size(1), d) ? leaf : stage.slot_of.size();
}

}  // namespace

SmallVector<std::uint8_t, 16> neighbours(const StencilSteps& steps) {
  SmallVector<std::uint8_t, 16> found;
  for (std::size_t s = 0; s < steps.launches.size(); ++s) {
    const StencilLaunch& l = steps.launches[s];
    for (std::size_t leaf = 0; leaf < leaves_of(*l.stage); ++leaf) {
      const SpecOperand& operand = l.stage->spec.body.leaves[leaf];
      Distance d;
      if (operand.access != Access::unit || (steps.bounded && operand.shifted) || !l.blocks[leaf] ||
          steps.writes(l.blocks[leaf].get()))
        continue;
      const std::size_t leader = leader_of(steps, l, leaf, d);
      if (leader > leaf) continue;
      for (std::int64_t number : {static_cast<std::int64_t>(s), static_cast<std::int64_t>(leaf),
                                  static_cast<std::int64_t>(leader), kNoDistance + d.rows, kNoDistance + d.columns})
        found.push_back(static_cast<std::uint8_t>(number));
    }
  }
  return found;
}

}  // namespace devarray
