// Images, samplers, pipes, and the transfers of images.
#include "opencl/image.hpp"

#include "bind/docs/opencl_image.hpp"
#include "bind/opencl/opencl.hpp"
#include "bind/opencl/rect.hpp"

namespace pybind11::detail {

/// As for the classes of this project (bind.hpp): an ImageFormat is the driver's own structure.
template <>
class type_caster<cl_image_format> : public type_caster_base<cl_image_format> {
 public:
  bool load(handle source, bool convert) { return load_impl<type_caster>(source, convert); }

 protected:
  friend class type_caster_generic;
  void load_value(value_and_holder&& object) {
    devarray::require_initialised(object);
    type_caster_base::load_value(std::move(object));
  }
};

}  // namespace pybind11::detail

namespace devarray::opencl {
namespace {

using Access = HostBuffer::Access;

cl_mem_object_type image_type(std::size_t dimensions, bool is_array, bool has_buffer) {
  switch (dimensions) {
    case 1: return has_buffer ? CL_MEM_OBJECT_IMAGE1D_BUFFER : CL_MEM_OBJECT_IMAGE1D;
    case 2: return is_array ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE2D;
    case 3: return is_array ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE3D;
    default: throw ValueError("an image has one to three dimensions; got " + std::to_string(dimensions));
  }
}

cl_image_desc description_of(const std::vector<std::size_t>& shape, const std::vector<std::size_t>& pitches,
                             bool is_array, const Buffer* buffer) {
  cl_image_desc d{};
  d.image_type = image_type(shape.size(), is_array, buffer != nullptr);
  d.image_width = shape[0];
  d.image_height = shape.size() > 1 && d.image_type != CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape[1] : 1;
  d.image_depth = d.image_type == CL_MEM_OBJECT_IMAGE3D ? shape[2] : 1;
  d.image_array_size = is_array ? shape.back() : 1;
  if (pitches.size() > 2) throw ValueError("an image has at most two pitches");
  if (!pitches.empty()) d.image_row_pitch = pitches[0];
  if (pitches.size() > 1) d.image_slice_pitch = pitches[1];
  if (buffer) d.buffer = buffer->get();
  return d;
}

std::size_t image_size(const Image& image, cl_image_info what);

/// Throws where a copy of a region's pixels, without gaps, leaves the buffer.
void require_pixels_in(const Image& image, const MemoryObject& buffer, std::size_t offset, const Triple& region,
                       const char* call) {
  constexpr const char* what = "the bytes of a region";
  const std::size_t row = checked_mul(region[0], image_size(image, CL_IMAGE_ELEMENT_SIZE), what);
  require_range(buffer, offset, checked_mul(checked_mul(row, region[1], what), region[2], what), call);
}

/// Bytes that the driver reads from host memory for the description.
std::size_t host_bytes(const cl_image_desc& d, const cl_image_format& format) {
  constexpr const char* what = "the bytes of an image";
  const std::size_t row =
      d.image_row_pitch ? d.image_row_pitch : checked_mul<std::size_t>(d.image_width, pixel_bytes(format), what);
  const std::size_t slice = d.image_slice_pitch ? d.image_slice_pitch : checked_mul(row, d.image_height, what);
  return checked_mul(slice, std::max(d.image_depth, d.image_array_size), what);
}

ImagePtr make_image(const Context& context, cl_mem_flags flags, const cl_image_format& format,
                    const std::optional<Lengths>& shape, const std::optional<Lengths>& pitches,
                    const py::object& hostbuf, bool is_array, const BufferPtr& buffer) {
  Lengths sizes;
  if (shape) {
    sizes = *shape;
  } else if (!hostbuf.is_none()) {
    const HostBuffer host(hostbuf, Access::read, HostBuffer::Layout::any);
    for (int i = 0; i < host.view().ndim; ++i) sizes.push_back(static_cast<std::size_t>(host.view().shape[i]));
  } else {
    throw ValueError("an image needs a shape, or a hostbuf that has one");
  }
  const cl_image_desc description = description_of(sizes, pitches.value_or(Lengths{}), is_array, buffer.get());
  const ContextDevicePtr device = context.engine();
  if (hostbuf.is_none()) {
    GilRelease release;
    return Image::create(device, flags, format, description, nullptr, buffer);
  }
  const bool uses_host = flags & CL_MEM_USE_HOST_PTR;
  const bool written = uses_host && !(flags & CL_MEM_READ_ONLY);
  auto host = std::make_shared<HostBuffer>(hostbuf, written ? Access::write : Access::read);
  const std::size_t needed = host_bytes(description, format);
  if (host->size() < needed)
    throw ValueError("the image needs " + std::to_string(needed) + " bytes; hostbuf has " +
                     std::to_string(host->size()));
  GilRelease release;
  return Image::create(device, flags, format, description, host->data(), uses_host ? host : nullptr);
}

std::string image_bytes(const Image& image, cl_image_info what) {
  return info_bytes(DEVARRAY_CL_INFO(clGetImageInfo, image.get(), what), "clGetImageInfo");
}

std::size_t image_size(const Image& image, cl_image_info what) {
  return info_value<std::size_t>(DEVARRAY_CL_INFO(clGetImageInfo, image.get(), what), "clGetImageInfo");
}

py::tuple shape_of(const Image& image) {
  const auto type = memory_info_value<cl_mem_object_type>(image.get(), CL_MEM_TYPE);
  const std::size_t width = image_size(image, CL_IMAGE_WIDTH);
  switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: return py::make_tuple(width);
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: return py::make_tuple(width, image_size(image, CL_IMAGE_ARRAY_SIZE));
    case CL_MEM_OBJECT_IMAGE2D: return py::make_tuple(width, image_size(image, CL_IMAGE_HEIGHT));
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
      return py::make_tuple(width, image_size(image, CL_IMAGE_HEIGHT), image_size(image, CL_IMAGE_ARRAY_SIZE));
    default: return py::make_tuple(width, image_size(image, CL_IMAGE_HEIGHT), image_size(image, CL_IMAGE_DEPTH));
  }
}

std::vector<cl_image_format> supported_formats(const Context& context, cl_mem_flags flags, cl_mem_object_type type) {
  cl_uint count = 0;
  const cl_context c = context.get();
  DEVARRAY_CL(c, clGetSupportedImageFormats, c, flags, type, 0, nullptr, &count);
  std::vector<cl_image_format> formats(count);
  if (count) DEVARRAY_CL(c, clGetSupportedImageFormats, c, flags, type, count, formats.data(), nullptr);
  return formats;
}

void bind_formats(py::module_& m) {
  py::class_<cl_image_format>(m, "ImageFormat", docs::kImageFormat)
      .def(py::init([](cl_channel_order order, cl_channel_type type) { return cl_image_format{order, type}; }),
           py::arg("channel_order") = 0, py::arg("channel_type") = 0)
      .def_readwrite("channel_order", &cl_image_format::image_channel_order)
      .def_readwrite("channel_data_type", &cl_image_format::image_channel_data_type)
      .def_property_readonly("channel_count",
                             [](const cl_image_format& f) { return channel_count(f.image_channel_order); })
      .def_property_readonly(
          "dtype_size", [](const cl_image_format& f) { return channel_bytes(f.image_channel_data_type); },
          "Bytes of a channel.")
      .def_property_readonly("itemsize", &pixel_bytes, "Bytes of a pixel.")
      .def("__eq__",
           [](const cl_image_format& a, const py::object& other) {
             if (!py::isinstance<cl_image_format>(other)) return false;
             const auto& b = other.cast<const cl_image_format&>();
             return a.image_channel_order == b.image_channel_order &&
                    a.image_channel_data_type == b.image_channel_data_type;
           })
      .def("__hash__",
           [](const cl_image_format& f) {
             return py::hash(py::make_tuple(f.image_channel_order, f.image_channel_data_type));
           })
      .def("__repr__", [](const cl_image_format& f) {
        const auto constants = py::module_::import("devarray.cl._constants");
        const auto name = [&](const char* cls, cl_uint number) {
          return constants.attr(cls).attr("to_string")(number, "%d").cast<std::string>();
        };
        return "ImageFormat(" + name("channel_order", f.image_channel_order) + ", " +
               name("channel_type", f.image_channel_data_type) + ")";
      });
  m.def("get_supported_image_formats", &supported_formats, py::arg("context"), py::arg("flags"), py::arg("image_type"),
        docs::kGetSupportedImageFormats);
}

void bind_objects(py::module_& m) {
  py::class_<Image, MemoryObject, ImagePtr> image(m, "Image", docs::kImage);
  image.def(py::init(&make_image), py::arg("context"), py::arg("flags"), py::arg("format"),
            py::arg("shape") = py::none(), py::arg("pitches") = py::none(), py::arg("hostbuf") = py::none(),
            py::arg("is_array") = false, py::arg("buffer") = py::none(),
            "`shape` is width, height, depth; the last one counts the layers of an array of images.");
  def_info(image, image_table(), &image_bytes, "get_image_info");
  image.def_property_readonly("shape", &shape_of);
  image.def_property_readonly("pitches", [](const Image& i) {
    return py::make_tuple(image_size(i, CL_IMAGE_ROW_PITCH), image_size(i, CL_IMAGE_SLICE_PITCH));
  });

  py::class_<Pipe, MemoryObject, PipePtr> pipe(m, "Pipe", docs::kPipe);
  pipe.def(py::init([](const Context& context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                       const py::object& properties) {
             if (!properties.is_none() && py::len(properties) != 0)
               throw ValueError("OpenCL defines no pipe properties; give none");
             return Pipe::create(context.engine(), flags, packet_size, max_packets);
           }),
           py::arg("context"), py::arg("flags"), py::arg("packet_size"), py::arg("max_packets"),
           py::arg("properties") = py::none());
  def_info(pipe, pipe_table(), DEVARRAY_CL_READER(Pipe, clGetPipeInfo), "get_pipe_info");

  py::class_<Sampler, SamplerPtr> sampler(m, "Sampler", docs::kSampler);
  sampler.def(
      py::init([](const Context& context, bool normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
        return Sampler::create(*context.engine(), {CL_SAMPLER_NORMALIZED_COORDS, normalized, CL_SAMPLER_ADDRESSING_MODE,
                                                   addressing, CL_SAMPLER_FILTER_MODE, filter});
      }),
      py::arg("context"), py::arg("normalized_coords"), py::arg("addressing_mode"), py::arg("filter_mode"));
  sampler.def(py::init([](const Context& context, const py::sequence& properties) {
                std::vector<cl_sampler_properties> list;
                for (py::handle value : items_of(properties)) list.push_back(value.cast<cl_sampler_properties>());
                if (!list.empty() && list.size() % 2 && list.back() == 0) list.pop_back();
                return Sampler::create(*context.engine(), std::move(list));
              }),
              py::arg("context"), py::arg("properties"),
              "`properties`: sampler_properties, each followed by its value.");
  sampler.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        const auto s = reinterpret_cast<cl_sampler>(p);
        return std::make_shared<Sampler>(retain ? Handle<cl_sampler>::share(s) : Handle<cl_sampler>::adopt(s));
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  def_info(sampler, sampler_table(), DEVARRAY_CL_READER(Sampler, clGetSamplerInfo));
  def_identity(sampler);
}

ClEventPtr read_image(CommandQueue& queue, const Image& image, const Lengths& origin, const Lengths& region,
                      const py::object& hostbuf, std::size_t row_pitch, std::size_t slice_pitch,
                      const py::object& wait_for, bool blocking) {
  auto host = std::make_shared<HostBuffer>(hostbuf, Access::write);
  const Triple from(origin, 0), extent(region, 1);
  require_box(from, extent);
  require_pixels(image, *host, extent, row_pitch, slice_pitch);
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  DEVARRAY_CL(queue.get(), clEnqueueReadImage, queue.get(), image.get(), blocking, from.data(), extent.data(),
              row_pitch, slice_pitch, host->data(), wait.size(), wait.data(), &event);
  return nanny(queue, event, std::move(host), blocking);
}

ClEventPtr write_image(CommandQueue& queue, const Image& image, const Lengths& origin, const Lengths& region,
                       const py::object& hostbuf, std::size_t row_pitch, std::size_t slice_pitch,
                       const py::object& wait_for, bool blocking) {
  auto host = std::make_shared<HostBuffer>(hostbuf, Access::read);
  const Triple to(origin, 0), extent(region, 1);
  require_box(to, extent);
  require_pixels(image, *host, extent, row_pitch, slice_pitch);
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  DEVARRAY_CL(queue.get(), clEnqueueWriteImage, queue.get(), image.get(), blocking, to.data(), extent.data(), row_pitch,
              slice_pitch, host->data(), wait.size(), wait.data(), &event);
  return nanny(queue, event, std::move(host), blocking);
}

ClEventPtr copy_image(CommandQueue& queue, const Image& src, const Image& dst, const Lengths& src_origin,
                      const Lengths& dst_origin, const Lengths& region, const py::object& wait_for) {
  require_box(Triple(src_origin, 0), Triple(region, 1));
  require_box(Triple(dst_origin, 0), Triple(region, 1));
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueCopyImage, q, src.get(), dst.get(), Triple(src_origin, 0).data(),
                Triple(dst_origin, 0).data(), Triple(region, 1).data(), wait.size(), wait.data(), event);
  });
}

