// Module-level functions of the engine.
#include <pybind11/numpy.h>

#include <algorithm>

#include "bind/engine/array.hpp"
#include "bind/memory/memory.hpp"
#include "common/checked.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/index_flags.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/reduce.hpp"
#include "engine/shift.hpp"
#include "engine/throttle.hpp"
#include "engine/transfer.hpp"
#include "memory/foreign.hpp"

namespace devarray {
namespace {

// --- places --------------------------------------------------------------------------------------------------------

thread_local std::vector<PlaceRef> place_stack;
PlaceRef default_place_ref;
std::uint64_t default_place_changes = 0;  ///< of the default resources, when it was made

}  // namespace

PlaceRef default_place() {
  if (!place_stack.empty()) return place_stack.back();
  if (!default_place_ref || default_place_changes != default_resource_changes()) {
    const auto pair =
        without_unwinding([] { return py::handle(hooks().default_place)(); }).cast<std::pair<QueuePtr, ResourcePtr>>();
    default_place_changes = default_resource_changes();
    default_place_ref = PlaceRef(new Place(pair.first, pair.second));
  }
  return default_place_ref;
}

namespace {

PlaceRef place_for(const QueuePtr& queue, const ResourcePtr& allocator) {
  if (!queue && !allocator) return default_place();
  const PlaceRef current = default_place();
  if (queue && allocator) return PlaceRef(new Place(queue, allocator));
  if (queue) {
    if (queue->device() == current->device) return PlaceRef(new Place(queue, current->resource));
    return PlaceRef(new Place(queue, default_resource(queue->device())));
  }
  if (allocator->device() == current->device) return PlaceRef(new Place(current->queue, allocator));
  return PlaceRef(new Place(allocator->device()->default_queue(), allocator));
}

// --- operations, by the C API: the hot path of functions -----------------------------------------------------------

/// What an operation gives where no operand is an array: scalars are on the host, and stay there.
PyObject* of_scalars(const std::string& name, PyObject* const* scalars, Py_ssize_t count) {
  py::tuple given(count + 1);
  given[0] = py::str(name);
  for (Py_ssize_t i = 0; i < count; ++i) given[i + 1] = py::reinterpret_borrow<py::object>(scalars[i]);
  return without_unwinding([&] { return PyObject_Call(hooks().of_scalars, given.ptr(), nullptr); });
}

}  // namespace

PyObject* apply_operation(OpId op, PyObject* const* operands, int count) {
  try {
    RecordArg args[3];
    bool arrays = false;
    for (int i = 0; i < count; ++i) {
      if (!read_operand(operands[i], args[i]) && !read_operands(operands, args, count)) {
        const auto is_ours = [](PyObject* o) { return is_array(o); };
        if (hooks().of_scalars && std::none_of(operands, operands + count, is_ours))
          return of_scalars(ops()[op].name, operands, count);  // lists and NumPy arrays among them
        throw DTypeError(ops()[op].name + " takes arrays and Python or NumPy scalars, not " +
                         std::string(Py_TYPE(operands[i])->tp_name) +
                         "; move host data with asarray() or to_device() first");
      }
      arrays |= args[i].node && args[i].node->state != NodeState::scalar;
    }
    if (!arrays && hooks().of_scalars) return of_scalars(ops()[op].name, operands, count);
    NodeRef made = record(op, args, count);
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

/// References to a temporary that the Python side holds while it calls reduce_array(): more mean that somebody keeps
/// the array, so that its value is worth storing beside the reduction. Measured at import; a wrong answer costs time,
/// never correctness.
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

/// reduce(x, kind, axes, keepdims, dtype, post); no axes are all
PyObject* reduce_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 6) throw ValueError("reduce(x, kind, axes, keepdims, dtype, post)");
    Node& x = require_array(argv[0]);
    if (x.state == NodeState::scalar) {
      references_of_temporary = Py_REFCNT(argv[0]);
      Py_RETURN_NONE;
    }
    Reduction r;
    const char* kind = PyUnicode_AsUTF8(argv[1]);
    if (!kind) return nullptr;
    r.kind = kind;
    if (argv[2] == Py_None)
      for (std::size_t i = 0; i < x.shape.size(); ++i) r.axes.push_back(static_cast<std::int64_t>(i));
    else
      r.axes = py::handle(argv[2]).cast<std::vector<std::int64_t>>();
    r.keepdims = argv[3] == Py_True;
    if (argv[4] != Py_None) r.dtype = read_dtype(argv[4]);
    if (!PyTuple_CheckExact(argv[5]) || PyTuple_GET_SIZE(argv[5]) > 0) r.post = read_post(argv[5]);
    r.input_dies = x.owners <= 1 && !x.consumers && Py_REFCNT(argv[0]) <= references_of_temporary;
    return wrap_result(reduce(NodeRef(&x), r));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

NodeRef make_empty(py::handle shape, py::handle dtype, const PlaceRef& place, bool fortran) {
  const DType t = read_dtype(dtype);
  if (!place->device->caps().fp64) check_supported(*place->device, t);
  return empty(place, t, read_sizes(shape), fortran);
}

}  // namespace

PyObject* empty_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc < 2 || argc > 5) throw ValueError("empty(shape, dtype, queue, allocator, order)");
    const bool placed = (argc > 2 && argv[2] != Py_None) || (argc > 3 && argv[3] != Py_None);
    bool fortran = false;
    if (argc > 4) {
      const char* order = PyUnicode_Check(argv[4]) ? PyUnicode_AsUTF8(argv[4]) : "";
      fortran = order[0] == 'F';
      if ((order[0] != 'C' && !fortran) || order[1] != 0)
        throw ValueError("order is 'C' or 'F', not " + std::string(py::repr(argv[4])));
    }
    const PlaceRef place = !placed ? default_place()
                                   : place_for(py::handle(argv[2]).cast<QueuePtr>(),
                                               argc > 3 ? py::handle(argv[3]).cast<ResourcePtr>() : nullptr);
    return wrap(make_empty(argv[0], argv[1], place, fortran));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

