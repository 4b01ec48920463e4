// Python objects as the arguments of a user's CUDA kernel.
#pragma once

#include <vector>

#include "bind/cuda/common.hpp"
#include "common/small_vector.hpp"
#include "cuda/module.hpp"

namespace devarray::cuda {

/// Argument values, one after the other, and their addresses as the driver wants them.
class Arguments {
 public:
  void add(const void* data, std::size_t bytes);
  template <class T>
  void add_value(T value) {
    add(&value, sizeof value);
  }
  /// A value of which only its own type tells the size: a device pointer, a numpy scalar, a buffer's bytes. Handlers
  /// (In, Out, InOut) are appended to `handlers`. Throws TypeError for Python's own numbers, which have no size.
  void add_object(py::handle object, std::size_t position, std::vector<py::object>& handlers, const py::object& stream);
  /// A value of a prepared type: a character of the struct module, 'P' for pointers, 'F' and 'D' for complex.
  void add_prepared(char type, py::handle object, std::size_t position);
  /// Throws TypeError when number or sizes are not the kernel's, where the driver says what those are.
  void check(const Function& function) const;
  /// Valid until the next add.
  void** addresses();
  std::size_t count() const noexcept { return offsets_.size(); }
  const char* data(std::size_t i) const { return bytes_.data() + offsets_[i]; }
  std::size_t size_of(std::size_t i) const {
    return (i + 1 < offsets_.size() ? offsets_[i + 1] : bytes_.size()) - offsets_[i];
  }

 private:
  void add_buffer(py::handle object);
  bool add_host_visible_array(py::handle object);
  SmallVector<char, 512> bytes_;
  SmallVector<std::size_t, 32> offsets_;
  SmallVector<void*, 33> addresses_;
};

/// The characters of the types given to Function.prepare: struct characters, or numpy dtypes.
std::vector<char> prepared_types(const py::object& types);

}  // namespace devarray::cuda
