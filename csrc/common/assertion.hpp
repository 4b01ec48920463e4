// Checks of our own invariants, in every build unless CMake's DEVARRAY_ASSERTIONS is off; libstdc++'s go with them.
//
// A failed check throws, because the code is written to be left by an error of a driver nearly anywhere, so that the
// process and its other arrays go on; where nothing may be thrown (destructors, copying threads) std::terminate prints
// the same text. libstdc++'s own checks print theirs and abort.
#pragma once

namespace devarray {

/// Throws Error, which names the expression and where it stands.
[[noreturn, gnu::cold, gnu::noinline]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace devarray

#if DEVARRAY_ASSERTIONS
#define DEVARRAY_ASSERT(expression) \
  ((expression) ? void() : ::devarray::assertion_failed(#expression, __FILE__, __LINE__))
#else
#define DEVARRAY_ASSERT(expression) static_cast<void>(0)
#endif
