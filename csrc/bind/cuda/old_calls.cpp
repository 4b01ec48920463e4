// The launch calls of CUDA 3 and older, which PyCUDA deprecates: arguments and geometry set one by one.
#include <cstring>

#include "bind/cuda/arguments.hpp"
#include "bind/docs/cuda_old_calls.hpp"
#include "cuda/array.hpp"

namespace devarray::cuda {
namespace {

void put(Function& function, std::size_t offset, const void* data, std::size_t bytes) {
  std::vector<char>& buffer = function.packed.buffer;
  if (buffer.size() < offset + bytes) buffer.resize(offset + bytes);
  if (bytes) std::memcpy(buffer.data() + offset, data, bytes);
}

// All arguments at once, each aligned to its size as the compiler lays out scalars and pointers.
void param_set(Function& function, const py::args& values) {
  Arguments arguments;
  std::vector<py::object> handlers;
  std::size_t position = 0, offset = 0;
  for (py::handle value : items_of(values)) arguments.add_object(value, position++, handlers, py::none());
  if (!handlers.empty()) throw py::type_error("param_set takes no In, Out or InOut: call the function instead");
  function.packed.buffer.clear();
  for (std::size_t i = 0; i < arguments.count(); ++i) {
    const std::size_t bytes = arguments.size_of(i);
    const std::size_t alignment = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    offset = (offset + alignment - 1) / alignment * alignment;
    put(function, offset, arguments.data(i), bytes);
    offset += bytes;
  }
}

void launch_grid(const Function& function, unsigned width, unsigned height, const py::object& stream) {
  const Extent grid = {width, height, 1};
  const auto& packed = function.packed;
  function.launch_packed(grid, packed.block, packed.buffer.data(), packed.buffer.size(), packed.shared_bytes,
                         stream_handle(stream));
}

}  // namespace

void set_texture_references(const Function& function, const py::object& references) {
  if (references.is_none()) return;
  Current current(*function.context());
  for (py::handle reference : items_of(references))
    api().cuParamSetTexRef(function.handle(), CU_PARAM_TR_DEFAULT, reference.cast<TextureReference&>().handle);
}

void bind_old_calls(py::class_<Function, Kernel, std::shared_ptr<Function>>& function) {
  function
      .def(
          "set_shared_size", [](Function& f, unsigned bytes) { f.packed.shared_bytes = bytes; }, py::arg("bytes"),
          docs::kSetSharedSize)
      .def(
          "set_block_shape",
          [](Function& f, unsigned x, unsigned y, unsigned z) {
            f.packed.block[0] = x;
            f.packed.block[1] = y;
            f.packed.block[2] = z;
          },
          py::arg("x"), py::arg("y"), py::arg("z"), docs::kSetBlockShape)
      .def("param_set", &param_set, docs::kParamSet)
      .def(
          "param_set_size", [](Function& f, std::size_t bytes) { f.packed.buffer.resize(bytes); }, py::arg("bytes"),
          docs::kParamSetSize)
      .def(
          "param_seti", [](Function& f, std::size_t offset, unsigned value) { put(f, offset, &value, sizeof value); },
          py::arg("offset"), py::arg("value"), docs::kParamSeti)
      .def(
          "param_setf", [](Function& f, std::size_t offset, float value) { put(f, offset, &value, sizeof value); },
          py::arg("offset"), py::arg("value"), docs::kParamSetf)
      .def(
          "param_setv",
          [](Function& f, std::size_t offset, const py::object& buffer) {
            const HostBuffer view(buffer, HostBuffer::Access::read, "param_setv");
            put(f, offset, view.data(), view.size());
          },
          py::arg("offset"), py::arg("buffer"), docs::kParamSetv)
      .def(
          "param_set_texref",
          [](const Function& f, const py::object& reference) { set_texture_references(f, py::make_tuple(reference)); },
          py::arg("texref"), docs::kParamSetTexref)
      .def(
          "launch", [](const Function& f) { launch_grid(f, 1, 1, py::none()); }, docs::kLaunch)
      .def(
          "launch_grid", [](const Function& f, unsigned w, unsigned h) { launch_grid(f, w, h, py::none()); },
          py::arg("width"), py::arg("height"), docs::kLaunchGrid)
      .def("launch_grid_async", &launch_grid, py::arg("width"), py::arg("height"), py::arg("stream"),
           docs::kLaunchGridAsync);
}

}  // namespace devarray::cuda
