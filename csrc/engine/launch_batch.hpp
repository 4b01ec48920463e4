// Equal launches, one after the other on other memory each, as one launch: an optimiser's step over its parameters.
//
// A small launch does not fill a GPU to its end: its last groups run while the next launch waits for them. Where a
// planned launch (kept_launch.hpp) is repeated several times in a row, and no repeat has to do with what the others
// write, its queue holds the following ones back, up to as many as a kernel with that many sets of arguments takes, and
// launches them together: the third dimension of the grid says which set a group works on. Whatever else is asked of
// the queue launches what is held back (Queue::settle).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/shape.hpp"
#include "engine/held_work.hpp"
#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"

namespace devarray {

/// An operand of a launch, for comparison: the block may be gone.
struct UsedMemory {
  const Block* block;
  std::int64_t begin, end;  ///< bytes
  bool meets(const UsedMemory& other) const { return block == other.block && begin < other.end && other.begin < end; }
};
using UsedMemories = SmallVector<UsedMemory, 8>;

/// The kernel for several sets of arguments, of one planned launch. Under the engine's lock.
class BatchForm {
 public:
  /// Where an operand lies: the slot of its offset, and what it reaches from there.
  struct Operand {
    std::uint16_t slot;
    Extent extent;
  };
  /// Null where it would not pay or cannot be. The operands in their order, leaves first.
  static std::shared_ptr<BatchForm> of(const ElementwiseSpec& spec, std::vector<Operand>&& operands, std::size_t slots,
                                       std::int64_t elements, const LaunchDims& dims, const Device& device);

  UsedMemories memory_of(std::span<Storage* const> storages, const SmallVector<std::int64_t, 64>& slots) const;
  std::size_t leaves() const { return spec_.body.leaves.size(); }

  std::size_t sets() const { return spec_.sets; }
  /// The kernel with these constants, if there is one.
  KernelPtr kernel_for(const std::vector<SpecConstant>& constants) const {
    return constants == spec_.constants ? kernel_.lock() : nullptr;
  }
  /// Has that kernel made in the background. Python runs: others may, too.
  void ask(Device& device, const std::vector<SpecConstant>& constants);
  bool pays() const { return alone_ < kMostAlone; }
  /// So many were launched together.
  void note_launched(std::size_t sets) { alone_ = sets > 1 ? 0 : alone_ + 1; }
  std::size_t bytes() const {
    return sizeof(BatchForm) + 8 * spec_.body.nodes.size() + sizeof(Operand) * operands_.size();
  }

 private:
  ElementwiseSpec spec_;
  std::vector<Operand> operands_;
  std::weak_ptr<Kernel> kernel_;  ///< the kernel cache decides how long it lives
  unsigned alone_ = 0;            ///< how often it was held back for nothing, since it last was not
  unsigned chosen_ = 0;           ///< how often its constants became others
};
using BatchFormPtr = std::shared_ptr<BatchForm>;

/// A launch as its queue gets it, and what it has in common with others.
struct BatchLaunch {
  BatchFormPtr form;
  KernelPtr kernel;  ///< of a single one
  LaunchDims dims;
  std::uint64_t bytes = 0;  ///< moved
  bool turns = false;       ///< turned(), launch.hpp
};

/// The launches that a queue holds back. Under the GIL, which a launch may let go of, and then the engine's lock.
class LaunchBatch final : public HeldWork {
 public:
  explicit LaunchBatch(Queue& queue) : HeldWork(queue) {}
  ~LaunchBatch() { release(); }
  static LaunchBatch& of(Queue& queue);

  bool holds() const override { return !sets_.empty(); }

 private:
  friend class BatchOffer;
  struct Set {
    SmallVector<MemoryArg, 32> memory;
    SmallVector<std::int64_t, 64> slots;
    std::vector<Ref<Block>> blocks;  ///< alive until then
    UsedMemories used;
  };
  void launch_held() override;
  void forget() override;
  void launch_together();
  bool goes_on(const BatchLaunch& launch, const UsedMemories& used) const;
  /// Takes note of a launch that is about to be made or held.
  void note_next(const BatchForm& form, const UsedMemories& used);

  BatchLaunch held_;
  KernelPtr together_;  ///< the kernel of all sets
  std::size_t kept_bytes_ = 0;
  std::vector<Set> sets_;

  // Of what was launched before: compared, never used.
  const BatchForm* last_ = nullptr;
  UsedMemories written_;    ///< by the last one
  std::uint64_t seen_ = 0;  ///< what all queues had done when it was made or held
  unsigned in_a_row_ = 0;   ///< equal ones before the last one that did not read what the one before wrote
};

/// What becomes of a launch: asked before it is made, while it can still be planned anew.
class BatchOffer {
 public:
  /// A launch that is of no form.
  BatchOffer() = default;
  /// Where the launch does not go on with the batch that its queue holds, that is launched: other threads may run
  /// meanwhile. `constants` are those of the launch's kernel, `storages` its operands', leaves first. The form may be
  /// null.
  BatchOffer(BatchLaunch&& launch, const std::vector<SpecConstant>& constants, const Place& place,
             std::span<Storage* const> storages, const SmallVector<std::int64_t, 64>& slots);
  /// Whether hold_back() is to be called instead of a launch.
  bool held() const { return held_; }
  void hold_back(const SmallVector<MemoryArg, 32>& memory, const SmallVector<std::int64_t, 64>& slots,
                 std::span<Storage* const> storages);
  /// Whether launches like it came before it in a row, and a kernel for several would have held it back.
  bool wants_kernel() const;
  /// It was made or held; a full batch is launched, and others may run.
  void note_done(Queue& queue);

 private:
  BatchLaunch launch_;
  LaunchBatch* batch_ = nullptr;
  KernelPtr together_;
  UsedMemories used_;
  bool held_ = false;
};

}  // namespace devarray
