// Recording: from operands to a pending node. Errors that need no data are raised here.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// An operand: a value, or a Python scalar that takes the other operands' dtype (NEP 50).
struct RecordArg {
  NodeRef node;  ///< null for a Python scalar
  ScalarValue scalar;
  int beyond = 0;  ///< a Python integer too large for 64 bits: its sign; `scalar.re` holds it rounded
};

/// Records `op` on 1 to 3 operands, at least one of them on a device. Evaluates at once where work is not deferred,
/// unless the caller stores the result itself (`hold`). Throws DTypeError, ShapeError, DeviceError.
NodeRef record(OpId op, const RecordArg* args, int n, bool hold = false);

/// Records `op` computed in `compute` on operands that are what it takes: nothing is promoted, and `shape` is given.
NodeRef record_as(OpId op, DType compute, DType dtype, const Dims& shape, const PlaceRef& place, const NodeRef* inputs,
                  int n);

/// The value cast to `dtype`: itself where it has it.
NodeRef cast(const NodeRef& n, DType dtype, bool hold = false);

/// A pending value of `shape` that repeats a scalar.
NodeRef full(const PlaceRef& place, DType dtype, const Dims& shape, const ScalarValue& value);

/// A pending value: start + number * step, computed in `dtype`, where elements are numbered in C order.
NodeRef iota(const PlaceRef& place, DType dtype, const Dims& shape, const ScalarValue& start, const ScalarValue& step);

/// Whether the device computes with `dtype`.
bool is_supported(const Device& device, DType dtype);
/// Throws DTypeError where it does not.
void check_supported(const Device& device, DType dtype);

/// Converts a Python scalar for `dtype`; throws OverflowError for an integer outside its range.
ScalarValue checked_scalar(const RecordArg& arg, DType dtype);

}  // namespace devarray
