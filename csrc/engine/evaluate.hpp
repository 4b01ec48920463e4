// Evaluation: from pending nodes to launches.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// Makes `n` a leaf: one kernel for the expression below it, where the limits allow. No wait.
void evaluate(Node& n);

/// Evaluates a part of what is pending below `n`, the oldest, where little of it is read by the rest.
void evaluate_part(Node& n);

/// Evaluates `n`, inside the kernel of what consumes it where that is possible.
void evaluate_with_consumers(Node& n);

/// Everything pending anywhere that an array still holds.
void evaluate_all();

}  // namespace devarray
