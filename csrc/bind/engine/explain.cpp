// devarray.explain(): a plan to Python.
#include <pybind11/complex.h>

#include <complex>

#include "bind/engine/array.hpp"
#include "engine/plan.hpp"

namespace devarray {
namespace {

const char* name_of(NodeState state) {
  return state == NodeState::leaf ? "array" : state == NodeState::scalar ? "scalar" : "operation";
}

py::object scalar_of(const PlannedValue& v) {
  if (v.state != NodeState::scalar) return py::none();
  switch (v.scalar.kind) {
    case Kind::boolean: return py::bool_(v.scalar.i != 0);
    case Kind::integer: return py::int_(v.scalar.i);
    case Kind::unsigned_: return py::int_(v.scalar.u);
    case Kind::real: return py::float_(v.scalar.re);
    case Kind::complex: return py::cast(std::complex<double>(v.scalar.re, v.scalar.im));
    default: return py::none();
  }
}

template <class Numbers>
py::tuple numbers(const Numbers& given) {
  py::tuple t(given.size());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = py::int_(given[i]);
  return t;
}

py::tuple value_tuple(const PlannedValue& v) {
  const bool pending = v.state == NodeState::pending;
  return py::make_tuple(name_of(v.state), pending ? ops()[v.op].name : std::string(), dtype_object(v.dtype),
                        dims_tuple(v.shape), numbers(v.inputs), scalar_of(v), v.owners, v.line, v.memory);
}

py::tuple excess_tuple(const Excess& e) { return py::make_tuple(name_of(e.limit), e.wanted, e.most); }

py::tuple reason_tuple(const CutReason& r) {
  return py::make_tuple(name_of(r.kind), excess_tuple(r.excess), r.connected, r.fitting, r.taken,
                        excess_tuple(r.longest), r.cost_taken, r.cost_of_longest);
}

py::tuple kernel_tuple(const PlannedKernel& k) {
  py::tuple outputs(k.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = py::make_tuple(k.outputs[i].value, k.outputs[i].bytes, k.outputs[i].donated);
  return py::make_tuple(k.device, k.name, spec_fields(k.spec), dims_tuple(k.sizes), numbers(k.operations),
                        numbers(k.inputs), numbers(k.input_bytes), outputs, numbers(k.not_stored), k.read, k.written,
                        reason_tuple(k.reason), k.on_host);
}

py::tuple plan_of(py::handle array) {
  const Plan plan = plan_evaluation(require_array(array));
  py::tuple values(plan.values.size()), kernels(plan.kernels.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_tuple(plan.values[i]);
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i] = kernel_tuple(plan.kernels[i]);
  return py::make_tuple(values, kernels, plan.result);
}

}  // namespace

void bind_engine_explain(py::module_& m) {
  m.def("plan", &plan_of, py::arg("array"),
        "plan(array): values of the pending graph around it, the kernels that its evaluation would launch, and its "
        "number among the values. Nothing is launched.");
}

}  // namespace devarray
