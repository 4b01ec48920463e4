// Rows that are reduced and used again in one kernel: normalisation, softmax, standardisation. See docs/design.md.
#pragma once

#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"
#include "engine/reduce.hpp"

namespace devarray {

/// Whether a reduction is recorded, and launched when its result or what is computed from it is asked for: by the
/// strategy of GPUs, of the last axes, which keep their places (`keepdims`), of rows that are long and many enough for
/// a group of work-items each and short enough to stay in its cache.
bool reduction_waits(const Node& x, const Reduction& r);
NodeRef waiting_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType result);

/// Evaluates a pending value, and the reductions that wait below it, in one kernel: each group of work-items walks its
/// rows once for each reduction, and once more for what is computed from the results. False, and nothing is done,
/// where one kernel does not take them. Under the engine's lock.
bool evaluate_rows(Node& root);

/// Launches all reductions that wait below a value.
void evaluate_reductions_below(Node& n);

/// What identifies a kernel of rows; its dataclass is in devarray/codegen/kernels/rows.py. The innermost dim is the
/// only one that is reduced.
struct RowsSpec {
  std::uint8_t nkept = 0;
  bool wide = true;
  std::uint16_t outs = 1, lanes = 1, unroll = 1, pack = 1;
  ExpressionSpec body;  ///< results that have an element for each row are read and written by "row" or "fixed:" ones
  std::vector<RowStep> steps;

  template <class Visit>
  void each_field(Visit&& visit) const {
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
