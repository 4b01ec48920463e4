// The commonest small work, without a plan: one operation on dense operands of its own dtype, and the assignment of
// such a value, of a scalar or of dense elements. What the evaluator would do, for a few hundred nanoseconds less.
#pragma once

#include "engine/node.hpp"

namespace devarray::host {

/// Makes a pending node a leaf. False, and nothing done, where it is not of that kind, or the host may not run it now.
/// Called with the GIL, which is kept; false while a thread holds the engine lock.
bool evaluate_at_once(Node& n);

/// Stores a value in a leaf that may be written, and on whose memory no element is to be settled.
bool assign_at_once(Node& target, Node& value);

}  // namespace devarray::host
