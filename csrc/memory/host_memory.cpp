#include "memory/host_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <utility>

#include "cuda/device.hpp"
#include "cuda/memory.hpp"
#include "memory/per_device.hpp"
#include "memory/pool.hpp"
#include "opencl/memory.hpp"

namespace devarray {
namespace {

// --- page-locked memory --------------------------------------------------------------------------------------------

/// What page_locked handed out on OpenCL, whose driver cannot be asked about an address.
struct Ranges {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, std::size_t> bytes_at;
};
Ranges& ranges() {
  static auto* r = new Ranges;  // allocations may outlive static objects
  return *r;
}

bool is_registered(const void* data, std::size_t bytes) {
  Ranges& r = ranges();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  std::shared_lock lock(r.mutex);
  auto at = r.bytes_at.upper_bound(address);
  if (at == r.bytes_at.begin()) return false;
  --at;
  return address - at->first <= at->second && bytes <= at->second - (address - at->first);
}

/// A host buffer and its mapping, as one piece of page-locked memory.
class MappedBuffer final : public Allocation {
 public:
  MappedBuffer(const opencl::ContextDevicePtr& device, std::size_t bytes)
      : Allocation(MemoryKind::pinned, bytes, nullptr, nullptr),
        device_(device),
        queue_(queue_for(*device, bytes)),
        buffer_(opencl::Buffer::create(device, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr)) {
    handle_ = host_ = queue_->map(*buffer_, 0, bytes, MapMode::read_write);
    Ranges& r = ranges();
    std::unique_lock lock(r.mutex);
    r.bytes_at[reinterpret_cast<std::uintptr_t>(host_)] = bytes;
  }
  ~MappedBuffer() override {
    {
      Ranges& r = ranges();
      std::unique_lock lock(r.mutex);
      r.bytes_at.erase(reinterpret_cast<std::uintptr_t>(host_));
    }
    if (shutting_down()) return;
    try {
      queue_->unmap(*buffer_, host_);
    } catch (const Error&) {
      // The queue is broken and says so at its next use; the buffer goes with its context.
    }
  }
  devarray::Device& device() const override { return *device_; }

 private:
  /// What the driver did not promise to give is mapped on a queue of its own, which may not outlive the refusal.
  static QueuePtr queue_for(opencl::ContextDevice& device, std::size_t bytes) {
    return bytes > device.caps().max_allocation ? device.create_queue() : device.default_queue();
  }

  opencl::ContextDevicePtr device_;
  QueuePtr queue_;
  opencl::BufferPtr buffer_;
};

class PageLockedResource final : public MemoryResource {
 public:
  explicit PageLockedResource(DevicePtr device) : device_(std::move(device)) {}
  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override {
    if (bytes == 0) return empty_block(queue);
    Ref<Block> block(new Block);
    block->allocation = page_locked(*device_, bytes);
    block->allocation->lend();
    block->size = block->capacity = bytes;
    block->timeline = timeline_of(queue);
    block->owner = shared_from_this();
    return block;
  }
  void deallocate(Block* block) noexcept override {
    park_if_used(*block);
    delete block;
  }
  DevicePtr device() const override { return device_; }
  MemoryKind kind() const override { return MemoryKind::pinned; }
  std::string describe() const override { return "page-locked memory of " + device_->label(); }

 private:
  const DevicePtr device_;
};

}  // namespace

AllocationPtr page_locked(Device& device, std::size_t bytes) {
  if (auto opencl = std::dynamic_pointer_cast<opencl::ContextDevice>(device.shared_from_this())) {
    device.require_room(MemoryKind::buffer, bytes);
    return std::make_shared<MappedBuffer>(opencl, bytes);
  }
  return device.allocate(MemoryKind::pinned, bytes);
}

bool is_page_locked(Device& device, const void* data, std::size_t bytes) {
  if (device.driver() == DriverKind::cuda && bytes > 0) {
    const cuda::Current current(*static_cast<cuda::Device&>(device).context());
    const auto* last = static_cast<const char*>(data) + bytes - 1;
    return cuda::is_page_locked(data) && cuda::is_page_locked(last);
  }
  return is_registered(data, bytes);
}

ResourcePtr page_locked_pool(const DevicePtr& device) {
  static auto* pools = new PerDevice<ResourcePtr>;  // arrays may outlive static objects
  return pools->get(*device, [&] { return pool_resource(std::make_shared<PageLockedResource>(device)); });
}

// --- memory of new host arrays -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

struct Held {
  std::mutex mutex;
  std::deque<ArrayMemory> memory;  ///< oldest first
  std::size_t bytes = 0;
};
Held& held() {
  static auto* h = new Held;  // arrays may outlive static objects
  return *h;
}

/// Fresh pages at a huge page's boundary, so that the system can use huge pages: one fault for 2 MiB, not 512.
ArrayMemory map_pages(std::size_t bytes) {
  void* got = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) {
    OutOfMemoryError::Figures figures;
    figures.asked = static_cast<long long>(bytes);
    throw OutOfMemoryError("the host has no " + std::to_string(bytes) + " bytes of memory for an array", figures);
  }
  const auto start = reinterpret_cast<std::uintptr_t>(got);
  const std::uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > start) munmap(got, aligned - start);
  const std::size_t behind = start + kHugePage - aligned;
  if (behind > 0) munmap(reinterpret_cast<void*>(aligned + bytes), behind);
  auto* data = reinterpret_cast<char*>(aligned);
#ifdef MADV_HUGEPAGE
  madvise(data, bytes, MADV_HUGEPAGE);  // advice: small pages do as well
#endif
  return {data, bytes};
}

}  // namespace

ArrayMemory take_array_memory(std::size_t bytes) {
  bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  Held& h = held();
  {
    std::lock_guard lock(h.mutex);
    auto best = h.memory.end();
    for (auto it = h.memory.begin(); it != h.memory.end(); ++it)
      if (it->bytes >= bytes && it->bytes <= bytes + bytes / 4 && (best == h.memory.end() || it->bytes <= best->bytes))
        best = it;
    if (best != h.memory.end()) {
      const ArrayMemory found = *best;
      h.memory.erase(best);
      h.bytes -= found.bytes;
      return found;
    }
  }
  return map_pages(bytes);
}

void give_array_memory(ArrayMemory memory) noexcept {
  Held& h = held();
  while (true) {
    ArrayMemory out;
    {
      std::lock_guard lock(h.mutex);
      if (memory.data && memory.bytes <= kHeldArrayBytes) {
        try {
          h.memory.push_back(memory);
          h.bytes += memory.bytes;
          memory = {};
        } catch (const std::bad_alloc&) {
          // Then it goes back to the system.
        }
      }
      if (memory.data) {
        out = std::exchange(memory, {});
      } else if (h.bytes > kHeldArrayBytes) {
        out = h.memory.front();
        h.memory.pop_front();
        h.bytes -= out.bytes;
      }
    }
    if (!out.data) return;
    munmap(out.data, out.bytes);
  }
}

std::size_t held_array_bytes() noexcept {
  Held& h = held();
  std::lock_guard lock(h.mutex);
  return h.bytes;
}

std::size_t free_array_memory() noexcept {
  Held& h = held();
  std::deque<ArrayMemory> all;
  {
    std::lock_guard lock(h.mutex);
    all.swap(h.memory);
    h.bytes = 0;
  }
  std::size_t freed = 0;
  for (const ArrayMemory& memory : all) {
    munmap(memory.data, memory.bytes);
    freed += memory.bytes;
  }
  return freed;
}

}  // namespace devarray
