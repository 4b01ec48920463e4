#include "bind/engine/formula.hpp"

#include <cmath>

namespace devarray {
namespace {

constexpr const char* kName = "devarray.formula";

ScalarValue scalar_of(py::handle o) {
  RecordArg arg;
  if (!read_operand(o.ptr(), arg) || arg.node || arg.beyond)
    throw DTypeError("a formula's constant is a Python number, not " + std::string(py::repr(o)));
  return arg.scalar;
}

Formula::Operand read_formula_operand(const py::tuple& given) {
  Formula::Operand x;
  if (given.size() == 1) {
    x.value = given[0].cast<int>();
    return x;
  }
  x.dtype = static_cast<DType>(given[0].cast<int>());
  if (given.size() == 3)
    x.argument = given[2].cast<int>();
  else
    x.constant = scalar_of(given[1]);
  return x;
}

py::object make_formula(const std::vector<int>& parameters, const py::sequence& steps) {
  auto made = std::make_unique<Formula>();
  for (const int p : parameters) made->parameters.push_back(static_cast<DType>(p));
  for (py::handle given : items_of(steps)) {
    const auto step = py::reinterpret_borrow<py::tuple>(given);
    Formula::Step s;
    s.op = static_cast<OpId>(step[0].cast<int>());
    const int to = step[1].cast<int>();
    s.casts = to >= 0;
    if (s.casts) s.to = static_cast<DType>(to);
    const int known = static_cast<int>(made->parameters.size() + made->steps.size());
    for (py::handle x : items_of(step[2])) {
      s.operands.push_back(read_formula_operand(py::reinterpret_borrow<py::tuple>(x)));
      const Formula::Operand& read = s.operands.back();
      if (read.value >= known || read.argument >= static_cast<int>(made->parameters.size()))
        throw ValueError("a formula's step reads what comes behind it");
    }
    if (s.operands.empty() || s.operands.size() > 3) throw ValueError("a formula's step has one to three operands");
    made->steps.push_back(std::move(s));
  }
  if (made->steps.empty() || made->steps.size() > Formula::kMostSteps ||
      made->parameters.size() > Formula::kMostParameters)
    throw ValueError("a formula has 1 to " + std::to_string(Formula::kMostSteps) + " steps of at most " +
                     std::to_string(Formula::kMostParameters) + " parameters");
  return py::reinterpret_steal<py::object>(PyCapsule_New(made.release(), kName, [](PyObject* capsule) {
    delete static_cast<Formula*>(PyCapsule_GetPointer(capsule, kName));
  }));
}

/// The nearest number that float32 has. Two of these beside each other GCC 12 vectorises to none, hence `volatile`.
double in_single(double x) {
  const volatile float single = static_cast<float>(x);
  return single;
}

/// Whether float16 has the number.
bool is_half(double x) {
  if (x == 0 || !std::isfinite(x)) return true;
  int exponent = 0;
  std::frexp(x, &exponent);
  const double whole = std::ldexp(x, std::min(11 - exponent, 24));  // 11 bits, and none below 2^-24
  return std::abs(x) <= 65504 && whole == std::trunc(whole);
}

/// A Python number as a parameter of the dtype has it; false where it is none of the dtype's values.
bool read_argument(PyObject* o, DType t, ScalarValue& value) {
  RecordArg arg;
  if (!read_operand(o, arg) || arg.node || arg.beyond) return false;
  value = arg.scalar;
  const Kind wanted = kind_of(t);
  const int bits = static_cast<int>(size_of(t)) * 8;
  switch (wanted) {
    case Kind::boolean: return value.kind == Kind::boolean;
    case Kind::integer:
      return value.kind == Kind::integer && (value.i >> (bits - 1) == 0 || value.i >> (bits - 1) == -1);
    case Kind::unsigned_:
      if (value.kind == Kind::unsigned_) return bits == 64;
      return value.kind == Kind::integer && value.i >= 0 && (bits == 64 || value.i >> bits == 0);
    case Kind::real:
    case Kind::complex: break;
    default: return false;
  }
  if (value.kind == Kind::integer) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    if (value.i > kExact || value.i < -kExact) return false;
    value.re = static_cast<double>(value.i);
    value.kind = Kind::real;
  }
  if (value.kind != Kind::real && value.kind != wanted) return false;
  if (t == DType::float16) return is_half(value.re);
  if (t != DType::float64 && t != DType::complex128) {
    value.re = in_single(value.re);
    value.im = in_single(value.im);
  }
  return true;
}

}  // namespace

const Formula* formula_in(PyObject* object) {
  return PyCapsule_CheckExact(object) ? static_cast<const Formula*>(PyCapsule_GetPointer(object, kName)) : nullptr;
}

NodeRef record_formula(const Formula& formula, PyObject* const* operands) {
  const std::size_t first = formula.parameters.size(), all = first + formula.steps.size();
  constexpr std::size_t kFew = 8;
  NodeRef few[kFew];
  std::vector<NodeRef> many(all > kFew ? all : 0);
  NodeRef* const values = all > kFew ? many.data() : few;
  ScalarValue value;
  for (std::size_t i = 0; i < first; ++i)
    if (is_array(operands[i]))
      values[i] = NodeRef(&node_of(operands[i]));
    else if (!read_argument(operands[i], formula.parameters[i], value))
      return nullptr;
  std::size_t next = first;
  RecordArg args[3];
  for (const Formula::Step& step : formula.steps) {
    const bool hold = next + 1 < all;
    int n = 0;
    for (const Formula::Operand& x : step.operands) {
      NodeRef& node = args[n++].node;
      if (x.value >= 0) {
        node = values[x.value];
      } else if (x.argument < 0) {
        node = Node::scalar(x.dtype, x.constant);
      } else {
        const auto parameter = static_cast<std::size_t>(x.argument);
        read_argument(operands[parameter], formula.parameters[parameter], value);
        node = Node::scalar(x.dtype, value);
      }
    }
    values[next++] = step.casts ? cast(args[0].node, step.to, hold) : record(step.op, args, n, hold);
  }
  return std::move(values[all - 1]);
}

void bind_formulas(py::module_& m) {
  m.def("formula", &make_formula);
  m.def("record_formula", [](py::handle formula, const py::tuple& operands) {
    const Formula* const f = formula_in(formula.ptr());
    if (!f || operands.size() != f->parameters.size())
      throw DTypeError("record_formula(formula, operands): one operand for each parameter");
    NodeRef made = record_formula(*f, &PyTuple_GET_ITEM(operands.ptr(), 0));
    if (!made) throw DTypeError("record_formula: a scalar is none of its parameter's dtype");
    return py::reinterpret_steal<py::object>(wrap_result(std::move(made)));
  });
}

}  // namespace devarray
