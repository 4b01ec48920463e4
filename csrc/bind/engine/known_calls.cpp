// Calls of an ElementwiseKernel that were made before with operands of these dtypes: operations to record.
#include <unordered_map>

#include "bind/engine/formula.hpp"

namespace devarray {
namespace {

constexpr Py_ssize_t kMostOperands = 6;
constexpr int kBitsOfDType = 5;
constexpr std::uint64_t kFloat = kDTypes + 1, kInt = kDTypes + 2;
static_assert(kInt < 1 << kBitsOfDType && kMostOperands * kBitsOfDType <= 32);

/// A number for the dtypes of up to six operands and the device that all arrays among them are of; 0 for anything else.
/// Python's floats and ints count as dtypes of their own.
std::uint64_t key_of(PyObject* operands) {
  if (!PyTuple_CheckExact(operands) || PyTuple_GET_SIZE(operands) > kMostOperands) return 0;
  const Device* device = nullptr;
  std::uint64_t dtypes = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); ++i) {
    PyObject* const x = PyTuple_GET_ITEM(operands, i);
    std::uint64_t code = PyFloat_CheckExact(x) ? kFloat : PyLong_CheckExact(x) ? kInt : 0;
    if (!code) {
      if (!is_array(x) || !reinterpret_cast<ArrayObject*>(x)->node || !node_of(x).place) return 0;
      const Device* const own = node_of(x).place->device.get();
      if (device && own != device) return 0;
      device = own;
      code = static_cast<std::uint64_t>(node_of(x).dtype) + 1;
    }
    dtypes = dtypes << kBitsOfDType | code;
  }
  return device ? device->serial() << 32 | dtypes : 0;
}

/// The base class of kernels: what they record for operands whose like was there before, an operation's number or a
/// formula, by key_of(). References are owned.
struct KnownCalls {
  PyObject_HEAD std::unordered_map<std::uint64_t, PyObject*>* steps;
  std::uint64_t last_key;
  PyObject* last;  ///< of `steps`
};
PyTypeObject* known_type = nullptr;
constexpr std::size_t kMostKnown = 1024;  ///< dtypes and devices, which come and go with their contexts

KnownCalls& known_calls(PyObject* kernel) { return *reinterpret_cast<KnownCalls*>(kernel); }

PyObject* new_known_calls(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* const made = type->tp_alloc(type, 0);
  if (made) known_calls(made).steps = new std::unordered_map<std::uint64_t, PyObject*>();
  return made;
}

void forget_calls(KnownCalls& known) {
  known.last_key = 0;
  std::unordered_map<std::uint64_t, PyObject*> gone;
  gone.swap(*known.steps);
  for (const auto& [key, step] : gone) Py_DECREF(step);
}

void free_known_calls(PyObject* self) {
  forget_calls(known_calls(self));
  delete known_calls(self).steps;
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// _remember_calls(operands, step)
PyObject* remember_calls(PyObject* self, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 2 || !(PyLong_CheckExact(argv[1]) || formula_in(argv[1]))) {
    PyErr_SetString(PyExc_TypeError, "_remember_calls(operands, step): an operation's number or a formula is a step");
    return nullptr;
  }
  KnownCalls& known = known_calls(self);
  if (const std::uint64_t key = key_of(argv[0])) {
    if (known.steps->size() >= kMostKnown) forget_calls(known);
    known.last_key = 0;
    PyObject* const old = std::exchange((*known.steps)[key], Py_NewRef(argv[1]));
    Py_XDECREF(old);
  }
  Py_RETURN_NONE;
}

PyObject* forget_all_calls(PyObject* self, PyObject*) {
  forget_calls(known_calls(self));
  Py_RETURN_NONE;
}

PyMethodDef known_methods[] = {
    {"_remember_calls", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(remember_calls)), METH_FASTCALL,
     "_remember_calls(operands, step): calls with operands of these dtypes record the step. Others than arrays of one "
     "device, floats and ints are not remembered."},
    {"_forget_calls", forget_all_calls, METH_NOARGS, "_forget_calls()"},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot known_slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_known_calls)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(free_known_calls)},
                             {Py_tp_methods, known_methods},
                             {0, nullptr}};
PyType_Spec known_spec = {"devarray._core.KnownCalls", sizeof(KnownCalls), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          known_slots};

/// What a kernel records for these operands; null where they are new to it.
PyObject* known_step(PyObject* kernel, PyObject* operands) {
  const std::uint64_t key = key_of(operands);
  KnownCalls& known = known_calls(kernel);
  if (!key || key == known.last_key) return key ? known.last : nullptr;
  const auto found = known.steps->find(key);
  if (found == known.steps->end()) return nullptr;
  known.last_key = key;
  known.last = found->second;
  return known.last;
}

/// The class's own `__call__`.
ternaryfunc call_in_python = nullptr;

PyObject* call_kernel(PyObject* kernel, PyObject* operands, PyObject* keywords) {
  PyObject* const known = keywords ? nullptr : known_step(kernel, operands);
  if (!known) return call_in_python(kernel, operands, keywords);
  PyObject* const* const first = &PyTuple_GET_ITEM(operands, 0);
  const Formula* const formula = formula_in(known);
  if (!formula) {
    const auto op = static_cast<OpId>(PyLong_AsLong(known));
    return apply_operation(op, first, static_cast<int>(PyTuple_GET_SIZE(operands)));
  }
  const py::object held = py::reinterpret_borrow<py::object>(known);  // evaluation may let others call
  try {
    if (NodeRef made = record_formula(*formula, first)) return wrap_result(std::move(made));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
  return call_in_python(kernel, operands, nullptr);
}

/// Python reads this slot of the class in each call, and sets it anew where somebody replaces `__call__`.
PyObject* call_known(PyObject*, PyObject* cls) {
  auto* const type = reinterpret_cast<PyTypeObject*>(cls);
  if (!PyType_Check(cls) || !PyType_IsSubtype(type, known_type)) {
    PyErr_SetString(PyExc_TypeError, "call_known wants a class below KnownCalls");
    return nullptr;
  }
  if (type->tp_call != call_kernel) {
    call_in_python = type->tp_call;
    type->tp_call = call_kernel;
  }
  return Py_NewRef(cls);
}

PyMethodDef known_call_functions[] = {
    {"call_known", call_known, METH_O, "call_known(cls): its calls ask what KnownCalls remembers first."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_known_calls(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), known_call_functions) < 0) throw py::error_already_set();
  known_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&known_spec));
  if (!known_type || PyModule_AddObjectRef(m.ptr(), "KnownCalls", reinterpret_cast<PyObject*>(known_type)) < 0)
    throw py::error_already_set();
}

}  // namespace devarray
