// Arrays of one element as Python's numbers: item(), bool(), int(), float(), indices and hashes. They wait for the
// device.
#include "bind/engine/slots.hpp"
#include "engine/assign.hpp"
#include "engine/evaluate.hpp"
#include "engine/transfer.hpp"

namespace devarray {

bool elements_have_no_axes() {
  static const bool refused = [] {
    const auto numpy = py::module_::import("numpy");
    const py::object version = numpy.attr("lib").attr("NumpyVersion")(numpy.attr("__version__"));
    return py::bool_(version.attr("__ge__")("2.4.0")).cast<bool>();
  }();
  return refused;
}

py::object item_object(Node& n) {
  alignas(16) char bytes[16] = {};
  read_item(NodeRef(&n), bytes);
  const auto as = [&](auto v) {
    std::memcpy(&v, bytes, sizeof v);
    return v;
  };
  switch (n.dtype) {
    case DType::bool_: return py::bool_(bytes[0] != 0);
    case DType::int8: return py::int_(as(std::int8_t()));
    case DType::int16: return py::int_(as(std::int16_t()));
    case DType::int32: return py::int_(as(std::int32_t()));
    case DType::int64: return py::int_(as(std::int64_t()));
    case DType::uint8: return py::int_(as(std::uint8_t()));
    case DType::uint16: return py::int_(as(std::uint16_t()));
    case DType::uint32: return py::int_(as(std::uint32_t()));
    case DType::uint64: return py::int_(as(std::uint64_t()));
    case DType::float16: return py::float_(static_cast<double>(as(static_cast<_Float16>(0))));
    case DType::float32: return py::float_(static_cast<double>(as(0.0F)));
    case DType::float64: return py::float_(as(0.0));
    case DType::complex64: {
      float c[2];
      std::memcpy(c, bytes, sizeof c);
      return py::reinterpret_steal<py::object>(PyComplex_FromDoubles(c[0], c[1]));
    }
    default: {
      double c[2];
      std::memcpy(c, bytes, sizeof c);
      return py::reinterpret_steal<py::object>(PyComplex_FromDoubles(c[0], c[1]));
    }
  }
}

namespace {

int to_bool(PyObject* self) {
  return guarded_int([&]() -> int {
    Node& n = node_of(self);
    if (n.size() != 1)
      throw ValueError((n.size() == 0
                            ? "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
                              "array is not empty. The array has shape "
                            : "The truth value of an array with more than one element is ambiguous. Use a.any() or "
                              "a.all(); the array has shape ") +
                       to_string(n.shape));
    if (n.dtype == DType::bool_) {
      std::uint8_t truth = 0;
      read_item(NodeRef(&n), &truth);
      return truth != 0;
    }
    if (is_integer(n.dtype)) {
      std::int64_t number = 0;  // zero in any integer dtype where it is zero as a whole
      read_item(NodeRef(&n), &number);
      return number != 0;
    }
    return PyObject_IsTrue(item_object(n).ptr());
  });
}

/// The number that an array of one element is to int(), float() and complex(): for one with axes as the NumPy beside it
/// has it.
py::object number_of(PyObject* self) {
  Node& n = node_of(self);
  if (!n.shape.empty() && elements_have_no_axes())
    throw DTypeError("only 0-dimensional arrays can be converted to Python scalars; this one has shape " +
                     to_string(n.shape) + "; x.item() takes one element with any number of axes");
  if (!n.shape.empty() && n.size() != 1)
    throw DTypeError("only length-1 arrays can be converted to Python scalars; this one has shape " +
                     to_string(n.shape));
  return item_object(n);
}

PyObject* to_int(PyObject* self) {
  return guarded([&] { return PyNumber_Long(number_of(self).ptr()); });
}

PyObject* to_float(PyObject* self) {
  return guarded([&] { return PyNumber_Float(number_of(self).ptr()); });
}

PyObject* to_index(PyObject* self) {
  return guarded([&]() -> PyObject* {
    Node& n = node_of(self);
    if (kind_rank(kind_of(n.dtype)) != 1 || !n.shape.empty())
      throw DTypeError("only integer scalar arrays can be converted to a scalar index; this one has dtype " +
                       std::string(name_of(n.dtype)) + " and shape " + to_string(n.shape));
    return item_object(n).release().ptr();
  });
}

/// Python's hash of the number, so that NumPy's and Python's equal ones find it; of NaN, which equals nothing, the
/// object's. Waits for the device.
Py_hash_t hash(PyObject* self) {
  if (!is_value(self)) return PyObject_HashNotImplemented(self);
  try {
    const py::object number = item_object(node_of(self));
    const auto same = py::reinterpret_steal<py::object>(PyObject_RichCompare(number.ptr(), number.ptr(), Py_EQ));
    return same.ptr() == Py_False ? PyBaseObject_Type.tp_hash(self) : PyObject_Hash(number.ptr());
  } catch (...) {
    set_python_error();
    return -1;
  }
}

/// The indices of an element, values of the device among them as integers: item() waits in any case.
py::tuple integers_in(PyObject* key) {
  py::tuple made(static_cast<std::size_t>(PyTuple_GET_SIZE(key)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
    PyObject* given = PyTuple_GET_ITEM(key, i);
    auto index = is_array(given) ? py::reinterpret_steal<py::object>(PyNumber_Index(given))
                                 : py::reinterpret_borrow<py::object>(given);
    if (!index) throw py::error_already_set();
    made[static_cast<std::size_t>(i)] = index;
  }
  return made;
}

}  // namespace

PyObject* item(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    NodeRef n(&node_of(self));
    if (count > 0) {
      PyObject* key = args;
      if (count == 1 && PyTuple_Check(PyTuple_GET_ITEM(args, 0))) key = PyTuple_GET_ITEM(args, 0);
      if (count == 1 && key == args && n->shape.size() != 1) {  // NumPy's flat index
        evaluate(*n);
        n = contiguous(n);
        n = Node::view(*n, n->dtype, Dims{n->size()}, Dims{n->itemsize()}, n->offset);
      }
      NodeRef picked = basic_index(n, integers_in(key).ptr());
      if (!picked) throw IndexError("item() takes integers");
      n = picked;
    }
    return item_object(*n).release().ptr();
  });
}

PyObject* evaluate_method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    evaluate(node_of(self));
    return Py_NewRef(self);
  });
}

PyObject* complex_method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const py::object o = number_of(self);
    if (PyComplex_Check(o.ptr())) return py::object(o).release().ptr();
    const double re = PyFloat_AsDouble(o.ptr());
    if (re == -1.0 && PyErr_Occurred()) return nullptr;
    return PyComplex_FromDoubles(re, 0);
  });
}

void add_scalar_conversions(std::vector<PyType_Slot>& slots) {
  slots.insert(slots.end(), {
                                slot(Py_tp_hash, hash),
                                slot(Py_nb_bool, to_bool),
                                slot(Py_nb_int, to_int),
                                slot(Py_nb_float, to_float),
                                slot(Py_nb_index, to_index),
                            });
}

}  // namespace devarray
