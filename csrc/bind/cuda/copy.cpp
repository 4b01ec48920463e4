// Structured copies (Memcpy2D, Memcpy3D, Memcpy3DPeer) and copies to and from arrays, under PyCUDA's names.
#include "bind/cuda/common.hpp"
#include "bind/docs/cuda_copy.hpp"
#include "bind/engine/array.hpp"
#include "common/checked.hpp"
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
  std::optional<std::size_t> room;  // bytes from the address on, where they are known

  void point(CUmemorytype kind, CUdeviceptr at, const py::object& who) {
    type = kind;
    address = at;
    owner = who;
    array = nullptr;
    buffer.reset();
    room = kind == CU_MEMORYTYPE_ARRAY ? std::nullopt : device_room(who);
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

// The driver takes the host's memory for as large as a copy wants it.
void check_room(const Copy& copy, std::size_t planes) {
  for (const End* end : {&copy.src, &copy.dst}) {
    const std::optional<std::size_t> room = end->buffer ? end->buffer->size() : end->room;
    if (!room) continue;
    constexpr const char* what = "a structured copy";
    const std::size_t pitch = end->pitch ? end->pitch : checked_add(end->x, copy.width, what);
    const std::size_t rows = end->height ? end->height : checked_add(end->y, copy.height, what);
    const std::size_t origin[3] = {end->x, end->y, end->z}, region[3] = {copy.width, copy.height, planes};
    const std::size_t pitches[2] = {pitch, planes > 1 || end->z ? checked_mul(pitch, rows, what) : 0};
    if (const std::size_t bytes = rectangle_end(origin, region, pitches); bytes > *room)
      throw ValueError("a structured copy would touch " + std::to_string(bytes) + " bytes of " +
                       (end == &copy.src ? "its source" : "its destination") + ", which has " + std::to_string(*room));
  }
}

void run(const Memcpy2D& copy, const When& when) {
  check_room(copy, 1);
  const CUDA_MEMCPY2D p = plane_of(copy.parameters());
  GilRelease release;
  if (!when.wait)
    api().cuMemcpy2DAsync_v2(&p, when.stream);
  else if (when.aligned)
    api().cuMemcpy2D_v2(&p);
  else
    api().cuMemcpy2DUnaligned_v2(&p);
}

void run(const Memcpy3D& copy, const When& when) {
  check_room(copy, copy.depth);
  const CUDA_MEMCPY3D p = box_of(copy.parameters());
  GilRelease release;
  if (when.wait)
    api().cuMemcpy3D_v2(&p);
  else
    api().cuMemcpy3DAsync_v2(&p, when.stream);
}

void run(const Memcpy3DPeer& copy, const When& when) {
  check_room(copy, copy.depth);
  const CUDA_MEMCPY3D_PEER p = copy.parameters();
  GilRelease release;
  if (when.wait)
    api().cuMemcpy3DPeer(&p);
  else
    api().cuMemcpy3DPeerAsync(&p, when.stream);
}

template <class C>
void set_host(C&, End& end, const py::object& object, HostBuffer::Access access) {
  auto buffer = std::make_shared<HostBuffer>(object, access, "a structured copy");
  end.point(CU_MEMORYTYPE_HOST, reinterpret_cast<CUdeviceptr>(buffer->data()), object);
  end.buffer = std::move(buffer);
}

// Host buffers and device addresses alike, told apart by the driver.
void set_unified(End& end, const py::object& object, HostBuffer::Access access) {
  if (PyObject_CheckBuffer(object.ptr()) && !py::isinstance<Memory>(object) && !is_array(object.ptr())) {
    auto buffer = std::make_shared<HostBuffer>(object, access, "a structured copy");
    end.point(CU_MEMORYTYPE_UNIFIED, reinterpret_cast<CUdeviceptr>(buffer->data()), object);
    end.buffer = std::move(buffer);
  } else {
    end.point(CU_MEMORYTYPE_UNIFIED, device_pointer(object, "a structured copy"), object);
  }
}

/// What help() says of set_src_host and its kin.
std::string end_doc(const std::string& side, const char* kind, const std::string& parameter, const std::string& value) {
  const bool reads = side == "src";
  return std::string("Set where the copy ") + (reads ? "reads." : "writes.") + "\n\nParameters\n----------\n" +
         parameter + " It is kept alive.\n\nExamples\n--------\n>>> copy = cuda.Memcpy2D()\n>>> copy.set_" + side +
         "_" + kind + "(" + value + ")\n";
}

/// An example that copies 2 rows of 4 bytes by a copy of either kind.
std::string copy_example(const std::string& name) {
  return "Examples\n--------\n>>> copy = cuda." + name + R"(()
>>> copy.set_src_host(np.arange(8, dtype=np.uint8))
>>> target = np.zeros(8, np.uint8)
>>> copy.set_dst_host(target)
>>> copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 4
>>> copy.height = 2
)" + (name == "Memcpy2D" ? "" : ">>> copy.src_height = copy.dst_height = 2\n>>> copy.depth = 1\n") +
         ">>> copy()\n>>> target\narray([0, 1, 2, 3, 4, 5, 6, 7], dtype=uint8)\n";
}

std::string copy_doc(const std::string& name, const std::string& purpose, bool three) {
  return "\n" + purpose + R"(

Its attributes say what is copied: ``width_in_bytes``, ``height`` (rows))" +
         (three ? std::string(" and ``depth`` (planes)") : std::string()) + R"(, and for each side,
``src`` and ``dst``, where it starts (``src_x_in_bytes``, ``src_y``) and its bytes from row to row (``src_pitch``).
A call makes the copy.

Notes
-----
Calls ``cu)" +
         name + "``.\n\n" + copy_example(name);
}

