// Writing values into memory that exists.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// target[...] = value, broadcast and cast. The target's other readers are evaluated first; the right side is fused
/// into the store unless it reads the target at other places than those being written.
void assign(Node& target, const NodeRef& value);

/// A C-contiguous leaf with the value of `n`: itself where it is one already.
NodeRef contiguous(const NodeRef& n);

}  // namespace devarray
