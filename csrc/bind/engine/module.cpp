// What the engine tells and is told: counters, settings, the table of operations, hooks; and evaluation.
#include "bind/engine/array.hpp"
#include "bind/engine/float_errors.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/fork.hpp"
#include "engine/held_stores.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/index_flags.hpp"
#include "engine/launch.hpp"
#include "engine/mirror.hpp"
#include "engine/pending_views.hpp"
#include "engine/recipe.hpp"
#include "engine/reduce.hpp"
#include "engine/reduce_scratch.hpp"
#include "engine/rows_launch.hpp"
#include "engine/take.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

py::dict stats_dict() {
  using namespace py::literals;
  release_stores();
  const Stats& s = stats();
  return py::dict(
      "recorded"_a = s.recorded.load(), "launches"_a = s.launches.load(), "host_runs"_a = s.host_runs.load(),
      "compilations"_a = s.compilations.load(), "memory_cache_hits"_a = s.memory_cache_hits.load(),
      "disk_cache_hits"_a = s.disk_cache_hits.load(), "transfers_to_device"_a = s.transfers_to_device.load(),
      "bytes_to_device"_a = s.bytes_to_device.load(), "transfers_to_host"_a = s.transfers_to_host.load(),
      "bytes_to_host"_a = s.bytes_to_host.load(), "transfers_between_devices"_a = s.transfers_between_devices.load(),
      "bytes_between_devices"_a = s.bytes_between_devices.load(), "waits"_a = s.waits.load(), "cuts"_a = s.cuts.load(),
      "donations"_a = s.donations.load(), "moved_operands"_a = s.moved_operands.load(),
      "bytes_of_moved_operands"_a = s.bytes_of_moved_operands.load(), "bytes_moved"_a = s.bytes_moved.load(),
      "kernels"_a = s.kernels.load(), "kernels_evicted"_a = s.kernels_evicted.load(), "plans"_a = s.plans.load(),
      "plans_reused"_a = s.plans_reused.load(), "plans_evicted"_a = s.plans_evicted.load(), "queues"_a = Queue::live());
}

void reset_stats() {
  Stats& s = stats();
  for (auto* c : {&s.recorded,
                  &s.launches,
                  &s.host_runs,
                  &s.compilations,
                  &s.memory_cache_hits,
                  &s.disk_cache_hits,
                  &s.transfers_to_device,
                  &s.bytes_to_device,
                  &s.transfers_to_host,
                  &s.bytes_to_host,
                  &s.transfers_between_devices,
                  &s.bytes_between_devices,
                  &s.waits,
                  &s.cuts,
                  &s.donations,
                  &s.kernels_evicted,
                  &s.moved_operands,
                  &s.bytes_of_moved_operands,
                  &s.bytes_moved,
                  &s.plans_reused,
                  &s.plans_evicted})
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
    op.ufunc = t[5].cast<std::string>();
    ops().add(std::move(op));
  }
  const auto id = [](const char* name) { return ops().find(name); };
  core_ops() = {id("copy"), id("astype"), id("iota"), id("pow"), id("square"), id("reciprocal")};
  host::bind_loops();
}

/// `a + b` comes here where neither has an addition, and operator.concat(a, b).
PyObject* no_concatenation(PyObject* self, PyObject* other) {
  PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for +: '%s' and '%s'; concatenate() joins arrays",
               Py_TYPE(self)->tp_name, Py_TYPE(other)->tp_name);
  return nullptr;
}

void set_array_class(PyObject* type) {
  auto* array_class = reinterpret_cast<PyTypeObject*>(type);
  hooks().array_class = array_class;
  keep_objects_of(array_class);
  // a class made in Python takes no such slot from its base, and without it operator.concat() adds
  array_class->tp_as_sequence->sq_concat = no_concatenation;
}