namespace {

ScalarValue scalar_for(py::handle value, DType t) {
  RecordArg arg;
  if (!read_operand(value.ptr(), arg) || (arg.node && arg.node->state != NodeState::scalar))
    throw DTypeError("a scalar is wanted, not " + std::string(Py_TYPE(value.ptr())->tp_name));
  return arg.node ? arg.node->value : checked_scalar(arg, t);
}

py::object full_array(py::handle shape, py::handle dtype, py::handle value, const QueuePtr& queue,
                      const ResourcePtr& allocator) {
  const PlaceRef place = place_for(queue, allocator);
  const DType t = read_dtype(dtype);
  return wrapped(full(place, t, read_sizes(shape), scalar_for(value, t)));
}

py::object iota_array(py::handle shape, py::handle dtype, py::handle start, py::handle step, const QueuePtr& queue,
                      const ResourcePtr& allocator) {
  const DType t = read_dtype(dtype);
  return wrapped(iota(place_for(queue, allocator), t, read_sizes(shape), scalar_for(start, t), scalar_for(step, t)));
}

/// For empty_like and its kind: a fresh array at another one's place.
py::object empty_at(py::handle like, py::handle shape, py::handle dtype) {
  const Node& n = require_array(like);
  const DType t = dtype.is_none() ? n.dtype : read_dtype(dtype);
  check_supported(*n.place->device, t);
  return wrapped(empty(n.place, t, shape.is_none() ? n.shape : read_sizes(shape)));
}

// --- views ---------------------------------------------------------------------------------------------------------

/// Memory of other libraries may start at an address that the dtype cannot be read at.
void check_start(const Allocation& memory, DType t) {
  const void* start = memory.is_buffer() ? memory.host() : memory.handle();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  if (address % static_cast<std::uintptr_t>(alignment_of(t)) != 0)
    throw ValueError("the memory starts at address " + std::to_string(address) + ", but devices read items of " +
                     name_of(t) + " at multiples of " + std::to_string(alignment_of(t)) + " bytes only; copy it");
}

py::object view(py::handle array, py::handle shape, py::handle strides, py::handle offset, py::handle dtype,
                bool read_only) {
  const NodeRef n(&require_array(array));  // held: an integer's __index__ may give the array another value
  const Dims sizes = read_sizes(shape), steps = read_ints(strides, "strides");
  const std::int64_t from = read_int(offset, "the offset");
  evaluate(*n);
  const DType t = dtype.is_none() ? n->dtype : read_dtype(dtype);
  if (t != n->dtype && n->storage->exposed && n->storage->block->allocation)
    check_start(*n->storage->block->allocation, t);
  NodeRef made = Node::leaf(n->storage, t, sizes, steps, checked_add(n->offset, from, "the offset of a view"));
  made->is_view = true;
  made->writable = n->writable && !read_only;
  if (n->element) made->mark_element();
  return view_of(array, std::move(made));
}

py::object reshape(py::handle array, py::handle shape, const std::optional<bool>& copy) {
  const NodeRef n(&require_array(array));
  Dims target = read_ints(shape, "a shape"), given;
  std::int64_t unknown = -1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == -1 && unknown < 0)
      unknown = static_cast<std::int64_t>(i);
    else if (target[i] < 0)
      throw ShapeError("cannot reshape to " + to_string(target) + ": one size may be -1, the others not negative");
    else
      given.push_back(target[i]);
  }
  const std::int64_t size = n->size();
  const std::int64_t known = element_count(given);
  if (unknown >= 0) {
    if (known == 0 || size % known != 0)
      throw ShapeError("cannot reshape an array of shape " + to_string(n->shape) + " (" + std::to_string(size) +
                       " elements) to " + to_string(target));
    target[static_cast<std::size_t>(unknown)] = size / known;
  } else if (known != size) {
    throw ShapeError("cannot reshape an array of shape " + to_string(n->shape) + " (" + std::to_string(size) +
                     " elements) to " + to_string(target));
  }
  byte_size(target, n->itemsize());  // the sizes beside a 0 count, too
  evaluate(*n);
  if (!copy.value_or(false))
    if (auto strides = reshape_strides(n->shape, n->strides, target, n->itemsize()))
      return view_of(array, Node::view(*n, n->dtype, target, *strides, n->offset));
  if (copy.has_value() && !*copy)
    throw ValueError("an array of shape " + to_string(n->shape) + " and strides " + to_string(n->strides) +
                     " cannot be reshaped to " + to_string(target) + " without a copy");
  const NodeRef fresh = empty(n->place, n->dtype, n->shape);
  assign(*fresh, n);
  return wrapped(Node::leaf(fresh->storage, n->dtype, target, c_strides(target, n->itemsize()), 0));
}

