// Arrays, texture and surface objects, and texture references, under PyCUDA's names.
#include "bind/cuda/common.hpp"
#include "bind/docs/cuda_texture.hpp"
#include "bind/python/keep.hpp"
#include "common/checked.hpp"
#include "cuda/array.hpp"

namespace devarray::cuda {
namespace {

// Both of PyCUDA's descriptors; the two-dimensional one leaves depth and flags at 0.
struct ArrayDescriptor {
  CUDA_ARRAY3D_DESCRIPTOR d{};
};
struct ArrayDescriptor3D {
  CUDA_ARRAY3D_DESCRIPTOR d{};
};

template <class Descriptor>
py::class_<Descriptor> bind_descriptor(py::module_& m, const char* name, const char* doc) {
  const std::string text = std::string("\n") + doc + R"(

Attributes
----------
width, height : int
    Elements along x and y; a height of 0 makes a line.
format : array_format
    Of a channel.
num_channels : int
    Of an element: 1, 2 or 4.

Examples
--------
>>> shape = cuda.)" + name +
                           R"(()
>>> shape.width, shape.height, shape.format, shape.num_channels = 8, 4, cuda.array_format.FLOAT, 1
>>> shape.format.name
'FLOAT'
)";
  py::class_<Descriptor> cls(m, name, text.c_str());
  cls.def(py::init<>())
      .def_property(
          "width", [](const Descriptor& x) { return x.d.Width; }, [](Descriptor& x, std::size_t v) { x.d.Width = v; })
      .def_property(
          "height", [](const Descriptor& x) { return x.d.Height; },
          [](Descriptor& x, std::size_t v) { x.d.Height = v; })
      .def_property(
          "format",
          [](const Descriptor& x) {
            return python_class("devarray.cuda.constants", "array_format")(static_cast<int>(x.d.Format));
          },
          [](Descriptor& x, int v) { x.d.Format = static_cast<CUarray_format>(v); })
      .def_property(
          "num_channels", [](const Descriptor& x) { return x.d.NumChannels; },
          [](Descriptor& x, unsigned v) { x.d.NumChannels = v; });
  return cls;
}

Sampling sampling_of(const py::object& address, int filter, unsigned flags, const std::vector<float>& border) {
  Sampling s;
  if (PyIndex_Check(address.ptr())) {
    for (auto& mode : s.address) mode = static_cast<CUaddress_mode>(address.cast<int>());
  } else {
    std::size_t i = 0;
    for (py::handle mode : items_of(address))
      if (i < 3) s.address[i++] = static_cast<CUaddress_mode>(mode.cast<int>());
  }
  s.filter = static_cast<CUfilter_mode>(filter);
  s.flags = flags;
  for (std::size_t i = 0; i < border.size() && i < 4; ++i) s.border[i] = border[i];
  return s;
}

/// Bytes of a channel. Formats that are no plain numbers answer 1: the least that there is, and the driver's to refuse.
std::size_t channel_bytes(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: return 4;
    default: return 1;
  }
}

/// The address of rows of elements, which must lie in the memory.
CUdeviceptr rows_in(const py::object& pointer, const ArrayDescriptor& shape, std::size_t pitch, const char* what) {
  const std::size_t texel = channel_bytes(shape.d.Format) * shape.d.NumChannels;
  const std::size_t origin[3] = {}, region[3] = {checked_mul(shape.d.Width, texel, what), shape.d.Height, 1};
  if (shape.d.Height > 1 && pitch < region[0])
    throw ValueError(std::string(what) + ": rows of " + std::to_string(region[0]) + " bytes lie " +
                     std::to_string(pitch) + " bytes apart; the pitch must be at least a row");
  const std::size_t pitches[2] = {pitch, 0};
  return device_range(pointer, rectangle_end(origin, region, pitches), what);
}

std::shared_ptr<TextureObject> texture_over_linear(const py::object& pointer, std::size_t bytes, int format,
                                                   unsigned channels, unsigned flags) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = device_range(pointer, bytes, "TextureObject.from_linear");
  resource.res.linear.sizeInBytes = bytes;
  resource.res.linear.format = static_cast<CUarray_format>(format);
  resource.res.linear.numChannels = channels;
  Sampling sampling;
  sampling.flags = flags;
  return TextureObject::over_memory(Context::current(), resource, sampling, keep_object(pointer));
}

std::shared_ptr<TextureObject> texture_over_rows(const py::object& pointer, const ArrayDescriptor& shape,
                                                 std::size_t pitch, const py::object& address, int filter,
                                                 unsigned flags, const std::vector<float>& border) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  auto& rows = resource.res.pitch2D;
  rows.devPtr = rows_in(pointer, shape, pitch, "TextureObject.from_pitched");
  rows.format = shape.d.Format;
  rows.numChannels = shape.d.NumChannels;
  rows.width = shape.d.Width;
  rows.height = shape.d.Height;
  rows.pitchInBytes = pitch;
  return TextureObject::over_memory(Context::current(), resource, sampling_of(address, filter, flags, border),
                                    keep_object(pointer));
}

