// Kernels that reduce and do more: what is computed from reduced rows, or several reductions of all elements.
#pragma once

#include <vector>

#include "engine/expression.hpp"
#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"
#include "engine/row_graph.hpp"

namespace devarray {

/// Of scratch memory for a partial result where reductions share a walk: PARTIAL_BYTES in
/// devarray/codegen/kernels/rows.py, which a test compares.
inline constexpr std::size_t kPartialBytes = 32;

/// Launches it, and the values get memory: `root`, what arrays hold, results of reductions that something else reads.
/// False, and nothing is done, where one kernel does not take it. Under the engine's lock.
bool launch_reduced(const ReducedGraph& graph, Node& root);

/// What a graph's kernel stores beside its last node: what reductions gave that something else still reads, and of what
/// arrays hold what is worth its bytes (Expression::stores). The rest is computed again from the reductions' results,
/// which are kept for it. Values of the whole space that only pending values want stay pending. `wanted`: stored in any
/// case; `dying`: a value that an array holds for the last time (Reduction::dying).
std::vector<NodeRef> results_of_rows(const ReducedGraph& graph, Expression& e, Node* wanted,
                                     const Node* dying = nullptr);

/// The reductions of a graph, in the order of nodes, and the slots of the scalars that follow them.
std::vector<RowStep> row_steps(const ReducedGraph& graph, const Expression& e, SmallVector<std::int64_t, 8>& slots);

/// What identifies such a kernel; its dataclass is in devarray/codegen/kernels/rows.py. The innermost dim is the only
/// one that is reduced, but where a walk is shared: then all are.
struct RowsSpec {
  bool shared = false, split = false;
  std::uint8_t nkept = 0;  ///< dims before the last one
  bool wide = true;
  std::uint16_t outs = 1, lanes = 1, unroll = 1, pack = 1;
  std::uint16_t held = 0;     ///< elements that a lane keeps in registers: its part of a row; 0 where rows are walked
  std::uint16_t rest = 0;     ///< those of them that do not fill all accumulators
  std::uint16_t several = 1;  ///< rows that a work-item has one after the other
  SmallVector<std::uint8_t, 16> still;  ///< leaves that are the same for all rows: loaded once, before these
  ExpressionSpec body;                  ///< results that have an element for each row are written by "row" accesses
  std::vector<RowStep> steps;

  /// Three numbers each: a leaf, another one of the same rows, and how many elements behind that one it lies.
  SmallVector<std::uint8_t, 16> beside;

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
    visit("held", held);
    visit("rest", rest);
    visit("several", several);
    visit("still", still);
    visit("beside", beside);
    visit("body", body);  // leaves, scalars, nodes, outputs
    visit("steps", steps);
  }
};

}  // namespace devarray
