// Python objects to the engine's operands, dtypes and shapes.
#include <algorithm>
#include <cmath>

#include "bind/engine/array.hpp"
#include "common/checked.hpp"

namespace devarray {
namespace {

/// An integer of any size.
void read_integer(PyObject* o, RecordArg& arg) {
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (!overflow) {
    if (v == -1 && PyErr_Occurred()) throw py::error_already_set();
    arg.scalar.kind = Kind::integer;
    arg.scalar.i = v;
    return;
  }
  if (overflow > 0) {
    const unsigned long long u = PyLong_AsUnsignedLongLong(o);
    if (!(u == static_cast<unsigned long long>(-1) && PyErr_Occurred())) {
      arg.scalar.kind = Kind::unsigned_;
      arg.scalar.u = u;
      return;
    }
    PyErr_Clear();
  }
  arg.beyond = overflow;
  arg.scalar.kind = Kind::integer;
  arg.scalar.re = PyLong_AsDouble(o);
  if (arg.scalar.re == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    arg.scalar.re = overflow * HUGE_VAL;
  }
}

bool read_python_scalar(PyObject* o, RecordArg& arg) {
  if (PyBool_Check(o)) {
    arg.scalar.kind = Kind::boolean;
    arg.scalar.i = o == Py_True;
  } else if (PyLong_Check(o)) {
    read_integer(o, arg);
  } else if (PyFloat_Check(o)) {
    arg.scalar.kind = Kind::real;
    arg.scalar.re = PyFloat_AS_DOUBLE(o);
  } else if (PyComplex_Check(o)) {
    arg.scalar.kind = Kind::complex;
    arg.scalar.re = PyComplex_RealAsDouble(o);
    arg.scalar.im = PyComplex_ImagAsDouble(o);
  } else {
    return false;
  }
  return true;
}

/// A NumPy scalar is strong: it brings its dtype.
[[gnu::noinline]] bool read_numpy_scalar(PyObject* o, RecordArg& arg) {
  PyObject* const* types = hooks().scalar_types;
  const auto known = std::find(types, types + kDTypes, reinterpret_cast<PyObject*>(Py_TYPE(o)));
  if (known != types + kDTypes && (PyFloat_Check(o) || PyComplex_Check(o))) {  // float64 and complex128 are Python's
    RecordArg weak;
    read_python_scalar(o, weak);
    arg.node = Node::scalar(static_cast<DType>(known - types), weak.scalar);
    return true;
  }
  const py::object item = py::handle(o).attr("item")();
  RecordArg weak;
  if (!read_python_scalar(item.ptr(), weak)) return false;
  DType dtype = DType::float32;  // of bfloat16, whose arrays are computed with in it, too
  if (known != types + kDTypes)
    dtype = static_cast<DType>(known - types);
  else if (const py::object given = py::handle(o).attr("dtype");
           py::cast<std::string>(given.attr("name")) != "bfloat16")
    dtype = read_dtype(given);
  arg.node = Node::scalar(dtype, weak.scalar);
  return true;
}

}  // namespace

bool read_operand(PyObject* o, RecordArg& arg) {
  if (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) return read_python_scalar(o, arg);
  if (is_array(o)) {
    arg.node = NodeRef(&node_of(o));
    return true;
  }
  if (hooks().numpy_generic && PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(hooks().numpy_generic)))
    return read_numpy_scalar(o, arg);
  return read_python_scalar(o, arg);
}

py::object convert_operand(PyObject* o, PyObject* like) {
  py::object found =
      py::reinterpret_steal<py::object>(PyObject_CallFunctionObjArgs(hooks().to_operand, o, like, nullptr));
  if (!found) throw py::error_already_set();
  return found;
}

bool read_operands(PyObject* const* objects, RecordArg* args, int n) {
  PyObject* like = nullptr;
  for (int i = 0; i < n && !like; ++i)
    if (is_array(objects[i])) like = objects[i];
  for (int i = 0; i < n; ++i) {
    if (read_operand(objects[i], args[i])) continue;
    if (!like || !read_operand(convert_operand(objects[i], like).ptr(), args[i])) return false;
  }
  return true;
}

py::object dtype_object(DType t) { return py::reinterpret_borrow<py::object>(hooks().dtypes[static_cast<int>(t)]); }

