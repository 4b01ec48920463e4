// Writing the parts of one array: values that are joined.
#pragma once

#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// A value that becomes a part of an array, and where its first element goes: an offset in bytes.
struct Part {
  NodeRef value;
  std::int64_t at;
};

/// Assigns to places of a leaf that do not overlap, in any order; all have the same strides. Values that are still
/// pending and share what they are computed from are written by one launch, as many as one takes. On GPUs a value that
/// somebody holds, too, is not written a second time: it stays pending, as a copy of its place.
void assign_parts(const Node& whole, const Dims& strides, const std::vector<Part>& parts);

/// The pending nodes of some roots of one shape, below which nothing else is pending, oldest first: inputs before what
/// reads them.
std::vector<NodeRef> nodes_below(const std::vector<NodeRef>& roots);

}  // namespace devarray
