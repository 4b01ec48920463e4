// The Python type of arrays: life, attributes, and what the rest of the binders asks of it.
#include "bind/engine/array.hpp"

#include <Python.h>
#include <structmember.h>

#include "bind/engine/slots.hpp"
#include "bind/memory/memory.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/held_work.hpp"
#include "engine/lock.hpp"
#include "engine/operators.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

PyTypeObject* array_base = nullptr;

/// Memory of array objects that are gone, which the next ones take: a recorded operation makes one and drops one. Each
/// keeps its reference to the class.
constexpr std::size_t kMostKept = 256;
PyObject* kept_objects[kMostKept];
std::size_t kept_count = 0;
PyTypeObject* kept_class = nullptr;

void let_go(PyObject* self) {
  auto* a = reinterpret_cast<ArrayObject*>(self);
  if (a->node && a->node->holder == self) a->node->holder = nullptr;  // before callbacks can ask for it
  if (a->weakrefs) PyObject_ClearWeakRefs(self);
  if (a->node) {
    --a->node->owners;
    a->node->release();
  }
}

void dealloc(PyObject* self) {
  let_go(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Of the class itself, in place of what Python does for any class.
void dealloc_or_keep(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (type != kept_class) return dealloc(self);  // of a subclass, whose own destructor calls this one
  if (type->tp_finalize && PyObject_CallFinalizerFromDealloc(self) < 0) return;
  if (PyType_IS_GC(type)) PyObject_GC_UnTrack(self);
  let_go(self);
#ifndef __SANITIZE_ADDRESS__
  if (kept_count < kMostKept) {
    kept_objects[kept_count++] = self;
    return;
  }
#endif
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* no_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "arrays come from asarray(), to_device(), empty() and their like");
  return nullptr;
}

// --- attributes ----------------------------------------------------------------------------------------------------

PyObject* get_shape(PyObject* self, void*) {
  const Dims& d = node_of(self).shape;
  PyObject* t = PyTuple_New(static_cast<Py_ssize_t>(d.size()));
  if (!t) return nullptr;
  for (std::size_t i = 0; i < d.size(); ++i) PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(d[i]));
  return t;
}

/// What arrays say is their class where a program runs without an edit, and values NumPy's scalar type; else null.
PyObject* class_to_program = nullptr;

/// isinstance() asks for it where the type itself says no: in C, so that this costs what object's own does.
PyObject* get_class(PyObject* self, void*) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(self));
  if (class_to_program && Py_IS_TYPE(self, hooks().array_class)) {
    if (is_value(self)) return PyObject_GetAttrString(hooks().dtypes[static_cast<int>(node_of(self).dtype)], "type");
    type = class_to_program;
  }
  Py_INCREF(type);
  return type;
}

PyObject* get_dtype(PyObject* self, void*) {
  PyObject* o = hooks().dtypes[static_cast<int>(node_of(self).dtype)];
  Py_INCREF(o);
  return o;
}

PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromSize_t(node_of(self).shape.size()); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromLongLong(node_of(self).size()); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromLongLong(node_of(self).itemsize()); }
PyObject* get_nbytes(PyObject* self, void*) { return PyLong_FromLongLong(node_of(self).nbytes()); }

PyObject* get_strides(PyObject* self, void*) {
  return guarded([&] {
    evaluate(node_of(self));
    return dims_tuple(node_of(self).strides).release().ptr();
  });
}

PyObject* get_device(PyObject* self, void*) {
  return guarded([&] { return py::cast(node_of(self).place->device).release().ptr(); });
}

PyObject* get_queue(PyObject* self, void*) {
  return guarded([&] { return py::cast(node_of(self).place->queue).release().ptr(); });
}

PyObject* get_allocator(PyObject* self, void*) {
  return guarded([&] { return py::cast(node_of(self).place->resource).release().ptr(); });
}