ClEventPtr image_to_buffer(CommandQueue& queue, const Image& src, const Buffer& dst, const Lengths& origin,
                           const Lengths& region, std::size_t offset, const py::object& wait_for) {
  require_box(Triple(origin, 0), Triple(region, 1));
  require_pixels_in(src, dst, offset, Triple(region, 1), "clEnqueueCopyImageToBuffer");
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueCopyImageToBuffer, q, src.get(), dst.get(), Triple(origin, 0).data(),
                Triple(region, 1).data(), offset, wait.size(), wait.data(), event);
  });
}

ClEventPtr buffer_to_image(CommandQueue& queue, const Buffer& src, const Image& dst, std::size_t offset,
                           const Lengths& origin, const Lengths& region, const py::object& wait_for) {
  require_box(Triple(origin, 0), Triple(region, 1));
  require_pixels_in(dst, src, offset, Triple(region, 1), "clEnqueueCopyBufferToImage");
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueCopyBufferToImage, q, src.get(), dst.get(), offset, Triple(origin, 0).data(),
                Triple(region, 1).data(), wait.size(), wait.data(), event);
  });
}

ClEventPtr fill_image(CommandQueue& queue, const Image& image, const py::object& color, const Lengths& origin,
                      const Lengths& region, const py::object& wait_for) {
  const HostBuffer bytes(color, Access::read);
  if (bytes.size() != 16)
    throw ValueError("color must be four float32, int32 or uint32 (16 bytes); got " + std::to_string(bytes.size()) +
                     " bytes");
  require_box(Triple(origin, 0), Triple(region, 1));
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueFillImage, q, image.get(), bytes.data(), Triple(origin, 0).data(), Triple(region, 1).data(),
                wait.size(), wait.data(), event);
  });
}

}  // namespace

