// Kernel specs to Python, which renders and compiles them.
#include "bind/engine/array.hpp"
#include "engine/config.hpp"
#include "engine/kernel_spec.hpp"
#include "engine/reduce.hpp"

namespace devarray {
namespace {

/// "unit" and its like; "shifted:01:unit" where the second of two dims is read shifted.
std::string access_text(const SpecOperand& operand, int ndim) {
  if (!operand.shifted) return name_of(operand.access);
  std::string text = "shifted:";
  for (int dim = 0; dim < ndim; ++dim) text += operand.shifted >> dim & 1 ? '1' : '0';
  return text + ":" + name_of(operand.access);
}

py::tuple leaves_tuple(const ExpressionSpec& body, int ndim) {
  py::tuple t(body.leaves.size());
  for (std::size_t i = 0; i < t.size(); ++i)
    t[i] = py::make_tuple(name_of(body.leaves[i].dtype), access_text(body.leaves[i], ndim));
  return t;
}

py::tuple dtypes_tuple(const SmallVector<DType, 8>& dtypes) {
  py::tuple t(dtypes.size());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = py::str(name_of(dtypes[i]));
  return t;
}

py::tuple nodes_tuple(const SmallVector<SpecNode, 16>& nodes) {
  py::tuple t(nodes.size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    const SpecNode& n = nodes[i];
    py::tuple args(n.nargs);
    for (int k = 0; k < n.nargs; ++k) args[static_cast<std::size_t>(k)] = py::int_(n.args[k]);
    t[i] = py::make_tuple(ops()[n.op].name, name_of(n.compute), name_of(n.result), args);
  }
  return t;
}

py::tuple outputs_tuple(const ExpressionSpec& body) {
  py::tuple t(body.outputs.size());
  for (std::size_t i = 0; i < t.size(); ++i)
    t[i] = py::make_tuple(body.outputs[i].value, name_of(body.outputs[i].dtype), name_of(body.outputs[i].access));
  return t;
}

KernelPtr build_elementwise(Device& device, const ElementwiseSpec& s, bool soon) {
  const py::tuple spec = spec_tuple(s);
  const py::object kernel =
      without_unwinding([&] { return py::handle(hooks().build_elementwise)(device.shared_from_this(), spec, soon); });
  return kernel.is_none() ? nullptr : kernel.cast<KernelPtr>();
}

KernelPtr build_reduction(Device& device, const ReductionSpec& s, bool soon) {
  const ReducePlan& p = s.plan;
  const py::tuple spec =
      py::make_tuple(name_of(p.layout), s.nkept, s.nreduced, p.flat, p.wide, p.split, p.outs, p.lanes, p.tile, p.unroll,
                     leaves_tuple(s.body, 0), dtypes_tuple(s.body.scalars), nodes_tuple(s.body.nodes),
                     outputs_tuple(s.body), s.kind, name_of(s.accumulator), s.value, dtypes_tuple(s.post_scalars),
                     nodes_tuple(s.post), py::make_tuple(s.result_value, name_of(s.result)));
  const py::object kernel =
      without_unwinding([&] { return py::handle(hooks().build_reduction)(device.shared_from_this(), spec, soon); });
  return kernel.is_none() ? nullptr : kernel.cast<KernelPtr>();
}

std::string explain_access(std::uint32_t site) {
  if (!hooks().explain_access) return {};
  return py::handle(hooks().explain_access)(site).cast<std::string>();
}

}  // namespace

py::tuple spec_tuple(const ElementwiseSpec& s) {
  return py::make_tuple(name_of(s.mode), s.ndim, s.wide, s.vec, kRowsOfAnItem, s.alias, leaves_tuple(s.body, s.ndim),
                        dtypes_tuple(s.body.scalars), nodes_tuple(s.body.nodes), outputs_tuple(s.body));
}

void bind_engine_build() {
  build_hooks().explain_access = explain_access;
  build_hooks().elementwise = build_elementwise;
  build_hooks().reduction = build_reduction;
}

}  // namespace devarray
