// Stores to views that wait for the next one, on GPUs: a program that writes several views from the same values
// (flux[1:-1] = ..., other[1:-1] = ...) does so by one launch, and values that it lets go of meanwhile are not written
// for themselves. At most one group of stores waits, and nothing recorded since reads what it writes: whatever reads
// such memory, or asks anything of the engine, a queue or the interpreter's lock, launches it first.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// target[...] = value later, with what is held already or alone. False, and nothing is done, where the store is to be
/// made now. A value that is computed from the target, and that somebody still has then, is written beside it.
bool hold_store(Node& target, const NodeRef& value);

/// Launches what is held.
void release_stores();

/// Whether a store to this memory is held.
inline bool awaits_store(const Node& n) { return n.is_leaf() && n.storage->awaits_store; }

}  // namespace devarray
