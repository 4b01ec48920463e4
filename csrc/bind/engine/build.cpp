// Kernel specs to Python, which renders and compiles them.
#include <concepts>
#include <type_traits>
#include <utility>

#include "bind/engine/array.hpp"
#include "bind/engine/making_error.hpp"
#include "bind/python/call.hpp"
#include "engine/config.hpp"
#include "engine/kernel_spec.hpp"
#include "engine/reduce.hpp"
#include "engine/rows_launch.hpp"
#include "engine/stencil_chain.hpp"

namespace devarray {
namespace {

/// The name of a reduction's node in a kernel of rows.
const std::string kReductionOp = "reduction";

/// Makes the keyword arguments of a spec's dataclass from its fields.
class SpecFields {
 public:
  /// `ndim` is that of the space whose dims an operand may be shifted along.
  explicit SpecFields(int ndim) : ndim_(ndim) {}

  template <class Field>
  void operator()(const char* name, const Field& field) {
    if constexpr (std::is_same_v<Field, ExpressionSpec>) {
      (*this)("leaves", field.leaves);
      (*this)("scalars", field.scalars);
      (*this)("nodes", field.nodes);
      (*this)("outputs", field.outputs);
    } else {
      fields[name] = object(field);
    }
  }

  py::dict fields;

 private:
  template <class Named>
    requires std::is_enum_v<Named>
  py::object object(Named named) const {
    return py::str(name_of(named));
  }
  py::object object(bool flag) const { return py::bool_(flag); }
  template <std::unsigned_integral Number>
  py::object object(Number number) const {
    return py::int_(number);
  }
  py::object object(const std::string& text) const { return py::str(text); }
  py::object object(const SpecOperand& leaf) const { return py::make_tuple(name_of(leaf.dtype), access(leaf)); }
  py::object object(const SpecOutput& out) const {
    return py::make_tuple(out.value, name_of(out.dtype), name_of(out.access));
  }
  py::object object(const SpecResult& result) const { return py::make_tuple(result.value, name_of(result.dtype)); }
  py::object object(const SpecNode& node) const {
    py::tuple args(node.nargs);
    for (std::size_t i = 0; i < args.size(); ++i) args[i] = py::int_(node.args[i]);
    const std::string& name = node.op == kNoOp ? kReductionOp : ops()[node.op].name;
    return py::make_tuple(name, name_of(node.compute), name_of(node.result), args);
  }
  py::object object(const RowStep& s) const {
    return py::make_tuple(s.node, s.kind, name_of(s.accumulator), s.value, object(s.post_scalars), object(s.post),
                          object(s.result));
  }
  py::object object(const std::vector<RowStep>& steps) const {
    py::tuple t(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) t[i] = object(steps[i]);
    return t;
  }
  py::object object(const std::vector<SpecConstant>& constants) const {
    py::tuple t(constants.size());
    for (std::size_t i = 0; i < constants.size(); ++i) t[i] = py::make_tuple(constants[i].scalar, constants[i].bits);
    return t;
  }
  py::object object(const std::vector<ElementwiseSpec>& stages) const {
    py::tuple t(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) t[i] = spec_fields(stages[i]);
    return t;
  }
  template <class T, std::size_t N>
  py::object object(const SmallVector<T, N>& items) const {
    py::tuple t(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) t[i] = object(items[i]);
    return t;
  }

  /// "unit" and its like; "shifted:01:unit" where the second of two dims is read shifted.
  std::string access(const SpecOperand& leaf) const {
    if (!leaf.shifted) return name_of(leaf.access);
    std::string text = "shifted:";
    for (int dim = 0; dim < ndim_; ++dim) text += leaf.shifted >> dim & 1 ? '1' : '0';
    return text + ":" + name_of(leaf.access);
  }

  int ndim_;
};

template <class Spec>
py::dict fields_of(const Spec& spec, int ndim) {
  SpecFields visit(ndim);
  spec.each_field(visit);
  return visit.fields;
}

void translate(std::exception_ptr p) {
  try {
    if (p) std::rethrow_exception(p);
  } catch (const MakingError& e) {
    py::error_already_set(e.raised).restore();
  }
}

template <class... Args>
py::object make_by_python(PyObject* function, Args&&... args) {
  try {
    return call_python(function, std::forward<Args>(args)...);
  } catch (const py::error_already_set& e) {
    if (e.matches(py::module_::import("devarray.errors").attr("Error"))) throw MakingError(e);
    throw;
  }
}

/// The kernel that Python makes of a spec, or the source of which it is being made in the background.
template <class Spec>
Built build(PyObject* function, Device& device, const Spec& spec, int ndim, bool soon, const std::string* source) {
  const py::object given = source ? py::object(py::str(*source)) : py::object(fields_of(spec, ndim));
  const py::object made = make_by_python(function, device.shared_from_this(), given, soon);
  if (py::isinstance<py::str>(made)) return {nullptr, made.cast<std::string>()};
  return {made.cast<KernelPtr>(), {}};
}

Built build_elementwise(Device& device, const ElementwiseSpec& spec, bool soon, const std::string* source) {
  return build(hooks().build_elementwise, device, spec, spec.ndim, soon, source);
}

Built build_reduction(Device& device, const ReductionSpec& spec, bool soon, const std::string* source) {
  return build(hooks().build_reduction, device, spec, 0, soon, source);
}

Built build_rows(Device& device, const RowsSpec& spec, bool soon, const std::string* source) {
  return build(hooks().build_rows, device, spec, 0, soon, source);
}

Built build_stencil_chain(Device& device, const StencilChainSpec& spec, bool soon, const std::string* source) {
  return build(hooks().build_stencil_chain, device, spec, 2, soon, source);
}

std::string explain_access(std::uint32_t site) {
  if (!hooks().explain_access) return {};
  return py::handle(hooks().explain_access)(site).cast<std::string>();
}

}  // namespace

py::dict spec_fields(const ElementwiseSpec& spec) { return fields_of(spec, spec.ndim); }

void bind_engine_build() {
  add_error_translator(translate);
  build_hooks().explain_access = explain_access;
  build_hooks().elementwise = build_elementwise;
  build_hooks().reduction = build_reduction;
  build_hooks().rows = build_rows;
  build_hooks().stencil_chain = build_stencil_chain;
}

}  // namespace devarray