DType read_dtype(py::handle o) {
  PyObject* const* table = hooks().dtypes;
  PyObject* const* types = hooks().scalar_types;
  for (int i = 0; i < kDTypes; ++i)
    if (table[i] == o.ptr() || types[i] == o.ptr()) return static_cast<DType>(i);
  py::object dtype;
  if (!o.is_none()) {
    dtype = py::reinterpret_steal<py::object>(PyObject_CallOneArg(hooks().numpy_dtype, o.ptr()));
    if (!dtype) PyErr_Clear();
    for (int i = 0; i < kDTypes; ++i)  // a name: NumPy has one object for each of these
      if (dtype && table[i] == dtype.ptr()) return static_cast<DType>(i);
  }
  if (dtype && !py::bool_(dtype.attr("isnative")))  // arrays are made in the device's own byte order
    dtype = dtype.attr("newbyteorder")("=");
  if (dtype)
    for (int i = 0; i < kDTypes; ++i)
      if (py::handle(table[i]).equal(dtype)) return static_cast<DType>(i);
  throw DTypeError(
      "dtype " + std::string(py::str(o)) +
      " is not supported; choose bool, (u)int8 to (u)int64, float16, float32, float64, complex64 or complex128");
}

/// Python's words, which NumPy's errors have, too, and a colon for our own.
static std::string no_integer(py::handle o) {
  return "'" + std::string(Py_TYPE(o.ptr())->tp_name) + "' object cannot be interpreted as an integer: ";
}

std::int64_t read_int(py::handle o, const char* what) {
  if (!PyIndex_Check(o.ptr())) throw DTypeError(no_integer(o) + what + " is an int, not " + std::string(py::repr(o)));
  const Py_ssize_t v = PyNumber_AsSsize_t(o.ptr(), PyExc_OverflowError);
  if (v != -1 || !PyErr_Occurred()) return v;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw py::error_already_set();
  PyErr_Clear();
  throw ShapeError(std::string(what) + ": " + std::string(py::repr(o)) + " does not fit into 64 bits");
}

namespace {

constexpr auto kMost = static_cast<Py_ssize_t>(kMaxDims);

[[noreturn]] void refuse_axes(Py_ssize_t n) { throw ShapeError(too_many_axes(n)); }

/// Whether what answers PyIndex_Check is an array with an axis, of any library.
bool is_row(py::handle o) {
  return !PyLong_Check(o.ptr()) && PySequence_Check(o.ptr()) && PyObject_HasAttrString(o.ptr(), "ndim") &&
         PyObject_IsTrue(o.attr("ndim").ptr()) == 1;
}

}  // namespace

Dims read_ints(py::handle o, const char* what) {
  Dims ints;
  const bool row = PyIndex_Check(o.ptr()) && is_row(o);
  if (PyIndex_Check(o.ptr()) && !row) {
    ints.push_back(read_int(o, what));
    return ints;
  }
  if (row && PyObject_HasAttrString(o.ptr(), "tolist")) {
    if (const Py_ssize_t n = PyObject_Length(o.ptr()); n > kMost) refuse_axes(n);
    return read_ints(o.attr("tolist")(), what);
  }
  const py::object sequence = py::reinterpret_steal<py::object>(PySequence_Fast(o.ptr(), ""));
  if (!sequence) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();
    const std::string type = Py_TYPE(o.ptr())->tp_name;
    const std::string given = PyFloat_Check(o.ptr()) ? std::string(py::str(o)) : type;  // a text may take a wait
    throw DTypeError("expected a sequence of integers or a single integer, got '" + given + "': " + what +
                     " is an int or a sequence of ints, not " + type);
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence.ptr());
  if (n > kMost) refuse_axes(n);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {  // an item's __index__ may change a list
    const auto item = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(sequence.ptr(), i));
    if (!PyIndex_Check(item.ptr()))
      throw DTypeError(no_integer(item) + what + " is an int or a sequence of ints, not " + std::string(py::repr(o)));
    ints.push_back(read_int(item, what));
  }
  return ints;
}

Dims read_new_shape(py::handle o) {
  Dims sizes = read_ints(o, "a shape");
  bool truths = PyBool_Check(o.ptr());  // they count as ints, but sizes they are by mistake alone
  if (PyTuple_Check(o.ptr()) || PyList_Check(o.ptr()))
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o.ptr()); ++i)
      truths |= PyBool_Check(PySequence_Fast_GET_ITEM(o.ptr(), i)) != 0;
  if (truths) throw DTypeError("a shape is an int or a sequence of ints, not " + std::string(py::repr(o)));
  return sizes;
}

Dims read_sizes(py::handle o) {
  Dims sizes = read_new_shape(o);
  for (const std::int64_t size : sizes)
    if (size < 0) throw ShapeError("negative dimensions are not allowed, got " + std::string(py::repr(o)));
  return sizes;
}

py::tuple dims_tuple(const Dims& d) {
  py::tuple t(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) t[i] = py::int_(d[i]);
  return t;
}

}  // namespace devarray