py::object permute(py::handle array, py::handle given) {
  const NodeRef n(&require_array(array));
  Dims axes;  // reversed where none are given
  if (given.is_none())
    for (std::size_t i = n->shape.size(); i-- > 0;) axes.push_back(static_cast<std::int64_t>(i));
  else
    axes = read_ints(given, "axes");
  if (axes.size() != n->shape.size())
    throw ShapeError("axes must name each of the " + std::to_string(n->shape.size()) + " axes once, got " +
                     std::to_string(axes.size()));
  const auto order = normalize_axes(axes, n->shape.size());
  evaluate(*n);
  return view_of(array, Node::view(*n, n->dtype, permuted(n->shape, order), permuted(n->strides, order), n->offset));
}

py::object broadcast_to(py::handle array, py::handle shape) {
  const NodeRef n(&require_array(array));
  const Dims target = read_sizes(shape);
  byte_size(target, n->itemsize());
  broadcast_strides(n->shape, Dims(n->shape.size(), 0), target);
  evaluate(*n);
  NodeRef view = Node::view(*n, n->dtype, target, broadcast_strides(n->shape, n->strides, target), n->offset);
  view->writable = false;  // as NumPy has it
  return wrapped(std::move(view));
}

/// What flags.writeable = ... does: the array shows its memory by a leaf of its own that is writable or not, so that
/// views made before keep their state. A view becomes writable only where the memory's own array is.
void set_writable(py::handle array, bool writable) {
  Node& n = require_array(array);
  evaluate(n);
  Storage& memory = *n.storage;
  if (writable && (memory.read_only || is_value(array.ptr()) || n.element || (n.is_view && memory.locked)))
    throw ValueError("WRITEABLE cannot be set to True: the array is a view of read-only memory");
  NodeRef own = Node::leaf(n.storage, n.dtype, n.shape, n.strides, n.offset);
  own->is_view = n.is_view;
  own->writable = writable;
  if (n.element) own->mark_element();
  if (!n.is_view) memory.locked = !writable;
  rebind(array.ptr(), std::move(own));
}

