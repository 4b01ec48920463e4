// Values moved into new arrays: joined, amid a frame, repeated.
#pragma once

#include <utility>
#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// Arrays of one place's device joined along an axis, or along a new one where `stacked`; in C order, each part by a
/// store of its own, with what it is pending fused into that. Null where the shapes do not fit each other, or a part
/// lies in another order than C's, which the result would take over.
NodeRef joined(const std::vector<NodeRef>& parts, std::size_t axis, bool stacked);

/// `n` amid one value: so many elements before and behind it along each axis.
NodeRef framed(const NodeRef& n, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
               const ScalarValue& value);

/// `n` as a whole so often along each of the last axes; more counts than axes make new ones in front. None is 0.
NodeRef tiled(const NodeRef& n, const Dims& counts);

/// Each element along an axis so often, which is not 0.
NodeRef repeated(const NodeRef& n, std::size_t axis, std::int64_t count);

}  // namespace devarray