std::string copy_call_doc(const std::string& name) {
  return R"(Make the copy.

Parameters
----------
aligned : bool or Stream, default True
    False takes pitches that the device would not choose, which is slower. A stream copies in its order; otherwise the
    host waits.

Raises
------
ValueError
    If one side is known to have less room.

)" + copy_example(name);
}

template <class C>
void bind_end(py::class_<C>& cls, const std::string& side, End C::* end, HostBuffer::Access access, bool three) {
  auto field = [&](const std::string& name, std::size_t End::* member) {
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
          [end, access](C& c, const py::object& buffer) { set_host(c, c.*end, buffer, access); }, py::arg("buffer"),
          end_doc(side, "host", "buffer : object with the buffer protocol\n    Host memory, contiguous.",
                  "np.zeros(16, np.uint8)")
              .c_str());
  cls.def(
      ("set_" + side + "_device").c_str(),
      [end](C& c, const py::object& pointer) {
        (c.*end).point(CU_MEMORYTYPE_DEVICE, device_pointer(pointer, "a structured copy"), pointer);
      },
      py::arg("devptr"),
      end_doc(side, "device", "devptr : DeviceAllocation or int\n    Device memory.", "cuda.mem_alloc(16)").c_str());
  cls.def(("set_" + side + "_unified").c_str(),
          [end, access](C& c, const py::object& buffer) { set_unified(c.*end, buffer, access); }, py::arg("buffer"),
          end_doc(side, "unified", "buffer : object with the buffer protocol\n    Managed or page-locked memory.",
                  "cuda.managed_zeros(16, np.uint8)")
              .c_str());
  cls.def(
      ("set_" + side + "_array").c_str(),
      [end](C& c, const py::object& array) {
        (c.*end).point(CU_MEMORYTYPE_ARRAY, 0, array);
        (c.*end).array = array.cast<Array&>().handle();
      },
      py::arg("array"),
      end_doc(side, "array", "array : Array\n    A CUDA array.", "cuda.np_to_array(np.zeros((4, 4), np.uint8), 'C')")
          .c_str());
}

template <class C>
py::class_<C> bind_copy(py::module_& m, const char* name, const char* doc, bool three) {
  py::class_<C> cls(m, name, copy_doc(name, doc, three).c_str());
  cls.def(py::init<>())
      .def_readwrite("width_in_bytes", &C::width)
      .def_readwrite("height", &C::height)
      .def(
          "__call__", [](const C& c, const py::object& argument) { run(c, When(argument)); }, py::arg("aligned") = true,
          copy_call_doc(name).c_str());
  bind_end<C>(cls, "src", &C::src, HostBuffer::Access::read, three);
  bind_end<C>(cls, "dst", &C::dst, HostBuffer::Access::write, three);
  if (three) cls.def_readwrite("depth", &C::depth);
  return cls;
}

void bind_array_copies(py::module_& m) {
  m.def(
      "memcpy_dtoa",
      [](const Array& ary, std::size_t index, const py::object& src, std::size_t bytes) {
        api().cuMemcpyDtoA_v2(ary.handle(), index, device_range(src, bytes, "memcpy_dtoa"), bytes);
      },
      py::arg("ary"), py::arg("index"), py::arg("src"), py::arg("len"), docs::kMemcpyDtoa);
  m.def(
      "memcpy_atod",
      [](const py::object& dest, const Array& ary, std::size_t index, std::size_t bytes) {
        api().cuMemcpyAtoD_v2(device_range(dest, bytes, "memcpy_atod"), ary.handle(), index, bytes);
      },
      py::arg("dest"), py::arg("ary"), py::arg("index"), py::arg("len"), docs::kMemcpyAtod);
  m.def(
      "memcpy_htoa",
      [](const Array& ary, std::size_t index, const py::object& src) {
        const HostBuffer from(src, HostBuffer::Access::read, "memcpy_htoa");
        api().cuMemcpyHtoA_v2(ary.handle(), index, from.data(), from.size());
      },
      py::arg("ary"), py::arg("index"), py::arg("src"), docs::kMemcpyHtoa);
  m.def(
      "memcpy_atoh",
      [](const py::object& dest, const Array& ary, std::size_t index) {
        const HostBuffer to(dest, HostBuffer::Access::write, "memcpy_atoh");
        api().cuMemcpyAtoH_v2(to.data(), ary.handle(), index, to.size());
      },
      py::arg("dest"), py::arg("ary"), py::arg("index"), docs::kMemcpyAtoh);
  m.def(
      "memcpy_atoa",
      [](const Array& dest, std::size_t dest_index, const Array& src, std::size_t src_index, std::size_t bytes) {
        api().cuMemcpyAtoA_v2(dest.handle(), dest_index, src.handle(), src_index, bytes);
      },
      py::arg("dest"), py::arg("dest_index"), py::arg("src"), py::arg("src_index"), py::arg("len"), docs::kMemcpyAtoa);
}

}  // namespace

void bind_copies(py::module_& m) {
  bind_copy<Memcpy2D>(m, "Memcpy2D", "A copy of rows between host memory, device memory and arrays.", false);
  bind_copy<Memcpy3D>(m, "Memcpy3D", "A copy of planes of rows between host memory, device memory and arrays.", true);
  bind_copy<Memcpy3DPeer>(m, "Memcpy3DPeer", "A copy of planes of rows between two contexts.", true)
      .def(
          "set_src_context", [](Memcpy3DPeer& c, const ContextPtr& context) { c.src.context = context; },
          py::arg("ctx"), docs::kSetSrcContext)
      .def(
          "set_dst_context", [](Memcpy3DPeer& c, const ContextPtr& context) { c.dst.context = context; },
          py::arg("ctx"), docs::kSetDstContext);
  bind_array_copies(m);
}

}  // namespace devarray::cuda
