// Functions of Intel's vector library (SVML), which the kernels of its runtime for CPUs call: exponentials, logarithms,
// angles and powers. The host calls the same functions of the same library, where the runtime has loaded it, so that
// small work has the kernels' bits without a launch. They give the same bits for vectors of any width.
#pragma once

#include "common/driver.hpp"
#include "engine/host/loops.hpp"
#include "engine/op.hpp"

namespace devarray::host {

// clang-format off
#define DEVARRAY_SVML_OF_ONE(X) X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(exp) X(exp2) \
  X(expm1) X(log) X(log10) X(log1p) X(log2) X(sin) X(sinh) X(tan) X(tanh)
#define DEVARRAY_SVML_OF_TWO(X) X(atan2) X(hypot) X(pow)
// clang-format on

enum class Svml : std::uint8_t {
#define DEVARRAY_SVML_NAME(name) name,
  DEVARRAY_SVML_OF_ONE(DEVARRAY_SVML_NAME) DEVARRAY_SVML_OF_TWO(DEVARRAY_SVML_NAME)
#undef DEVARRAY_SVML_NAME
      count
};
inline constexpr int kSvml = static_cast<int>(Svml::count);

/// Addresses of the functions for whole vectors of float32, then float64. Set once, before any loop is handed out.
extern void* svml_functions[kSvml][2];

/// The loop of a row of the op table, null where there is none. "abs" is that of complex numbers, a power between an
/// array and a scalar "pow:scalars". One for each width of vectors.
using FindSvml = Loop (*)(const char* name, DType compute);
#ifdef DEVARRAY_X86_LOOPS
Loop find_svml_avx2(const char* name, DType compute);
Loop find_svml_avx512(const char* name, DType compute);
#endif

/// The loop of an operation on a device whose kernels call these functions, null everywhere else. `scalars`: whether
/// all operands but the first are scalars.
Loop svml_loop(const Device& device, OpId op, DType compute, bool scalars);

}  // namespace devarray::host
