// Launches that are planned in Python, and the memory under arrays that drivers see.
#include <unordered_map>

#include "bind/engine/array.hpp"
#include "bind/engine/quick.hpp"
#include "bind/memory/memory.hpp"
#include "engine/allocate.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/index_flags.hpp"
#include "engine/planned.hpp"
#include "engine/views.hpp"

namespace devarray {

std::vector<NodeRef> nodes_of(const py::sequence& arrays) {
  std::vector<NodeRef> nodes;
  for (py::handle a : items_of(arrays)) nodes.emplace_back(&require_array(a));
  return nodes;
}

namespace {

void launch(const KernelPtr& kernel, const std::vector<std::size_t>& groups, const std::vector<std::size_t>& local,
            const py::sequence& arrays, std::vector<std::int64_t> slots, std::uint64_t writes) {
  LaunchDims dims;
  for (std::size_t i = 0; i < groups.size() && i < 3; ++i) dims.groups[i] = groups[i];
  for (std::size_t i = 0; i < local.size() && i < 3; ++i) dims.local[i] = local[i];
  launch_planned(kernel, dims, nodes_of(arrays), std::move(slots), writes);
}

// --- plans that are kept ---------------------------------------------------------------------------------------------

/// What was prepared for a planner, the forms of its arrays and its options, which decide what it plans.
struct KeptPlan {
  py::object planner;  ///< held, since its address is part of the key
  std::shared_ptr<const PreparedPlan> plan;
};
constexpr std::size_t kMostPlans = 2048;

std::unordered_map<std::string, KeptPlan>& kept_plans() {
  static auto* plans = new std::unordered_map<std::string, KeptPlan>;  // outlives the interpreter
  return *plans;
}

template <class T>
void add_bytes(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Options are None, bools, ints, text, and tuples of them.
void add_option(std::string& key, PyObject* o) {
  if (o == Py_None || PyBool_Check(o)) {
    key += o == Py_None ? 'N' : o == Py_True ? 'T' : 'F';
  } else if (PyLong_Check(o)) {
    key += 'i';
    add_bytes(key, read_int(o, "an option of a plan"));
  } else if (PyUnicode_Check(o)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(o, &size);
    if (!text) throw py::error_already_set();
    key += 's';
    add_bytes(key, size);
    key.append(text, static_cast<std::size_t>(size));
  } else if (PyTuple_Check(o)) {
    key += '(';
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i) add_option(key, PyTuple_GET_ITEM(o, i));
    key += ')';
  } else {
    throw DTypeError("an option of a plan is None, a bool, an int, text or a tuple of them, not " +
                     std::string(Py_TYPE(o)->tp_name));
  }
}

void add_form(std::string& key, DType dtype, const Dims& shape, const Dims& strides) {
  key += static_cast<char>(dtype);
  key += static_cast<char>(shape.size());
  for (const std::int64_t size : shape) add_bytes(key, size);
  for (const std::int64_t stride : strides) add_bytes(key, stride);
}

std::string start_of_key(PyObject* planner, const Node& first) {
  std::string key;
  add_bytes(key, planner);
  add_bytes(key, first.place->device->serial());
  return key;
}

/// Evaluates the arrays, whose strides are part of it.
std::string key_of_plan(PyObject* planner, const std::vector<NodeRef>& arrays, PyObject* options) {
  if (arrays.empty()) throw ValueError("a plan needs at least one array");
  for (const NodeRef& n : arrays) evaluate(*n);
  std::string key = start_of_key(planner, *arrays[0]);
  for (const NodeRef& n : arrays) add_form(key, n->dtype, n->shape, n->strides);
  add_option(key, options);
  return key;
}

/// launch_again(planner, arrays, options): whether their plan was kept, and has been launched.
PyObject* launch_again(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 3) throw ValueError("launch_again(planner, arrays, options)");
  std::vector<NodeRef> arrays = nodes_of(py::reinterpret_borrow<py::sequence>(argv[1]));
  const auto kept = kept_plans().find(key_of_plan(argv[0], arrays, argv[2]));
  if (kept == kept_plans().end()) Py_RETURN_FALSE;
  const std::shared_ptr<const PreparedPlan> plan = kept->second.plan;
  return PyBool_FromLong(launch_prepared(*plan, std::move(arrays)));
}

/// gather_again(planner, x, indices, axis, options, what): `x` with the axes of an index array in place of an axis,
/// from 0, where the plan of that gather was kept: over `x`, the result, the queue's flag, which tells of indices
/// outside and is explained by `what`, and the indices. Else None.
PyObject* gather_again(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 6) throw ValueError("gather_again(planner, x, indices, axis, options, what)");
  const NodeRef x(&require_array(argv[1])), indices(&require_array(argv[2]));
  const auto axis = static_cast<std::size_t>(read_int(argv[3], "an axis"));
  if (axis >= x->shape.size() || x->place->device != indices->place->device) Py_RETURN_NONE;
  evaluate(*x);
  evaluate(*indices);
  Dims shape(x->shape.begin(), x->shape.begin() + axis);
  for (const std::int64_t size : indices->shape) shape.push_back(size);
  for (std::size_t i = axis + 1; i < x->shape.size(); ++i) shape.push_back(x->shape[i]);
  if (shape.size() > kMaxDims) Py_RETURN_NONE;
  std::string key = start_of_key(argv[0], *x);
  add_form(key, x->dtype, x->shape, x->strides);
  add_form(key, x->dtype, shape, c_strides(shape, x->itemsize()));
  constexpr std::int64_t kFlag = sizeof(std::int32_t);
  add_form(key, DType::int32, {1}, {kFlag});
  add_form(key, indices->dtype, indices->shape, indices->strides);
  add_option(key, argv[4]);
  const auto kept = kept_plans().find(key);
  if (kept == kept_plans().end()) Py_RETURN_NONE;
  const std::shared_ptr<const PreparedPlan> plan = kept->second.plan;
  const char* what = PyUnicode_AsUTF8(argv[5]);
  if (!what) throw py::error_already_set();
  NodeRef result = empty(x->place, x->dtype, shape);
  if (!launch_prepared(*plan, {x, result, index_flag(x->place, what), indices})) Py_RETURN_NONE;
  return wrap(std::move(result));
}

