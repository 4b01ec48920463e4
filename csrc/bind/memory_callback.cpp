#include "bind/memory_callback.hpp"

namespace devarray {
namespace {

using namespace py::literals;

bool python_is_gone() { return shutting_down() || !Py_IsInitialized(); }

/// Gives an object back from a thread that may not have the GIL; at shutdown it stays with the process.
void drop(py::object object) noexcept {
  if (python_is_gone()) {
    object.release();
    return;
  }
  py::gil_scoped_acquire gil;
  object = py::object();
}

/// Memory at an address that a callable gave; another callable gets it back.
class AddressAllocation final : public Allocation {
 public:
  AddressAllocation(DevicePtr device, MemoryKind kind, std::size_t bytes, std::uintptr_t address, py::object give_back)
      : Allocation(kind, bytes, reinterpret_cast<void*>(address), nullptr),
        device_(std::move(device)),
        give_back_(std::move(give_back)) {
    if (kind == MemoryKind::svm_fine || kind == MemoryKind::managed || kind == MemoryKind::pinned) host_ = handle_;
  }
  ~AddressAllocation() override {
    if (!python_is_gone() && give_back_.ptr() && !give_back_.is_none()) {
      py::gil_scoped_acquire gil;
      try {
        give_back_(reinterpret_cast<std::uintptr_t>(handle_), size_);
      } catch (py::error_already_set& e) {
        e.discard_as_unraisable("deallocate_func of a CallbackMemoryResource");
      }
    }
    drop(std::move(give_back_));
  }
  devarray::Device& device() const override { return *device_; }

 private:
  DevicePtr device_;
  py::object give_back_;
};

/// What a callable returned, as a block without owner. Null if it is nothing that can serve.
Ref<Block> block_from(const py::object& got, const py::object& deallocate, std::size_t bytes, const DevicePtr& device,
                      MemoryKind kind) {
  Ref<Block> block(new Block);
  if (py::isinstance<Block>(got)) {
    auto base = got.cast<Ref<Block>>();
    block->allocation = base->allocation;
    block->offset = base->offset;
    block->capacity = base->size;
    block->timeline = base->timeline;
    block->foreign_uses = base->foreign_uses;
    block->base = std::move(base);
  } else if (py::isinstance<Allocation>(got)) {
    block->allocation = keep_alive(got.cast<AllocationPtr>(), got);
    block->capacity = block->allocation->size();
  } else if (PyLong_Check(got.ptr()) && kind != MemoryKind::buffer) {
    block->allocation =
        std::make_shared<AddressAllocation>(device, kind, bytes, got.cast<std::uintptr_t>(), deallocate);
    block->capacity = bytes;
  } else if (py::hasattr(got, "block")) {
    return block_from(got.attr("block"), deallocate, bytes, device, kind);
  } else if (py::hasattr(got, "allocation")) {
    return block_from(got.attr("allocation"), deallocate, bytes, device, kind);
  } else {
    return nullptr;
  }
  return block->allocation ? block : nullptr;
}

}  // namespace

AllocationPtr keep_alive(AllocationPtr allocation, py::object object) {
  Allocation* raw = allocation.get();
  auto* kept = new py::object(std::move(object));
  return AllocationPtr(raw, [allocation = std::move(allocation), kept](Allocation*) mutable {
    allocation.reset();
    drop(std::move(*kept));
    delete kept;
  });
}

struct CallbackResource::Callables {
  py::object allocate, deallocate;
};

CallbackResource::CallbackResource(py::object allocate, py::object deallocate, DevicePtr device, MemoryKind kind)
    : callables_(new Callables{std::move(allocate), std::move(deallocate)}), device_(std::move(device)), kind_(kind) {}

CallbackResource::~CallbackResource() {
  drop(std::move(callables_->allocate));
  drop(std::move(callables_->deallocate));
}

Ref<Block> CallbackResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  if (bytes == 0) return empty_block(queue);
  Ref<Block> block;
  {
    py::gil_scoped_acquire gil;
    py::object got;
    try {
      got = callables_->allocate(bytes);
    } catch (const py::error_already_set& e) {
      if (!e.matches(PyExc_MemoryError)) throw;
      OutOfMemoryError::Figures figures;
      figures.asked = static_cast<long long>(bytes);
      throw OutOfMemoryError(std::string(e.what()), figures);
    }
    block = block_from(got, callables_->deallocate, bytes, device_, kind_);
    if (!block)
      throw ValueError("the allocator " + describe() + " returned " + py::repr(got).cast<std::string>() + " for " +
                       std::to_string(bytes) +
                       " bytes; wanted a Block, an Allocation, an object with one of these as `block` or "
                       "`allocation`, or (for memory with addresses) an address");
  }
  if (&block->allocation->device() != device_.get())
    throw DeviceError("the allocator " + describe() + " returned memory of " + block->allocation->device().label() +
                      " where memory of " + device_->label() + " is wanted");
  if (block->capacity < bytes)
    throw ValueError("the allocator " + describe() + " returned " + std::to_string(block->capacity) + " bytes where " +
                     std::to_string(bytes) + " were asked for");
  block->size = bytes;
  if (queue)
    block->hand_to(queue);
  else
    block->wait();
  block->owner = shared_from_this();
  return block;
}

