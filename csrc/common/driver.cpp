#include "common/driver.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "common/fork.hpp"
#include "common/gil.hpp"

namespace devarray {

const char* name_of(DriverKind kind) { return kind == DriverKind::opencl ? "opencl" : "cuda"; }

const char* name_of(DeviceType type) {
  switch (type) {
    case DeviceType::cpu: return "cpu";
    case DeviceType::gpu: return "gpu";
    default: return "accelerator";
  }
}

const char* name_of(Strategy strategy) { return strategy == Strategy::cpu ? "cpu" : "gpu"; }

const char* name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::buffer: return "buffer";
    case MemoryKind::svm_coarse: return "svm_coarse";
    case MemoryKind::svm_fine: return "svm_fine";
    case MemoryKind::device: return "device";
    case MemoryKind::managed: return "managed";
    default: return "pinned";
  }
}

namespace {
std::atomic<bool> shutdown_flag{false};
std::atomic<Strategy> strategy_of_cpus{Strategy::cpu};
}  // namespace

bool shutting_down() noexcept { return shutdown_flag.load(std::memory_order_relaxed); }
void set_shutting_down() noexcept { shutdown_flag.store(true, std::memory_order_relaxed); }

void set_strategy_of_cpus(Strategy strategy) noexcept { strategy_of_cpus = strategy; }

void Device::require_room(MemoryKind kind, std::size_t bytes) {
  if (kind == MemoryKind::managed || kind == MemoryKind::pinned) return;  // the host's, too: only the driver knows
  // Some give far more than what they say they allow, as NVIDIA's OpenCL does, which says a quarter: up to all of the
  // memory only the driver decides.
  const std::size_t most = std::max(caps().max_allocation, caps().global_memory);
  if (bytes > most) raise_out_of_memory(kind, bytes, "the device has " + std::to_string(most) + " in all");
}

void Device::raise_out_of_memory(MemoryKind kind, std::size_t bytes, const std::string& why) {
  const MemoryInfo info = memory_info();
  OutOfMemoryError::Figures figures;
  figures.asked = static_cast<long long>(bytes);
  figures.free = info.free;
  figures.total = info.total;
  throw OutOfMemoryError(
      "cannot allocate " + std::to_string(bytes) + " bytes of " + name_of(kind) + " memory on " + label() + ": " + why,
      figures);
}

std::uint64_t new_serial() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

namespace {
struct Queues {
  std::mutex mutex;
  std::set<Queue*> live;
};
Queues& all_queues() {
  static auto* q = new Queues;  // outlives every static that may hold a queue
  return *q;
}

struct Devices {
  std::mutex mutex;
  std::set<std::uint64_t> live;
};
Devices& all_devices() {
  static auto* d = new Devices;  // outlives every static that may hold a device
  return *d;
}
}  // namespace

Queue::Queue(DriverOrder order) : timeline_(std::make_shared<Timeline>(*this, order)) {
  Queues& q = all_queues();
  std::lock_guard lock(q.mutex);
  q.live.insert(this);
}

Queue::~Queue() {
  timeline_->close();
  Queues& q = all_queues();
  std::lock_guard lock(q.mutex);
  q.live.erase(this);
}

double steady_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

/// The host's time between an empty queue and an empty queue.
class HostStopwatch final : public Stopwatch {
 public:
  explicit HostStopwatch(Queue& queue) : queue_(queue) {
    queue.finish();
    span_.begin = steady_seconds();
  }
  void stop() override {
    queue_.finish();
    span_.end = steady_seconds();
  }
  Span span() override { return span_; }

 private:
  Queue& queue_;
  Span span_;
};

}  // namespace

std::unique_ptr<Stopwatch> Queue::do_stopwatch() { return std::make_unique<HostStopwatch>(*this); }

std::size_t Queue::live() {
  Queues& q = all_queues();
  std::lock_guard lock(q.mutex);
  return q.live.size();
}

std::vector<QueuePtr> Queue::all() {
  Queues& q = all_queues();
  std::lock_guard lock(q.mutex);
  std::vector<QueuePtr> found;
  for (Queue* queue : q.live)
    if (QueuePtr held = queue->weak_from_this().lock()) found.push_back(std::move(held));
  return found;
}

