// Blocks of pools as the raw OpenCL objects of PyOpenCL's names: PooledBuffer is a Buffer, PooledSVM an SVMPointer.
#include <algorithm>

#include "bind/docs/memory_opencl.hpp"
#include "bind/engine/recycle.hpp"
#include "bind/memory/callback.hpp"
#include "bind/memory/memory.hpp"
#include "memory/pool.hpp"
#include "opencl/memory.hpp"
#include "opencl/queue.hpp"
#include "opencl/svm.hpp"

namespace devarray {

namespace {

using namespace py::literals;

const opencl::MemoryObject& buffer_of(const Ref<Block>& block) {
  const auto* memory = block ? dynamic_cast<const opencl::MemoryObject*>(block->allocation.get()) : nullptr;
  if (!memory || block->offset != 0)
    throw ValueError("a PooledBuffer is made of a block that is all of an OpenCL buffer");
  return *memory;
}

/// Borrows the buffer of its block: the driver's reference is the pool's.
class PooledBuffer final : public opencl::Buffer {
 public:
  explicit PooledBuffer(Ref<Block> block)
      : Buffer(buffer_of(block).engine_device(), buffer_of(block).size(),
               opencl::Handle<cl_mem>::adopt(buffer_of(block).get()), {}),
        block_(std::move(block)) {}
  ~PooledBuffer() override { forget(); }
  Block& block() const {
    if (!block_) throw ValueError("the memory went back to its pool; it cannot be used any more");
    return *block_;
  }
  void give_back() {
    block();
    retire();
  }
  void release() override { give_back(); }
  void retire() noexcept {
    forget();
    block_ = nullptr;
  }
  void renew(Ref<Block> block) {
    const opencl::MemoryObject& memory = buffer_of(block);
    Buffer::renew(memory.engine_device(), memory.size(), opencl::Handle<cl_mem>::adopt(memory.get()));
    block_ = std::move(block);
  }

 private:
  Ref<Block> block_;
};

/// What the function that a MemoryPool allocates with is bound to.
struct BufferSource {
  ResourcePtr resource;
  QueuePtr queue;
};

PyObject* allocate_buffer(PyObject* self, PyObject* size) {
  try {
    const auto& from = *static_cast<BufferSource*>(PyCapsule_GetPointer(self, nullptr));
    std::size_t bytes = PyLong_AsSize_t(size);
    if (bytes == static_cast<std::size_t>(-1) && PyErr_Occurred()) throw py::error_already_set();
    bytes = std::max<std::size_t>(bytes, 1);
    Ref<Block> block = from.resource->try_allocate(bytes, from.queue);
    if (!block) {
      GilRelease release;
      block = from.resource->allocate(bytes, from.queue);
    }
    PyObject* object = Recycler<PooledBuffer>::take();
    if (!object) return py::cast(std::make_shared<PooledBuffer>(std::move(block))).release().ptr();
    py::object owned = py::reinterpret_steal<py::object>(object);
    Recycler<PooledBuffer>::value(object).renew(std::move(block));
    return owned.release().ptr();
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (...) {
    set_python_error();
  }
  return nullptr;
}

PyMethodDef allocate_buffer_def = {"allocate", allocate_buffer, METH_O,
                                   "allocate(size): a PooledBuffer, of at least one byte."};

/// allocate(size) of a pool, as a function without a Python frame around it.
py::object pooled_buffers(ResourcePtr resource, QueuePtr queue) {
  auto source = std::make_unique<BufferSource>(BufferSource{std::move(resource), std::move(queue)});
  py::capsule capsule(source.get(), [](void* p) { delete static_cast<BufferSource*>(p); });
  source.release();
  return py::reinterpret_steal<py::object>(PyCFunction_New(&allocate_buffer_def, capsule.ptr()));
}

class PooledSVM final : public opencl::SVMPointer {
 public:
  explicit PooledSVM(Ref<Block> block) : block_(std::move(block)) {
    if (!block_ ||
        (block_->allocation && block_->kind() != MemoryKind::svm_coarse && block_->kind() != MemoryKind::svm_fine))
      throw ValueError("a PooledSVM is made of a block of shared virtual memory");
  }
  Block& block() const {
    if (!block_) throw ValueError("the memory went back to its pool; it cannot be used any more");
    return *block_;
  }
  void* svm_pointer() const override {
    const Block& b = block();
    return b.allocation ? static_cast<char*>(b.allocation->handle()) + b.offset : nullptr;
  }
  std::optional<std::size_t> svm_size() const override { return block().size; }
  void give_back() {
    block();
    block_ = nullptr;
  }

 private:
  Ref<Block> block_;
};

/// Waits for the work that the block's bound queue has, and frees it of the queue.
void unbind(Block& block) {
  GilRelease release;
  block.wait();
}

template <class Pooled, class... Bases>
void bind_pooled(py::class_<Pooled, Bases...>& cls) {
  cls.def(py::init([](const py::object& block) { return std::make_shared<Pooled>(block.cast<Ref<Block>>()); }),
          "block"_a)
      .def_property_readonly(
          "block", [](const Pooled& p) { return Ref<Block>(&p.block()); }, "The block of the pool that it is.")
      .def_property_readonly(
          "nbytes", [](const Pooled& p) { return p.block().size; }, "Bytes asked for.")
      .def("release", &Pooled::give_back, docs::kRelease)
      .def(
          "bind_to_queue",
          [](const Pooled& p, const std::shared_ptr<opencl::CommandQueue>& queue) { p.block().used_on(queue); },
          "queue"_a.none(false), docs::kBindToQueue)
      .def("unbind_from_queue", [](const Pooled& p) { unbind(p.block()); }, docs::kUnbindFromQueue);
}

}  // namespace

void bind_memory_opencl(py::module_& m) {
  py::class_<PooledBuffer, opencl::Buffer, std::shared_ptr<PooledBuffer>> buffer(m, "PooledBuffer",
                                                                                 docs::kPooledBuffer);
  bind_pooled(buffer);
  Recycler<PooledBuffer>::install(buffer);
  m.def("pooled_buffers", &pooled_buffers, "resource"_a, "queue"_a,
        "The function that allocates PooledBuffers out of a resource, for a queue.");

  py::class_<PooledSVM, opencl::SVMPointer, std::shared_ptr<PooledSVM>> svm(m, "PooledSVM", docs::kPooledSVM);
  bind_pooled(svm);
  svm.def("enqueue_release", &PooledSVM::give_back, docs::kPooledSVMEnqueueRelease)
      .def("__eq__",
           [](const PooledSVM& a, const py::object& other) {
             if (!py::isinstance<PooledSVM>(other)) return false;
             const auto& b = other.cast<const PooledSVM&>();
             return a.svm_pointer() == b.svm_pointer() && a.svm_size() == b.svm_size();
           })
      .def("__hash__", [](const PooledSVM& a) {
        return py::hash(py::make_tuple(reinterpret_cast<std::uintptr_t>(a.svm_pointer()), *a.svm_size()));
      });
  for (const char* name : {"PooledBuffer", "PooledSVM"}) m.attr(name).attr("__module__") = "devarray.alloc";
}

}  // namespace devarray
