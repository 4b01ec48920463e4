// Kernels that reduce and do more: what is computed from reduced rows, or several reductions of all elements.
#pragma once

#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Of scratch memory for a partial result where reductions share a walk: PARTIAL_BYTES in
/// devarray/codegen/kernels/rows.py, which a test compares.
inline constexpr std::size_t kPartialBytes = 16;

/// Pending values that one kernel is to compute, reductions of values over `space` among them.
struct ReducedGraph {
  std::vector<NodeRef> nodes;  ///< each behind what it is computed from
  Dims space, kept;            ///< shapes of the values, and of what a row has one of
  std::size_t axes = 0;        ///< how many of the last ones are reduced
  bool shared = false;         ///< all axes are, and no value is computed from a reduction's result: one walk does all
};

/// Launches it, and the values get memory: `root`, what arrays hold, results of reductions that something else reads.
/// False, and nothing is done, where one kernel does not take it. Under the engine's lock.
bool launch_reduced(const ReducedGraph& graph, Node& root);

/// What identifies such a kernel; its dataclass is in devarray/codegen/kernels/rows.py. The innermost dim is the only
/// one that is reduced.
struct RowsSpec {
  bool shared = false, split = false;
  std::uint8_t nkept = 0;
  bool wide = true;
  std::uint16_t outs = 1, lanes = 1, unroll = 1, pack = 1;
  ExpressionSpec body;  ///< results that have an element for each row are written by "row" accesses
  std::vector<RowStep> steps;

  template <class Visit>
  void each_field(Visit&& visit) const {
    visit("shared", shared);
    visit("split", split);
    visit("nkept", nkept);
    visit("wide", wide);
    visit("outs", outs);
    visit("lanes", lanes);
    visit("unroll", unroll);
    visit("pack", pack);
    visit("body", body);  // leaves, scalars, nodes, outputs
    visit("steps", steps);
  }
};

}  // namespace devarray
