// Joins that wait: what concatenate and stack make of pending values on GPUs. Element-wise operations on such a value
// are recorded on its parts, and views that lie in one part read that part, so that a vector of three columns that are
// computed apart is written once, by whoever wants the whole, or never.
#pragma once

#include <vector>

#include "engine/node.hpp"
#include "engine/record.hpp"

namespace devarray {

struct Reduction;

/// How the inputs of a pending join lie in it.
struct Join {
  std::size_t axis;
  bool stacked;  ///< along a new axis, of which each input has one index
};

/// The array that joined() (moves.hpp) makes, where it waits: on a GPU, and a part is an operation that is still to be
/// done. Null where it does not.
NodeRef waiting_join(const std::vector<NodeRef>& parts, std::size_t axis, bool stacked, const Dims& shape, DType dtype);

/// Writes the parts into one array, under the engine's lock.
void evaluate_join(Node& n);

/// What a view of a pending join shows, where it lies in one part: that part, or a view of it. Else the view.
NodeRef seen_part(const NodeRef& view);

/// record() of operands among which a join waits, or views of one: a join of operations on the parts, or an operation
/// on what the views show. Null where the operands are to be taken as they are.
NodeRef record_by_parts(OpId op, const RecordArg* args, int n, bool hold);

/// A join cast to a dtype, by its parts. Null where `n` is none, or is not to be taken apart.
NodeRef cast_by_parts(const NodeRef& n, DType dtype);

/// The values at each index of the axis, without that axis, where it is all that is reduced. Empty where the parts of a
/// join are no such values.
std::vector<NodeRef> values_along(const Node& n, const Reduction& r);

}  // namespace devarray