bool is_writable(py::handle array) {
  const Node& n = require_array(array);
  return n.writable;
}

// --- the raw object underneath -------------------------------------------------------------------------------------

py::tuple raw_memory(py::handle array) {
  Node& n = require_array(array);
  expose(n);
  const Block& b = *n.storage->block;
  return py::make_tuple(b.allocation, static_cast<std::int64_t>(b.offset) + n.offset);
}

}  // namespace

py::object array_in(const AllocationPtr& memory, DType dtype, const Dims& shape, const Dims& strides,
                    std::int64_t offset, const QueuePtr& queue, const ResourcePtr& allocator, bool read_only) {
  check_start(*memory, dtype);
  const DevicePtr device = memory->device().shared_from_this();
  const PlaceRef place(
      new Place(queue ? queue : device->default_queue(), allocator ? allocator : default_resource(device)));
  StorageRef storage(new Storage(adopt(memory, place->queue), place));
  storage->exposed = true;
  storage->read_only = read_only;
  return wrapped(Node::leaf(storage, dtype, shape, strides, offset));
}

namespace {

py::object from_allocation(const AllocationPtr& memory, py::handle shape, py::handle dtype, py::handle strides,
                           py::handle offset, const QueuePtr& queue, const ResourcePtr& allocator, bool read_only) {
  const DType t = read_dtype(dtype);
  const auto itemsize = static_cast<std::int64_t>(size_of(t));
  const Dims dims = read_sizes(shape);
  byte_size(dims, itemsize);
  const Dims steps = strides.is_none() ? c_strides(dims, itemsize) : read_ints(strides, "strides");
  return array_in(memory, t, dims, steps, read_int(offset, "the offset"), queue, allocator, read_only);
}

// --- launches planned in Python ------------------------------------------------------------------------------------

}  // namespace

std::vector<NodeRef> acquire_arrays(const char* what, const py::sequence& arrays, std::uint64_t writes) {
  std::vector<NodeRef> nodes;
  for (py::handle a : items_of(arrays)) nodes.emplace_back(&require_array(a));
  if (nodes.empty()) throw ValueError(std::string(what) + " needs at least one array");
  for (const NodeRef& n : nodes) evaluate(*n);
  for (std::size_t i = 0; i < nodes.size(); ++i)  // first: elements that are read here may move
    if (writes >> i & 1) settle_elements(*nodes[i]->storage);
  const Place& place = *nodes[0]->place;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Storage& s = *nodes[i]->storage;
    if (s.place->device != place.device) throw DeviceError(std::string(what) + " got arrays of two devices");
    if (writes >> i & 1) {
      prepare_target(*nodes[i]);
      acquire_write(s, place);
    } else {
      acquire_read(s, place);
    }
  }
  return nodes;
}

void release_arrays(const std::vector<NodeRef>& nodes, std::uint64_t writes) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (writes >> i & 1 ? release_write : release_read)(*nodes[i]->storage, *nodes[0]->place);
}

ActivityRecord profiled(const std::string& name, const std::vector<NodeRef>& nodes, std::uint64_t writes) {
  ActivityRecord record;
  record.name = name;
  record.operations = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (writes >> i & 1 ? record.written : record.read) += static_cast<std::uint64_t>(nodes[i]->nbytes());
  return record;
}

