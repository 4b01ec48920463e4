// Kernel specs to Python, which renders and compiles them.
#include "bind/engine_array.hpp"
#include "engine/config.hpp"
#include "engine/kernel_spec.hpp"

namespace devarray {
namespace {

py::tuple leaves_tuple(const ExpressionSpec& body) {
  py::tuple t(body.leaves.size());
  for (std::size_t i = 0; i < t.size(); ++i)
    t[i] = py::make_tuple(name_of(body.leaves[i].dtype), name_of(body.leaves[i].access));
  return t;
}

py::tuple scalars_tuple(const ExpressionSpec& body) {
  py::tuple t(body.scalars.size());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = py::str(name_of(body.scalars[i]));
  return t;
}

py::tuple nodes_tuple(const ExpressionSpec& body) {
  py::tuple t(body.nodes.size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    const SpecNode& n = body.nodes[i];
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

KernelPtr build_elementwise(Device& device, const ElementwiseSpec& s) {
  const py::tuple spec = py::make_tuple(name_of(s.mode), s.ndim, s.wide, s.vec, s.alias, leaves_tuple(s.body),
                                        scalars_tuple(s.body), nodes_tuple(s.body), outputs_tuple(s.body));
  py::object kernel = py::handle(hooks().build_elementwise)(device.shared_from_this(), spec);
  return kernel.cast<KernelPtr>();
}

}  // namespace

void bind_engine_build() { build_hooks().elementwise = build_elementwise; }

}  // namespace devarray