void require_pixels(const Image& image, const HostBuffer& host, const Triple& region, std::size_t row_pitch,
                    std::size_t slice_pitch) {
  const std::size_t pixel = image_size(image, CL_IMAGE_ELEMENT_SIZE);
  constexpr const char* what = "the bytes of a region";
  const std::size_t dense = checked_mul(region[0], pixel, what), row = row_pitch ? row_pitch : dense;
  const std::size_t slice = slice_pitch ? slice_pitch : checked_mul(row, region[1], what);
  require_room(host, Triple({}, 0), {dense, region[1], region[2]}, {row, slice});
}

void bind_image(py::module_& m) {
  bind_formats(m);
  bind_objects(m);
  m.def("_enqueue_read_image", &read_image, py::arg("queue"), py::arg("mem"), py::arg("origin"), py::arg("region"),
        py::arg("hostbuf"), py::arg("row_pitch") = 0, py::arg("slice_pitch") = 0, py::arg("wait_for") = py::none(),
        py::arg("is_blocking") = true);
  m.def("_enqueue_write_image", &write_image, py::arg("queue"), py::arg("mem"), py::arg("origin"), py::arg("region"),
        py::arg("hostbuf"), py::arg("row_pitch") = 0, py::arg("slice_pitch") = 0, py::arg("wait_for") = py::none(),
        py::arg("is_blocking") = true);
  m.def("_enqueue_copy_image", &copy_image, py::arg("queue"), py::arg("src"), py::arg("dest"), py::arg("src_origin"),
        py::arg("dest_origin"), py::arg("region"), py::arg("wait_for") = py::none());
  m.def("_enqueue_copy_image_to_buffer", &image_to_buffer, py::arg("queue"), py::arg("src"), py::arg("dest"),
        py::arg("origin"), py::arg("region"), py::arg("offset"), py::arg("wait_for") = py::none());
  m.def("_enqueue_copy_buffer_to_image", &buffer_to_image, py::arg("queue"), py::arg("src"), py::arg("dest"),
        py::arg("offset"), py::arg("origin"), py::arg("region"), py::arg("wait_for") = py::none());
  m.def("enqueue_fill_image", &fill_image, py::arg("queue"), py::arg("mem"), py::arg("color"), py::arg("origin"),
        py::arg("region"), py::arg("wait_for") = py::none(), docs::kEnqueueFillImage);
}

}  // namespace devarray::opencl
