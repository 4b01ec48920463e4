// A user's element-wise text as operations of the op table: devarray/_kernels/formula.py reads it.
#pragma once

#include <vector>

#include "bind/engine/array.hpp"

namespace devarray {

/// Operations that are recorded one after the other. Values are numbered: the parameters, then what the steps give.
struct Formula {
  struct Operand {
    int value = -1;     ///< a value's number
    int argument = -1;  ///< the number of a parameter that is one scalar
    DType dtype = DType::bool_;
    ScalarValue constant;
  };
  struct Step {
    OpId op = 0;
    bool casts = false;
    DType to = DType::bool_;
    std::vector<Operand> operands;
  };
  static constexpr std::size_t kMostParameters = 16;
  static constexpr std::size_t kMostSteps = 64;

  std::vector<DType> parameters;
  std::vector<Step> steps;
};

/// The formula in an object that `_core.formula` made; null for any other object.
const Formula* formula_in(PyObject* object);

/// What a formula gives of arrays of its parameters' dtypes, and of Python's numbers where a parameter is a scalar.
/// Null where a number has to be converted first.
NodeRef record_formula(const Formula& formula, PyObject* const* operands);

}  // namespace devarray
