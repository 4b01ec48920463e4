// Sums and products of sizes, strides and offsets. What comes from outside passes here once, where an array's value is
// made (Node, memory of another library, a rectangle of a raw buffer); what has passed, the engine trusts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/error.hpp"
#include "common/shape.hpp"

namespace devarray {

/// a + b of integers of one type. Throws ValueError that names `what`, a and b where the type cannot hold the result.
template <class T>
T checked_add(T a, T b, const char* what) {
  T result;
  if (__builtin_add_overflow(a, b, &result)) [[unlikely]]
    throw ValueError(std::string(what) + ": " + std::to_string(a) + " + " + std::to_string(b) +
                     " does not fit into 64 bits");
  return result;
}

/// a * b, likewise.
template <class T>
T checked_mul(T a, T b, const char* what) {
  T result;
  if (__builtin_mul_overflow(a, b, &result)) [[unlikely]]
    throw ValueError(std::string(what) + ": " + std::to_string(a) + " * " + std::to_string(b) +
                     " does not fit into 64 bits");
  return result;
}

/// What is said of more axes than an array can have.
std::string too_many_axes(std::int64_t given);

/// Throws the ShapeError for a shape that no array can have.
[[noreturn]] void refuse_shape(const Dims& shape, std::int64_t itemsize);

/// Bytes of a dense array; 0 where one of the sizes is. As in NumPy the product of the other sizes must fit even then,
/// so that strides in C or Fortran order always do. Throws ShapeError, also for negative sizes and more than kMaxDims
/// axes.
inline std::int64_t byte_size(const Dims& shape, std::int64_t itemsize) {
  std::int64_t bytes = itemsize;
  bool refused = shape.size() > kMaxDims, empty = false;
  for (const std::int64_t size : shape) {
    empty |= size == 0;
    refused |= size < 0 || (size != 0 && __builtin_mul_overflow(bytes, size, &bytes));
  }
  if (refused) [[unlikely]]
    refuse_shape(shape, itemsize);
  return empty ? 0 : bytes;
}

/// A view's place in its memory. All in bytes.
struct ViewLayout {
  const Dims &shape, &strides;
  std::int64_t offset, itemsize;
  std::int64_t alignment;  ///< a power of two, of which offset and strides must be multiples
  std::uint64_t memory;    ///< size of the memory
};

/// Throws what is wrong with a view that does not fit: ShapeError, or ValueError for its alignment.
[[noreturn]] void refuse_view(const ViewLayout& v);

/// Throws where an element of the view would lie outside its memory or where no device can read it. A view without
/// elements lies nowhere, but its strides must still add up, for views of it are made without another check.
inline void check_view(const ViewLayout& v) {
  std::int64_t bytes = v.itemsize, low = v.offset, high = 0, steps = v.offset;
  bool refused = v.shape.size() > kMaxDims || v.strides.size() != v.shape.size(), empty = false;
  refused |= __builtin_add_overflow(v.offset, v.itemsize, &high);
  for (std::size_t i = 0; !refused && i < v.shape.size(); ++i) {
    const std::int64_t size = v.shape[i], stride = v.strides[i];
    empty |= size == 0;
    if (size == 0) continue;
    std::int64_t reach = 0;
    refused =
        size < 0 || __builtin_mul_overflow(bytes, size, &bytes) || __builtin_mul_overflow(size - 1, stride, &reach);
    std::int64_t& end = reach < 0 ? low : high;
    refused |= __builtin_add_overflow(end, reach, &end);
    if (size > 1) steps |= stride;
  }
  if (!refused && !empty)
    refused = low < 0 || static_cast<std::uint64_t>(high) > v.memory || (steps & (v.alignment - 1)) != 0;
  if (refused) [[unlikely]]
    refuse_view(v);
}

/// extent_of() for shapes and strides that nobody has checked. Throws ShapeError where it does not fit into 64 bits.
Extent checked_extent(const Dims& shape, const Dims& strides, std::int64_t itemsize);

/// One past the last of the bytes that rows and slices of a raw copy touch: `region` is bytes of a row, rows, slices;
/// `origin` and `pitch` as OpenCL and CUDA have them. 0 for an empty region; throws ValueError where it does not fit.
std::size_t rectangle_end(const std::size_t origin[3], const std::size_t region[3], const std::size_t pitch[2]);

}  // namespace devarray
