#include "memory/pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "memory/block_record.hpp"

namespace devarray {
namespace {

/// Blocks that grow in place do so by this part of what the pool has, so that many small steps are few.
constexpr std::size_t kStretchShare = 32;
/// More than any device can address; keeps the arithmetic of rounding away from its end.
constexpr std::size_t largest_request = std::size_t{1} << 60;

std::string bytes_text(long long bytes) {
  if (bytes < 0) return "unknown";
  return bytes < (10 << 20) ? std::to_string(bytes) + " B" : std::to_string(bytes >> 20) + " MiB";
}

/// Fresh memory of the host, that a CPU computes in: in huge pages, for whose addresses the processor has room (200
/// columns of a matrix of 13 MB by a vector: 112 us in place of 145), and if small blocks are to share it (`shared`),
/// backed with pages now. CPU kernels are vectors with masks: a last group reads and writes past its array with all
/// lanes off, and where no page is, each such access takes the processor's slow path (16 elements in a group of 1024: 2
/// us a launch).
void ask_for_pages(const Block& base, bool shared) {
  const Allocation& memory = *base.allocation;
  if (!memory.host() || memory.device().type() != DeviceType::cpu) return;
  const auto advise = [&](std::uintptr_t begin, std::uintptr_t end, int advice) {
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, advice);  // where refused, only slower
  };
  constexpr std::uintptr_t kPage = 4096, kHugePage = std::uintptr_t{2} << 20;
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14; headers may be older than the kernel
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory.host()) + base.offset, end = begin + base.size;
#ifdef MADV_HUGEPAGE
  advise((begin + kHugePage - 1) & ~(kHugePage - 1), end & ~(kHugePage - 1), MADV_HUGEPAGE);
#endif
  if (shared) advise(begin & ~(kPage - 1), (end + kPage - 1) & ~(kPage - 1), kPopulateWrite);
}

/// Returns a block's memory upstream, with its uses, which the upstream orders the memory's next life behind.
void give_back(Block* block) noexcept {
  Block& base = *block->base;
  base.timeline = std::move(block->timeline);
  base.foreign_uses = std::move(block->foreign_uses);
  delete block;
}

}  // namespace

PoolResource::PoolResource(ResourcePtr upstream, std::unique_ptr<FreeStore> store)
    : upstream_(std::move(upstream)), store_(std::move(store)) {}

PoolResource::~PoolResource() { free_whole(); }

Ref<Block> PoolResource::try_allocate(std::size_t bytes, const QueuePtr& queue) {
  if (bytes == 0) return empty_block(queue);
  if (bytes > largest_request) return nullptr;
  Block* block;
  {
    std::lock_guard lock(lock_);
    block = store_->take(bytes, queue ? queue->timeline().get() : nullptr);
    if (!block) return nullptr;
    ++figures_.hits;
    count_active(*block, bytes);
  }
  return hand_out(block, queue);
}

Ref<Block> PoolResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  if (Ref<Block> block = try_allocate(bytes, queue)) return block;
  if (bytes > largest_request) throw_exhausted(bytes, OutOfMemoryError("no device has that much", {}));
  if (Ref<Block> block = take_from_any_queue(bytes, queue, false)) return block;
  return grow(bytes, queue);
}

void PoolResource::deallocate(Block* block) noexcept {
  if (!block->allocation) {
    delete block;
    return;
  }
  {
    std::lock_guard lock(lock_);
    --figures_.active_blocks;
    figures_.active_bytes -= block->size;
    if (store_->put(*block)) block = nullptr;
    if (block) figures_.managed_bytes -= block->capacity;
    if (holding_ && !block) return;
  }
  if (block)
    give_back(block);
  else
    free_whole();
}

PoolFigures PoolResource::figures() const {
  std::lock_guard lock(lock_);
  PoolFigures f = figures_;
  f.held_blocks = store_->held_blocks();
  f.held_bytes = store_->held_bytes();
  f.largest_hole = store_->largest_hole();
  return f;
}

void PoolResource::reset_peaks() {
  std::lock_guard lock(lock_);
  figures_.peak_active_bytes = figures_.active_bytes;
  figures_.peak_managed_bytes = figures_.managed_bytes;
}

std::size_t PoolResource::free_held() { return free_whole() + shorten(false); }

