// The errors of bound functions that are called with arguments of wrong types.
#pragma once

#include <pybind11/pybind11.h>

namespace devarray {

/// Makes the functions of a module and of its classes name what they take and what they were given, by a DTypeError in
/// the place of pybind11's TypeError, which prints C++ signatures and all the values of an array.
void tell_signatures(pybind11::handle module);

}  // namespace devarray