/// Setting an attribute is a method of the Python side. `what` is the method's name.
int set_by_method(PyObject* self, PyObject* value, void* what) {
  const char* method = static_cast<const char*>(what);
  if (!value) {
    PyErr_Format(PyExc_AttributeError, "the %s of an array cannot be deleted", method + sizeof "_set_" - 1);
    return -1;
  }
  PyObject* done = PyObject_CallMethod(self, method, "(O)", value);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

PyObject* get_pending(PyObject* self, void*) { return PyBool_FromLong(node_of(self).is_pending()); }

PyObject* evaluate_method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    Node& n = node_of(self);
    evaluate(n);
    if (n.place) launch_steps(*n.place->queue);
    return Py_NewRef(self);
  });
}

PyGetSetDef getset[] = {
    {"__class__", get_class, nullptr, "The class; where a program is run unedited what it takes for NumPy's.", nullptr},
    {"shape", get_shape, set_by_method, "Sizes of the axes, a tuple of ints.", const_cast<char*>("_set_shape")},
    {"dtype", get_dtype, set_by_method, "The element type, a numpy.dtype.", const_cast<char*>("_set_dtype")},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"strides", get_strides, set_by_method,
     "Bytes from one element to the next along each axis. Evaluates a pending array.",
     const_cast<char*>("_set_strides")},
    {"device", get_device, nullptr, "The Device that the array lives on.", nullptr},
    {"queue", get_queue, nullptr, "The queue or stream that orders work on the array.", nullptr},
    {"allocator", get_allocator, nullptr, "The memory resource that results of the array come from.", nullptr},
    {"pending", get_pending, nullptr, "Whether the array is an expression that is not evaluated yet.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"item", item, METH_VARARGS, R"(item(*index)
--

An element as a Python scalar. Waits for the device.

Parameters
----------
*index : int or tuple of int
    The indices along each axis, or the index into the flattened array. None for an array of one element.

Returns
-------
bool, int, float or complex
    The element.

Raises
------
ValueError
    Where no index is given for an array of another number of elements than one.
IndexError
    For an index outside the array.

Examples
--------
>>> import devarray as da
>>> da.asarray([[1, 2], [3, 4]]).item(1, 0)
3)"},
    {"evaluate", evaluate_method, METH_NOARGS, R"(evaluate()
--

Enqueue whatever is pending for the array, without waiting.

On GPUs a small launch may be held back for others of its kind to join it, where such came before it: it is made with
them, or as soon as anything else is asked of its queue.

Returns
-------
Array
    The array itself.

Examples
--------
>>> import devarray as da
>>> x = da.ones(3) + 1
>>> x.pending, x.evaluate().pending
(True, False)
)"},
    {"__complex__", complex_method, METH_NOARGS, "The one element as a complex number. Waits for the device."},
    {nullptr, nullptr, 0, nullptr}};

/// The buffer protocol, for host code that reads bytes: a copy on the host, or the error that ProtocolMethods raises.
int get_host_bytes(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  PyObject* copy = PyObject_CallMethod(self, "_host_bytes", "i", flags);
  if (!copy) return -1;
  const int done = PyObject_GetBuffer(copy, view, flags);  // the view keeps the copy
  Py_DECREF(copy);
  return done;
}

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weakrefs), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

}  // namespace

PyObject* copied(const NodeRef& view) {
  RecordArg arg;
  arg.node = view;
  return wrap(record(core_ops().copy, &arg, 1));
}

void keep_objects_of(PyTypeObject* type) {
  if (kept_class) return;
  kept_class = type;
  type->tp_dealloc = dealloc_or_keep;
}

bool is_array(PyObject* o) { return Py_IS_TYPE(o, hooks().array_class) || PyObject_TypeCheck(o, array_base); }

PyObject* wrap(NodeRef node) {
  PyTypeObject* type = hooks().array_class;
  PyObject* o;
  if (kept_count && type == kept_class) [[likely]] {
    o = kept_objects[--kept_count];
    Py_SET_REFCNT(o, 1);
  } else {
    o = type->tp_alloc(type, 0);
    if (!o) throw py::error_already_set();
    // An array refers to no object, so it is in no cycle.
    if (type == kept_class && PyType_IS_GC(type)) PyObject_GC_UnTrack(o);
  }
  auto* a = reinterpret_cast<ArrayObject*>(o);
  ++node->owners;
  node->holder = o;
  a->node = node.detach();
  a->weakrefs = nullptr;
  a->value = false;
  return o;
}

