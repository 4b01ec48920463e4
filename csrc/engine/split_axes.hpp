// What reads a value in another shape, as `repeat` makes it: computed over axes that are split until the value's
// operands are views over them.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// Evaluates a value so, where the other one would be stored for it else. Whether it did. For GPUs.
bool evaluate_split(Node& n);

}  // namespace devarray
