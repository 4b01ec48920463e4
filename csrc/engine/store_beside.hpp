// Stores of what is computed from the array's own memory around each element: u[1:-1, 1:-1] += f(u).
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// Whether a store may go to new memory, which then becomes the array's: a pass where a temporary result would be
/// written and copied. Of a large array whose memory nobody sees but by its views, and a target that is most of it.
bool may_go_beside(const Node& target);

/// The target on new memory.
NodeRef beside(const Node& target);

/// After the store to beside(): copies what lies around the target, and gives the array the new memory.
void take_over(Node& target, const Node& made);

}  // namespace devarray
