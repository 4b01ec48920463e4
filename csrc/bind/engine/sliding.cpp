// Sums of products of NumPy's rows that slide along each other, with the bits of kernels.
#include "engine/host/sliding.hpp"

#include <pybind11/numpy.h>

#include <cstring>
#include <vector>

#include "bind/engine/array.hpp"

namespace devarray {
namespace {

/// A vector of NumPy's, from one element to the next `stride` of them.
template <class T>
struct Row {
  const char* data;
  std::int64_t size, stride;

  explicit Row(const py::array& a) : data(static_cast<const char*>(a.data())), size(a.shape(0)), stride(a.strides(0)) {}
  void write(T* to) const {
    for (std::int64_t i = 0; i < size; ++i) std::memcpy(to + i, data + i * stride, sizeof(T));
  }
};

template <class T>
py::object slid_rows(const py::array& a, const py::array& v, std::int64_t before, std::int64_t behind) {
  const Row<T> row(a), taps(v);
  std::vector<T> elements(row.size), factors(taps.size);
  row.write(elements.data());
  taps.write(factors.data());
  py::array_t<T> made(before + row.size + behind - taps.size + 1);
  host::slide(elements.data(), row.size, before, factors.data(), taps.size, made.mutable_data(), made.shape(0));
  return made;
}

/// slide(a, v, before, behind)
py::object slide(const py::array& a, const py::array& v, std::int64_t before, std::int64_t behind) {
  if (a.ndim() != 1 || v.ndim() != 1 || !a.dtype().is(v.dtype()) || before < 0 || behind < 0 || v.shape(0) < 1 ||
      before + a.shape(0) + behind < v.shape(0))
    throw py::value_error("slide takes two rows of one dtype, of which the second is the shorter");
  if (a.dtype().is(py::dtype::of<double>())) return slid_rows<double>(a, v, before, behind);
  if (a.dtype().is(py::dtype::of<float>())) return slid_rows<float>(a, v, before, behind);
  throw py::value_error("slide takes float32 or float64");
}

}  // namespace

void bind_engine_sliding(py::module_& m) {
  m.def(
      "slide", &slide, py::arg("a"), py::arg("v"), py::arg("before"), py::arg("behind"),
      "Sums of a[k + i - before] * v[i], each added up by rising i, of two of NumPy's rows, over the elements that `a` "
      "has; as many sums as places for `v` in `before` elements, `a`, and `behind` more.");
}

}  // namespace devarray
