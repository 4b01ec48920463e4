#include "memory/staging.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "memory/host_memory.hpp"
#include "memory/per_device.hpp"

namespace devarray {
namespace {

constexpr unsigned kBlocksPerThread = 2;  ///< one that the device copies while the thread works on the other
constexpr std::size_t kLeastChunk = std::size_t{256} << 10;

std::atomic<std::size_t> ring_bytes{0};

/// The staging blocks of one device. One transfer at a time uses them.
class Ring {
 public:
  struct Block {
    char* data = nullptr;
    EventPtr busy;  ///< the device copies to or from it until then
    void wait() {
      if (busy) busy->wait();
      busy = nullptr;
    }
  };

  std::mutex mutex;

  ~Ring() {
    try {
      for (Block& block : blocks_) block.wait();
    } catch (const std::exception&) {
      // The device is lost, and reads and writes nothing any more.
    }
    ring_bytes -= memory_ ? memory_->size() : 0;
  }

  /// A pair of blocks of at least `chunk` bytes for each copying thread. Throws OutOfMemoryError.
  void prepare(Device& device, std::size_t chunk) {
    if (chunk <= chunk_) return;
    for (Block& block : blocks_) block.wait();
    blocks_.clear();
    chunk_ = 0;
    ring_bytes -= memory_ ? memory_->size() : 0;
    memory_ = nullptr;
    const std::size_t count = std::size_t{copy_threads()} * kBlocksPerThread;
    memory_ = page_locked(device, count * chunk);
    ring_bytes += memory_->size();
    chunk_ = chunk;
    for (std::size_t i = 0; i < count; ++i)
      blocks_.push_back({static_cast<char*>(memory_->host()) + i * chunk, nullptr});
  }
  Block& block(unsigned lane, unsigned turn) { return blocks_[lane * kBlocksPerThread + turn % kBlocksPerThread]; }

