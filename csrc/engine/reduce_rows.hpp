// Rows that are reduced and used again in one kernel: normalisation, softmax, standardisation. See docs/design.md.
#pragma once

#include <vector>

#include "engine/node.hpp"
#include "engine/reduce.hpp"

namespace devarray {

/// By how much smaller values CPUs share with reductions of all elements: each launch costs them more than a plan.
inline constexpr std::int64_t kSharedOnCpu = 8;

/// Whether a reduction is recorded, and launched when its result or what is computed from it is asked for: by the
/// strategy of GPUs, of the last axes, which keep their places (`keepdims`), of rows that are long and many enough for
/// a group of work-items each and short enough to stay in its cache.
bool reduction_waits(const Node& x, const Reduction& r);
/// The same of short rows, each of which one work-item holds, where it is not written out as operations (unroll.hpp).
bool short_rows_wait(const Node& x, const Reduction& r);
/// The same of all elements of a small array, which are one row. What is computed from as many of its reductions as
/// one kernel takes is evaluated first.
bool vector_waits(Node& x, const Reduction& r);
/// A view of the one value of a reduction that waits and is the same, which must not be written to; null if there is
/// none.
NodeRef equal_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType result);
NodeRef waiting_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType result);

/// Evaluates a pending value, and the reductions that wait below it, in one kernel: each group of work-items walks its
/// rows once for each reduction, and once more for what is computed from the results. False, and nothing is done,
/// where one kernel does not take them. Under the engine's lock.
bool evaluate_rows(Node& root);

/// Launches all reductions that wait below a value.
void evaluate_reductions_below(Node& n);

/// Evaluates reductions of all elements that wait, several that read the same memory in one kernel; a pending value of
/// the whole space that is asked for with them. `root` is one of the reductions, or the value. False, and nothing is
/// done, where there are no such others. Under the engine's lock.
bool evaluate_shared(Node& root);

/// Launches the reductions that are all that keeps large memory, before other memory is taken.
void launch_what_keeps_memory();

/// The reductions that wait, in the order of recording.
inline std::vector<Node*>& waiting_reductions = *new std::vector<Node*>;  // outlives all nodes

}  // namespace devarray
