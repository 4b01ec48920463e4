#include "bind/memory/callback.hpp"

#include "bind/docs/memory_callback.hpp"
#include "engine/attempt.hpp"

namespace devarray {
namespace {

using namespace py::literals;

bool python_is_gone() { return shutting_down() || !Py_IsInitialized(); }

/// Does something with an object, and gives it back, from a thread that may not have the GIL; at shutdown it stays with
/// the process. Not in the middle of a launch: what it calls may ask for what is being launched.
void end_with(py::object object, const std::function<void(const py::object&)>& what) noexcept {
  Attempt::call_in_order([held = object.release(), what] {
    if (python_is_gone()) return;
    GilAcquire gil;
    auto own = py::reinterpret_steal<py::object>(held);
    try {
      without_unwinding([&] {
        what(own);
        own = py::object();
      });
    } catch (py::error_already_set& e) {
      e.discard_as_unraisable("deallocate_func of a CallbackMemoryResource");
    }
  });
}

void drop(py::object object) noexcept {
  end_with(std::move(object), [](const py::object&) {});
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
    end_with(std::move(give_back_),
             [address = reinterpret_cast<std::uintptr_t>(handle_), size = size_](const py::object& give_back) {
               if (give_back && !give_back.is_none()) give_back(address, size);
             });
  }
  devarray::Device& device() const override { return *device_; }

 private:
  DevicePtr device_;
  py::object give_back_;
};

/// An object may have its memory as an attribute, which may have it as an attribute again, and so on: so often at most.
constexpr int kWrappers = 8;

/// The address that a callable returned; 0 where it is none.
std::uintptr_t address_from(const py::object& got) {
  const std::uintptr_t address = PyBool_Check(got.ptr()) ? 0 : PyLong_AsSize_t(got.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return 0;
  }
  return address;
}

/// The address of another library's memory: CuPy's MemoryPointer, RMM's DeviceBuffer. 0 where the object is neither.
std::uintptr_t address_of(const py::object& got) {
  if (!py::hasattr(got, "ptr") || py::hasattr(got, "block") || py::hasattr(got, "allocation")) return 0;
  return address_from(got.attr("ptr"));
}

/// What the engine's kernels expect of a block's start.
constexpr std::uintptr_t kVectorBytes = 16;

/// Where a block's memory starts; 0 where it has no address.
std::uintptr_t start_of(const Block& block) {
  if (block.allocation->is_buffer()) return 0;
  return reinterpret_cast<std::uintptr_t>(block.allocation->handle()) + block.offset;
}

/// What a callable returned, as a block without owner. Null if it is nothing that can serve.
Ref<Block> block_from(py::object got, const py::object& deallocate, std::size_t bytes, const DevicePtr& device,
                      MemoryKind kind) {
  for (int wrappers = 0; wrappers < kWrappers; ++wrappers) {
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
      const std::uintptr_t address = address_from(got);
      if (address == 0) return nullptr;
      block->allocation = std::make_shared<AddressAllocation>(device, kind, bytes, address, deallocate);
      block->capacity = bytes;
    } else if (std::uintptr_t address = address_of(got); address != 0 && kind != MemoryKind::buffer) {
      block->allocation =
          keep_alive(std::make_shared<AddressAllocation>(device, kind, bytes, address, py::none()), got);
      block->capacity = bytes;
    } else if (py::hasattr(got, "block")) {
      got = got.attr("block");
      continue;
    } else if (py::hasattr(got, "allocation")) {
      got = got.attr("allocation");
      continue;
    }
    return block->allocation ? block : nullptr;
  }
  return nullptr;
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

namespace {

/// Calls of allocators within calls of allocators, in this thread: one that computes on what asks for its memory would
/// never end, and the C stack ends before Python's.
class Nested {
 public:
  explicit Nested(const CallbackResource& resource) {
    if (++depth_ <= kMost) return;
    --depth_;
    throw ValueError(
        "the allocator " + resource.describe() + " was called " + std::to_string(kMost) +
        " times within itself: what it calls allocates arrays from it again; give those another allocator, "
        "as by `with devarray.use(allocator=...)`");
  }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  static constexpr int kMost = 32;
  static inline thread_local int depth_ = 0;
};

}  // namespace

Ref<Block> CallbackResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  if (bytes == 0) return empty_block(queue);
  const Nested nested(*this);
  Ref<Block> block;
  {
    GilAcquire gil;
    py::object got;
    try {
      got = without_unwinding([&] { return callables_->allocate(bytes); });
    } catch (const py::error_already_set& e) {
      if (!e.matches(PyExc_MemoryError)) throw;
      OutOfMemoryError::Figures figures;
      figures.asked = static_cast<long long>(bytes);
      throw OutOfMemoryError(std::string(e.what()), figures);
    }
    block = block_from(got, callables_->deallocate, bytes, device_, kind_);
    if (!block)
      throw ValueError(
          "the allocator " + describe() + " returned " + py::repr(got).cast<std::string>() + " for " +
          std::to_string(bytes) +
          " bytes; wanted a Block, an Allocation, an object with one of these as `block` or "
          "`allocation`, or (for memory with addresses) an address, a positive integer below 2**64, or an object with "
          "one as `ptr`");
  }
  if (&block->allocation->device() != device_.get())
    throw DeviceError("the allocator " + describe() + " returned memory of " + block->allocation->device().label() +
                      " where memory of " + device_->label() + " is wanted");
  block->allocation->handle();  // throws where it was released before
  if (block->capacity < bytes)
    throw ValueError("the allocator " + describe() + " returned " + std::to_string(block->capacity) + " bytes where " +
                     std::to_string(bytes) + " were asked for");
  if (const std::uintptr_t start = start_of(*block); start % kVectorBytes != 0)
    throw ValueError("the allocator " + describe() + " returned memory at the address " + std::to_string(start) +
                     "; kernels read vectors of " + std::to_string(kVectorBytes) + " bytes, so multiples of that are " +
                     "wanted");
  block->size = bytes;
  if (!block->base) block->allocation->lend();
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
  } else if (block->allocation) {
    block->allocation->take_back();
    park_if_used(*block);
  }
  delete block;
}