void Queue::finish_on_cpus(double seconds) {
  if (forked()) return;
  const double end = steady_seconds() + seconds;
  for (const QueuePtr& queue : all()) {
    if (queue->device()->type() != DeviceType::cpu || queue->known_idle()) continue;
    try {
      const EventPtr last = queue->mark();  // not for what other threads give to it from now on
      while (!last->done() && steady_seconds() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } catch (const Error&) {  // it is broken, or its work failed: nothing of it runs
    }
  }
}

EventPtr Queue::do_mark() {
  EventPtr event = record();
  flush();
  return event;
}

void Queue::launch_held_back() const {
  if (!gil_hooks().held || !gil_hooks().held()) return;
  const std::shared_ptr<HeldBack> held = held_back;
  if (held) held->launch(const_cast<Queue&>(*this));
}

void Queue::close() noexcept {
  held_back = nullptr;  // nobody has a result of it: their memory would keep the queue
  if (timeline_.use_count() == 1 || shutting_down()) return;  // no memory to protect; ~Queue does the rest
  Timeline& t = *timeline_;
  std::lock_guard lock(t.mutex_);
  try {
    t.last_ = t.last_event();
  } catch (const std::exception&) {
    // It takes no event: its context is gone, or it is broken and has said so.
    try {
      finish();
    } catch (const std::exception&) {
    }
  }
  t.queue_ = nullptr;
  t.open_.store(false, std::memory_order_release);
}

QueuePtr Timeline::queue() {
  std::lock_guard lock(mutex_);
  return queue_ ? queue_->weak_from_this().lock() : nullptr;
}

EventPtr Timeline::last_event() {
  if (!queue_) {
    if (last_ && last_->done()) last_ = nullptr;
    return last_;
  }
  if (queue_->idle()) return nullptr;
  return queue_->mark();  // OpenCL: an event that another queue waits for must have been submitted
}

void Timeline::settle() {
  if (!gil_hooks().before_release.load(std::memory_order_relaxed)) return;
  if (const QueuePtr queue = this->queue()) queue->settle();
}

EventPtr Timeline::behind() {
  settle();
  std::lock_guard lock(mutex_);
  return last_event();
}

bool Timeline::over() {
  settle();
  std::lock_guard lock(mutex_);
  return queue_ ? queue_->idle() : !last_event();
}

void Timeline::wait() {
  if (const EventPtr event = behind()) event->wait();
}

void Timeline::close() noexcept {
  std::lock_guard lock(mutex_);
  queue_ = nullptr;
  open_.store(false, std::memory_order_release);
}

Device::Device(DeviceType type)
    : type_(type), strategy_(type == DeviceType::cpu ? strategy_of_cpus.load() : Strategy::gpu) {
  Devices& d = all_devices();
  std::lock_guard lock(d.mutex);
  d.live.insert(serial_);
}

Device::~Device() {
  Devices& d = all_devices();
  std::lock_guard lock(d.mutex);
  d.live.erase(serial_);
}

std::vector<std::uint64_t> Device::live() {
  Devices& d = all_devices();
  std::lock_guard lock(d.mutex);
  return {d.live.begin(), d.live.end()};
}

void Allocation::throw_released() const {
  throw ValueError(std::string("the memory (") + name_of(kind_) + ", " + std::to_string(size_) +
                   " bytes) was released; neither it nor what lies on it can be used any more");
}

void Allocation::require_releasable() const {
  handle();
  if (lent_.load(std::memory_order_relaxed))
    throw ValueError(
        std::string("the memory (") + name_of(kind_) + ", " + std::to_string(size_) +
        " bytes) belongs to an allocator, and other arrays may lie on it: it goes back when the last of "
        "them is gone. Drop the arrays (del), then trim() the allocator to give free memory to the driver");
}

std::string Device::label() const {
  return std::string(name_of(driver())) + ":" + std::to_string(index()) + " (" + caps().name + ")";
}

}  // namespace devarray
