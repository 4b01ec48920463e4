// Shape and stride arithmetic. Strides are in bytes throughout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/small_vector.hpp"

namespace devarray {

inline constexpr std::size_t kMaxDims = 64;

/// "(3, 4)", "(3,)", "()".
std::string to_string(const Dims& shape);

/// Throws the ShapeError of element_count().
[[noreturn]] void refuse_element_count(const Dims& shape);

/// Product of the sizes. Throws ShapeError where it does not fit 63 bits.
inline std::int64_t element_count(const Dims& shape) {
  std::int64_t count = 1;
  bool empty = false, too_many = false;
  for (const std::int64_t size : shape) {
    empty |= size == 0;
    too_many |= __builtin_mul_overflow(count, size, &count);
  }
  if (too_many && !empty) [[unlikely]]
    refuse_element_count(shape);
  return empty ? 0 : count;
}

Dims c_strides(const Dims& shape, std::int64_t itemsize);
Dims f_strides(const Dims& shape, std::int64_t itemsize);
bool is_c_contiguous(const Dims& shape, const Dims& strides, std::int64_t itemsize);
bool is_f_contiguous(const Dims& shape, const Dims& strides, std::int64_t itemsize);

/// NumPy's broadcast of two shapes. Throws ShapeError that names both.
Dims broadcast_shapes(const Dims& a, const Dims& b);
/// Strides of an operand seen in `target`; stride 0 where it is repeated. Throws ShapeError if it does not fit.
Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& target);

/// Strides that show the same elements in C order under another shape without a copy, if there are such.
std::optional<Dims> reshape_strides(const Dims& shape, const Dims& strides, const Dims& target, std::int64_t itemsize);

/// How elements lie: bytes or elements from one to the next along each axis, and to the first.
struct Placement {
  Dims strides;
  std::int64_t offset = 0;
};

/// Memory of `shape` as a view sees it that is given in elements of that shape in C order. Steps of the view stay
/// within axes: it joins none.
struct Placed {
  const Dims& shape;
  const Dims& strides;
  std::int64_t offset = 0;
};
Placement placement_of(const Placed& memory, const Dims& view_shape, const Placement& view, std::int64_t itemsize);

/// Whether each of a view's steps over elements in C order stays within an axis of `shape`: it joins none.
bool keeps_axes(const Dims& shape, const Dims& view_shape, const Placement& view);

/// Lowest and one past the highest byte that a view touches, relative to its own offset.
struct Extent {
  std::int64_t low = 0, high = 0;
};
Extent extent_of(const Dims& shape, const Dims& strides, std::int64_t itemsize);

/// Elements of one memory: where the first lies, in bytes, how they lie over a shape, and their size.
struct Elements {
  std::int64_t offset;
  const Dims& strides;
  std::int64_t itemsize;
};
/// Whether two lie between each other in turn, as columns of a matrix do: no byte of one is one of the other's, though
/// their extents meet.
bool lie_in_turn(const Dims& shape, const Elements& a, const Elements& b);

/// An iteration order for operands that share `shape`: axes by falling stride of the first operand that is not
/// repeated along them, ties as they come (NumPy's K order). Empty strides are passed over.
SmallVector<std::uint8_t, 8> k_order(const Dims& shape, const std::vector<const Dims*>& strides);

/// Whether elements along each axis lie closer together than along those before it: C order, but for steps and repeated
/// elements.
bool lies_by_rows(const Dims& shape, const Dims& strides);

/// The order of axes, outermost first, in which all operands agree; C order where they do not
/// (npyiter_find_best_axis_ordering). `strides` are the operands' over one space; a stride of 0 and an axis of size 1
/// have no say.
SmallVector<std::uint8_t, 8> agreed_order(const Dims& shape, const std::vector<const Dims*>& strides);

Dims permuted(const Dims& dims, const SmallVector<std::uint8_t, 8>& order);

/// Strides of dense memory whose axes lie in `order`, outermost first.
Dims strides_in_order(const Dims& shape, const SmallVector<std::uint8_t, 8>& order, std::int64_t itemsize);

/// Drops axes of size 1 and merges neighbours that every operand steps through evenly. All in place.
void collapse(Dims& shape, const std::vector<Dims*>& strides);

/// Normalises negative axes; throws ShapeError on bad or repeated ones.
SmallVector<std::uint8_t, 8> normalize_axes(const Dims& axes, std::size_t ndim);

}  // namespace devarray