 private:
  AllocationPtr memory_;
  std::size_t chunk_ = 0;
  std::vector<Block> blocks_;
};

/// Never destroyed: at the end of the process the memory goes with it, not to a driver that may be gone.
std::shared_ptr<Ring> ring_of(Device& device) {
  static auto* rings = new PerDevice<std::shared_ptr<Ring>>;
  return rings->get(device, [] { return std::make_shared<Ring>(); });
}

/// A transfer cut into chunks of whole elements: staging blocks, or less where all threads then have some.
struct Chunks {
  Chunks(const StridedView& host, std::size_t bytes) : itemsize(static_cast<std::size_t>(host.itemsize)) {
    const std::size_t share = std::max(kLeastChunk, bytes / (std::size_t{copy_threads()} * kBlocksPerThread));
    elements = std::max<std::size_t>(1, std::min(staging_limits().chunk, share) / itemsize);
    total = bytes / itemsize;
    count = (total + elements - 1) / elements;
    lanes = static_cast<unsigned>(std::min<std::size_t>(copy_threads(), count));
  }
  std::size_t first(std::size_t i) const { return i * elements; }
  std::size_t size(std::size_t i) const { return std::min(elements, total - i * elements); }
  std::size_t itemsize, elements, total, count;
  unsigned lanes;
};

/// Each thread fills one of its blocks while the device copies the other.
void write_staged(Ring& ring, const Chunks& chunks, Queue& queue, Allocation& device, std::size_t offset,
                  const StridedView& host) {
  std::atomic<std::size_t> next{0};
  in_parallel(chunks.lanes, [&](unsigned lane) {
    unsigned turn = 0;
    for (std::size_t i; (i = next.fetch_add(1)) < chunks.count; ++turn) {
      Ring::Block& block = ring.block(lane, turn);
      block.wait();
      gather(block.data, host, static_cast<std::int64_t>(chunks.first(i)), static_cast<std::int64_t>(chunks.size(i)));
      block.busy = queue.write(device, offset + chunks.first(i) * chunks.itemsize, block.data,
                               chunks.size(i) * chunks.itemsize, false);
      queue.flush();
    }
  });
}

/// Each thread empties one of its blocks while the device fills the other.
void read_staged(Ring& ring, const Chunks& chunks, Queue& queue, Allocation& device, std::size_t offset,
                 const StridedView& host) {
  std::atomic<std::size_t> next{0};
  in_parallel(chunks.lanes, [&](unsigned lane) {
    const auto start = [&](std::size_t i, Ring::Block& block) {
      block.wait();
      block.busy = queue.read(block.data, device, offset + chunks.first(i) * chunks.itemsize,
                              chunks.size(i) * chunks.itemsize, false);
      queue.flush();
    };
    unsigned turn = 0;
    std::size_t i = next.fetch_add(1);
    if (i < chunks.count) start(i, ring.block(lane, turn));
    while (i < chunks.count) {
      const std::size_t following = next.fetch_add(1);
      if (following < chunks.count) start(following, ring.block(lane, turn + 1));
      Ring::Block& block = ring.block(lane, turn++);
      block.wait();
      scatter(block.data, host, static_cast<std::int64_t>(chunks.first(i)), static_cast<std::int64_t>(chunks.size(i)));
      i = following;
    }
  });
}

std::size_t bytes_of(const StridedView& host) {
  return static_cast<std::size_t>(element_count(host.shape) * host.itemsize);
}

bool is_dense(const StridedView& host) { return is_c_contiguous(host.shape, host.strides, host.itemsize); }

/// Whether copies cross a bus. A CPU device that takes the GPUs' strategy stands in for one with memory of its own.
bool is_far_from_host(const Device& device) {
  return device.strategy() == Strategy::gpu && (device.type() == DeviceType::cpu || !device.caps().host_unified);
}

bool worth_staging(const Device& device, std::size_t bytes) {
  const StagingLimits& limits = staging_limits();
  return bytes >= limits.least && (limits.everywhere || is_far_from_host(device));
}

/// The ring, locked and ready; null where there is no page-locked memory to be had.
std::shared_ptr<Ring> ready_ring(Device& device, const Chunks& chunks, std::unique_lock<std::mutex>& lock) {
  std::shared_ptr<Ring> ring = ring_of(device);
  lock = std::unique_lock(ring->mutex);
  try {
    ring->prepare(device, std::max(staging_limits().chunk, chunks.itemsize));
    return ring;
  } catch (const Error&) {
    lock.unlock();
    return nullptr;
  }
}

/// As few and as long axes as show the same elements in the same order.
StridedView collapsed(StridedView host) {
  collapse(host.shape, {&host.strides});
  return host;
}

}  // namespace

StagingLimits& staging_limits() {
  static StagingLimits limits;
  return limits;
}

std::size_t staging_bytes() noexcept { return ring_bytes; }

bool is_near_host(const Allocation& device) {
  return device.host() && device.kind() != MemoryKind::managed && !staging_limits().everywhere;
}

bool worth_staging(Device& device, const void* host, std::size_t bytes) {
  return worth_staging(device, bytes) && !is_page_locked(device, host, bytes);
}

namespace {

/// The host's side of a transfer, and the ring that it goes through, locked; null where it goes directly.
struct StagingPlan {
  StagingPlan(Allocation& device, const StridedView& view)
      : host(collapsed(view)), bytes(bytes_of(host)), dense(is_dense(host)) {
    if (bytes < staging_limits().least) return;  // most are: no look at the device
    Device& owner = device.device();
    if (!(dense ? worth_staging(owner, host.data, bytes) : worth_staging(owner, bytes))) return;
    chunks.emplace(host, bytes);
    ring = ready_ring(owner, *chunks, lock);
  }

  StridedView host;
  std::size_t bytes;
  bool dense;
  std::optional<Chunks> chunks;
  std::shared_ptr<Ring> ring;
  std::unique_lock<std::mutex> lock;  ///< of the ring, and let go before it
};

}  // namespace

EventPtr write_from_host(Queue& queue, Allocation& device, std::size_t offset, const StridedView& view, bool blocking) {
  const StagingPlan plan(device, view);
  if (plan.ring) {
    write_staged(*plan.ring, *plan.chunks, queue, device, offset, plan.host);
    return blocking ? nullptr : queue.record();
  }
  if (plan.dense) return queue.write(device, offset, plan.host.data, plan.bytes, blocking);
  const std::unique_ptr<char[]> copy(new char[plan.bytes]);
  gather(copy.get(), plan.host, 0, element_count(plan.host.shape));
  return queue.write(device, offset, copy.get(), plan.bytes, true);
}

EventPtr read_to_host(Queue& queue, Allocation& device, std::size_t offset, const StridedView& view, bool blocking) {
  const StagingPlan plan(device, view);
  if (plan.ring) {
    read_staged(*plan.ring, *plan.chunks, queue, device, offset, plan.host);
    return nullptr;
  }
  if (plan.dense) return queue.read(plan.host.data, device, offset, plan.bytes, blocking);
  const std::unique_ptr<char[]> copy(new char[plan.bytes]);
  queue.read(copy.get(), device, offset, plan.bytes, true);
  scatter(copy.get(), plan.host, 0, element_count(plan.host.shape));
  return nullptr;
}

}  // namespace devarray
