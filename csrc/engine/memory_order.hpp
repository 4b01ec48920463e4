// How fresh memory of a result lies: in NumPy's K order of what it is computed from.
#pragma once

#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// Whether elements along each axis lie closer together than along those before it: C order, but for steps and repeated
/// elements.
bool lies_by_rows(const Dims& shape, const Dims& strides);

/// The order of axes, outermost first, in which all operands agree; C order where they do not. `strides` are the
/// operands' over one space; a stride of 0 has no say.
SmallVector<std::uint8_t, 8> agreed_order(const std::vector<const Dims*>& strides, std::size_t ndim);

/// Strides of dense memory whose axes lie in that order.
Dims strides_in_order(const Dims& shape, const SmallVector<std::uint8_t, 8>& order, std::int64_t itemsize);

/// Whether an operation only fills an array, with a number or with the elements' own numbers: in NumPy such an array
/// has memory in C order, and so has its say in the order of what is computed from it.
bool fills(const Node& n);

/// The order of a value's axes, outermost first. Evaluates what is pending below it with another shape, unless its
/// operands all lie by rows.
SmallVector<std::uint8_t, 8> order_of_axes(Node& x);

}  // namespace devarray
