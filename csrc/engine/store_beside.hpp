// Stores of what is computed from the array's own memory around each element: u[1:-1, 1:-1] += f(u), and with what it
// held before kept, un = u.copy(); u[1:-1, 1:-1] = f(un).
#pragma once

#include <optional>
#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// A view of bytes of a storage that are not a target's, in elements of that.
struct PartAround {
  Dims shape, strides;
  std::int64_t offset;
};
using Around = std::vector<PartAround>;

/// What lies around a target whose store may go to new memory, which then becomes the array's: a pass where a temporary
/// result would be written and copied. Of a large array whose memory nobody sees but by its views, and a target that is
/// most of it; none of all others.
std::optional<Around> room_beside(const Node& target);

/// The target on new memory.
NodeRef beside(const Node& target);

/// Whether a pending copy of a storage may come to have its memory so: of a large one that may change its memory.
bool may_inherit(const Node& copy);

/// After the store to beside(): copies what lies around the target, gives the array the new memory, and its copy, where
/// there is one, the old.
void take_over(Node& target, const Node& made, const Around& around, Node* copy);

}  // namespace devarray
