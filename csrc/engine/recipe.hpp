// f(x)[i]: elements taken of a pending value, computed from what is taken of its operands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// How a pending value is computed from memory, element by element: a copy, which holds whatever becomes of the value.
struct Recipe {
  /// An operand or an operation.
  struct Value {
    NodeRef operand;           ///< null of operations
    std::uint32_t writes = 0;  ///< of an operand's storage, then
    bool all_axes = false;     ///< an operand that has an element for each of the value, seen over the value's shape
    OpId op = 0;
    DType compute = kOpaque, dtype = DType::bool_;
    std::vector<std::size_t> inputs;  ///< by their numbers, which are lower
  };
  PlaceRef place;
  std::vector<Value> values;

  /// Whether nothing was written to the operands since: another thread may have done so while elements were taken.
  bool holds() const;
  /// The value by the same operations, from others in place of the operands over all axes.
  NodeRef computed_from(const std::vector<NodeRef>& others, const Dims& shape) const;
};

/// Nothing where the value has memory, or where to store it costs less than to compute so many of its elements from its
/// operands, and the value once more when it is asked for.
std::optional<Recipe> recipe_to_take(const NodeRef& n, std::int64_t elements);

}  // namespace devarray
