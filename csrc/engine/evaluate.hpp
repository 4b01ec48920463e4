// Evaluation: from pending nodes to launches.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// Makes `n` a leaf: one kernel for the expression below it, where the limits allow. No wait.
void evaluate(Node& n);

/// Evaluates `n`, inside the kernel of what consumes it where that is possible.
void evaluate_with_consumers(Node& n);

/// Everything pending anywhere that an array still holds.
void evaluate_all();

}  // namespace devarray