void CallbackResource::deallocate(Block* block) noexcept {
  if (block->base) {
    block->base->timeline = std::move(block->timeline);
    block->base->foreign_uses = std::move(block->foreign_uses);
  } else {
    park_if_used(*block);
  }
  delete block;
}

std::string CallbackResource::describe() const {
  std::string name = "a callable";
  if (!python_is_gone()) {
    py::gil_scoped_acquire gil;
    name = py::repr(callables_->allocate).cast<std::string>();
  }
  return name + " as an allocator of " + device_->label();
}

ResourcePtr to_resource(py::handle allocator, const DevicePtr& device) {
  if (allocator.is_none()) {
    py::gil_scoped_release release;
    return default_resource(device);
  }
  if (py::isinstance<MemoryResource>(allocator)) {
    auto resource = allocator.cast<ResourcePtr>();
    if (resource->device() != device)
      throw DeviceError("the allocator is of " + resource->device()->label() + " where memory of " + device->label() +
                        " is wanted");
    return resource;
  }
  if (py::hasattr(allocator, "resource")) return to_resource(allocator.attr("resource"), device);
  if (!PyCallable_Check(allocator.ptr()))
    throw ValueError("allocator is " + py::repr(allocator).cast<std::string>() +
                     "; wanted a memory resource of devarray.alloc, or a callable f(nbytes)");
  return std::make_shared<CallbackResource>(py::reinterpret_borrow<py::object>(allocator), py::none(), device,
                                            device->memory_kinds().front());
}

void bind_memory_callback(py::module_& m) {
  py::class_<CallbackResource, MemoryResource, std::shared_ptr<CallbackResource>>(m, "CallbackMemoryResource", R"(
A Python callable as an allocator.

Parameters
----------
allocate_func : callable
    ``allocate_func(nbytes)`` returns a Block, an Allocation, an object that has one of these as its ``block`` or
    ``allocation``, or an address as an integer. A MemoryError means that there is none.
deallocate_func : callable, optional
    ``deallocate_func(address, nbytes)`` gets addresses back, when the work that uses the memory is done.
device : Device
kind : str, optional
    The kind of memory that comes; the first of ``device.memory_kinds`` if not given.
)")
      .def(py::init([](py::object allocate, py::object deallocate, const DevicePtr& device,
                       const std::optional<std::string>& kind) {
             if (!PyCallable_Check(allocate.ptr()))
               throw ValueError("allocate_func is " + py::repr(allocate).cast<std::string>() + "; it must be callable");
             const MemoryKind k = kind ? kind_from(*kind) : device->memory_kinds().front();
             return std::make_shared<CallbackResource>(std::move(allocate), std::move(deallocate), device, k);
           }),
           "allocate_func"_a, "deallocate_func"_a = py::none(), py::kw_only(), "device"_a.none(false),
           "kind"_a = py::none());
}

}  // namespace devarray