PyObject* wrap_result(NodeRef node) {
  const bool value = node->shape.empty();
  if (value) node->writable = false;
  PyObject* o = wrap(std::move(node));
  reinterpret_cast<ArrayObject*>(o)->value = value;
  return o;
}

void make_value(PyObject* array) {
  auto* a = reinterpret_cast<ArrayObject*>(array);
  if (a->value || !a->node->shape.empty()) return;
  a->value = true;
  a->node->writable = false;
  if (a->node->is_leaf() && a->node->is_view) become_element(*a->node);
}

py::object view_of(py::handle of, NodeRef view) {
  if (!is_value(of.ptr())) return wrapped(std::move(view));
  return py::reinterpret_steal<py::object>(view->shape.empty() ? wrap_result(std::move(view)) : copied(view));
}

/// Another Array of the same value, of a subclass of the arrays' class.
py::object view_as(py::handle cls, py::handle array) {
  Node& n = require_array(array);
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  if (!PyType_Check(cls.ptr()) || !PyType_IsSubtype(type, hooks().array_class))
    throw DTypeError("a subclass of devarray.Array is wanted");
  PyObject* o = type->tp_alloc(type, 0);
  if (!o) throw py::error_already_set();
  auto* a = reinterpret_cast<ArrayObject*>(o);
  ++n.owners;
  n.holder = o;
  a->node = NodeRef(&n).detach();
  a->weakrefs = nullptr;
  a->value = is_value(array.ptr());
  return py::reinterpret_steal<py::object>(o);
}

Node& require_array(py::handle o) {
  if (!is_array(o.ptr()))
    throw DTypeError("a devarray.Array is wanted, not " +
                     std::string(py::str(py::type::handle_of(o).attr("__name__"))) + "; use asarray() or to_device()");
  return node_of(o.ptr());
}

void rebind(PyObject* array, NodeRef node) {
  auto* a = reinterpret_cast<ArrayObject*>(array);
  ++node->owners;
  node->holder = array;
  Node* old = a->node;
  a->node = node.detach();
  if (old->holder == array) old->holder = nullptr;
  --old->owners;
  old->release();
}

const Node* last_use(PyObject* array) {
  if (!is_array(array) || Py_REFCNT(array) != 1) return nullptr;
  const Node& n = node_of(array);
  return n.is_pending() && !n.is_pending_view && n.owners == 1 && !n.consumers ? &n : nullptr;
}

void store(PyObject* array, const NodeRef& value, const Node* last) {
  NodeRef taken = store_or_replace(node_of(array), value, last);
  if (!taken) return;
  rebind(array, std::move(taken));
  if (!config().deferred || too_much_pending()) evaluate(node_of(array));
}

bool replace(PyObject* array, const NodeRef& value) {
  NodeRef taken = replacement_of(node_of(array), value);
  if (!taken) return false;
  rebind(array, std::move(taken));
  if (too_much_pending()) evaluate(node_of(array));
  return true;
}

PyTypeObject* make_array_type(py::module_& m) {
  std::vector<PyType_Slot> slots{
      slot(Py_tp_dealloc, dealloc), slot(Py_tp_new, no_new),  {Py_tp_getset, getset},
      {Py_tp_methods, methods},     {Py_tp_members, members}, slot(Py_bf_getbuffer, get_host_bytes),
  };
  add_operators(slots);
  add_scalar_conversions(slots);
  add_subscripts(slots);
  slots.push_back({0, nullptr});
  PyType_Spec spec{"devarray._core.ArrayBase", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                   slots.data()};
  py::object type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
  if (!type) throw py::error_already_set();
  array_base = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("ArrayBase") = type;
  m.def("view_as", &view_as, py::arg("cls"), py::arg("array"));
  m.def("set_class_to_program", [](const py::object& kind) {
    Py_XDECREF(class_to_program);
    class_to_program = kind.is_none() ? nullptr : py::object(kind).release().ptr();
  });
  m.def("_resolve_slots", &resolve_operators);
  return array_base;
}

}  // namespace devarray
