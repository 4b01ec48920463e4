// Reductions of few elements as element-wise operations.
#pragma once

#include "engine/reduce.hpp"

namespace devarray {

/// A sum or a product along a short axis of a pending value that mostly repeats what it is computed from, such as the
/// differences of all pairs of points: pending operations on the parts of its leaves, so that neither the value nor the
/// sum must be stored. On GPUs also sums, products and extremes of windows: a few elements along several axes that do
/// not lie side by side. Null where that is not so. `accumulator` and `result` are the reduction's dtypes.
NodeRef unrolled(const NodeRef& x, const Reduction& r, DType accumulator, DType result);

/// The same along the axis of a join that waits, of parts of one index each.
NodeRef unrolled_parts(const Node& join, const Reduction& r, DType accumulator, DType result);

}  // namespace devarray
