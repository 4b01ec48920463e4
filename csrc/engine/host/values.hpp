// Values without axes that the host knows: elements that were read and results of operations on them, where the memory
// is the host's and nothing is under way for it. They need no memory, no graph and no kernel: programs that go through
// an array element by element would otherwise pay for all three with every operation.
//
// Such a value is a node in the state `scalar` that has a place (Node::is_known). evaluate() gives it memory, so that
// all that takes arrays takes it.
#pragma once

#include "engine/node.hpp"

namespace devarray::host {

/// The value of the element at `offset` of a leaf's storage; null where the host may not read it now.
NodeRef value_at(const Node& leaf, std::int64_t offset);

/// A value of a dtype from its bytes in value form. Null for float16, and for NaNs in single precision, whose bits a
/// ScalarValue does not keep.
NodeRef known_value(DType dtype, const char* bytes, const PlaceRef& place);

/// An operand of an operation on scalars.
struct HostScalar {
  DType dtype = DType::bool_;
  const ScalarValue* value = nullptr;
};
/// The value of an operation on scalars. Null where the host has no loop for it, or may not work now.
NodeRef value_of(OpId op, DType compute, DType result, const HostScalar* operands, int n, const PlaceRef& place);

/// Stores a value, cast to the leaf's dtype, in the element at `offset` of its storage. False, and nothing done, where
/// the usual way has to do it.
bool store_value(Node& leaf, std::int64_t offset, DType dtype, const ScalarValue& value);

}  // namespace devarray::host
