// Where a pending graph that is too large for one kernel is cut.
#pragma once

#include "engine/config.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Nodes that share values with the root's own are looked for until there are as many.
inline constexpr std::size_t kMaxConnected = 2 * kMaxPendingNodes;

/// What an operation counts against kMaxNodes.
inline int weight_of(OpId op) { return has_flag(op, Op::heavy) ? kHeavyOp : 1; }

enum class Cut : std::uint8_t {
  with_root,   ///< the value is wanted: one kernel for all that is left, where it fits
  below_root,  ///< the same, but the root is left to the caller's kernel
  nowhere,     ///< the same, but nothing is evaluated where one kernel does not take all
  anywhere,    ///< room is wanted: the best place for a cut, though all might fit
};

/// Evaluates, in one kernel, the oldest of the pending nodes that are connected with `root`, as far as it costs least:
/// bytes written for the rest and read again, and the launch, shared out over the operations that are done. Connected
/// are the nodes of the root's shape below it, and those that share values with them: whatever is not evaluated with
/// them would need those values in memory. Values that nothing needs behind the cut are not written. What is pending
/// below `root` has its shape. False where nothing was there to evaluate.
bool evaluate_oldest(Node& root, Cut cut);

}  // namespace devarray
