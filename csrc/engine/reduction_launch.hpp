// The launch of one reduction, which absorbs the expression below what it reduces.
#pragma once

#include "engine/expression.hpp"
#include "engine/reduce.hpp"
#include "engine/rows_launch.hpp"

namespace devarray {

/// Memory arguments of a reduction beside the leaves and the extra outputs.
inline constexpr std::size_t kReductionMemory = 4;

bool is_reduced(const Reduction& r, std::size_t axis);

/// Whether the expression can stand inside a reduction's kernel.
bool absorbable(const Expression& e, const Place& place);

/// Reduces `x`, whose expression is `e`, into `result`: fresh memory, allocated first, so that the plan may trust its
/// size. Under the engine's lock.
void launch_reduction_of(Expression& e, Node& x, const Reduction& r, const NodeRef& result);

/// The same where reductions of rows wait below `x`, all in one kernel: over all axes but the last,
/// which is short. Null, and nothing is done, where one kernel does not take it.
NodeRef launch_row_columns(const NodeRef& x, const Reduction& r, const Dims& shape, DType dtype);

}  // namespace devarray
