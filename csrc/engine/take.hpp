// Indexing by integer arrays as an operation of kernels that do more: x[i] of GPUs.
#pragma once

#include <string>

#include "engine/node.hpp"

namespace devarray {

/// A pending value: the elements of `table` at distances in bytes from its first one, which `places` holds (int64).
/// Where one is far below all of them, as of an index outside, the queue's flag is raised, which `what` explains
/// (index_flags.hpp).
NodeRef taken(const NodeRef& table, const NodeRef& places, const std::string& what);

}  // namespace devarray
