// The commonest small work, without a plan: a few operations on dense operands, rows and single elements of their own
// dtype, and the assignment of such a value, of a scalar or of elements. What the evaluator would do, for less.
#pragma once

#include "engine/node.hpp"

namespace devarray::host {

/// Makes a pending node a leaf. False where it is not of that kind, or the host may not run it now; values below it
/// that others hold, too, may then be evaluated. Called with the GIL, which is kept; false while a thread holds the
/// engine lock.
bool evaluate_at_once(Node& n);

/// Stores a value in a leaf that may be written. False, and nothing stored, where the usual way has to do it. `last`:
/// as assign() takes it.
bool assign_at_once(Node& target, Node& value, const Node* last = nullptr);

}  // namespace devarray::host
