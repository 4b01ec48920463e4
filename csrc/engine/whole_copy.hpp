// Copies of all that a storage holds, un = u.copy(), which wait. Whatever reads such a copy reads the original, and
// the copy need not be made where the original comes to an end first: the memory that its array gives up is the copy.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// Whether so many bytes of a storage are all of it but a small part.
bool is_most_of(const Storage& s, std::int64_t bytes);

/// Whether a value is a pending copy of all that a storage holds, or all but a small part, in the same order.
bool is_whole_copy(const Node& n);

/// A pending copy of all that the storage holds, which an array has; null where there is none, or the storage is small.
NodeRef copy_of(const Storage& s);

/// Whether no array has the memory that a value is a pending copy of, so that the copy may have it.
bool may_take_source(const Node& n);

/// A copy becomes an array on memory that its original gave up.
void take_memory(Node& copy, const StorageRef& from);

}  // namespace devarray
