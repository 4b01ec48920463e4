// What a bound function answers to arguments of wrong types.
#pragma once

#include <pybind11/pybind11.h>

namespace devarray {

/// Makes the functions of a module and of its classes name what they take and what they were given, by a DTypeError,
/// where pybind11 would print the representation of every argument: that of an array waits for its device.
void tell_signatures(pybind11::handle module);

}  // namespace devarray
