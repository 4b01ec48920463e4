// devarray.empty as a callable of C: its common form needs no frame of Python. Like NumPy's array functions, it wraps the
// Python function, which holds the signature, the documentation and every other form.
#include <structmember.h>

#include "bind/engine_array.hpp"

namespace devarray {
namespace {

struct EmptyFunction {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* function;
  PyObject* dict;
};

EmptyFunction* of(PyObject* self) { return reinterpret_cast<EmptyFunction*>(self); }

/// empty(shape, dtype) and empty(shape, dtype=dtype), at the default place.
PyObject* call(PyObject* self, PyObject* const* argv, std::size_t flags, PyObject* names) {
  const Py_ssize_t positional = PyVectorcall_NARGS(flags), named = names ? PyTuple_GET_SIZE(names) : 0;
  const bool simple = positional == 2 ? named == 0
                                      : positional == 1 && named == 1 &&
                                            PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dtype") == 0;
  if (simple && argv[1] != Py_None) return empty_array(nullptr, argv, 2);
  return PyObject_Vectorcall(of(self)->function, argv, flags, names);
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(args, "O", &function)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  of(self)->call = call;
  of(self)->function = Py_NewRef(function);
  of(self)->dict = PyDict_New();
  if (!of(self)->dict || PyDict_SetItemString(of(self)->dict, "__wrapped__", function) < 0) {
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
  Py_VISIT(of(self)->dict);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(of(self)->function);
  Py_CLEAR(of(self)->dict);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Binds as functions do, which also makes it a routine to inspect, help() and doctest.
PyObject* bound(PyObject* self, PyObject* instance, PyObject*) {
  return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<function %U>", PyDict_GetItemString(of(self)->dict, "__qualname__"));
}

/// Pickled by name, like functions.
PyObject* reduce_ex(PyObject* self, PyObject*) {
  return Py_XNewRef(PyDict_GetItemString(of(self)->dict, "__qualname__"));
}

PyMethodDef methods[] = {{"__reduce_ex__", reduce_ex, METH_O, "The name, for pickle."}, {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(EmptyFunction, call), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(EmptyFunction, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};

#define SLOT(id, f) {id, reinterpret_cast<void*>(f)}
PyType_Slot slots[] = {SLOT(Py_tp_new, make),         SLOT(Py_tp_call, PyVectorcall_Call), SLOT(Py_tp_traverse, traverse),
                       SLOT(Py_tp_clear, clear),      SLOT(Py_tp_dealloc, dealloc),        SLOT(Py_tp_descr_get, bound),
                       SLOT(Py_tp_repr, repr),        SLOT(Py_tp_methods, methods),        SLOT(Py_tp_members, members),
                       SLOT(Py_tp_getset, getset),    {0, nullptr}};
#undef SLOT

PyType_Spec spec = {"devarray._core.EmptyFunction", sizeof(EmptyFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};

}  // namespace

void make_empty_type(py::module_& m) {
  py::object type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
  if (!type) throw py::error_already_set();
  m.attr("EmptyFunction") = type;
}

}  // namespace devarray
