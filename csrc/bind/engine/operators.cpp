// The operators of arrays: arithmetic, comparisons, in-place forms and the matrix product.
#include "engine/operators.hpp"

#include "bind/engine/float_errors.hpp"
#include "bind/engine/powers.hpp"
#include "bind/engine/slots.hpp"
#include "engine/elements.hpp"

namespace devarray {
namespace {

enum Slot {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kRemainder,
  kPow,
  kAnd,
  kOr,
  kXor,
  kLeftShift,
  kRightShift,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterEqual,
  kNegative,
  kPositive,
  kAbs,
  kInvert,
  kSlots
};
constexpr const char* kSlotOps[kSlots] = {"add",
                                          "subtract",
                                          "multiply",
                                          "divide",
                                          "floor_divide",
                                          "remainder",
                                          "pow",
                                          "bitwise_and",
                                          "bitwise_or",
                                          "bitwise_xor",
                                          "bitwise_left_shift",
                                          "bitwise_right_shift",
                                          "less",
                                          "less_equal",
                                          "equal",
                                          "not_equal",
                                          "greater",
                                          "greater_equal",
                                          "negative",
                                          "positive",
                                          "abs",
                                          "bitwise_invert"};
OpId slot_ops[kSlots];

/// What an operator gives.
PyObject* result_of(OpId op, PyObject* a, PyObject* b, NodeRef made) {
  PyObject* const operands[2] = {a, b};
  watch_floats(op, operands, b ? 2 : 1, made);
  return wrap_result(std::move(made));
}

template <Slot S>
PyObject* unary(PyObject* self) {
  return guarded([&] {
    RecordArg arg;
    arg.node = NodeRef(&node_of(self));
    return result_of(slot_ops[S], self, nullptr, record(slot_ops[S], &arg, 1));
  });
}

/// Two operands of an operator. The common ones take no further step.
bool read_pair(PyObject* a, PyObject* b, RecordArg* args) {
  if (read_operand(a, args[0]) && read_operand(b, args[1])) return true;
  PyObject* const both[2] = {a, b};
  return read_operands(both, args, 2);
}

/// What an operator gives where an operand is of a class that no array knows; the last word before Python's TypeError.
[[gnu::noinline]] PyObject* refused(const char* name, PyObject* a, PyObject* b) {
  return without_unwinding([&] { return PyObject_CallFunction(hooks().refused, "sOO", name, a, b); });
}
PyObject* refused(OpId op, PyObject* a, PyObject* b) { return refused(ops()[op].name.c_str(), a, b); }

PyObject* record_binary(OpId op, PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (!read_pair(a, b, args)) Py_RETURN_NOTIMPLEMENTED;
    return result_of(op, a, b, record(op, args, 2));
  });
}

template <Slot S>
PyObject* binary(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (!read_pair(a, b, args)) return refused(slot_ops[S], a, b);
    return result_of(slot_ops[S], a, b, record(slot_ops[S], args, 2));
  });
}

/// Whether `x * y` repeats a list, tuple or text so many times, as NumPy's integers do where its arrays multiply.
bool repeats(PyObject* count, PyObject* sequence) {
  const bool text = PyUnicode_CheckExact(sequence) || PyBytes_CheckExact(sequence);
  return (text || PyList_CheckExact(sequence) || PyTuple_CheckExact(sequence)) && is_array(count) && is_value(count) &&
         is_integer(node_of(count).dtype);
}

PyObject* multiply(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (!read_operand(a, args[0]) || !read_operand(b, args[1])) {
      PyObject* const both[2] = {a, b};
      if (repeats(a, b) || repeats(b, a)) Py_RETURN_NOTIMPLEMENTED;
      if (!read_operands(both, args, 2)) return refused(slot_ops[kMultiply], a, b);
    }
    return result_of(slot_ops[kMultiply], a, b, record(slot_ops[kMultiply], args, 2));
  });
}

/// The function that NumPy's operator takes for a power, by which its errors are called: Python's 2, -1 and 0.5 have
/// functions of their own beside fractions.
const char* function_of_power(PyObject* base, PyObject* exponent) {
  if (!is_array(base) || kind_rank(kind_of(node_of(base).dtype)) < 2) return "pow";
  if (PyFloat_CheckExact(exponent)) return PyFloat_AS_DOUBLE(exponent) == 0.5 ? "sqrt" : "pow";
  if (!PyLong_CheckExact(exponent)) return "pow";
  int overflow = 0;
  const long n = PyLong_AsLongAndOverflow(exponent, &overflow);
  return overflow ? "pow" : n == 2 ? "square" : n == -1 ? "reciprocal" : "pow";
}

void watch_power(PyObject* a, PyObject* b, const NodeRef& made) {
  if (!detail::float_watchers) [[likely]]
    return;
  PyObject* const operands[2] = {a, b};
  watch_floats(function_of_power(a, b), operands, 2, made);
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    if (!read_pair(a, b, args)) return refused(slot_ops[kPow], a, b);
    require_known_power(b, args);
    NodeRef made = record_power(args);
    watch_power(a, b, made);
    return wrap_result(std::move(made));
  });
}