namespace {

void launch(const KernelPtr& kernel, const std::vector<std::size_t>& groups, const std::vector<std::size_t>& local,
            const py::sequence& arrays, std::vector<std::int64_t> slots, std::uint64_t writes) {
  EngineLock lock;
  const std::vector<NodeRef> nodes = acquire_arrays("launch", arrays, writes);
  const Place& place = *nodes[0]->place;
  std::vector<MemoryArg> memory;
  for (const NodeRef& n : nodes)
    memory.push_back(n->storage->block->allocation ? memory_arg(*n->storage) : MemoryArg{nullptr, false});
  // NVIDIA's OpenCL takes no null for an empty array, which the kernel never touches: any memory will do.
  const auto some = std::find_if(memory.begin(), memory.end(), [](const MemoryArg& m) { return m.handle; });
  if (some != memory.end())
    std::replace_if(memory.begin(), memory.end(), [](const MemoryArg& m) { return !m.handle; }, MemoryArg(*some));
  LaunchDims dims;
  for (std::size_t i = 0; i < groups.size() && i < 3; ++i) dims.groups[i] = groups[i];
  for (std::size_t i = 0; i < local.size() && i < 3; ++i) dims.local[i] = local[i];
  kernel->note_use();
  if (config().check_bounds) {
    std::vector<const Block*> blocks;
    for (const NodeRef& n : nodes) blocks.push_back(n->storage->block.get());
    add_bounds(place, "a planned kernel", blocks, memory, slots);
  }
  const auto timer = timer_of(Activity::kernel, place.queue.get());
  place.queue->launch(*kernel, dims, memory.data(), memory.size(), slots.data(), slots.size());
  if (timer) timer->done(profiled(kernel->name(), nodes, writes));
  throttle_queue(*place.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  release_arrays(nodes, writes);
}

/// Byte offset of an array's first element from its memory argument: what launch() slots count from.
std::int64_t byte_offset(py::handle array) {
  Node& n = require_array(array);
  evaluate(n);
  return static_cast<std::int64_t>(n.storage->block->offset) + n.offset;
}

PyMethodDef fast_functions[] = {
    {"empty", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(empty_array)), METH_FASTCALL,
     "empty(shape, dtype, queue=None, allocator=None, order='C'): an uninitialised array."},
    {"reduce", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(reduce_array)), METH_FASTCALL,
     "reduce(x, kind, axes, keepdims, dtype, post): see devarray.array.reduce."},
    {"apply", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(apply)), METH_FASTCALL,
     "apply(op, x1[, x2[, x3]]): record the element-wise operation with that number."},
    {nullptr, nullptr, 0, nullptr}};

// --- settings ------------------------------------------------------------------------------------------------------

py::dict stats_dict() {
  using namespace py::literals;
  const Stats& s = stats();
  return py::dict(
      "recorded"_a = s.recorded.load(), "launches"_a = s.launches.load(), "host_runs"_a = s.host_runs.load(),
      "compilations"_a = s.compilations.load(), "memory_cache_hits"_a = s.memory_cache_hits.load(),
      "disk_cache_hits"_a = s.disk_cache_hits.load(), "transfers_to_device"_a = s.transfers_to_device.load(),
      "bytes_to_device"_a = s.bytes_to_device.load(), "transfers_to_host"_a = s.transfers_to_host.load(),
      "bytes_to_host"_a = s.bytes_to_host.load(), "waits"_a = s.waits.load(), "cuts"_a = s.cuts.load(),
      "donations"_a = s.donations.load(), "moved_operands"_a = s.moved_operands.load(),
      "bytes_of_moved_operands"_a = s.bytes_of_moved_operands.load(), "bytes_moved"_a = s.bytes_moved.load(),
      "kernels"_a = s.kernels.load(), "kernels_evicted"_a = s.kernels_evicted.load(), "queues"_a = Queue::live());
}

void reset_stats() {
  Stats& s = stats();
  for (auto* c : {&s.recorded, &s.launches, &s.host_runs, &s.compilations, &s.memory_cache_hits, &s.disk_cache_hits,
                  &s.transfers_to_device, &s.bytes_to_device, &s.transfers_to_host, &s.bytes_to_host, &s.waits, &s.cuts,
                  &s.donations, &s.kernels_evicted, &s.moved_operands, &s.bytes_of_moved_operands, &s.bytes_moved})
    c->store(0);
}

