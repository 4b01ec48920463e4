// What a queue holds back of a chain, and its launch.
#pragma once

#include <string>
#include <vector>

#include "engine/held_work.hpp"
#include "engine/stencil_links.hpp"

namespace devarray {

/// The launches that a queue holds back. Under the GIL, which a launch may let go of, and then the engine's lock.
class StencilChain final : public HeldWork {
 public:
  explicit StencilChain(Queue& queue) : HeldWork(queue) {}
  ~StencilChain() { release(); }

  static StencilChain& of(Queue& queue);

  void take(StencilLaunch&& launch, const StencilLinks* linked);
  /// Of a frame: memory that no step uses yet, be there steps or not.
  void take_side(StencilLaunch&& launch);
  /// Those in memory that a launch uses which has nothing to do with the steps, before it.
  void launch_sides_of(const std::vector<const Block*>& blocks);
  /// Gives back the memory of results that nobody but the chain has, where its kernel does not touch that. What dies
  /// then may launch the chain, and let other threads run.
  void free_dead();
  /// The memory of a result is a later one's alone from now on.
  void hand_over(StencilResult result);
  bool holds() const override { return !steps_.launches.empty() || !steps_.sides.empty(); }
  bool may_grow() const { return !steps_.launches.empty() && launched_ == 0; }
  bool may_take_sides() const { return launched_ == 0 && !launching_ && steps_.sides.size() < kMostSides; }
  const StencilSteps& steps() const { return steps_; }
  /// Whether a launch has nothing to do with what is held back.
  bool is_apart(std::size_t leaves, const std::vector<const Block*>& blocks) const;

 private:
  void launch_held() override;
  void forget() override;
  void launch_each();
  void make_kernel(StencilLaunch& launch);
  void launch_one(StencilLaunch& launch);
  /// Before the steps. `together`: but for those around results that are not stored, nor read in memory.
  void launch_sides(const StencilChainSpec* together);
  bool does_without(const StencilLaunch& side, const StencilChainSpec& together) const;
  void lend(std::size_t step);
  bool launch_together();
  /// All of it but the stages.
  StencilChainSpec spec() const;
  KernelPtr kernel_of(StencilChainSpec& s) const;
  bool is_wanted(const Block& block) const;
  bool may_write(const StencilChainSpec& spec) const;
  std::uint64_t bytes_of(const StencilChainSpec& spec) const;

  StencilSteps steps_;
  std::size_t launched_ = 0;  ///< steps, one by one, before there was no memory for the next one
};

}  // namespace devarray
