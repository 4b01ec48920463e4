// Temporal blocking: steps of a stencil, which read what the one before wrote at shifted places, as one kernel.
//
// A launch that reads the results of the one before it at neighbouring places is held back in its queue. Where the next
// launch reads its results in turn, both become one kernel by tiles: a group of work-items computes the first step on a
// tile of local memory, with a margin that its neighbours compute, too, and the second one from there. What nobody
// holds by then is never written. Whatever else is asked of the queue launches what is held back (Queue::settle).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"

namespace devarray {

/// What a chain's kernel has to know of a launch, beside its slots.
struct StencilStage {
  ElementwiseSpec spec;
  SmallVector<std::uint16_t, 32> slot_of;  ///< of each operand's offset: leaves, then outputs
  SmallVector<bool, 8> replaceable;        ///< outputs: whether all of its storage is a result of the launch
  int weight = 0;                          ///< operations
  mutable unsigned alone = 0;              ///< how often it was held back for nothing, since it last was not
};
using StencilStagePtr = std::shared_ptr<const StencilStage>;

/// One launch, as the queue gets it.
struct StencilLaunch {
  StencilStagePtr stage;
  KernelPtr kernel;  ///< null where it was never needed: made, and the dims with it, where a step is launched alone
  LaunchDims dims;
  SmallVector<MemoryArg, 32> memory;
  SmallVector<std::int64_t, 64> slots;
  /// In the order of `memory`. Null where the chain does without: a result whose memory went back, and its readers.
  std::vector<Ref<Block>> blocks;
  std::uint64_t bytes = 0;            ///< moved
  bool turns = false;                 ///< turned(), launch.hpp
  SmallVector<bool, 8> returnable{};  ///< results: whether the block is of the array's own allocator
};

/// A stage, where launches of the spec that move so many bytes may become part of a chain; else null.
StencilStagePtr stencil_stage(const ElementwiseSpec& spec, SmallVector<std::uint16_t, 32> slot_of,
                              SmallVector<bool, 8> replaceable, std::uint64_t bytes, const Device& device);

/// A result by its place in the chain.
struct StencilResult {
  std::size_t step = 0, output = 0;
};

/// A result that is a window, and the value that its memory holds all around.
struct StencilFrame {
  StencilResult result;
  std::int64_t bits[2];  ///< encode_scalar()
};

/// What a launch finds that goes on with a chain: how it is linked with it.
struct StencilLinks {
  SmallVector<std::uint8_t, 16> links;  ///< as in StencilChainSpec
  int rows = 0, columns = 0;            ///< margins of its own tile
  bool periodic = false, bounded = false;
  std::vector<StencilFrame> frames;  ///< of results that it reads around
};

/// What becomes of a launch: asked before it is made, while it can still be planned anew.
class StencilOffer {
 public:
  /// `storages` in the order of the launch's operands, leaves first; they have their memory. Where the launch neither
  /// goes on with what its queue holds back nor has nothing to do with it, that is launched: other threads may run
  /// meanwhile. `stage` may be null. `in_batch`: it is part of a batch (launch_batch.hpp).
  StencilOffer(const StencilStagePtr& stage, const Place& place, std::span<Storage* const> storages, std::size_t leaves,
               const SmallVector<std::int64_t, 64>& slots, bool in_batch = false);
  /// Whether hold_back() is to be called instead of a launch.
  bool held() const { return held_; }
  /// Whether the launch is to go past what is held back, by Queue::launch_first.
  bool passes() const { return passes_; }
  /// Takes the launch; results that would be written where the chain still reads get memory of their own.
  void hold_back(StencilLaunch&& launch) const;

 private:
  bool goes_on(const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots);
  void find_frames();
  bool find_memory(const StencilStage& stage);
  bool begins(const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots) const;

  const Place& place_;
  std::span<Storage* const> storages_;
  std::vector<const Block*> blocks_;
  const std::size_t leaves_;
  bool held_ = false, linked_ = false, passes_ = false, side_ = false;
  StencilLinks links_;
  std::vector<std::pair<std::size_t, Ref<Block>>> fresh_;          ///< by operand
  std::vector<std::pair<std::size_t, StencilResult>> taken_over_;  ///< by operand: whose memory it takes
};

/// What identifies the kernel of a chain; its dataclass is in devarray/codegen/kernels/stencil_chain.py.
struct StencilChainSpec {
  std::vector<ElementwiseSpec> stages;
  /// Six numbers a link: the stage that reads, its leaf, the stage that wrote, its output, and how far apart the
  /// elements are in rows and columns, kNoDistance where they are not.
  SmallVector<std::uint8_t, 16> links;
  /// Five numbers a leaf: stage, leaf, the leaf whose memory and place it is read by, how far from there.
  SmallVector<std::uint8_t, 16> neighbours;
  SmallVector<std::uint8_t, 16> frames;   ///< two numbers a result around which one value lies: stage, output
  SmallVector<std::uint8_t, 16> stored;   ///< two numbers a result: stage, output
  SmallVector<std::uint8_t, 16> margins;  ///< of each stage, in rows and columns
  bool bounded = false;                   ///< results are windows: what lies around them is read from memory
  bool restrict = true;
  std::uint16_t columns = 0, rows = 0, several = 0;  ///< of a tile; rows of a work-item

  template <class Visit>
  void each_field(Visit&& visit) const {
    visit("stages", stages);
    visit("links", links);
    visit("neighbours", neighbours);
    visit("frames", frames);
    visit("stored", stored);
    visit("margins", margins);
    visit("bounded", bounded);
    visit("restrict", restrict);
    visit("columns", columns);
    visit("rows", rows);
    visit("several", several);
  }
};

}  // namespace devarray