void bind_arrays(py::module_& m) {
  bind_descriptor<ArrayDescriptor>(m, "ArrayDescriptor", "Extent and element type of a two-dimensional Array.");
  bind_descriptor<ArrayDescriptor3D>(m, "ArrayDescriptor3D", "Extent and element type of a three-dimensional Array.")
      .def_property(
          "depth", [](const ArrayDescriptor3D& x) { return x.d.Depth; },
          [](ArrayDescriptor3D& x, std::size_t v) { x.d.Depth = v; })
      .def_property(
          "flags", [](const ArrayDescriptor3D& x) { return x.d.Flags; },
          [](ArrayDescriptor3D& x, unsigned v) { x.d.Flags = v; }, "array3d_flags");
  py::class_<Array, std::shared_ptr<Array>>(m, "Array", docs::kArray)
      .def(py::init([](const ArrayDescriptor& x) { return Array::create(Context::current(), x.d); }),
           py::arg("descriptor"))
      .def(py::init([](const ArrayDescriptor3D& x) { return Array::create(Context::current(), x.d); }),
           py::arg("descriptor"))
      .def("free", &Array::free, release_gil(), docs::kArrayFree)
      .def(
          "get_descriptor",
          [](const Array& a) {
            ArrayDescriptor x{a.descriptor()};
            x.d.Depth = x.d.Flags = 0;
            return x;
          },
          docs::kArrayGetDescriptor)
      .def(
          "get_descriptor_3d", [](const Array& a) { return ArrayDescriptor3D{a.descriptor()}; },
          docs::kArrayGetDescriptor3d)
      .def_property_readonly("handle", [](const Array& a) { return reinterpret_cast<std::uintptr_t>(a.handle()); })
      .def("__int__", [](const Array& a) { return reinterpret_cast<std::uintptr_t>(a.handle()); })
      .def(
          "__eq__", [](const Array& a, const Array& b) { return a.handle() == b.handle(); }, py::is_operator())
      .def("__hash__", [](const Array& a) { return reinterpret_cast<std::uintptr_t>(a.handle()); });
}

void bind_objects(py::module_& m) {
  const int clamp = CU_TR_ADDRESS_MODE_CLAMP, point = CU_TR_FILTER_MODE_POINT;
  const std::vector<float> black;
  py::class_<TextureObject, std::shared_ptr<TextureObject>>(m, "TextureObject", docs::kTextureObject)
      .def(py::init([](const std::shared_ptr<Array>& array, const py::object& address, int filter, unsigned flags,
                       const std::vector<float>& border) {
             return TextureObject::over_array(array, sampling_of(address, filter, flags, border));
           }),
           py::arg("array").none(false), py::arg("address_mode") = clamp, py::arg("filter_mode") = point,
           py::arg("flags") = 0u, py::arg("border_color") = black)
      .def_static("from_linear", &texture_over_linear, py::arg("devptr"), py::arg("bytes"), py::arg("format"),
                  py::arg("num_channels") = 1u, py::arg("flags") = 0u, docs::kTextureObjectFromLinear)
      .def_static("from_pitched", &texture_over_rows, py::arg("devptr"), py::arg("descr"), py::arg("pitch"),
                  py::arg("address_mode") = clamp, py::arg("filter_mode") = point, py::arg("flags") = 0u,
                  py::arg("border_color") = black, docs::kTextureObjectFromPitched)
      .def_property_readonly("handle", &TextureObject::handle)
      .def("__int__", &TextureObject::handle);
  py::class_<SurfaceObject, std::shared_ptr<SurfaceObject>>(m, "SurfaceObject", docs::kSurfaceObject)
      .def(py::init(&SurfaceObject::over_array), py::arg("array").none(false))
      .def_property_readonly("handle", &SurfaceObject::handle)
      .def("__int__", &SurfaceObject::handle);
}

std::size_t set_address(TextureReference& t, const py::object& pointer, std::size_t bytes, bool allow_offset) {
  std::size_t offset = 0;
  const CUdeviceptr address = device_range(pointer, bytes, "TextureReference.set_address");
  api().cuTexRefSetAddress_v2(&offset, t.handle, address, bytes);
  t.memory = keep_object(pointer);
  if (offset != 0 && !allow_offset)
    throw ValueError("the address is not aligned for a texture: it is bound " + std::to_string(offset) +
                     " bytes lower; allow_offset=True takes that");
  return offset;
}

