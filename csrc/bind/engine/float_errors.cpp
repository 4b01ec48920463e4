#include "bind/engine/float_errors.hpp"

namespace devarray {
namespace {

PyObject* watcher = nullptr;  // devarray._array.float_errors.check; never released

}  // namespace

namespace detail {

int float_watchers = 0;

void look_at_floats(const char* name, PyObject* const* operands, int count, const NodeRef& made) {
  if (!watcher) return;
  const py::handle look(watcher);
  py::tuple given(count);
  for (int i = 0; i < count; ++i) given[i] = py::reinterpret_borrow<py::object>(operands[i]);
  without_unwinding([&] { look(name, given, wrapped(made)); });
}

}  // namespace detail

void bind_float_errors(py::module_& m) {
  m.def("set_float_watcher", [](py::object function) { watcher = function.release().ptr(); });
  m.def("count_float_watchers", [](int more) { detail::float_watchers += more; });
  m.def("floats_are_watched", [] { return detail::float_watchers != 0; });
}

}  // namespace devarray
