// Blocks of pools as the raw OpenCL objects of PyOpenCL's names: PooledBuffer is a Buffer, PooledSVM an SVMPointer.
#include "bind/memory.hpp"
#include "bind/memory_callback.hpp"

#ifdef DEVARRAY_HAS_OPENCL
#include "opencl/memory.hpp"
#include "opencl/queue.hpp"
#include "opencl/svm.hpp"
#endif

namespace devarray {

#ifdef DEVARRAY_HAS_OPENCL
namespace {

using namespace py::literals;

const opencl::MemoryObject& buffer_of(const Ref<Block>& block) {
  const auto* memory = block ? dynamic_cast<const opencl::MemoryObject*>(block->allocation.get()) : nullptr;
  if (!memory || block->offset != 0)
    throw ValueError("a PooledBuffer is made of a block that is all of an OpenCL buffer");
  return *memory;
}

class PooledBuffer final : public opencl::Buffer {
 public:
  explicit PooledBuffer(Ref<Block> block)
      : Buffer(buffer_of(block).engine_device(), opencl::Handle<cl_mem>::share(buffer_of(block).get())),
        block_(std::move(block)) {}
  Block& block() const {
    if (!block_) throw ValueError("the memory went back to its pool; it cannot be used any more");
    return *block_;
  }
  void give_back() {
    block();
    release();
    block_ = nullptr;
  }

 private:
  Ref<Block> block_;
};

class PooledSVM final : public opencl::SVMPointer {
 public:
  explicit PooledSVM(Ref<Block> block) : block_(std::move(block)) {
    if (!block_ || (block_->allocation && block_->kind() != MemoryKind::svm_coarse &&
                    block_->kind() != MemoryKind::svm_fine))
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
  py::gil_scoped_release release;
  block.wait();
}

template <class Pooled, class... Bases>
void bind_pooled(py::class_<Pooled, Bases...>& cls) {
  cls.def(py::init([](const py::object& block) { return std::make_shared<Pooled>(block.cast<Ref<Block>>()); }),
          "block"_a)
      .def_property_readonly("block", [](const Pooled& p) { return Ref<Block>(&p.block()); },
                             "The block of the pool that it is.")
      .def_property_readonly("nbytes", [](const Pooled& p) { return p.block().size; }, "Bytes asked for.")
      .def("release", &Pooled::give_back, "Give the memory back to the pool, behind the work of its queue.")
      .def("bind_to_queue", [](const Pooled& p, const std::shared_ptr<opencl::CommandQueue>& queue) {
             p.block().used_on(queue);
           }, "queue"_a.none(false), "Let this queue's work be what the memory's reuse waits for, from now on.")
      .def("unbind_from_queue", [](const Pooled& p) { unbind(p.block()); },
           "Wait for the queue's work; from then on the memory is bound to none.");
}

}  // namespace

void bind_memory_opencl(py::module_& m) {
  py::class_<PooledBuffer, opencl::Buffer, std::shared_ptr<PooledBuffer>> buffer(
      m, "PooledBuffer", "A buffer out of a MemoryPool: its memory goes back to the pool.");
  bind_pooled(buffer);

  py::class_<PooledSVM, opencl::SVMPointer, std::shared_ptr<PooledSVM>> svm(
      m, "PooledSVM", "Shared virtual memory out of an SVMPool: an SVMPointer whose memory goes back to the pool.");
  bind_pooled(svm);
  svm.def("enqueue_release", &PooledSVM::give_back, "The same as `release`.")
      .def("__eq__", [](const PooledSVM& a, const py::object& other) {
        if (!py::isinstance<PooledSVM>(other)) return false;
        const auto& b = other.cast<const PooledSVM&>();
        return a.svm_pointer() == b.svm_pointer() && a.svm_size() == b.svm_size();
      })
      .def("__hash__", [](const PooledSVM& a) {
        return py::hash(py::make_tuple(reinterpret_cast<std::uintptr_t>(a.svm_pointer()), *a.svm_size()));
      });
  for (const char* name : {"PooledBuffer", "PooledSVM"}) m.attr(name).attr("__module__") = "devarray.alloc";
}
#else
void bind_memory_opencl(py::module_&) {}
#endif

}  // namespace devarray
