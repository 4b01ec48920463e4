// The one family of errors. bind/ turns each into the class of the same name in devarray/errors.py.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace devarray {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shapes that do not fit together, axes or sizes out of range. A ValueError in Python.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// An axis that an array does not have. NumPy's AxisError in Python, a ValueError and an IndexError.
class AxisError : public ShapeError {
 public:
  using ShapeError::ShapeError;
};

/// A dtype that an operation or a device does not take. A TypeError in Python.
class DTypeError : public Error {
 public:
  using Error::Error;
};

/// An index outside its axis. An IndexError in Python.
class IndexError : public Error {
 public:
  using Error::Error;
};

/// Arrays, queues or allocators of different devices where one is wanted. A ValueError in Python.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A value that is not allowed for its parameter. A ValueError in Python.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// A Python integer outside the range of the dtype it is to take. An OverflowError in Python.
class OverflowError : public Error {
 public:
  using Error::Error;
};

/// No runtime library found, or it lacks what is asked for. The message says what to install.
class MissingDriverError : public Error {
 public:
  using Error::Error;
};

/// A driver call failed: which driver, which entry point, its code and the code's name.
class DriverError : public Error {
 public:
  DriverError(std::string driver, std::string call, long code, std::string code_name, const std::string& hint = {})
      : Error(driver + ": " + call + " failed with " + code_name + " (" + std::to_string(code) + ")" +
              (hint.empty() ? std::string() : ": " + hint)),
        driver(std::move(driver)),
        call(std::move(call)),
        code(code),
        code_name(std::move(code_name)) {}
  std::string driver, call;
  long code;
  std::string code_name;
};

/// A runtime that a fork has left without its threads was to work in the child. A RuntimeError in Python.
class ForkError : public Error {
 public:
  using Error::Error;
};

/// A kernel source did not compile. Carries the compiler's log and the source.
class CompileError : public Error {
 public:
  CompileError(const std::string& message, std::string log, std::string source)
      : Error(message), log(std::move(log)), source(std::move(source)) {}
  std::string log, source;
};

/// Memory could not be had. A MemoryError in Python. Figures in bytes; -1 where unknown.
class OutOfMemoryError : public Error {
 public:
  struct Figures {
    long long asked = -1, free = -1, total = -1, held = -1, active = -1, largest_hole = -1;
  };
  OutOfMemoryError(const std::string& message, Figures figures) : Error(message), figures(figures) {}
  Figures figures;
};

}  // namespace devarray
