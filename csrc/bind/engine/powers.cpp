#include "bind/engine/powers.hpp"

#include "bind/python/gil.hpp"
#include "engine/operators.hpp"

namespace devarray {
namespace {

bool is_negative(py::handle number) {
  const int less = PyObject_RichCompareBool(number.ptr(), py::int_(0).ptr(), Py_LT);
  if (less < 0) throw py::error_already_set();
  return less > 0;
}

/// Whether a host array, or a list in any depth, holds an integer below 0.
bool holds_negative(py::handle o) {
  if (PyLong_Check(o.ptr())) return is_negative(o);
  if (PyList_Check(o.ptr()) || PyTuple_Check(o.ptr())) {
    for (py::handle item : items_of(o))
      if (holds_negative(item)) return true;
    return false;
  }
  if (is_array(o.ptr()) || !py::hasattr(o, "dtype") || !py::hasattr(o, "min")) return false;
  if (py::cast<std::string>(py::str(o.attr("dtype").attr("kind"))) != "i") return false;
  const py::object size = o.attr("size");
  return PyObject_IsTrue(size.ptr()) == 1 && is_negative(o.attr("min")());
}

}  // namespace

void require_known_power(PyObject* exponent, const RecordArg* args) {
  const Node* const moved = args[1].node && args[1].node->place ? args[1].node.get() : nullptr;
  const bool looked_at = moved && !is_array(exponent) && kind_of(moved->dtype) == Kind::integer;
  require_power(args, looked_at && without_unwinding([&] { return holds_negative(exponent); }));
}

void require_known_power(py::handle base, py::handle exponent) {
  RecordArg args[2];
  if (!is_array(base.ptr()) || is_array(exponent.ptr())) return;
  read_operand(base.ptr(), args[0]);
  const bool signed_beside_uint64 =
      args[0].node && args[0].node->dtype == DType::uint64 && !PyLong_Check(exponent.ptr());
  if (signed_beside_uint64) return;  // the power is a float
  require_power(args, without_unwinding([&] { return holds_negative(exponent); }));
}

}  // namespace devarray