/// Stores what an in-place operation gives in its array, which is returned.
PyObject* store_inplace(const std::string& name, PyObject* self, const NodeRef& value, const Node* last = nullptr) {
  require_inplace(name, node_of(self), *value);
  store(self, value, last);
  Py_INCREF(self);
  return self;
}

/// The last word on an in-place operation beside an operand of a class that no array knows. Dates and times are no
/// numbers: what Python would make of them, a new array for the name, is none of the array's.
PyObject* refused_inplace(OpId op, PyObject* self, PyObject* other) {
  const py::object dtype = py::getattr(other, "dtype", py::none());
  const py::object kind = py::getattr(dtype, "kind", py::none());
  if (!is_value(self) && (kind.equal(py::str("m")) || kind.equal(py::str("M"))))
    throw DTypeError("Cannot cast ufunc '" + ops()[op].ufunc_name() + "' output beside " +
                     std::string(py::repr(dtype)) + " to dtype('" + name_of(node_of(self).dtype) +
                     "') with casting rule 'same_kind'");
  if (!is_value(self) && py::hasattr(other, "mask")) {  // x stays an array: the mask says which elements are written
    const py::object ufunc = py::module_::import("numpy").attr(ops()[op].ufunc_name().c_str());
    return ufunc(py::handle(self), py::handle(other), py::arg("out") = py::handle(self)).release().ptr();
  }
  // Python takes what this slot gives as sq_inplace_concat, too, for the result, NotImplemented and all.
  return op == slot_ops[kAdd] ? PyNumber_Add(self, other) : Py_NewRef(Py_NotImplemented);
}

PyObject* inplace_with(OpId op, PyObject* self, PyObject* other) {
  const auto refuse = [&] { return guarded([&] { return refused_inplace(op, self, other); }); };
  if (is_value(self)) {
    PyObject* made = op == slot_ops[kPow] ? power(self, other, Py_None) : record_binary(op, self, other);
    if (made != Py_NotImplemented) return made;
    Py_DECREF(made);
    return refuse();
  }
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (!read_pair(self, other, args)) return refuse();
    const Node* last = last_use(other);
    if (op == slot_ops[kPow]) require_known_power(other, args);
    const bool powers = op == slot_ops[kPow];
    const NodeRef value = powers ? record_power(args, true) : record(op, args, 2, true);
    PyObject* const operands[2] = {self, other};
    if (powers)
      watch_power(self, other, value);
    else
      watch_floats(op, operands, 2, value);
    args[0] = RecordArg();
    return store_inplace(ops()[op].ufunc_name(), self, value, last);
  });
}

template <Slot S>
PyObject* inplace(PyObject* self, PyObject* other) {
  return inplace_with(slot_ops[S], self, other);
}

PyObject* inplace_power(PyObject* self, PyObject* other, PyObject*) {
  return inplace_with(slot_ops[kPow], self, other);
}

/// Whether nobody but the operator holds a factor. A wrong answer costs time, never correctness.
bool dies(PyObject* factor) { return Py_REFCNT(factor) == 1 && node_of(factor).owners == 1; }

PyObject* matmul(PyObject* a, PyObject* b) {
  if (is_array(a) && is_array(b))
    return guarded([&] {
      if (PyObject* product = common_product(a, b, dies(a), dies(b))) return product;
      return without_unwinding([&] { return PyObject_CallMethod(a, "_matmul", "O", b); });
    });
  return guarded([&]() -> PyObject* {
    const auto asarray_like = [](PyObject* o, PyObject* like) {
      return is_array(o) ? py::reinterpret_borrow<py::object>(o) : convert_operand(o, like);
    };
    for (PyObject* given : {a, b})
      if (PyFloat_Check(given) || PyLong_Check(given) || PyComplex_Check(given))
        throw ShapeError(std::string("matmul: Input operand ") + (given == a ? "0" : "1") +
                         " does not have enough dimensions: it is a number; * multiplies by one");
    const py::object left = asarray_like(a, b), right = asarray_like(b, a);
    if (!is_array(left.ptr()) || !is_array(right.ptr())) return refused("matmul", a, b);
    return without_unwinding([&] { return PyObject_CallMethod(left.ptr(), "_matmul", "O", right.ptr()); });
  });
}

PyObject* inplace_matmul(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    const py::object product = py::reinterpret_steal<py::object>(matmul(self, other));
    if (!product) return nullptr;
    if (!is_array(product.ptr())) return py::object(product).release().ptr();  // NotImplemented
    return store_inplace("matmul", self, NodeRef(&node_of(product.ptr())));
  });
}

