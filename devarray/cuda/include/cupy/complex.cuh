// CuPy's name of the header: complex<T> without a namespace, and in thrust.
#pragma once
#include "../complex.hpp"
namespace thrust = devarray_complex;
using devarray_complex::complex;
