// Writing values into memory that exists.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// target[...] = value, broadcast and cast. The target's other readers are evaluated first; the right side is fused
/// into the store unless it reads the target at other places than those being written. `last`: a pending node that is
/// the value or an input of it, and that nobody is expected to ask for again. It gets no memory of its own where
/// may_stay_pending() says so.
void assign(Node& target, const NodeRef& value, const Node* last = nullptr);

/// Whether a node may stay pending when a value is stored in a target: if somebody asks for it all the same, it is
/// computed then. What reads the target could not be, unless it is the value itself, which the target has then, as it
/// is. (The caller replaces it by that.)
bool may_stay_pending(const Node* last, const Node& target, const Node& value);

/// A C-contiguous leaf with the value of `n`: itself where it is one already.
NodeRef contiguous(const NodeRef& n);

}  // namespace devarray