void bind_references(py::module_& m) {
  py::class_<TextureReference, std::shared_ptr<TextureReference>>(m, "TextureReference", docs::kTextureReference)
      .def(
          "set_array",
          [](TextureReference& t, const std::shared_ptr<Array>& array) {
            api().cuTexRefSetArray(t.handle, array->handle(), CU_TRSA_OVERRIDE_FORMAT);
            t.array = array;
          },
          py::arg("array").none(false), docs::kTextureReferenceSetArray)
      .def(
          "get_array", [](const TextureReference& t) { return t.array; }, docs::kTextureReferenceGetArray)
      .def("set_address", &set_address, py::arg("devptr"), py::arg("bytes"), py::arg("allow_offset") = false,
           docs::kTextureReferenceSetAddress)
      .def(
          "set_address_2d",
          [](TextureReference& t, const py::object& pointer, const ArrayDescriptor& descr, std::size_t pitch) {
            const CUDA_ARRAY_DESCRIPTOR shape{descr.d.Width, descr.d.Height, descr.d.Format, descr.d.NumChannels};
            const CUdeviceptr address = rows_in(pointer, descr, pitch, "TextureReference.set_address_2d");
            api().cuTexRefSetAddress2D_v3(t.handle, &shape, address, pitch);
            t.memory = keep_object(pointer);
          },
          py::arg("devptr"), py::arg("descr"), py::arg("pitch"), docs::kTextureReferenceSetAddress2d)
      .def(
          "set_format",
          [](TextureReference& t, int format, int components) {
            api().cuTexRefSetFormat(t.handle, static_cast<CUarray_format>(format), components);
          },
          py::arg("fmt"), py::arg("num_components"), docs::kTextureReferenceSetFormat)
      .def(
          "get_format",
          [](const TextureReference& t) {
            CUarray_format format{};
            int components = 0;
            api().cuTexRefGetFormat(&format, &components, t.handle);
            return py::make_tuple(python_class("devarray.cuda.constants", "array_format")(static_cast<int>(format)),
                                  components);
          },
          docs::kTextureReferenceGetFormat)
      .def(
          "set_address_mode",
          [](TextureReference& t, int dim, int mode) {
            api().cuTexRefSetAddressMode(t.handle, dim, static_cast<CUaddress_mode>(mode));
          },
          py::arg("dim"), py::arg("am"), docs::kTextureReferenceSetAddressMode)
      .def(
          "get_address_mode",
          [](const TextureReference& t, int dim) {
            CUaddress_mode mode{};
            api().cuTexRefGetAddressMode(&mode, t.handle, dim);
            return python_class("devarray.cuda.constants", "address_mode")(static_cast<int>(mode));
          },
          py::arg("dim"), docs::kTextureReferenceGetAddressMode)
      .def(
          "set_filter_mode",
          [](TextureReference& t, int mode) {
            api().cuTexRefSetFilterMode(t.handle, static_cast<CUfilter_mode>(mode));
          },
          py::arg("fm"), docs::kTextureReferenceSetFilterMode)
      .def(
          "get_filter_mode",
          [](const TextureReference& t) {
            CUfilter_mode mode{};
            api().cuTexRefGetFilterMode(&mode, t.handle);
            return python_class("devarray.cuda.constants", "filter_mode")(static_cast<int>(mode));
          },
          docs::kTextureReferenceGetFilterMode)
      .def(
          "set_flags", [](TextureReference& t, unsigned flags) { api().cuTexRefSetFlags(t.handle, flags); },
          py::arg("flags"), docs::kTextureReferenceSetFlags)
      .def(
          "get_flags",
          [](const TextureReference& t) {
            unsigned flags = 0;
            api().cuTexRefGetFlags(&flags, t.handle);
            return flags;
          },
          docs::kTextureReferenceGetFlags);
  py::class_<SurfaceReference, std::shared_ptr<SurfaceReference>>(m, "SurfaceReference", docs::kSurfaceReference)
      .def(
          "set_array",
          [](SurfaceReference& s, const std::shared_ptr<Array>& array, unsigned flags) {
            api().cuSurfRefSetArray(s.handle, array->handle(), flags);
            s.array = array;
          },
          py::arg("array").none(false), py::arg("flags") = 0u, docs::kSurfaceReferenceSetArray)
      .def("get_array", [](const SurfaceReference& s) { return s.array; }, docs::kSurfaceReferenceGetArray);
}

}  // namespace

bool find_texture_handle(py::handle object, unsigned long long& handle) {
  if (py::isinstance<TextureObject>(object))
    handle = object.cast<TextureObject&>().handle();
  else if (py::isinstance<SurfaceObject>(object))
    handle = object.cast<SurfaceObject&>().handle();
  else
    return false;
  return true;
}

void bind_textures(py::module_& m) {
  bind_arrays(m);
  bind_objects(m);
  bind_references(m);
}

}  // namespace devarray::cuda
