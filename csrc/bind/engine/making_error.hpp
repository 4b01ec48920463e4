// Errors of devarray's that Python raises where it makes a kernel.
#pragma once

#include "bind/python/bind.hpp"
#include "common/error.hpp"

namespace devarray {

/// A kernel that cannot be made: it does not compile, or its device does not take it. The engine may do without; Python
/// gets its error back as it was. Others, an interrupt among them, are not for the engine to catch.
class MakingError final : public CompileError {
 public:
  explicit MakingError(const py::error_already_set& raised) : CompileError(raised.what(), {}, {}), raised(raised) {}
  py::error_already_set raised;
};

}  // namespace devarray