std::size_t PoolResource::free_whole() {
  std::size_t freed = 0;
  while (true) {
    Block* block;
    {
      std::lock_guard lock(lock_);
      block = store_->take_whole();
      if (!block) return freed;
      figures_.managed_bytes -= block->capacity;
    }
    freed += block->capacity;
    give_back(block);
  }
}

/// Gives back what is free at the end of blocks that the upstream can make shorter; where pending work uses it, after a
/// wait or not at all.
std::size_t PoolResource::shorten(bool wait) {
  const std::size_t granule = upstream_->granule();
  if (!granule) return 0;
  std::lock_guard one_at_a_time(stretching_);
  std::size_t freed = 0;
  while (true) {
    FreeStore::Tail tail;
    {
      std::lock_guard lock(lock_);
      tail = store_->take_tail(granule);
    }
    if (!tail.block) return freed;
    std::size_t cut = 0;
    try {
      if (wait) tail.block->wait();
      if (tail.block->quiet()) cut = upstream_->shrink(*tail.base, tail.block->capacity);
    } catch (...) {
      std::lock_guard lock(lock_);
      store_->put_tail(*tail.block, 0);
      throw;
    }
    std::lock_guard lock(lock_);
    store_->put_tail(*tail.block, cut);
    figures_.managed_bytes -= cut;
    freed += cut;
    if (!cut) return freed;
  }
}

std::size_t PoolResource::trim() { return free_held() + upstream_->trim(); }

void PoolResource::stop_holding() {
  {
    std::lock_guard lock(lock_);
    holding_ = false;
  }
  free_held();
}

bool PoolResource::holding() const {
  std::lock_guard lock(lock_);
  return holding_;
}

void PoolResource::count_active(Block& block, std::size_t bytes) {
  block.size = bytes;
  ++figures_.active_blocks;
  figures_.active_bytes += bytes;
  figures_.peak_active_bytes = std::max(figures_.peak_active_bytes, figures_.active_bytes);
}

Ref<Block> PoolResource::hand_out(Block* block, const QueuePtr& queue) {
  if (!queue)
    block->timeline = nullptr;
  else if (block->timeline != queue->timeline())
    block->timeline = queue->timeline();
  block->owner = shared_from_this();
  Ref<Block> given(block);
  note_block(*given);
  return given;
}

/// A held block that another queue used last, or that has uses on other queues: behind their events.
Ref<Block> PoolResource::take_from_any_queue(std::size_t bytes, const QueuePtr& queue, bool last_resort) {
  Block* block;
  {
    std::lock_guard lock(lock_);
    block = store_->take_any(bytes, queue ? queue->timeline().get() : nullptr, last_resort);
    if (!block) return nullptr;
    ++figures_.hits;
    count_active(*block, bytes);
  }
  try {
    if (queue)
      block->hand_to(queue);
    else if (!block->quiet()) {
      take_back(*block);
      return nullptr;
    }
  } catch (...) {
    take_back(*block);
    throw;
  }
  return hand_out(block, queue);
}

/// Undoes the taking of a block that could not be handed out.
void PoolResource::take_back(Block& block) noexcept {
  std::lock_guard lock(lock_);
  --figures_.hits;
  --figures_.active_blocks;
  figures_.active_bytes -= block.size;
  store_->put(block);
}

/// Lets the upstream make a block longer in which only the end is missing. Null where it cannot.
Ref<Block> PoolResource::stretch(std::size_t bytes, const QueuePtr& queue) {
  const std::size_t granule = upstream_->granule();
  if (!granule) return nullptr;
  {
    std::lock_guard one_at_a_time(stretching_);
    FreeStore::Stretch found;
    std::size_t step;
    {
      std::lock_guard lock(lock_);
      found = store_->stretch(bytes);
      step = figures_.managed_bytes / kStretchShare;
    }
    if (!found.base) return nullptr;
    const auto whole = [granule](std::size_t n) { return (n + granule - 1) / granule * granule; };
    const std::size_t more = found.missing ? whole(std::max(found.missing, step)) : 0;
    try {
      if (more && !upstream_->extend(*found.base, more)) return nullptr;
    } catch (const OutOfMemoryError&) {
      return nullptr;  // grow() frees what it can, and says what there is
    }
    std::lock_guard lock(lock_);
    if (more && store_->stretched(*found.base, more)) {
      ++figures_.misses;
      figures_.managed_bytes += more;
      figures_.peak_managed_bytes = std::max(figures_.peak_managed_bytes, figures_.managed_bytes);
    }
  }
  return take_from_any_queue(bytes, queue, false);
}

