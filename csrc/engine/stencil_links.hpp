// How a launch reads what the launches of a chain write: at which distances, and whether one kernel can do both.
#pragma once

#include "engine/stencil_chain.hpp"

namespace devarray {

/// Columns of a tile.
inline constexpr std::int64_t kTileColumns = 64;
/// Work-items that share a column of a tile, and its rows, of which each has some, one below the other. With several
/// results each has fewer, for want of registers. NVIDIA's OpenCL takes groups of up to 256 work-items.
struct TileShape {
  std::int64_t items, rows;
};
inline constexpr TileShape kTileOfOne{8, 48}, kTileOfSeveral{8, 32}, kTileOfOpenCl{4, 32};
inline constexpr std::int64_t kMostTileRows = 48;
/// The farthest that a neighbour may be.
inline constexpr std::int64_t kReach = 4;
/// Sides of frames that a chain holds back.
inline constexpr std::size_t kMostSides = 32;
/// Distances are kept as unsigned numbers around this one.
inline constexpr std::int64_t kNoDistance = 128;

/// How far each stage's tile is smaller than the whole one at each side.
struct Margin {
  int rows = 0, columns = 0;
};

/// A result whose memory went back (stencil_memory.hpp).
struct FreedResult {
  std::size_t step, output;
  std::size_t size, offset;  ///< of the block that it had
  ResourcePtr owner;
  Ref<Block> loan;  ///< while steps are launched one by one
};

/// The launches of a chain and how they are linked.
struct StencilSteps {
  std::vector<StencilLaunch> launches;
  SmallVector<std::uint8_t, 16> links;  ///< as in StencilChainSpec
  std::vector<Margin> margins;
  std::vector<StencilFrame> frames;
  std::vector<FreedResult> freed;
  std::vector<StencilLaunch> sides;        ///< of frames: launches that read nothing, and come before all steps
  bool periodic = false, bounded = false;  ///< what links with a distance are: shifts or windows
  std::uint64_t changes = 0;               ///< counted: whoever lets other threads run looks at it again

  std::int64_t size(int axis) const { return launches[0].slots[static_cast<std::size_t>(axis)] & 0xFFFFFFFF; }
  TileShape tile{};  ///< of the first launch
  bool writes(const Block* block) const;
  bool uses(const Block* block) const;
  /// How many sides are written to the block; each holds it.
  std::uint32_t sides_of(const Block* block) const;
};

inline std::size_t leaves_of(const StencilStage& s) { return s.spec.body.leaves.size(); }

/// How one more step is linked with the others. False where its operands do not allow that; of `blocks` and `slots` as
/// the launch would have them.
bool link_step(const StencilSteps& steps, const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots,
               const std::vector<const Block*>& blocks, StencilLinks& found);

/// What leaves of the same memory are read at neighbouring places: as in StencilChainSpec.
SmallVector<std::uint8_t, 16> neighbours(const StencilSteps& steps);

}  // namespace devarray
