#include "common/checked.hpp"

#include <algorithm>

namespace devarray {
namespace {

bool has_zero(const Dims& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

/// [low, high) of a view relative to its first element; false where it does not fit into 64 bits.
bool reach_of(const Dims& shape, const Dims& strides, std::int64_t itemsize, Extent& e) {
  e = {0, itemsize};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) continue;
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach)) return false;
    std::int64_t& end = reach < 0 ? e.low : e.high;
    if (__builtin_add_overflow(end, reach, &end)) return false;
  }
  return true;
}

[[noreturn]] void refuse_reach(const Dims& shape, const Dims& strides) {
  throw ShapeError("a view of shape " + to_string(shape) + " and strides " + to_string(strides) +
                   " reaches further than 64 bits can count bytes");
}

}  // namespace

std::string too_many_axes(std::int64_t given) {
  const std::string most = std::to_string(kMaxDims);
  return "maximum supported dimension for an ndarray is currently " + most + ", found " + std::to_string(given) +
         ": an array has at most " + most + " dimensions";
}

void refuse_shape(const Dims& shape, std::int64_t itemsize) {
  if (shape.size() > kMaxDims) throw ShapeError(too_many_axes(static_cast<std::int64_t>(shape.size())));
  for (const std::int64_t size : shape)
    if (size < 0) throw ShapeError("negative dimensions are not allowed, got " + to_string(shape));
  throw ShapeError(
      "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size. Shape " +
      to_string(shape) + " of items of " + std::to_string(itemsize) +
      " bytes is too large: it has more than 2**63 - 1 bytes" +
      (has_zero(shape) ? ", its axes of size 0 left out" : ""));
}

void refuse_view(const ViewLayout& v) {
  byte_size(v.shape, v.itemsize);
  if (v.strides.size() != v.shape.size())
    throw ShapeError("a view needs as many strides as sizes, got " + to_string(v.shape) + " and " +
                     to_string(v.strides));
  Extent e;
  if (!reach_of(v.shape, v.strides, v.itemsize, e)) refuse_reach(v.shape, v.strides);
  const std::string layout =
      "shape " + to_string(v.shape) + ", strides " + to_string(v.strides) + " and offset " + std::to_string(v.offset);
  if (__builtin_add_overflow(v.offset, e.low, &e.low) || __builtin_add_overflow(v.offset, e.high, &e.high) ||
      e.low < 0 || static_cast<std::uint64_t>(e.high) > v.memory)
    throw ShapeError("an array of " + layout + " does not fit into " + std::to_string(v.memory) +
                     " bytes: it reaches outside the memory");
  throw ValueError("an array of " + layout + " is not aligned: devices read its items at multiples of " +
                   std::to_string(v.alignment) + " bytes only; make a copy whose items lie so");
}

Extent checked_extent(const Dims& shape, const Dims& strides, std::int64_t itemsize) {
  byte_size(shape, itemsize);
  if (strides.size() != shape.size())
    throw ShapeError("a view needs as many strides as sizes, got " + to_string(shape) + " and " + to_string(strides));
  Extent e;
  if (!reach_of(shape, strides, itemsize, e)) refuse_reach(shape, strides);
  return has_zero(shape) ? Extent{0, 0} : e;
}

std::size_t rectangle_end(const std::size_t origin[3], const std::size_t region[3], const std::size_t pitch[2]) {
  if (!region[0] || !region[1] || !region[2]) return 0;
  constexpr const char* what = "the end of a rectangle";
  const auto last = [&](int i) { return checked_add(origin[i], region[i] - 1, what); };
  const std::size_t rows = checked_mul(last(1), pitch[0], what), slices = checked_mul(last(2), pitch[1], what);
  return checked_add(checked_add(checked_add(slices, rows, what), last(0), what), std::size_t{1}, what);
}

}  // namespace devarray
