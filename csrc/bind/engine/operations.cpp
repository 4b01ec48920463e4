// Element-wise operations and reductions by name or number, by the C API: the hot path of functions.
#include <algorithm>

#include "bind/engine/array.hpp"
#include "bind/engine/float_errors.hpp"
#include "bind/engine/powers.hpp"
#include "bind/python/truth.hpp"
#include "engine/config.hpp"
#include "engine/reduce.hpp"

namespace devarray {
namespace {

/// What an operation gives where no operand is an array: scalars are on the host, and stay there.
PyObject* of_scalars(const std::string& name, PyObject* const* scalars, Py_ssize_t count) {
  py::tuple given(count + 1);
  given[0] = py::str(name);
  for (Py_ssize_t i = 0; i < count; ++i) given[i + 1] = py::reinterpret_borrow<py::object>(scalars[i]);
  return without_unwinding([&] { return PyObject_Call(hooks().of_scalars, given.ptr(), nullptr); });
}

/// Whether an operand, a scalar of NumPy's or an array, is of dates or durations.
bool is_of_dates(PyObject* operand) {
  const auto x = py::reinterpret_borrow<py::object>(operand);
  const std::string kind = py::str(py::getattr(py::getattr(x, "dtype", py::none()), "kind", py::str("")));
  return kind == "m" || kind == "M";
}

}  // namespace

PyObject* apply_operation(OpId op, PyObject* const* operands, int count) {
  try {
    RecordArg args[3];
    bool arrays = false;
    for (int i = 0; i < count; ++i) {
      if (!read_operand(operands[i], args[i]) && !read_operands(operands, args, count)) {
        const auto is_ours = [](PyObject* o) { return is_array(o); };
        if (hooks().of_scalars &&
            (std::none_of(operands, operands + count, is_ours) || PyObject_HasAttrString(operands[i], "_numbers") ||
             PyObject_HasAttrString(operands[i], "mask") || is_of_dates(operands[i])))
          return of_scalars(ops()[op].name, operands,
                            count);  // lists, NumPy's arrays, masked ones, dates or an OpaqueArray among them
        throw DTypeError(ops()[op].name + " takes arrays and Python or NumPy scalars, not " +
                         std::string(Py_TYPE(operands[i])->tp_name) +
                         "; move host data with asarray() or to_device() first");
      }
      arrays |= args[i].node && args[i].node->place;
    }
    if (!arrays && hooks().of_scalars) return of_scalars(ops()[op].name, operands, count);
    if (op == core_ops().pow) require_known_power(operands[1], args);
    NodeRef made = record(op, args, count);
    watch_floats(op, operands, count, made);
    // A copy is what it is of: an array without axes stays one.
    const bool array = op == core_ops().copy && is_array(operands[0]) && !is_value(operands[0]);
    return array ? wrap(std::move(made)) : wrap_result(std::move(made));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

namespace {

PyObject* apply(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc < 2 || argc > 4) {
    PyErr_SetString(PyExc_ValueError, "apply(op, x1[, x2[, x3]])");
    return nullptr;
  }
  return apply_operation(static_cast<OpId>(PyLong_AsLong(argv[0])), argv + 1, static_cast<int>(argc - 1));
}

/// References to a temporary of the user's that the Python side holds while it calls reduce_array(): more mean that
/// somebody keeps the array, so that its value is worth storing beside the reduction. Measured at import, through the
/// methods of arrays; a wrong answer costs time, never correctness. The library's own temporaries say `consume`.
Py_ssize_t references_of_temporary = 0;

std::vector<PostOp> read_post(PyObject* steps) {
  std::vector<PostOp> post;
  for (py::handle step : items_of(steps)) {
    const auto pair = py::reinterpret_borrow<py::sequence>(step);
    PostOp p;
    p.op = ops().find(pair[0].cast<std::string>());
    if (!pair[1].is_none()) p.scalar = pair[1].cast<double>();
    post.push_back(p);
  }
  return post;
}

/// One axis that the array has, a sequence of axes from 0, or None for all.
std::vector<std::int64_t> read_axes(PyObject* o, std::size_t ndim) {
  std::vector<std::int64_t> axes;
  if (o == Py_None) {
    for (std::size_t i = 0; i < ndim; ++i) axes.push_back(static_cast<std::int64_t>(i));
  } else if (PyLong_Check(o)) {
    const std::int64_t axis = read_int(o, "an axis");
    axes.push_back(axis < 0 ? axis + static_cast<std::int64_t>(ndim) : axis);
  } else {
    axes = py::handle(o).cast<std::vector<std::int64_t>>();
  }
  return axes;
}

/// A mean is a sum that is divided as it is stored: of integers in float64.
void become_mean(Reduction& r, const Node& x) {
  static const OpId divide = ops().find("divide");
  r.kind = "sum";
  if (!r.dtype) r.dtype = kind_rank(kind_of(x.dtype)) < 2 ? DType::float64 : x.dtype;
  double count = 1;
  for (const std::int64_t axis : r.axes) count *= static_cast<double>(x.shape[static_cast<std::size_t>(axis)]);
  r.post.push_back({divide, count});
}

/// reduce(x, kind, axes, keepdims, dtype, post, consume[, only_read]); no axes are all. A kind more is "mean", in a
/// float dtype. None for a "deviation" that is not computed in one pass.
PyObject* reduce_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 7 && argc != 8) throw ValueError("reduce(x, kind, axes, keepdims, dtype, post, consume[, only_read])");
    Node& x = require_array(argv[0]);
    if (!x.place) {
      references_of_temporary = Py_REFCNT(argv[0]);
      Py_RETURN_NONE;
    }
    Reduction r;
    const char* kind = PyUnicode_AsUTF8(argv[1]);
    if (!kind) return nullptr;
    r.kind = kind;
    r.axes = read_axes(argv[2], x.shape.size());
    r.keepdims = argv[3] == Py_True || (argv[3] != Py_False && truth(argv[3]));
    if (argv[4] != Py_None) r.dtype = read_dtype(argv[4]);
    if (!PyTuple_CheckExact(argv[5]) || PyTuple_GET_SIZE(argv[5]) > 0) r.post = read_post(argv[5]);
    if (r.kind == "mean") become_mean(r, x);
    r.only_read = argc == 8 && argv[7] == Py_True;
    const bool dies = argv[6] == Py_True || argv[0] == last_argument || Py_REFCNT(argv[0]) <= references_of_temporary;
    r.input_dies = dies && x.owners <= 1 && !x.consumers;
    if (!is_deviation(r.kind)) return wrap_result(reduce(NodeRef(&x), r));
    NodeRef made = detail::float_watchers ? nullptr : reduce_deviation(NodeRef(&x), r);  // who watches sees each step
    if (!made) Py_RETURN_NONE;
    return wrap_result(std::move(made));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

PyObject* deferred(PyObject*, PyObject*) { return PyBool_FromLong(config().deferred); }

PyMethodDef operation_functions[] = {
    {"deferred", deferred, METH_NOARGS, "config.deferred"},
    {"reduce", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(reduce_array)), METH_FASTCALL,
     "reduce(x, kind, axes, keepdims, dtype, post, consume[, only_read]): see devarray/_array/reductions.py."},
    {"apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(apply)), METH_FASTCALL,
     "apply(op, x1[, x2[, x3]]): record the element-wise operation with that number."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* reduce_all(PyObject* array, const char* kind) {
  try {
    Node& x = node_of(array);
    if (!x.place) return nullptr;
    Reduction r;
    r.kind = kind;
    for (std::size_t i = 0; i < x.shape.size(); ++i) r.axes.push_back(static_cast<std::int64_t>(i));
    r.input_dies = array == last_argument && x.owners <= 1 && !x.consumers;
    return wrap_result(reduce(NodeRef(&x), r));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

void bind_engine_operations(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), operation_functions) < 0) throw py::error_already_set();
  m.def("astype", [](py::handle a, py::handle dtype) {
    NodeRef made = cast(NodeRef(&require_array(a)), read_dtype(dtype));
    PyObject* const operand = a.ptr();
    watch_floats("cast", &operand, 1, made);
    return py::reinterpret_steal<py::object>(is_value(a.ptr()) ? wrap_result(std::move(made)) : wrap(std::move(made)));
  });
  m.def("require_known_power", py::overload_cast<py::handle, py::handle>(&require_known_power));
  m.def("promote", [](py::handle a, py::handle b) { return dtype_object(promote(read_dtype(a), read_dtype(b))); });
}

}  // namespace devarray
