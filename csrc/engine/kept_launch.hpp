// Launches of graphs that come again: planned once, found by the graph's key, and repeated on other arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/driver.hpp"
#include "engine/constants.hpp"
#include "engine/graph_key.hpp"
#include "engine/launch_batch.hpp"
#include "engine/stencil_chain.hpp"

namespace devarray {

class Expression;

/// A planned launch. Nodes, leaves and scalars by their numbers in the key of their graph.
struct KeptLaunch {
  using Number = std::uint16_t;
  struct Read {
    Number leaf;
    std::uint32_t slot;  ///< of its offset
  };
  struct Write {
    static constexpr Number kGiven = 0xFFFF, kFresh = 0xFFFF;
    Number node = kGiven;        ///< or the next array that the launch is given
    Number donated = kFresh;     ///< the leaf whose memory it takes
    std::uint8_t alignment = 0;  ///< of fresh memory: what the kernel's vectors rest on
    std::uint32_t slot = 0;
    Dims strides;
  };
  std::weak_ptr<Kernel> kernel;  ///< the kernel cache decides how long it lives; a step of chains may do without
  LaunchDims dims;
  std::vector<std::int64_t> slots;  ///< offsets and scalars are put in
  std::uint32_t first_scalar = 0;   ///< slot
  std::size_t scratch_bytes = 0;    ///< of a reduction by several groups
  std::vector<Read> reads;
  std::vector<Write> writes;
  std::vector<Number> scalars;
  std::vector<Number> left;  ///< nodes that are left pending once more: Expression::stored
  std::vector<Number> rest;  ///< nodes behind a cut, oldest first
  std::uint64_t bytes_moved = 0;
  std::uint32_t cuts = 0;
  int turning_slot = -1;                 ///< of turned(), launch.hpp
  std::shared_ptr<Constants> constants;  ///< where scalars may become ones
  StencilStagePtr stage;                 ///< where it may become part of a chain
  BatchFormPtr batch;                    ///< where several may be launched together

  std::size_t bytes() const;
};

/// Repeats the next launch of an evaluation, a reduction or a store, where the graph is like one that was planned
/// before: what is asked, and all that the plan followed from. False where it is to be planned. Under the engine's
/// lock. `root` is pending, or the leaf that is reduced; one to be evaluated is that afterwards or not: the launch may
/// be of a part that is cut off before it. Values of other shapes that are pending below it are evaluated in either
/// case. `given`: the arrays that a reduction or a store writes.
class PlanOf {
 public:
  explicit PlanOf(Node& root, const Purpose& purpose, std::span<const Node* const> given = {});
  ~PlanOf();
  PlanOf(const PlanOf&) = delete;
  PlanOf& operator=(const PlanOf&) = delete;
  /// Whether there is nothing left to plan.
  bool done() const { return done_; }
  /// The launch was made, without an error: it is kept.
  void keep();

  /// The one that is at work: planning takes notes in it. Null where it is to take none.
  static PlanOf*& current() { return current_; }
  /// Something else ran meanwhile, or the plan is one that cannot be repeated: it is not kept.
  static void spoil() {
    if (current_) current_->spoiled_ = true;
  }
  void note_cut() { ++launch_.cuts; }
  void note_left(const Node& n) { launch_.left.push_back(number_of(n)); }
  void note_rest(const std::vector<NodeRef>& rest);
  void note_offset(std::size_t slot) { offsets_.push_back(static_cast<std::uint32_t>(slot)); }
  void note_launch(const Expression& e, const KernelPtr& kernel, const LaunchDims& dims,
                   const SmallVector<std::int64_t, 64>& slots, std::size_t first_scalar, std::uint64_t bytes_moved);
  void note_turns(std::size_t slot) { launch_.turning_slot = static_cast<int>(slot); }
  void note_constants(std::shared_ptr<Constants> constants) { launch_.constants = std::move(constants); }
  void note_batch(BatchFormPtr form) { launch_.batch = std::move(form); }
  void note_stage(const StencilStagePtr& stage) { launch_.stage = stage; }
  void note_scratch(std::size_t bytes) { launch_.scratch_bytes = bytes; }
  /// A result, in the order of memory arguments; null for the next array that the launch was given.
  void note_result(const Expression& e, const Node* n, const Storage& storage, const Dims& strides);

 private:
  KeptLaunch::Number number_of(const Node& n);
  void take_notes(const GraphKey& key);

  static inline PlanOf* current_ = nullptr;
  PlanOf* before_ = nullptr;
  bool done_ = false, spoiled_ = false;
  std::uint64_t hash_ = 0;
  std::vector<std::uint64_t> words_;
  std::unordered_map<const Node*, KeptLaunch::Number> numbers_;
  std::vector<std::uint32_t> offsets_;
  KeptLaunch launch_;
  std::size_t launches_ = 0;
};

/// Forgets all of them.
void clear_kept_launches();

}  // namespace devarray