std::string CallbackResource::describe() const {
  std::string name = "a callable";
  if (!python_is_gone()) {
    GilAcquire gil;
    name = py::repr(callables_->allocate).cast<std::string>();
  }
  return name + " as an allocator of " + device_->label();
}

ResourcePtr to_resource(py::handle given, const DevicePtr& device) {
  if (given.is_none()) {
    GilRelease release;
    return default_resource(device);
  }
  auto allocator = py::reinterpret_borrow<py::object>(given);
  for (int wrappers = 0; wrappers < kWrappers; ++wrappers) {
    if (py::isinstance<MemoryResource>(allocator)) {
      auto resource = allocator.cast<ResourcePtr>();
      if (resource->device() != device)
        throw DeviceError("the allocator is of " + resource->device()->label() + " where memory of " + device->label() +
                          " is wanted");
      return resource;
    }
    if (py::hasattr(allocator, "allocate") && py::hasattr(allocator, "deallocate"))  // RMM's resources
      return std::make_shared<CallbackResource>(allocator.attr("allocate"), allocator.attr("deallocate"), device,
                                                device->memory_kinds().front());
    if (!py::hasattr(allocator, "resource")) {
      if (!PyCallable_Check(allocator.ptr()) || PyType_Check(allocator.ptr())) break;  // int(nbytes) is no address
      return std::make_shared<CallbackResource>(std::move(allocator), py::none(), device,
                                                device->memory_kinds().front());
    }
    allocator = allocator.attr("resource");
  }
  throw ValueError("allocator is " + py::repr(given).cast<std::string>() +
                   "; wanted a memory resource of devarray.alloc, an object with one as its `resource`, one of RMM's, "
                   "or a function f(nbytes)");
}

void bind_memory_callback(py::module_& m) {
  py::class_<CallbackResource, MemoryResource, std::shared_ptr<CallbackResource>>(m, "CallbackMemoryResource",
                                                                                  docs::kCallbackMemoryResource)
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