void set_hooks(const py::dict& given) {
  PythonHooks& h = hooks();
  const auto take = [&](const char* name, PyObject*& slot) {
    if (given.contains(name)) slot = py::object(given[name]).release().ptr();
  };
  PyObject* array_class = nullptr;
  take("array_class", array_class);
  if (array_class) set_array_class(array_class);
  take("of_scalars", h.of_scalars);
  take("warn_of_parts", h.warn_of_parts);
  take("advanced_getitem", h.advanced_getitem);
  take("advanced_setitem", h.advanced_setitem);
  take("to_array", h.to_array);
  take("to_operand", h.to_operand);
  take("refused", h.refused);
  take("default_place", h.default_place);
  take("build_elementwise", h.build_elementwise);
  take("build_reduction", h.build_reduction);
  take("build_rows", h.build_rows);
  take("build_stencil_chain", h.build_stencil_chain);
  take("explain_access", h.explain_access);
  take("tall_product", h.tall_product);
  take("row_product", h.row_product);
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

void wait_until_done(const QueuePtr& queue) {
  note_wait("synchronize");
  {
    GilRelease unlocked;
    queue->finish();
  }
  check_indices(queue);
}

void bind_engine(py::module_& m) {
  make_array_type(m);
  make_quick_type(m);
  bind_engine_build();
  bind_engine_create(m);
  bind_engine_launch(m);
  bind_engine_operations(m);
  bind_known_calls(m);
  bind_formulas(m);
  bind_float_errors(m);
  bind_engine_places(m);
  bind_engine_views(m);
  bind_engine_moves(m);
  bind_engine_library(m);
  bind_engine_dlpack(m);
  bind_engine_dlpack_import(m);

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
    if (order == "C" && n.is_pending() && lands_in_c_order(n.is_pending_view ? *n.inputs[0].node : n))
      return !n.is_pending_view || is_c_contiguous(n.shape, n.strides, 1);
    evaluate(n);
    return order == "C" ? n.c_contiguous() : is_f_contiguous(n.shape, n.strides, n.itemsize());
  });
  // What a pending cast is of, for kernels that cast as they load; else the array itself.
  m.def("before_cast", [](py::handle a) {
    const Node& n = require_array(a);
    const bool casts = n.is_pending() && !n.is_pending_view && n.op == core_ops().astype && n.arity == 1;
    if (!casts || n.inputs[0].node->shape != n.shape || n.inputs[0].node->state == NodeState::scalar)
      return py::reinterpret_borrow<py::object>(a);
    return wrapped(n.inputs[0].node);
  });
  m.def("waits_by_rows", [](py::handle a) {
    const Node& n = require_array(a);
    return lands_in_c_order(n) && !n.over_reduction;
  });
  m.def("shares_memory", [](py::handle a, py::handle b) {
    Node &x = require_array(a), &y = require_array(b);
    for (Node* n : {&x, &y})
      if (n->is_pending_view) evaluate(*n);
    if (&x == &y) return x.size() > 0;
    if (!x.is_leaf() || !y.is_leaf() || x.storage != y.storage) return false;
    const Extent e = x.extent(), f = y.extent();
    return e.low < f.high && f.low < e.high;
  });

  bind_engine_transfer(m);
  bind_engine_profile(m);
  bind_engine_explain(m);
  bind_engine_attributes(m);
  bind_engine_host(m);
  bind_engine_host_call(m);
  bind_engine_sliding(m);
  bind_engine_host_sort(m);
  bind_engine_host_gather(m);
  m.def("wait", &wait_until_done);
  m.def("at_rest", &at_rest, py::arg("seconds"), py::arg("pythons"),
        "Whether no thread is in a driver, no lock is held, and the queues of CPUs are empty.");
  m.def("index_flag", [](py::handle array, const std::string& what) {
    return wrapped(index_flag(require_array(array).place, what));
  });
  m.def("take_at", [](py::handle table, py::handle places, const std::string& what) {
    return wrapped(taken(NodeRef(&require_array(table)), NodeRef(&require_array(places)), what));
  });
  m.def("take_of_pending", [](py::handle array, const py::tuple& shape, const py::function& take) -> py::object {
    const Dims sizes = read_sizes(shape);
    const auto recipe = recipe_to_take(NodeRef(&require_array(array)), element_count(sizes));
    if (!recipe) return py::none();
    std::vector<NodeRef> taken;
    for (const Recipe::Value& value : recipe->values)
      if (value.all_axes) taken.emplace_back(&require_array(take(wrapped(value.operand))));
    if (!recipe->holds()) return py::none();
    return wrapped(recipe->computed_from(taken, sizes));
  });

  m.def("group_counter", [](py::handle array) { return wrapped(group_counter(require_array(array).place)); });

  m.def("stats", &stats_dict, R"(What the engine has done since the start of the process, or since :func:`reset_stats`.

Returns
-------
dict
    Numbers by name: operations ``recorded``, kernel ``launches``, small work that the host ran in their place
    (``host_runs``), ``compilations`` and cache hits, transfers and their bytes in both directions, ``waits`` of the
    host, expressions ``cuts`` short, ``donations`` of operands' memory, ``bytes_moved`` by fused kernels and reductions (each element that one reads or writes, once),
    host arrays that became operands of device arrays (``moved_operands``) and their bytes, ``kernels`` held and
    evicted, ``plans`` of launches kept for expressions that come again, reused and evicted, and ``queues`` that there
    are.

Examples
--------
>>> import devarray as da
>>> da.reset_stats()
>>> x = da.sin(da.ones(3)).evaluate()
>>> da.stats()["recorded"] > 0
True)");
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
                    "background"_a = config().background, "host_elements"_a = config().host_elements,
                    "row_bytes"_a = config().row_bytes, "vector_elements"_a = config().vector_elements,
                    "short_counts"_a = config().short_counts, "mirrors"_a = mirrors_in_use());
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
    } else if (name == "row_bytes") {
      config().row_bytes = value;
    } else if (name == "vector_elements") {
      config().vector_elements = value;
    } else if (name == "short_counts") {
      config().short_counts = value;
    } else {
      throw ValueError("there is no engine setting named " + name);
    }
  });
  m.def(
      "reduction_agreement",
      [](int dtype, const std::string& kind) {
        return py::make_tuple(kNarrow, partial_bytes(kind, static_cast<DType>(dtype)), kPartialBytes);
      },
      py::arg("dtype"), py::arg("kind"),
      "What the code generator has to have, too: outputs in registers, bytes of a partial result, and of any one where "
      "reductions share a walk.");
  m.def("limits", [] {
    using namespace py::literals;
    return py::dict("launches_in_flight"_a = kLaunchesInFlight, "depth"_a = kMaxDepth, "nodes"_a = kMaxNodes,
                    "leaves"_a = kMaxLeaves, "extra_outputs"_a = kMaxExtraOutputs, "scalars"_a = kMaxScalars,
                    "pending_bytes"_a = kMaxPendingBytes, "dims"_a = kMaxDims);
  });
}

}  // namespace devarray
