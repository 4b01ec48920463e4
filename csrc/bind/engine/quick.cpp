// Functions of Python of which the common form needs no frame of Python more: empty, zeros, ones, full, to_device,
// dot, __array_ufunc__ and methods of arrays, DLPack's among them, which are a call of C then, and those that make
// arrays of some arguments, which have nothing to make. Like NumPy's array functions, they wrap the Python function,
// which holds the signature, the documentation and every other form.
#include <Python.h>
#include <structmember.h>

#include <algorithm>
#include <cstring>

#include "bind/engine/array.hpp"
#include "bind/engine/dlpack.hpp"
#include "bind/engine/float_errors.hpp"
#include "bind/engine/slots.hpp"
#include "bind/engine/with_arrays.hpp"
#include "engine/operators.hpp"
#include "engine/views.hpp"

namespace devarray {
namespace {

struct QuickFunction;

/// The common form of a call. Null without an error where the call has another form.
using Quick = PyObject*(const QuickFunction& self, PyObject* const* argv, Py_ssize_t positional, PyObject* names);

struct QuickFunction {
  PyObject_HEAD vectorcallfunc call;
  Quick* quick;
  PyObject* function;
  PyObject* other;  ///< called for every other form; the function, or what makes its arguments arrays
  PyObject* names;  ///< tuple: parameters that are to be arrays; null without `arrays`; dict: ufuncs' operations
  Places arrays, sequences;  ///< arguments that are to be arrays; those that may be a list or tuple of arrays instead
  Places lists;              ///< those of which lists of numbers make arrays here
  const char* kind;          ///< of a reduction
  OpId op;                   ///< recorded by a call of `operands` arguments by position
  int operands;
  PyObject* small;  ///< NumPy's function, which does the same on the host; or null
  char binds;       ///< whether it is a method in a class's body, as functions are
  PyObject* dict;
  PyObject* weakrefs;
};

QuickFunction* of(PyObject* self) { return reinterpret_cast<QuickFunction*>(self); }

/// Whether an object is an array of a device that works as CPUs do.
bool is_of_cpu(PyObject* o) {
  return is_array(o) && node_of(o).place && node_of(o).place->device->strategy() == Strategy::cpu;
}

/// Whether a call gives `count` arguments by position, and at most the dtype behind them, by position or name.
bool only_dtype_behind(Py_ssize_t count, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  if (named == 0) return positional == count || positional == count + 1;
  return positional == count && named == 1 &&
         PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dtype") == 0;
}

/// What was made. Without an error where the dtype was the reason: the function in Python knows further ones.
PyObject* made_or_other_dtype(PyObject* made) {
  if (!made && PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_Clear();
  return made;
}

/// empty(shape) and empty(shape, dtype), at the default place.
PyObject* quick_empty(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (!only_dtype_behind(1, positional, names)) return nullptr;
  return made_or_other_dtype(empty_array(nullptr, argv, positional + (names != nullptr)));
}

/// zeros(shape) and zeros(shape, dtype), at the default place; ones() likewise.
template <long value>
PyObject* quick_number(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (!only_dtype_behind(1, positional, names)) return nullptr;
  PyObject* number = PyLong_FromLong(value);  // a small one, which Python keeps
  PyObject* made = filled_array(argv[0], positional > 1 || names ? argv[1] : nullptr, number);
  Py_DECREF(number);
  return made_or_other_dtype(made);
}

/// full(shape, value) and full(shape, value, dtype) of a float, an int of 64 bits or a bool, at the default place.
PyObject* quick_full(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (!only_dtype_behind(2, positional, names)) return nullptr;
  PyObject* value = argv[1];
  PyObject* dtype = positional > 2 || names ? argv[2] : Py_None;
  if (PyBool_Check(value) || PyLong_CheckExact(value)) {
    int beyond = 0;
    PyLong_AsLongLongAndOverflow(value, &beyond);
    if (beyond) return nullptr;
    const DType own = PyBool_Check(value) ? DType::bool_ : DType::int64;
    if (dtype == Py_None) dtype = hooks().dtypes[static_cast<int>(own)];
  } else if (!PyFloat_CheckExact(value)) {
    return nullptr;
  }
  return made_or_other_dtype(filled_array(argv[0], dtype, value));
}

/// to_device(ndarray), at the default place.
PyObject* quick_to_device(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  return positional == 1 && (!names || PyTuple_GET_SIZE(names) == 0) ? upload_plain(argv[0]) : nullptr;
}

/// Whether an array has one axis at most, or lies in memory by rows.
bool in_c_order(const Node& n) { return n.shape.size() <= 1 || (n.is_leaf() && n.c_contiguous()); }

/// x.copy() of what lies in memory, or has one axis at most.
PyObject* quick_copy(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (positional != 1 || (names && PyTuple_GET_SIZE(names) > 0) || !is_of_cpu(argv[0])) return nullptr;
  const NodeRef n(&node_of(argv[0]));
  if (in_c_order(*n)) return apply_operation(core_ops().copy, argv, 1);
  return n->is_leaf() ? guarded([&] { return wrap(reshaped(n, n->shape, true)); }) : nullptr;
}

/// ascontiguousarray(x) and asfortranarray(x) of what lies in memory.
template <bool fortran>
PyObject* quick_contiguous(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (positional != 1 || (names && PyTuple_GET_SIZE(names) > 0) || !is_of_cpu(argv[0])) return nullptr;
  const NodeRef n(&node_of(argv[0]));
  if (!n->is_leaf() || n->shape.empty()) return nullptr;
  return guarded([&]() -> PyObject* {
    Dims reversed;
    for (std::size_t axis = n->shape.size(); axis-- > 0;) reversed.push_back(static_cast<std::int64_t>(axis));
    const NodeRef turned = fortran ? with_axes(n, reversed) : n;
    if (turned->c_contiguous()) return Py_NewRef(argv[0]);
    NodeRef made = reshaped(turned, turned->shape, true);
    if (fortran) (made = with_axes(made, reversed))->is_view = false;  // it is the only array of its memory
    return wrap(made);
  });
}

/// asarray() and array() of a list, an ndarray or an array, with at most a dtype, at the default place.
template <bool copies>
PyObject* quick_array(const QuickFunction& self, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (!only_dtype_behind(1, positional, names)) return nullptr;
  const bool has_dtype = (positional > 1 || names) && argv[1] != Py_None;
  if (is_array(argv[0])) {
    if (has_dtype || is_value(argv[0]) || (copies && !in_c_order(node_of(argv[0])))) return nullptr;  // array: "K"
    return copies ? quick_copy(self, argv, 1, nullptr) : Py_NewRef(argv[0]);
  }
  try {
    if (PyObject* made = array_of_list(argv[0], has_dtype ? argv[1] : nullptr)) return made;
  } catch (...) {
    set_python_error();
    return made_or_other_dtype(nullptr);
  }
  return has_dtype ? nullptr : upload_plain(argv[0]);
}

/// x.tolist() of few elements.
PyObject* quick_tolist(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (positional != 1 || (names && PyTuple_GET_SIZE(names) > 0) || !is_array(argv[0])) return nullptr;
  return guarded([&] { return list_of_array(argv[0]); });
}

/// The method of an array, of all its elements.
PyObject* quick_reduction(const QuickFunction& self, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  const bool simple = positional == 1 && (!names || PyTuple_GET_SIZE(names) == 0) && is_of_cpu(argv[0]);
  return simple ? reduce_all(argv[0], self.kind) : nullptr;
}

/// x.astype(dtype) of dtypes that devices have. Parts of complex numbers are discarded in Python, with a warning.
PyObject* quick_astype(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (positional != 2 || (names && PyTuple_GET_SIZE(names) > 0) || !is_of_cpu(argv[0]) || argv[1] == Py_None)
    return nullptr;
  PyObject* const* known = hooks().dtypes;
  PyObject* const* types = hooks().scalar_types;
  py::object wanted = py::reinterpret_borrow<py::object>(argv[1]);
  if (PyUnicode_CheckExact(argv[1]) || PyType_Check(argv[1])) {
    if (std::find(types, types + kDTypes, argv[1]) == types + kDTypes)
      wanted = py::reinterpret_steal<py::object>(PyObject_CallOneArg(hooks().numpy_dtype, argv[1]));
    if (!wanted) {
      PyErr_Clear();
      return nullptr;
    }
  }
  auto place = static_cast<int>(std::find(known, known + kDTypes, wanted.ptr()) - known);
  if (place == kDTypes) place = static_cast<int>(std::find(types, types + kDTypes, wanted.ptr()) - types);
  if (place == kDTypes) return nullptr;
  const auto dtype = static_cast<DType>(place);
  const NodeRef n(&node_of(argv[0]));
  if (n->dtype == dtype) return apply_operation(core_ops().copy, argv, 1);
  if (kind_of(n->dtype) == Kind::complex && kind_of(dtype) != Kind::complex) return nullptr;
  try {
    NodeRef made = cast(n, dtype);
    watch_floats("cast", argv, 1, made);
    return is_value(argv[0]) ? wrap_result(std::move(made)) : wrap(std::move(made));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// Whether an operand is an array or a number of Python's or NumPy's.
bool is_plain_operand(PyObject* o) {
  if (is_array(o) || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o))
    return true;
  const auto& types = hooks().scalar_types;
  return std::find(std::begin(types), std::end(types), reinterpret_cast<PyObject*>(Py_TYPE(o))) != std::end(types);
}

/// A ufunc's result, written into an array of its dtype and shape.
PyObject* operation_into(PyObject* out, OpId op, PyObject* const* operands, int count) {
  if (!is_array(out) || is_value(out)) return nullptr;
  py::object made = py::reinterpret_steal<py::object>(apply_operation(op, operands, count));
  if (!made) return nullptr;
  const NodeRef value(&node_of(made.ptr()));
  if (value->dtype != node_of(out).dtype || !(value->shape == node_of(out).shape)) return nullptr;
  made = py::object();  // what nobody else holds is stored without memory of its own
  try {
    if (!replace(out, value)) assign_item(*basic_index(NodeRef(&node_of(out)), Py_Ellipsis), value, nullptr, true);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
  return Py_NewRef(out);
}

bool is_out(PyObject* names) { return PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "out") == 0; }

/// __array_ufunc__(self, ufunc, "__call__", one or two operands, out=(array,) or nothing), of ufuncs that are an
/// operation each: self.names says which.
PyObject* quick_ufunc(const QuickFunction& self, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  PyObject* const* operands = argv + 3;
  const auto count = static_cast<int>(positional - 3);
  if (count < 1 || count > 2 || named > 1) return nullptr;
  if (!PyUnicode_Check(argv[2]) || PyUnicode_CompareWithASCIIString(argv[2], "__call__") != 0) return nullptr;
  if (!std::all_of(operands, operands + count, is_plain_operand) || !std::any_of(operands, operands + count, is_array))
    return nullptr;
  PyObject* number = PyDict_GetItemWithError(self.names, argv[1]);
  if (!number) return nullptr;
  const auto op = static_cast<OpId>(PyLong_AsLong(number));
  if (ops()[op].arity != count) return nullptr;
  if (named == 0) return apply_operation(op, operands, count);
  PyObject* out = argv[positional];
  if (!is_out(names) || !PyTuple_CheckExact(out) || PyTuple_GET_SIZE(out) != 1) return nullptr;
  return operation_into(PyTuple_GET_ITEM(out, 0), op, operands, count);
}

/// The operands, and at most out=array where CPUs work.
PyObject* quick_operation(const QuickFunction& self, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (positional != self.operands) return nullptr;
  if (!names || PyTuple_GET_SIZE(names) == 0) return apply_operation(self.op, argv, self.operands);
  if (PyTuple_GET_SIZE(names) > 1 || !is_out(names) || !is_of_cpu(argv[positional]) ||
      !std::all_of(argv, argv + positional, is_plain_operand) || !std::any_of(argv, argv + positional, is_array))
    return nullptr;
  return operation_into(argv[positional], self.op, argv, self.operands);
}

/// The function itself where all that is to be an array is one, or NumPy's where these are small.
PyObject* quick_of_arrays(const QuickFunction& self, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t given_by_name = names ? PyTuple_GET_SIZE(names) : 0;
  if ((self.lists | self.sequences) && given_by_name == 0 && WithArrays::may_read(argv, positional)) {
    WithArrays whole;
    bool read = false;
    PyObject* failed = guarded([&]() -> PyObject* {
      read = whole.read(argv, positional, self.lists, self.sequences);
      return nullptr;
    });
    if (failed || PyErr_Occurred()) return failed;
    if (read) return quick_of_arrays(self, whole.data(), positional, names);
  }
  if (self.small) {
    PyObject* done = guarded([&] { return small_call(self.small, argv, positional, names); });
    if (done || PyErr_Occurred()) return done;
  }
  for (Py_ssize_t i = 0; i < positional; ++i)
    if (has(self.arrays, i) && !is_array(argv[i]) && !(has(self.sequences, i) && holds_arrays(argv[i]))) return nullptr;
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i)
    if (!is_array(argv[positional + i]) && PySequence_Contains(self.names, PyTuple_GET_ITEM(names, i)) != 0)
      return nullptr;
  return PyObject_Vectorcall(self.function, argv, static_cast<std::size_t>(positional), names);
}

/// dot(a, b) of vectors and matrices: where the host may multiply them, their product.
PyObject* quick_dot(const QuickFunction& self, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  const auto suits = [](PyObject* x) {
    const std::size_t axes = is_array(x) ? node_of(x).shape.size() : 0;
    return axes == 1 || axes == 2;
  };
  if (positional == 2 && (!names || PyTuple_GET_SIZE(names) == 0) && suits(argv[0]) && suits(argv[1])) {
    PyObject* product = guarded([&] { return small_product(argv[0], argv[1]); });
    if (product || PyErr_Occurred()) return product;
  }
  return quick_of_arrays(self, argv, positional, names);
}

/// The form of a function that makes arrays of some arguments.
Quick* quick_with_arrays(PyObject* function, const char* name) {
  if (std::strcmp(name, "dot") != 0) return quick_of_arrays;
  const auto home = py::reinterpret_steal<py::object>(PyObject_GetAttrString(function, "__module__"));
  const bool ours = home && PyUnicode_Check(home.ptr()) &&
                    PyUnicode_CompareWithASCIIString(home.ptr(), "devarray.linalg.vector_products") == 0;
  return ours ? quick_dot : quick_of_arrays;
}

/// __dlpack__(max_version=(1, 0), stream=...) and __dlpack_device__() of memory that can be had in place.
template <PyObject* (*form)(PyObject* const*, Py_ssize_t, PyObject*)>
PyObject* quick_exchange(const QuickFunction&, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  return positional < 1 ? nullptr : guarded([&] { return form(argv, positional, names); });
}

constexpr const char* kReductions[] = {"sum", "prod", "min", "max", "any", "all", "argmin", "argmax"};

Quick* quick_named(const char* name, const char** kind) {
  for (const char* reduction : kReductions)
    if (std::strcmp(name, reduction) == 0) {
      *kind = reduction;
      return quick_reduction;
    }
  if (std::strcmp(name, "copy") == 0) return quick_copy;
  if (std::strcmp(name, "astype") == 0) return quick_astype;
  if (std::strcmp(name, "tolist") == 0) return quick_tolist;
  if (std::strcmp(name, "asarray") == 0) return quick_array<false>;
  if (std::strcmp(name, "array") == 0) return quick_array<true>;
  if (std::strcmp(name, "ascontiguousarray") == 0) return quick_contiguous<false>;
  if (std::strcmp(name, "asfortranarray") == 0) return quick_contiguous<true>;
  if (std::strcmp(name, "empty") == 0) return quick_empty;
  if (std::strcmp(name, "zeros") == 0) return quick_number<0>;
  if (std::strcmp(name, "ones") == 0) return quick_number<1>;
  if (std::strcmp(name, "full") == 0) return quick_full;
  if (std::strcmp(name, "to_device") == 0) return quick_to_device;
  if (std::strcmp(name, "__dlpack__") == 0) return quick_exchange<dlpack_in_place>;
  if (std::strcmp(name, "__dlpack_device__") == 0) return quick_exchange<dlpack_device_in_place>;
  PyErr_Format(PyExc_ValueError, "no function named %s has a quick form", name);
  return nullptr;
}

/// Keeps last_argument for the time of a call. A method holds a temporary by the bound method alone. On GPUs functions
/// take their arguments for held ones, as they always did; methods that reduce do not.
class LastArgument {
 public:
  LastArgument(const QuickFunction& function, PyObject* const* argv, Py_ssize_t positional) {
    const bool last = positional > 0 && (Py_REFCNT(argv[0]) == 1 || argv[0] == last_argument);
    last_argument = last && (function.kind || is_of_cpu(argv[0])) ? argv[0] : nullptr;
  }
  ~LastArgument() { last_argument = nullptr; }
  LastArgument(const LastArgument&) = delete;
  LastArgument& operator=(const LastArgument&) = delete;
};

PyObject* call(PyObject* self, PyObject* const* argv, std::size_t flags, PyObject* names) {
  const LastArgument last(*of(self), argv, PyVectorcall_NARGS(flags));
  PyObject* done = of(self)->quick(*of(self), argv, PyVectorcall_NARGS(flags), names);
  if (done || PyErr_Occurred()) return done;
  return PyObject_Vectorcall(of(self)->other, argv, flags, names);
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *function = nullptr, *other = nullptr, *names = nullptr, *small = nullptr;
  Places arrays = 0, sequences = 0, lists = 0;
  int op = 0, operands = 0;
  const bool of_ufuncs = PyTuple_GET_SIZE(args) == 2;
  if (of_ufuncs) {
    if (!PyArg_ParseTuple(args, "OO!", &function, &PyDict_Type, &names)) return nullptr;
  } else if (PyTuple_GET_SIZE(args) == 3) {
    if (!PyArg_ParseTuple(args, "Oii", &function, &op, &operands)) return nullptr;
    if (operands < 1 || operands > 3) return PyErr_Format(PyExc_ValueError, "an operation has 1 to 3 operands");
  } else {
    if (!PyArg_ParseTuple(args, "O|OO!KKOK", &function, &other, &PyTuple_Type, &names, &arrays, &sequences, &small,
                          &lists))
      return nullptr;
    if (other && !names)
      return PyErr_Format(PyExc_TypeError, "QuickFunction takes one, three, five to seven arguments");
    if (small == Py_None) small = nullptr;
  }
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  const py::object name = py::reinterpret_steal<py::object>(PyObject_GetAttrString(function, "__name__"));
  of(self)->call = call;
  const char* text = name ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
  of(self)->quick = !text       ? nullptr
                    : operands  ? quick_operation
                    : of_ufuncs ? quick_ufunc
                    : names     ? quick_with_arrays(function, text)
                                : quick_named(text, &of(self)->kind);
  of(self)->function = Py_NewRef(function);
  of(self)->other = Py_NewRef(other ? other : function);
  of(self)->names = Py_XNewRef(names);
  of(self)->arrays = arrays;
  of(self)->sequences = sequences;
  of(self)->lists = lists;
  of(self)->op = static_cast<OpId>(op);
  of(self)->operands = operands;
  of(self)->small = Py_XNewRef(small);
  of(self)->binds = 1;
  of(self)->dict = PyDict_New();
  if (!of(self)->quick || !of(self)->dict || PyDict_SetItemString(of(self)->dict, "__wrapped__", function) < 0) {
    Py_DECREF(self);
    return nullptr;
  }
  for (const char* name : {"__module__", "__name__", "__qualname__", "__doc__", "__annotations__"}) {
    PyObject* value = PyObject_GetAttrString(function, name);
    const bool stored = value && PyDict_SetItemString(of(self)->dict, name, value) == 0;
    Py_XDECREF(value);
    if (!stored) {
      Py_DECREF(self);
      return nullptr;
    }
  }
  return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(of(self)->function);
  Py_VISIT(of(self)->other);
  Py_VISIT(of(self)->names);
  Py_VISIT(of(self)->small);
  Py_VISIT(of(self)->dict);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(of(self)->function);
  Py_CLEAR(of(self)->other);
  Py_CLEAR(of(self)->names);
  Py_CLEAR(of(self)->small);
  Py_CLEAR(of(self)->dict);
  return 0;
}

void dealloc_function(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (of(self)->weakrefs) PyObject_ClearWeakRefs(self);
  clear(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Binds as functions do, which also makes it a routine to inspect, help() and doctest; to nothing where NumPy's is a
/// ufunc or a function in C, so that `activation = tanh` in a class's body is called as it would be outside.
PyObject* bound(PyObject* self, PyObject* instance, PyObject*) {
  // without an instance: how NumPy finds __array_ufunc__, in each call of a ufunc
  return instance && of(self)->binds ? PyMethod_New(self, instance) : Py_NewRef(self);
}

/// Borrowed; null where somebody deleted it.
PyObject* qualname(PyObject* self) {
  PyObject* name = of(self)->dict ? PyDict_GetItemString(of(self)->dict, "__qualname__") : nullptr;
  return name && PyUnicode_Check(name) ? name : nullptr;
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<function %V>", qualname(self), "without a name"); }

/// Pickled by name, like functions.
PyObject* reduce_ex(PyObject* self, PyObject*) {
  if (PyObject* name = qualname(self)) return Py_NewRef(name);
  PyErr_SetString(PyExc_TypeError, "a function without a __qualname__ cannot be pickled");
  return nullptr;
}

PyMethodDef function_methods[] = {{"__reduce_ex__", reduce_ex, METH_O, "The name, for pickle."},
                                  {nullptr, nullptr, 0, nullptr}};
PyMemberDef function_members[] = {
    {"binds", T_BOOL, offsetof(QuickFunction, binds), 0, "Whether it is a method in a class's body."},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(QuickFunction, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(QuickFunction, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(QuickFunction, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef function_getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};

#define SLOT(id, f) {id, reinterpret_cast<void*>(f)}
PyType_Slot function_slots[] = {SLOT(Py_tp_new, make),
                                SLOT(Py_tp_call, PyVectorcall_Call),
                                SLOT(Py_tp_traverse, traverse),
                                SLOT(Py_tp_clear, clear),
                                SLOT(Py_tp_dealloc, dealloc_function),
                                SLOT(Py_tp_descr_get, bound),
                                SLOT(Py_tp_repr, repr),
                                SLOT(Py_tp_methods, function_methods),
                                SLOT(Py_tp_members, function_members),
                                SLOT(Py_tp_getset, function_getset),
                                {0, nullptr}};
#undef SLOT

PyType_Spec function_spec = {
    "devarray._core.QuickFunction", sizeof(QuickFunction), 0,
    // no Py_TPFLAGS_METHOD_DESCRIPTOR, by which Python would hand the instance to ufuncs without asking bound()
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, function_slots};

}  // namespace

void make_quick_type(py::module_& m) {
  py::object type = py::reinterpret_steal<py::object>(PyType_FromSpec(&function_spec));
  if (!type) throw py::error_already_set();
  m.attr("QuickFunction") = type;
}

}  // namespace devarray
