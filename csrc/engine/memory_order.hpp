// How fresh memory of a result lies: in NumPy's K order of what it is computed from.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// Whether an operation only fills an array, with a number or with the elements' own numbers: in NumPy such an array
/// has memory in C order, and so has its say in the order of what is computed from it.
bool fills(const Node& n);

/// The order of a value's axes, outermost first. Evaluates what is pending below it with another shape, unless its
/// operands all lie by rows.
SmallVector<std::uint8_t, 8> order_of_axes(Node& x);

}  // namespace devarray
