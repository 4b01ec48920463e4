// Errors of floating point, where errstate() asks for them.
#pragma once

#include "bind/engine/array.hpp"

namespace devarray {

namespace detail {
extern int float_watchers;  ///< contexts of Python that ask; guarded by the GIL
[[gnu::cold]] void look_at_floats(const char* name, PyObject* const* operands, int count, const NodeRef& made);
}  // namespace detail

/// Called with what the program's operation gave: where an error was asked for, Python looks at the values, and throws.
inline void watch_floats(const char* name, PyObject* const* operands, int count, const NodeRef& made) {
  if (detail::float_watchers) [[unlikely]]
    detail::look_at_floats(name, operands, count, made);
}
inline void watch_floats(OpId op, PyObject* const* operands, int count, const NodeRef& made) {
  if (detail::float_watchers) [[unlikely]]
    detail::look_at_floats(ops()[op].name.c_str(), operands, count, made);
}

void bind_float_errors(py::module_& m);

}  // namespace devarray
