// Structured copies (Memcpy2D, Memcpy3D, Memcpy3DPeer) and copies to and from arrays, under PyCUDA's names.
#include "bind/cuda_common.hpp"
#include "cuda/array.hpp"

namespace devarray::cuda {
namespace {

// One end of a copy. Holds what it points at.
struct End {
  std::size_t x = 0, y = 0, z = 0, pitch = 0, height = 0;
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  CUdeviceptr address = 0;  // of device, host or unified memory
  CUarray array = nullptr;
  ContextPtr context;
  py::object owner;
  std::shared_ptr<HostBuffer> buffer;

  void point(CUmemorytype kind, CUdeviceptr at, const py::object& who) {
    type = kind;
    address = at;
    owner = who;
    array = nullptr;
    buffer.reset();
  }
};

struct Copy {
  End src, dst;
  std::size_t width = 0, height = 0, depth = 0;

  CUDA_MEMCPY3D_PEER parameters() const;
};
// Three Python classes over one structure.
struct Memcpy2D : Copy {};
struct Memcpy3D : Copy {};
struct Memcpy3DPeer : Copy {};

CUDA_MEMCPY3D_PEER Copy::parameters() const {
  CUDA_MEMCPY3D_PEER p{};
  const bool from_host = src.type == CU_MEMORYTYPE_HOST, to_host = dst.type == CU_MEMORYTYPE_HOST;
  p.srcXInBytes = src.x;
  p.srcY = src.y;
  p.srcZ = src.z;
  p.srcMemoryType = src.type;
  p.srcHost = from_host ? reinterpret_cast<const void*>(src.address) : nullptr;
  p.srcDevice = from_host ? 0 : src.address;
  p.srcArray = src.array;
  p.srcPitch = src.pitch;
  p.srcHeight = src.height;
  p.srcContext = src.context ? src.context->handle() : nullptr;
  p.dstXInBytes = dst.x;
  p.dstY = dst.y;
  p.dstZ = dst.z;
  p.dstMemoryType = dst.type;
  p.dstHost = to_host ? reinterpret_cast<void*>(dst.address) : nullptr;
  p.dstDevice = to_host ? 0 : dst.address;
  p.dstArray = dst.array;
  p.dstPitch = dst.pitch;
  p.dstHeight = dst.height;
  p.dstContext = dst.context ? dst.context->handle() : nullptr;
  p.WidthInBytes = width;
  p.Height = height;
  p.Depth = depth;
  return p;
}

CUDA_MEMCPY2D plane_of(const CUDA_MEMCPY3D_PEER& p) {
  CUDA_MEMCPY2D q{};
  q.srcXInBytes = p.srcXInBytes;
  q.srcY = p.srcY;
  q.srcMemoryType = p.srcMemoryType;
  q.srcHost = p.srcHost;
  q.srcDevice = p.srcDevice;
  q.srcArray = p.srcArray;
  q.srcPitch = p.srcPitch;
  q.dstXInBytes = p.dstXInBytes;
  q.dstY = p.dstY;
  q.dstMemoryType = p.dstMemoryType;
  q.dstHost = p.dstHost;
  q.dstDevice = p.dstDevice;
  q.dstArray = p.dstArray;
  q.dstPitch = p.dstPitch;
  q.WidthInBytes = p.WidthInBytes;
  q.Height = p.Height;
  return q;
}

CUDA_MEMCPY3D box_of(const CUDA_MEMCPY3D_PEER& p) {
  CUDA_MEMCPY3D q{};
  q.srcXInBytes = p.srcXInBytes;
  q.srcY = p.srcY;
  q.srcZ = p.srcZ;
  q.srcMemoryType = p.srcMemoryType;
  q.srcHost = p.srcHost;
  q.srcDevice = p.srcDevice;
  q.srcArray = p.srcArray;
  q.srcPitch = p.srcPitch;
  q.srcHeight = p.srcHeight;
  q.dstXInBytes = p.dstXInBytes;
  q.dstY = p.dstY;
  q.dstZ = p.dstZ;
  q.dstMemoryType = p.dstMemoryType;
  q.dstHost = p.dstHost;
  q.dstDevice = p.dstDevice;
  q.dstArray = p.dstArray;
  q.dstPitch = p.dstPitch;
  q.dstHeight = p.dstHeight;
  q.WidthInBytes = p.WidthInBytes;
  q.Height = p.Height;
  q.Depth = p.Depth;
  return q;
}

// copy(aligned=True) waits; copy(stream) does not.
struct When {
  bool wait = true, aligned = true;
  CUstream stream = nullptr;
  explicit When(const py::object& argument) {
    if (py::isinstance<py::bool_>(argument)) {
      aligned = argument.cast<bool>();
    } else {
      wait = false;
      stream = stream_handle(argument);
    }
  }
};

void run(const Memcpy2D& copy, const When& when) {
  const CUDA_MEMCPY2D p = plane_of(copy.parameters());
  GilRelease release;
  if (!when.wait) api().cuMemcpy2DAsync_v2(&p, when.stream);
  else if (when.aligned) api().cuMemcpy2D_v2(&p);
  else api().cuMemcpy2DUnaligned_v2(&p);
}

void run(const Memcpy3D& copy, const When& when) {
  const CUDA_MEMCPY3D p = box_of(copy.parameters());
  GilRelease release;
  if (when.wait) api().cuMemcpy3D_v2(&p);
  else api().cuMemcpy3DAsync_v2(&p, when.stream);
}

void run(const Memcpy3DPeer& copy, const When& when) {
  const CUDA_MEMCPY3D_PEER p = copy.parameters();
  GilRelease release;
  if (when.wait) api().cuMemcpy3DPeer(&p);
  else api().cuMemcpy3DPeerAsync(&p, when.stream);
}

template <class C>
void set_host(C&, End& end, const py::object& object, HostBuffer::Access access) {
  auto buffer = std::make_shared<HostBuffer>(object, access, "a structured copy");
  end.point(CU_MEMORYTYPE_HOST, reinterpret_cast<CUdeviceptr>(buffer->data()), object);
  end.buffer = std::move(buffer);
}

// Host buffers and device addresses alike, told apart by the driver.
void set_unified(End& end, const py::object& object, HostBuffer::Access access) {
  if (PyObject_CheckBuffer(object.ptr()) && !py::isinstance<Memory>(object)) {
    auto buffer = std::make_shared<HostBuffer>(object, access, "a structured copy");
    end.point(CU_MEMORYTYPE_UNIFIED, reinterpret_cast<CUdeviceptr>(buffer->data()), object);
    end.buffer = std::move(buffer);
  } else {
    end.point(CU_MEMORYTYPE_UNIFIED, device_pointer(object, "a structured copy"), object);
  }
}

template <class C>
void bind_end(py::class_<C>& cls, const std::string& side, End C::*end, HostBuffer::Access access, bool three) {
  auto field = [&](const std::string& name, std::size_t End::*member) {
    cls.def_property((side + name).c_str(), [end, member](const C& c) { return c.*end.*member; },
                     [end, member](C& c, std::size_t value) { c.*end.*member = value; });
  };
  field("_x_in_bytes", &End::x);
  field("_y", &End::y);
  field("_pitch", &End::pitch);
  if (three) {
    field("_z", &End::z);
    field("_height", &End::height);
  }
  cls.def(("set_" + side + "_host").c_str(),
          [end, access](C& c, const py::object& buffer) { set_host(c, c.*end, buffer, access); }, py::arg("buffer"));
  cls.def(("set_" + side + "_device").c_str(), [end](C& c, const py::object& pointer) {
    (c.*end).point(CU_MEMORYTYPE_DEVICE, device_pointer(pointer, "a structured copy"), pointer);
  }, py::arg("devptr"));
  cls.def(("set_" + side + "_unified").c_str(),
          [end, access](C& c, const py::object& buffer) { set_unified(c.*end, buffer, access); }, py::arg("buffer"));
  cls.def(("set_" + side + "_array").c_str(), [end](C& c, const py::object& array) {
    (c.*end).point(CU_MEMORYTYPE_ARRAY, 0, array);
    (c.*end).array = array.cast<Array&>().handle();
  }, py::arg("array"));
}

template <class C>
py::class_<C> bind_copy(py::module_& m, const char* name, const char* doc, bool three) {
  py::class_<C> cls(m, name, doc);
  cls.def(py::init<>())
      .def_readwrite("width_in_bytes", &C::width)
      .def_readwrite("height", &C::height)
      .def("__call__", [](const C& c, const py::object& argument) { run(c, When(argument)); },
           py::arg("aligned") = true,
           "copy(aligned=True) copies and waits; copy(stream) copies in the stream's order.");
  bind_end<C>(cls, "src", &C::src, HostBuffer::Access::read, three);
  bind_end<C>(cls, "dst", &C::dst, HostBuffer::Access::write, three);
  if (three) cls.def_readwrite("depth", &C::depth);
  return cls;
}

void bind_array_copies(py::module_& m) {
  m.def("memcpy_dtoa", [](const Array& ary, std::size_t index, const py::object& src, std::size_t bytes) {
    api().cuMemcpyDtoA_v2(ary.handle(), index, device_pointer(src, "memcpy_dtoa"), bytes);
  }, py::arg("ary"), py::arg("index"), py::arg("src"), py::arg("len"));
  m.def("memcpy_atod", [](const py::object& dest, const Array& ary, std::size_t index, std::size_t bytes) {
    api().cuMemcpyAtoD_v2(device_pointer(dest, "memcpy_atod"), ary.handle(), index, bytes);
  }, py::arg("dest"), py::arg("ary"), py::arg("index"), py::arg("len"));
  m.def("memcpy_htoa", [](const Array& ary, std::size_t index, const py::object& src) {
    const HostBuffer from(src, HostBuffer::Access::read, "memcpy_htoa");
    api().cuMemcpyHtoA_v2(ary.handle(), index, from.data(), from.size());
  }, py::arg("ary"), py::arg("index"), py::arg("src"));
  m.def("memcpy_atoh", [](const py::object& dest, const Array& ary, std::size_t index) {
    const HostBuffer to(dest, HostBuffer::Access::write, "memcpy_atoh");
    api().cuMemcpyAtoH_v2(to.data(), ary.handle(), index, to.size());
  }, py::arg("dest"), py::arg("ary"), py::arg("index"));
  m.def("memcpy_atoa", [](const Array& dest, std::size_t dest_index, const Array& src, std::size_t src_index,
                          std::size_t bytes) {
    api().cuMemcpyAtoA_v2(dest.handle(), dest_index, src.handle(), src_index, bytes);
  }, py::arg("dest"), py::arg("dest_index"), py::arg("src"), py::arg("src_index"), py::arg("len"));
}

}  // namespace

void bind_copies(py::module_& m) {
  bind_copy<Memcpy2D>(m, "Memcpy2D", "A copy of rows.", false);
  bind_copy<Memcpy3D>(m, "Memcpy3D", "A copy of planes of rows.", true);
  bind_copy<Memcpy3DPeer>(m, "Memcpy3DPeer", "A copy of planes of rows between two contexts.", true)
      .def("set_src_context", [](Memcpy3DPeer& c, const ContextPtr& context) { c.src.context = context; },
           py::arg("ctx"))
      .def("set_dst_context", [](Memcpy3DPeer& c, const ContextPtr& context) { c.dst.context = context; },
           py::arg("ctx"));
  bind_array_copies(m);
}

}  // namespace devarray::cuda
