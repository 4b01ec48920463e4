#include "testing/mock_driver.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace devarray::mock {
namespace {

/// The bytes live in a Storage that pending work shares, so that even a resource's mistake corrupts nothing here.
class Memory final : public Allocation {
 public:
  Memory(std::shared_ptr<Device> device, MemoryKind kind, std::size_t bytes)
      : Allocation(kind, bytes, nullptr, nullptr),
        storage(std::make_shared<std::vector<char>>(bytes)),
        device_(std::move(device)) {
    handle_ = storage->data();
    if (kind != MemoryKind::buffer && kind != MemoryKind::device) host_ = storage->data();
    ++device_->live_allocations;
    ++device_->allocations_made;
    device_->live_bytes += bytes;
  }
  ~Memory() override {
    // A cl_mem is counted by the driver; everything else must not be freed under work that uses it.
    if (storage.use_count() > 1 && !is_buffer()) ++device_->freed_in_use;
    --device_->live_allocations;
    device_->live_bytes -= size();
  }
  devarray::Device& device() const override { return *device_; }
  const Storage storage;

 private:
  std::shared_ptr<Device> device_;
};

Storage storage_of(Allocation& a) { return static_cast<Memory&>(a).storage; }

[[noreturn]] void unsupported(const char* what) {
  throw DriverError("mock", what, -1, "UNSUPPORTED", "the mock device holds memory and runs no kernels");
}

}  // namespace

class Event final : public devarray::Event, public std::enable_shared_from_this<Event> {
 public:
  Event(std::shared_ptr<Device> device, std::weak_ptr<Queue> queue)
      : device_(std::move(device)), queue_(std::move(queue)) {}
  bool done() override { return done_.load(std::memory_order_acquire); }
  void wait() override {
    if (done()) return;
    ++device_->host_waits;
    drive();
  }
  /// Runs the queue that this is an event of until it is done.
  void drive() {
    while (!done()) {
      if (auto queue = queue_.lock())
        queue->run_until([this] { return done(); });
      else
        std::this_thread::yield();  // the queue ends in another thread, which finishes its work
    }
  }
  void complete() { done_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool> done_{false};
  std::shared_ptr<Device> device_;
  std::weak_ptr<Queue> queue_;
};

Device::Device(std::vector<MemoryKind> kinds, std::size_t memory, std::size_t max_allocation)
    : devarray::Device(DeviceType::cpu), kinds_(std::move(kinds)) {
  permanent_ = false;
  caps_.name = "mock";
  caps_.vendor = caps_.platform = "devarray";
  caps_.host_unified = true;
  caps_.global_memory = memory;
  caps_.max_allocation = max_allocation ? max_allocation : memory;
}

AllocationPtr Device::allocate(MemoryKind kind, std::size_t bytes) {
  if (bytes > caps_.max_allocation || live_bytes + bytes > caps_.global_memory || fail_after == 0) {
    OutOfMemoryError::Figures figures;
    figures.asked = static_cast<long long>(bytes);
    figures.free = static_cast<long long>(caps_.global_memory - live_bytes);
    figures.total = static_cast<long long>(caps_.global_memory);
    throw OutOfMemoryError("mock: " + std::to_string(bytes) + " B do not fit", figures);
  }
  if (fail_after != ~std::size_t{0}) --fail_after;
  return std::make_shared<Memory>(std::static_pointer_cast<Device>(shared_from_this()), kind, bytes);
}

QueuePtr Device::create_queue() {
  return std::make_shared<Queue>(std::static_pointer_cast<Device>(shared_from_this()));
}

QueuePtr Device::default_queue() {
  std::lock_guard lock(mutex_);
  QueuePtr queue = default_queue_.lock();
  if (!queue) default_queue_ = queue = create_queue();
  return queue;
}

QueuePtr Device::create_ordered_queue(bool with_all) {
  auto queue =
      std::make_shared<Queue>(std::static_pointer_cast<Device>(shared_from_this()), DriverOrder{this, with_all});
  std::lock_guard lock(mutex_);
  ordered_.push_back(queue);
  return queue;
}

std::vector<std::shared_ptr<Queue>> Device::ordered_queues() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Queue>> live;
  for (const auto& queue : ordered_)
    if (auto held = queue.lock()) live.push_back(std::move(held));
  return live;
}

ProgramPtr Device::build(const std::string&, const std::string&) { unsupported("build"); }
ProgramPtr Device::load(const std::string&, const std::string&) { unsupported("load"); }

Device::MemoryInfo Device::memory_info() {
  const auto total = static_cast<long long>(caps_.global_memory);
  return {total - static_cast<long long>(live_bytes), total};
}

void Queue::do_launch(Kernel&, const LaunchDims&, const MemoryArg*, std::size_t, const std::int64_t*, std::size_t) {
  unsupported("launch");
}

void Queue::enqueue(std::function<void()> action, EventPtr blocked_on) {
  keep_driver_order();
  push(std::move(action), std::move(blocked_on));
}