/// A number of another kind, such as Fraction(1, 2) or Decimal("2"), as an int or a float of the same value; null where
/// neither has it.
py::object same_number(py::handle b) {
  if (!py::hasattr(b, "as_integer_ratio")) return {};
  try {
    const py::tuple ratio = b.attr("as_integer_ratio")();
    if (py::object(ratio[1]).equal(py::int_(1))) return ratio[0];
    const py::float_ near(py::reinterpret_borrow<py::object>(b));
    return near.attr("as_integer_ratio")().equal(ratio) ? py::object(near) : py::object();
  } catch (const py::error_already_set&) {  // infinity and NaN are no ratios
    PyErr_Clear();
    const double value = PyFloat_AsDouble(b.ptr());
    if (!PyErr_Occurred()) return py::float_(value);
    PyErr_Clear();
    return {};
  }
}

PyObject* rich_compare(PyObject* a, PyObject* b, int how) {
  static constexpr Slot kOf[6] = {kLess, kLessEqual, kEqual, kNotEqual, kGreater, kGreaterEqual};  // Py_LT ... Py_GE
  PyObject* result = record_binary(slot_ops[kOf[how]], a, b);
  if (result != Py_NotImplemented) [[likely]]
    return result;
  // What is no number equals none, element by element, as in NumPy.
  const bool compares = Py_TYPE(b)->tp_richcompare != PyBaseObject_Type.tp_richcompare;
  const bool has_answer = compares && b != Py_None && !PyUnicode_Check(b) && !PyBytes_Check(b) && !PyDict_Check(b);
  const bool equality = how == Py_EQ || how == Py_NE;
  Py_DECREF(result);
  if (!equality || (has_answer && !PyAnySet_Check(b))) {
    PyObject* const refusal = guarded([&] { return refused(slot_ops[kOf[how]], a, b); });
    if (!equality || refusal != Py_NotImplemented) return refusal;
    // Where it has no answer either, Python would ask whether both are one object.
    PyObject* const answer = Py_TYPE(b)->tp_richcompare(b, a, how);
    if (answer != Py_NotImplemented) {
      Py_DECREF(refusal);
      return answer;
    }
    Py_DECREF(answer);
    Py_DECREF(refusal);
  }
  return guarded([&]() -> PyObject* {
    if (const py::object number = same_number(b)) return record_binary(slot_ops[kOf[how]], a, number.ptr());
    const Node& n = node_of(a);
    ScalarValue value;
    value.kind = Kind::boolean;
    value.i = how == Py_NE;
    return wrap_result(full(n.place, DType::bool_, n.shape, value));
  });
}

}  // namespace

void resolve_operators() {
  for (int s = 0; s < kSlots; ++s) slot_ops[s] = ops().find(kSlotOps[s]);
}

void add_operators(std::vector<PyType_Slot>& slots) {
  slots.insert(slots.end(), {
                                slot(Py_tp_richcompare, rich_compare),
                                slot(Py_nb_add, binary<kAdd>),
                                slot(Py_nb_subtract, binary<kSubtract>),
                                slot(Py_nb_multiply, multiply),
                                slot(Py_nb_true_divide, binary<kDivide>),
                                slot(Py_nb_floor_divide, binary<kFloorDivide>),
                                slot(Py_nb_remainder, binary<kRemainder>),
                                slot(Py_nb_power, power),
                                slot(Py_nb_and, binary<kAnd>),
                                slot(Py_nb_or, binary<kOr>),
                                slot(Py_nb_xor, binary<kXor>),
                                slot(Py_nb_lshift, binary<kLeftShift>),
                                slot(Py_nb_rshift, binary<kRightShift>),
                                slot(Py_nb_matrix_multiply, matmul),
                                slot(Py_nb_inplace_matrix_multiply, inplace_matmul),
                                slot(Py_nb_inplace_add, inplace<kAdd>),
                                slot(Py_nb_inplace_subtract, inplace<kSubtract>),
                                slot(Py_nb_inplace_multiply, inplace<kMultiply>),
                                slot(Py_nb_inplace_true_divide, inplace<kDivide>),
                                slot(Py_nb_inplace_floor_divide, inplace<kFloorDivide>),
                                slot(Py_nb_inplace_remainder, inplace<kRemainder>),
                                slot(Py_nb_inplace_power, inplace_power),
                                slot(Py_nb_inplace_and, inplace<kAnd>),
                                slot(Py_nb_inplace_or, inplace<kOr>),
                                slot(Py_nb_inplace_xor, inplace<kXor>),
                                slot(Py_nb_inplace_lshift, inplace<kLeftShift>),
                                slot(Py_nb_inplace_rshift, inplace<kRightShift>),
                                slot(Py_nb_negative, unary<kNegative>),
                                slot(Py_nb_positive, unary<kPositive>),
                                slot(Py_nb_absolute, unary<kAbs>),
                                slot(Py_nb_invert, unary<kInvert>),
                            });
}

}  // namespace devarray