void register_ops(const py::sequence& rows) {
  for (py::handle row : items_of(rows)) {
    const auto t = py::reinterpret_borrow<py::tuple>(row);
    Op op;
    op.name = t[0].cast<std::string>();
    op.arity = t[1].cast<int>();
    const auto read = [](const py::handle& numbers, std::array<DType, kDTypes>& out) {
      int i = 0;
      for (py::handle number : items_of(numbers)) {
        const int n = number.cast<int>();
        out[static_cast<std::size_t>(i++)] = n < 0 ? kOpaque : static_cast<DType>(n);
      }
    };
    read(t[2], op.compute);
    read(t[3], op.result);
    op.flags = t[4].cast<unsigned>();
    ops().add(std::move(op));
  }
  host::bind_loops();
  core_ops().copy = ops().find("copy");
  core_ops().astype = ops().find("astype");
  core_ops().iota = ops().find("iota");
}

void set_hooks(const py::dict& given) {
  PythonHooks& h = hooks();
  const auto take = [&](const char* name, PyObject*& slot) {
    if (given.contains(name)) slot = py::object(given[name]).release().ptr();
  };
  PyObject* array_class = nullptr;
  take("array_class", array_class);
  if (array_class) h.array_class = reinterpret_cast<PyTypeObject*>(array_class);
  take("of_scalars", h.of_scalars);
  take("advanced_getitem", h.advanced_getitem);
  take("advanced_setitem", h.advanced_setitem);
  take("to_array", h.to_array);
  take("to_operand", h.to_operand);
  take("default_place", h.default_place);
  take("build_elementwise", h.build_elementwise);
  take("build_reduction", h.build_reduction);
  take("explain_access", h.explain_access);
  take("numpy_generic", h.numpy_generic);
  take("numpy_dtype", h.numpy_dtype);
  if (given.contains("dtypes")) {
    int i = 0;
    for (py::handle d : items_of(given["dtypes"])) {
      h.scalar_types[i] = py::object(d.attr("type")).release().ptr();
      h.dtypes[i++] = py::reinterpret_borrow<py::object>(d).release().ptr();
    }
  }
}

}  // namespace

