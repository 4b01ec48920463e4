// PyCUDA's name of the header: pycuda::complex<T>.
#pragma once
#include "complex.hpp"
namespace pycuda = devarray_complex;