void Queue::keep_driver_order() {
  for (const auto& other : device_->ordered_queues()) {
    if (other.get() == this || !timeline()->in_order_with(*other->timeline()) || other->idle()) continue;
    const auto event = std::make_shared<Event>(device_, other);
    other->push([event] { event->complete(); });
    push([] {}, event);
  }
}

void Queue::push(std::function<void()> action, EventPtr blocked_on) {
  std::lock_guard lock(mutex_);
  work_.push_back({std::move(action), std::move(blocked_on)});
}

EventPtr Queue::do_record() {
  ++device_->events_recorded;
  return mark();
}

EventPtr Queue::mark() {
  auto event = std::make_shared<Event>(device_, std::static_pointer_cast<Queue>(weak_from_this().lock()));
  keep_driver_order();
  if (idle())
    event->complete();
  else
    push([event] { event->complete(); });
  return event;
}

void Queue::do_wait_event(devarray::Event& event) {
  ++device_->events_waited;
  if (device_->drop_waits) return;
  enqueue([] {}, static_cast<Event&>(event).shared_from_this());
}

std::size_t Queue::pending() const {
  std::lock_guard lock(mutex_);
  return work_.size() + (running_ ? 1 : 0);
}

bool Queue::step() {
  Work work;
  {
    std::lock_guard lock(mutex_);
    if (running_ || work_.empty()) return false;
    if (work_.front().blocked_on && !work_.front().blocked_on->done()) return false;
    work = std::move(work_.front());
    work_.pop_front();
    running_ = true;
  }
  work.action();
  work = {};
  std::lock_guard lock(mutex_);
  running_ = false;
  return true;
}

std::size_t Queue::run() {
  std::size_t steps = 0;
  while (step()) ++steps;
  return steps;
}

void Queue::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (step()) continue;
    EventPtr blocked_on;
    {
      std::lock_guard lock(mutex_);
      if (!work_.empty()) blocked_on = work_.front().blocked_on;
    }
    if (blocked_on && !blocked_on->done())
      static_cast<Event&>(*blocked_on).drive();
    else
      std::this_thread::yield();  // another thread is at work on this queue
  }
}

void Queue::do_finish() {
  if (idle()) return;
  ++device_->host_waits;
  run_until([this] { return idle(); });
}

EventPtr Queue::finish_if(bool blocking) {
  if (!blocking) return mark();
  finish();
  return nullptr;
}

EventPtr Queue::do_read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) {
  enqueue([=, storage = storage_of(src)] { std::memcpy(dst, storage->data() + offset, bytes); });
  return finish_if(blocking);
}

EventPtr Queue::do_write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes, bool blocking) {
  enqueue([=, storage = storage_of(dst)] { std::memcpy(storage->data() + offset, src, bytes); });
  return finish_if(blocking);
}

EventPtr Queue::do_copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset,
                        std::size_t bytes) {
  enqueue([=, to = storage_of(dst), from = storage_of(src)] {
    std::memmove(to->data() + dst_offset, from->data() + src_offset, bytes);
  });
  return mark();
}

EventPtr Queue::do_fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                        std::size_t bytes) {
  std::string unit(static_cast<const char*>(pattern), pattern_bytes);
  if (pattern_bytes == 1) unit.assign(4096, unit[0]);
  enqueue([=, storage = storage_of(dst)] {
    for (std::size_t done = 0; done < bytes; done += unit.size())
      std::memcpy(storage->data() + offset + done, unit.data(), std::min(unit.size(), bytes - done));
  });
  return mark();
}

EventPtr Queue::do_read_rect(void*, Allocation&, const Rect&, bool) { unsupported("read_rect"); }
EventPtr Queue::do_write_rect(Allocation&, const void*, const Rect&, bool) { unsupported("write_rect"); }

void* Queue::do_map(Allocation& memory, std::size_t offset, std::size_t, MapMode) {
  finish();
  return storage_of(memory)->data() + offset;
}

Ref<Block> GrowingResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  if (bytes == 0) return empty_block(queue);
  const std::size_t whole = (bytes + granule_ - 1) / granule_ * granule_;
  Ref<Block> base = upstream_->allocate(std::max(whole, range_), queue);
  Ref<Block> block(new Block);
  block->allocation = base->allocation;
  block->offset = base->offset;
  block->base = std::move(base);
  block->size = bytes;
  block->capacity = whole;
  block->timeline = timeline_of(queue);
  block->owner = shared_from_this();
  mapped += whole;
  return block;
}

void GrowingResource::deallocate(Block* block) noexcept {
  mapped -= block->capacity;
  block->base->timeline = std::move(block->timeline);
  block->base->foreign_uses = std::move(block->foreign_uses);
  delete block;
}

bool GrowingResource::extend(Block& block, std::size_t bytes) {
  if (bytes % granule_ || bytes > block.base->size - block.capacity) return false;
  block.size = block.capacity += bytes;
  mapped += bytes;
  return true;
}

std::size_t GrowingResource::shrink(Block& block, std::size_t bytes) {
  bytes = std::min(bytes, block.capacity) / granule_ * granule_;
  block.size = block.capacity -= bytes;
  mapped -= bytes;
  return bytes;
}

}  // namespace devarray::mock