/// Launches a plan for the first time, and keeps it. A step is (kernel, groups, local, memory, slots, offsets, writes),
/// a temporary (bytes, cleared); see PreparedPlan.
void launch_and_keep(const py::object& planner, const py::sequence& arrays, py::handle options,
                     const py::sequence& steps, const std::vector<std::pair<std::int64_t, bool>>& temporaries) {
  PreparedPlan plan;
  for (const auto& [nbytes, cleared] : temporaries) plan.temporaries.push_back({nbytes, cleared});
  for (py::handle item : items_of(steps)) {
    const auto given = py::reinterpret_borrow<py::tuple>(item);
    PreparedPlan::Step step;
    step.kernel = given[0].cast<KernelPtr>();
    const auto groups = given[1].cast<std::vector<std::size_t>>();
    for (std::size_t i = 0; i < groups.size() && i < 3; ++i) step.dims.groups[i] = groups[i];
    step.dims.local[0] = given[2].cast<std::size_t>();
    step.memory = given[3].cast<std::vector<std::uint16_t>>();
    step.slots = given[4].cast<std::vector<std::int64_t>>();
    step.offsets = given[5].cast<std::vector<std::pair<std::uint16_t, std::uint16_t>>>();
    step.writes = given[6].cast<std::uint64_t>();
    plan.steps.push_back(std::move(step));
  }
  std::vector<NodeRef> nodes = nodes_of(arrays);
  std::string key = key_of_plan(planner.ptr(), nodes, options.ptr());
  const auto kept = std::make_shared<const PreparedPlan>(std::move(plan));
  if (kept_plans().size() >= kMostPlans) kept_plans().clear();
  kept_plans()[std::move(key)] = {planner, kept};
  launch_prepared(*kept, std::move(nodes));  // whose kernels the steps hold
}

