// Errors of fused kernels: which lines of the user's program recorded what did not compile.
#pragma once

#include <utility>
#include <vector>

#include "engine/expression.hpp"

namespace devarray {

/// Set by bind/: adds the lines to the error that is being handled, where it is one of a compilation.
inline void (*name_lines_in_error)(const std::vector<SourceLine>& lines) = nullptr;

/// The kernel that `build` makes for an expression. Lines are known where they are kept.
template <class F>
auto naming_lines(const Expression& e, F&& build) {
  try {
    return std::forward<F>(build)();
  } catch (...) {
    if (name_lines_in_error && keeping_lines()) name_lines_in_error(e.described(e.space()).lines);
    throw;
  }
}

}  // namespace devarray