Ref<Block> PoolResource::grow(std::size_t bytes, const QueuePtr& queue) {
  if (Ref<Block> block = stretch(bytes, queue)) return block;
  std::size_t capacity = store_->growth(bytes);
  if (const std::size_t granule = upstream_->granule()) capacity = (bytes + granule - 1) / granule * granule;
  const std::size_t limit = upstream_->device()->caps().max_allocation;
  if (limit > 0 && capacity > limit) capacity = bytes;
  make_room(bytes, capacity);
  try {
    std::shared_lock growing(growing_);
    try {
      return adopt(upstream_->allocate(capacity, queue), bytes, queue);
    } catch (const OutOfMemoryError&) {
      return adopt(ask_after_trim(bytes, capacity, queue), bytes, queue);
    }
  } catch (const OutOfMemoryError& e) {
    std::unique_lock alone(growing_);  // what other threads took from the upstream is the pool's by then
    if (Ref<Block> block = take_from_any_queue(bytes, queue, true)) return block;
    throw_exhausted(bytes, e);
  }
}

/// Takes memory of the upstream's into the pool, and hands out the first part of it.
Ref<Block> PoolResource::adopt(Ref<Block> base, std::size_t bytes, const QueuePtr& queue) {
  const std::size_t got = base->size;
  ask_for_pages(*base, got >= 2 * bytes);
  Block* block;
  {
    std::lock_guard lock(lock_);
    block = store_->adopt(std::move(base), bytes);
    ++figures_.misses;
    figures_.managed_bytes += got;
    figures_.peak_managed_bytes = std::max(figures_.peak_managed_bytes, figures_.managed_bytes);
    count_active(*block, bytes);
  }
  return hand_out(block, queue);
}

/// Before the pool grows past its peak, it frees what was too small for the request.
void PoolResource::make_room(std::size_t bytes, std::size_t capacity) {
  while (true) {
    Block* block;
    {
      std::lock_guard lock(lock_);
      if (figures_.managed_bytes + capacity <= figures_.peak_managed_bytes) return;
      block = store_->take_outgrown(bytes);
      if (!block) return;
      figures_.managed_bytes -= block->capacity;
    }
    give_back(block);
  }
}

/// The upstream has nothing left: gives it what is held here and asks again, for no more than needed if it must be.
/// The resource at the bottom waits for memory that is about to be free before it gives up.
Ref<Block> PoolResource::ask_after_trim(std::size_t bytes, std::size_t capacity, const QueuePtr& queue) {
  trim();
  shorten(true);
  try {
    return upstream_->allocate(capacity, queue);
  } catch (const OutOfMemoryError&) {
    if (capacity == bytes) throw;
  }
  return upstream_->allocate(bytes, queue);
}

void PoolResource::throw_exhausted(std::size_t asked, const OutOfMemoryError& cause) const {
  const PoolFigures now = figures();
  OutOfMemoryError::Figures f = cause.figures;
  f.asked = static_cast<long long>(asked);
  f.held = static_cast<long long>(now.held_bytes);
  f.active = static_cast<long long>(now.active_bytes);
  f.largest_hole = static_cast<long long>(now.largest_hole);
  if (f.total < 0) {
    const Device::MemoryInfo info = device()->memory_info();
    f.free = info.free;
    f.total = info.total;
  }
  throw OutOfMemoryError(describe() + " cannot provide " + bytes_text(f.asked) + ": " + bytes_text(f.free) + " of " +
                             bytes_text(f.total) + " free below it; " + bytes_text(f.active) + " are in use in " +
                             std::to_string(now.active_blocks) + " blocks, " + bytes_text(f.held) +
                             " are held, the largest hole is " + bytes_text(f.largest_hole) +
                             ". Free arrays, work on smaller pieces, or give another allocator. Cause: " + cause.what(),
                         f);
}

std::shared_ptr<PoolResource> bin_pool(ResourcePtr upstream, unsigned leading_bits) {
  return std::make_shared<PoolResource>(std::move(upstream), bin_store(leading_bits));
}

std::shared_ptr<PoolResource> pool_resource(ResourcePtr upstream) {
  if (upstream->kind() == MemoryKind::buffer) return bin_pool(std::move(upstream));
  return std::make_shared<PoolResource>(std::move(upstream), arena_store());
}

}  // namespace devarray
