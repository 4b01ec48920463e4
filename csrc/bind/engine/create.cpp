// Fresh arrays: empty, filled, counted up.
#include "bind/engine/array.hpp"
#include "bind/engine/quick.hpp"
#include "engine/allocate.hpp"
#include "engine/elements.hpp"

namespace devarray {
namespace {

DType dtype_or_default(py::handle dtype, const PlaceRef& place) {
  if (dtype && !dtype.is_none()) return read_dtype(dtype);
  return place->device->caps().fp64 ? DType::float64 : DType::float32;
}

NodeRef make_empty(py::handle shape, py::handle dtype, const PlaceRef& place, bool fortran) {
  const DType t = dtype_or_default(dtype, place);
  if (!place->device->caps().fp64) check_supported(*place->device, t);
  return empty(place, t, read_sizes(shape), fortran);
}

}  // namespace

PyObject* empty_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc < 1 || argc > 5) throw ValueError("empty(shape, dtype, queue, allocator, order)");
    const bool placed = (argc > 2 && argv[2] != Py_None) || (argc > 3 && argv[3] != Py_None);
    bool fortran = false;
    if (argc > 4) {
      const char* order = PyUnicode_Check(argv[4]) ? PyUnicode_AsUTF8(argv[4]) : "";
      fortran = order[0] == 'F';
      if ((order[0] != 'C' && !fortran) || order[1] != 0)
        throw ValueError("order must be one of 'C', 'F', 'A', or 'K' (got " + std::string(py::repr(argv[4])) +
                         "); for new arrays only 'C' or 'F' order is permitted");
    }
    const PlaceRef place = !placed ? default_place()
                                   : place_for(py::handle(argv[2]).cast<QueuePtr>(),
                                               argc > 3 ? py::handle(argv[3]).cast<ResourcePtr>() : nullptr);
    return wrap(make_empty(argv[0], argc > 1 ? argv[1] : nullptr, place, fortran));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

namespace {

ScalarValue scalar_for(py::handle value, DType t) {
  RecordArg arg;
  if (!read_operand(value.ptr(), arg) || (arg.node && arg.node->place))
    throw DTypeError("a scalar is wanted, not " + std::string(Py_TYPE(value.ptr())->tp_name));
  return arg.node ? arg.node->value : checked_scalar(arg, t);
}

NodeRef make_full(py::handle shape, py::handle dtype, py::handle value, const PlaceRef& place) {
  const DType t = dtype_or_default(dtype, place);
  return full(place, t, read_sizes(shape), scalar_for(value, t));
}

/// The place that the arguments from `at` on say: a queue and an allocator, each of which may be None or left out.
PlaceRef place_in(PyObject* const* argv, Py_ssize_t argc, Py_ssize_t at) {
  const auto given = [&](Py_ssize_t i) { return argc > i && argv[i] != Py_None; };
  if (!given(at) && !given(at + 1)) return default_place();
  return place_for(given(at) ? py::handle(argv[at]).cast<QueuePtr>() : nullptr,
                   given(at + 1) ? py::handle(argv[at + 1]).cast<ResourcePtr>() : nullptr);
}

void require_count(const char* signature, Py_ssize_t argc, Py_ssize_t least, Py_ssize_t most) {
  if (argc < least || argc > most) throw ValueError(signature);
}

PyObject* full_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  require_count("full(shape, dtype, value, queue, allocator)", argc, 3, 5);
  return wrap(make_full(argv[0], argv[1], argv[2], place_in(argv, argc, 3)));
}

PyObject* iota_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  require_count("iota(shape, dtype, start, step, queue, allocator)", argc, 4, 6);
  const DType t = read_dtype(argv[1]);
  const PlaceRef place = place_in(argv, argc, 4);
  return wrap(iota(place, t, read_sizes(argv[0]), scalar_for(argv[2], t), scalar_for(argv[3], t)));
}

/// For empty_like and its kind: a fresh array at another one's place.
PyObject* empty_at(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  require_count("empty_at(like, shape, dtype)", argc, 1, 3);
  const NodeRef n(&require_array(argv[0]));
  const DType t = argc < 3 || argv[2] == Py_None ? n->dtype : read_dtype(argv[2]);
  check_supported(*n->place->device, t);
  return wrap(empty(n->place, t, argc < 2 || argv[1] == Py_None ? n->shape : read_sizes(argv[1])));
}

/// The same of one value.
PyObject* full_at(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  require_count("full_at(like, shape, dtype, value)", argc, 4, 4);
  const NodeRef n(&require_array(argv[0]));
  const DType t = argv[2] == Py_None ? n->dtype : read_dtype(argv[2]);
  return wrap(full(n->place, t, argv[1] == Py_None ? n->shape : read_sizes(argv[1]), scalar_for(argv[3], t)));
}

PyMethodDef creation_functions[] = {
    fast<full_array>("full", "full(shape, dtype, value, queue=None, allocator=None)"),
    fast<iota_array>("iota", "iota(shape, dtype, start, step, queue=None, allocator=None): counted up."),
    fast<empty_at>("empty_at", "empty_at(like, shape=None, dtype=None): uninitialised, at the place of `like`."),
    fast<full_at>("full_at", "full_at(like, shape, dtype, value): of one value, at the place of `like`."),
    {"empty", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(empty_array)), METH_FASTCALL,
     "empty(shape, dtype=None, queue=None, allocator=None, order='C'): an uninitialised array."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* filled_array(PyObject* shape, PyObject* dtype, PyObject* value) {
  try {
    return wrap(make_full(shape, dtype, value, default_place()));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

void bind_engine_create(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), creation_functions) < 0) throw py::error_already_set();
}

}  // namespace devarray
