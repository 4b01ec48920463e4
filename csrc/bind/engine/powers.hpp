// Powers of integers, whose exponents may be on the host.
#pragma once

#include "bind/engine/array.hpp"

namespace devarray {

/// Throws ValueError for integers to powers of which the host knows that they are negative integers: a number, a list,
/// a NumPy array. What an array of a device holds is not looked at, which would be a wait. `args`: the operands as
/// read.
void require_known_power(PyObject* exponent, const RecordArg* args);
/// The same of operands that are not read yet.
void require_known_power(py::handle base, py::handle exponent);

}  // namespace devarray