void bind_engine(py::module_& m) {
  make_array_type(m);
  make_quick_type(m);
  bind_engine_build();
  bind_engine_library(m);
  bind_engine_dlpack(m);
  bind_engine_dlpack_import(m);
  if (PyModule_AddFunctions(m.ptr(), fast_functions) < 0) throw py::error_already_set();

  m.def("register_ops", &register_ops);
  m.def("set_hooks", &set_hooks);
  m.def(
      "probe_array", [] { return wrapped(Node::scalar(DType::bool_, ScalarValue())); },
      "An array without memory, by which the references to a temporary are measured.");
  m.def("op_names", [] {
    py::list names;
    for (std::size_t i = 0; i < ops().size(); ++i) names.append(ops()[static_cast<OpId>(i)].name);
    return names;
  });

  m.def("push_place", [](const QueuePtr& q, const ResourcePtr& a) { place_stack.push_back(place_for(q, a)); });
  m.def("pop_place", [] { place_stack.pop_back(); });
  m.def("device_of", [](const QueuePtr& q, const ResourcePtr& a) {
    return q ? q->device() : a ? a->device() : default_place()->device;
  });
  m.def("current_place", [] {
    const PlaceRef p = default_place();
    return py::make_tuple(p->device, p->queue, p->resource);
  });

  m.def("full", &full_array, py::arg("shape"), py::arg("dtype"), py::arg("value"), py::arg("queue") = py::none(),
        py::arg("allocator") = py::none());
  m.def("iota", &iota_array, py::arg("shape"), py::arg("dtype"), py::arg("start"), py::arg("step"),
        py::arg("queue") = py::none(), py::arg("allocator") = py::none());
  m.def(
      "require_room",
      [](const py::int_& nbytes, const QueuePtr& queue, const ResourcePtr& allocator) {
        int beyond = 0;
        const long long asked = PyLong_AsLongLongAndOverflow(nbytes.ptr(), &beyond);
        const PlaceRef place = place_for(queue, allocator);
        if (beyond > 0)
          throw ShapeError("no array has " + std::string(py::str(nbytes)) + " bytes; the most are 2**63 - 1");
        if (asked > 0) place->device->require_room(place->resource->kind(), static_cast<std::size_t>(asked));
      },
      py::arg("nbytes"), py::arg("queue") = py::none(), py::arg("allocator") = py::none(),
      "Refuses more bytes in one piece than the place could ever hold, before anything is done for them.");
  m.def("empty_at", &empty_at, py::arg("like"), py::arg("shape") = py::none(), py::arg("dtype") = py::none());
  m.def("astype", [](py::handle a, py::handle dtype) {
    NodeRef made = cast(NodeRef(&require_array(a)), read_dtype(dtype));
    return py::reinterpret_steal<py::object>(is_value(a.ptr()) ? wrap_result(std::move(made)) : wrap(std::move(made)));
  });
  m.def("promote", [](py::handle a, py::handle b) { return dtype_object(promote(read_dtype(a), read_dtype(b))); });

  m.def("view", &view, py::arg("array"), py::arg("shape"), py::arg("strides"), py::arg("offset") = 0,
        py::arg("dtype") = py::none(), py::arg("read_only") = false);
  m.def("reshape", &reshape, py::arg("array"), py::arg("shape"), py::arg("copy") = py::none());
  m.def("permute", &permute, py::arg("array"), py::arg("axes"));
  m.def("roll", [](py::handle a, const std::vector<std::int64_t>& by) {
    return wrapped(rolled(NodeRef(&require_array(a)), by));
  });
  m.def("broadcast_to", &broadcast_to, py::arg("array"), py::arg("shape"));
  m.def(
      "byte_size", [](py::handle shape, std::int64_t itemsize) { return byte_size(read_sizes(shape), itemsize); },
      py::arg("shape"), py::arg("itemsize"), "Bytes of a dense array; ShapeError for a shape that no array has.");
  m.def("broadcast_shapes", [](py::handle a, py::handle b) {
    const Dims shape = broadcast_shapes(read_sizes(a), read_sizes(b));
    byte_size(shape, 1);
    return dims_tuple(shape);
  });
  m.def(
      "as_value",
      [](const py::object& array) {
        require_array(array);
        make_value(array.ptr());
        return array;
      },
      py::arg("array"), "The array itself, a fresh result: a value where it has no axes.");
  m.def("is_value", [](py::handle array) { return is_array(array.ptr()) && is_value(array.ptr()); });
  m.def("set_writable", &set_writable);
  m.def("is_writable", &is_writable);

  m.def("assign", [](py::handle target, py::handle value) {
    Node& t = require_array(target);
    evaluate(t);
    assign(t, NodeRef(&require_array(value)));
  });
  m.def("store", [](py::handle target, py::handle value) { store(target.ptr(), NodeRef(&require_array(value))); });
  m.def("evaluate", [](py::handle a) { evaluate(require_array(a)); });
  m.def("evaluate_all", &evaluate_all);
  m.def("contiguous", [](py::handle a) { return wrapped(contiguous(NodeRef(&require_array(a)))); });
  m.def("is_contiguous", [](py::handle a, const std::string& order) {
    Node& n = require_array(a);
    evaluate(n);
    return order == "C" ? n.c_contiguous() : is_f_contiguous(n.shape, n.strides, n.itemsize());
  });
  m.def("shares_memory", [](py::handle a, py::handle b) {
    const Node &x = require_array(a), &y = require_array(b);
    if (&x == &y) return x.size() > 0;
    if (x.is_pending() || y.is_pending() || x.storage != y.storage) return false;
    const Extent e = x.extent(), f = y.extent();
    return e.low < f.high && f.low < e.high;
  });

  bind_engine_transfer(m);
  bind_engine_profile(m);
  bind_engine_host(m);
  bind_engine_host_call(m);
  m.def("wait", [](const QueuePtr& q) {
    note_wait("synchronize");
    {
      GilRelease unlocked;
      q->finish();
    }
    check_indices(q);
  });
  m.def("index_flag", [](py::handle array, const std::string& what) {
    return wrapped(index_flag(require_array(array).place, what));
  });

  m.def("expose", [](py::handle a) { expose(require_array(a)); });
  m.def("raw_memory", &raw_memory);
  m.def("byte_offset", &byte_offset);
  m.def("from_allocation", &from_allocation, py::arg("memory"), py::arg("shape"), py::arg("dtype"),
        py::arg("strides") = py::none(), py::arg("offset") = 0, py::arg("queue") = py::none(),
        py::arg("allocator") = py::none(), py::arg("read_only") = false);
  m.def("launch", &launch, py::arg("kernel"), py::arg("groups"), py::arg("local"), py::arg("arrays"), py::arg("slots"),
        py::arg("writes"));

  m.def("stats", &stats_dict, R"(What the engine has done since the start of the process, or since :func:`reset_stats`.

Returns
-------
dict
    Numbers by name: operations ``recorded``, kernel ``launches``, ``compilations`` and cache hits, transfers and their
    bytes in both directions, ``waits`` of the host, expressions ``cuts`` short, ``donations`` of operands' memory,
    ``bytes_moved`` by fused kernels and reductions (each element that one reads or writes, once),
    host arrays that became operands of device arrays (``moved_operands``) and their bytes, ``kernels`` held and
    evicted, and ``queues`` that there are.

Examples
--------
>>> import devarray as da
>>> da.reset_stats()
>>> x = (da.ones(3) + 1).evaluate()
>>> da.stats()["launches"]
1)");
  m.def("reset_stats", &reset_stats, R"(Set the counters of :func:`stats` to zero.

Examples
--------
>>> import devarray as da
>>> da.reset_stats()
>>> da.stats()["launches"]
0)");
  m.def("count_compilation", [](bool from_disk) { ++(from_disk ? stats().disk_cache_hits : stats().compilations); });
  m.def("count_moved_operand", [](std::uint64_t bytes) {
    ++stats().moved_operands;
    stats().bytes_of_moved_operands += bytes;
  });
  m.def("count_kernels", [](std::uint64_t held, std::uint64_t evicted) {
    stats().kernels = held;
    stats().kernels_evicted += evicted;
  });
  m.def("clear_kernel_cache", &clear_kernel_cache);
  m.def("get_config", [] {
    using namespace py::literals;
    return py::dict("deferred"_a = config().deferred, "debug"_a = config().debug,
                    "forbid_waits"_a = config().forbid_waits, "check_bounds"_a = config().check_bounds,
                    "background"_a = config().background, "host_elements"_a = config().host_elements);
  });
  m.def("set_config", [](const std::string& name, std::int64_t value) {
    if (name == "deferred") {
      if (!value) evaluate_all();
      config().deferred = value != 0;
    } else if (name == "debug") {
      config().debug = static_cast<int>(value);
      keep_lines(value > 0);
    } else if (name == "forbid_waits") {
      config().forbid_waits = value != 0;
    } else if (name == "check_bounds") {
      config().check_bounds = value != 0;
    } else if (name == "background") {
      config().background = value != 0;
    } else if (name == "host_elements") {
      config().host_elements = value;
    } else {
      throw ValueError("there is no engine setting named " + name);
    }
  });
  m.def(
      "reduction_agreement",
      [](int dtype, bool indexed) {
        return py::make_tuple(kNarrow, partial_bytes(static_cast<DType>(dtype), indexed));
      },
      py::arg("dtype"), py::arg("indexed"),
      "What the code generator has to have, too: outputs in registers, bytes of a partial result.");
  m.def("limits", [] {
    using namespace py::literals;
    return py::dict("launches_in_flight"_a = kLaunchesInFlight, "depth"_a = kMaxDepth, "nodes"_a = kMaxNodes,
                    "leaves"_a = kMaxLeaves, "extra_outputs"_a = kMaxExtraOutputs, "scalars"_a = kMaxScalars,
                    "pending_bytes"_a = kMaxPendingBytes, "dims"_a = kMaxDims);
  });
}

}  // namespace devarray
