// Sorts of NumPy's rows on all cores.
#include <pybind11/numpy.h>

#include "bind/engine/array.hpp"
#include "engine/host/radix_sort.hpp"

namespace devarray {
namespace {

host::Elements elements_of(const py::array& a) { return {a.dtype().kind(), a.itemsize()}; }

bool is_native(const py::dtype& dtype) { return py::cast<bool>(dtype.attr("isnative")); }

bool lie_apart(const py::array& a, const py::array& b) {
  const auto* x = static_cast<const char*>(a.data());
  const auto* y = static_cast<const char*>(b.data());
  return x + a.nbytes() <= y || y + b.nbytes() <= x;
}

/// sort_rows(rows, out, descending) and argsort_rows(rows, out, descending), after what both want was looked at.
template <class Sort>
void into(const py::array& rows, py::array& out, bool is_right, Sort&& sort) {
  const auto dense = [](const py::array& a) { return (a.flags() & py::array::c_style) && a.ndim() == 2; };
  if (!is_right || !dense(rows) || !dense(out) || rows.shape(0) != out.shape(0) || rows.shape(1) != out.shape(1) ||
      !host::sorts_by_digits(elements_of(rows)) || !is_native(rows.dtype()) || !lie_apart(rows, out))
    throw py::value_error("rows of numbers and their results are two dense arrays of two dims and of one shape");
  const host::Elements elements = elements_of(rows);
  const void* from = rows.data();
  void* to = out.mutable_data();
  const std::int64_t count = rows.shape(0), length = rows.shape(1);
  const GilRelease unlocked(GilRelease::HeldBack::stays);
  sort(elements, from, to, count, length);
}

}  // namespace

void bind_engine_host_sort(py::module_& m) {
  m.def(
      "sort_rows",
      [](const py::array& rows, py::array out, bool descending) {
        into(rows, out, out.dtype().equal(rows.dtype()),
             [=](auto elements, auto* from, auto* to, auto count, auto length) {
               host::sort_by_digits(elements, from, to, count, length, descending);
             });
      },
      py::arg("rows"), py::arg("out"), py::arg("descending"),
      "Sorts each of NumPy's rows of integers, bools or floats by their digits, on all cores, into `out`. Equal "
      "elements "
      "keep their order.");
  m.def(
      "argsort_rows",
      [](const py::array& rows, py::array out, bool descending) {
        into(rows, out, out.dtype().is(py::dtype::of<std::int64_t>()),
             [=](auto elements, auto* from, auto* to, auto count, auto length) {
               host::argsort_by_digits(elements, from, static_cast<std::int64_t*>(to), count, length, descending);
             });
      },
      py::arg("rows"), py::arg("out"), py::arg("descending"),
      "The places of the sorted elements of each of NumPy's rows, as :func:`sort_rows` sorts them, into int64.");
}

}  // namespace devarray
