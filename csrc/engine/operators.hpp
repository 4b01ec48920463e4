// Rules of NumPy's operators beyond those of the operations they record: powers, in-place forms, item assignment.
#pragma once

#include "engine/record.hpp"

namespace devarray {

/// Throws ValueError for bools and integers to powers that are negative integers, which have no integer result: a
/// scalar that the host knows, or, as `negative` says, some elements of an array.
void require_power(const RecordArg* args, bool negative);

/// Records a power. As in NumPy's operator, the exponents 2 and -1 are a square and a reciprocal, correctly rounded and
/// cheap.
NodeRef record_power(const RecordArg* args, bool hold = false);

/// Throws ShapeError or DTypeError where an array cannot take the value of the in-place operation `name`: it would have
/// to grow, or NumPy's rule "same_kind" forbids the cast.
void require_inplace(const std::string& name, const Node& target, const Node& value);

/// Stores a value in an array. Where nobody else sees its memory, the array may take another value in its place, which
/// is returned and stays pending; else it is written, and null is returned. `last`: as assign() takes it.
NodeRef store_or_replace(Node& target, const NodeRef& value, const Node* last = nullptr);

/// What an array takes in place of being written with a value of its shape, x[:] = value: a copy of it, which waits.
/// Null where somebody sees the array's memory, or the copy would lie elsewhere or in another order.
NodeRef replacement_of(const Node& target, const NodeRef& value);

/// target[...] = value as NumPy's item assignment has it: axes of size 1 in front that the target lacks are dropped,
/// and nothing is done where the value is the target, which is what x[k] += y leaves to do. Throws DeviceError where
/// the value is on another device. `last`: as assign() takes it. `may_wait`: for the program's next store
/// (held_stores.hpp).
void assign_item(Node& target, NodeRef value, const Node* last = nullptr, bool may_wait = false);

}  // namespace devarray