/// expression_of(x): (arrays, dtypes of scalars, nodes, slots of scalars), or None where `x` is to be read.
PyObject* operand_expression(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 1) throw ValueError("expression_of(x)");
  std::optional<OperandExpression> made = expression_of(NodeRef(&require_array(argv[0])));
  if (!made) Py_RETURN_NONE;
  py::tuple arrays(made->leaves.size()), slots(made->slots.size());
  for (std::size_t i = 0; i < made->leaves.size(); ++i)
    arrays[i] = py::reinterpret_steal<py::object>(wrap(std::move(made->leaves[i])));
  for (std::size_t i = 0; i < made->slots.size(); ++i) slots[i] = made->slots[i];
  ElementwiseSpec spec;
  spec.body = std::move(made->body);
  const py::dict fields = spec_fields(spec);
  return py::make_tuple(arrays, fields["scalars"], fields["nodes"], slots).release().ptr();
}

PyMethodDef launch_functions[] = {
    fast<operand_expression>("expression_of",
                             "expression_of(x): what a pending array is computed by, for a planned kernel that takes "
                             "its operations in: (arrays, dtypes of scalars, nodes, slots of scalars), or None."),
    fast<launch_again>("launch_again",
                       "launch_again(planner, arrays, options): see run_planned() of devarray/_primitives/launch.py."),
    fast<gather_again>("gather_again",
                       "gather_again(planner, x, indices, axis, options, what): see _gather_one() of "
                       "devarray/_primitives/gather.py."),
    {nullptr, nullptr, 0, nullptr}};

/// Byte offset of an array's first element from its memory argument: what launch() slots count from.
std::int64_t byte_offset(py::handle array) {
  Node& n = require_array(array);
  evaluate(n);
  return static_cast<std::int64_t>(n.storage->block->offset) + n.offset;
}

py::tuple raw_memory(py::handle array) {
  Node& n = require_array(array);
  expose(n);
  const Block& b = *n.storage->block;
  return py::make_tuple(b.allocation, static_cast<std::int64_t>(b.offset) + n.offset);
}

py::object from_allocation(const AllocationPtr& memory, py::handle shape, py::handle dtype, py::handle strides,
                           py::handle offset, const QueuePtr& queue, const ResourcePtr& allocator, bool read_only) {
  const DType t = read_dtype(dtype);
  const auto itemsize = static_cast<std::int64_t>(size_of(t));
  const Dims dims = read_sizes(shape);
  byte_size(dims, itemsize);
  const Dims steps = strides.is_none() ? c_strides(dims, itemsize) : read_ints(strides, "strides");
  return wrapped(adopted(memory, t, dims, steps, read_int(offset, "the offset"), queue, allocator, read_only));
}

}  // namespace

void bind_engine_launch(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), launch_functions) < 0) throw py::error_already_set();
  m.def("launch_and_keep", &launch_and_keep, py::arg("planner"), py::arg("arrays"), py::arg("options"),
        py::arg("steps"), py::arg("temporaries"));
  m.def("expose", [](py::handle a) { expose(require_array(a)); });
  m.def("raw_memory", &raw_memory);
  m.def("byte_offset", &byte_offset);
  m.def("from_allocation", &from_allocation, py::arg("memory"), py::arg("shape"), py::arg("dtype"),
        py::arg("strides") = py::none(), py::arg("offset") = 0, py::arg("queue") = py::none(),
        py::arg("allocator") = py::none(), py::arg("read_only") = false);
  m.def(
      "settle",
      [](const py::sequence& arrays) {
        for (const NodeRef& n : nodes_of(arrays)) {
          evaluate(*n);
          settle_elements(*n->storage);
        }
      },
      py::arg("arrays"), "Moves elements that were read out of memory that is about to be written.");
  m.def(
      "note_written",
      [](const py::sequence& arrays) {
        start_noting_writes();
        for (const NodeRef& n : nodes_of(arrays))
          if (n->is_leaf()) note_written(*n->storage);
      },
      py::arg("arrays"),
      "Other queues that read these arrays wait for what was written so far; arrays without values yet stay so. From "
      "the first call on that is true of all large arrays whose values are written.");
  m.def("launch", &launch, py::arg("kernel"), py::arg("groups"), py::arg("local"), py::arg("arrays"), py::arg("slots"),
        py::arg("writes"));
}

}  // namespace devarray
