// New arrays that hold the elements of others: concatenate and stack, pad with a constant, tile, repeat. Pending values
// are fused into the store.
#pragma once

#include <utility>
#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// Arrays of one device joined along an axis, or along a new one where `stacked`: in C order, one store for each part.
/// Null where the shapes do not fit each other, or a part is not in C order, since NumPy's result would take its order:
/// the caller (devarray/_primitives/join.py) then does it, or raises.
NodeRef joined(const std::vector<NodeRef>& parts, std::size_t axis, bool stacked);

/// The same into a leaf of the result's shape, with whose memory no part has to do.
void join_into(const Node& whole, const std::vector<NodeRef>& parts, std::size_t axis, bool stacked);

/// `n` padded with one value: `widths` has the number of elements before and behind it along each axis.
NodeRef framed(const NodeRef& n, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
               const ScalarValue& value);

/// numpy.tile: `n` repeated as a whole, `counts` times along each of the last axes; more counts than axes make new axes
/// in front. No count may be 0.
NodeRef tiled(const NodeRef& n, const Dims& counts);

/// numpy.repeat with one count, which may not be 0: each element `count` times along an axis.
NodeRef repeated(const NodeRef& n, std::size_t axis, std::int64_t count);

}  // namespace devarray
