// A device for tests: its memory is the host's, and work on its queues runs when the test says so, which makes every
// order of completion that a real device can show reproducible. It counts what a memory resource may get wrong.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "memory/resource.hpp"

namespace devarray::mock {

class Queue;

using Storage = std::shared_ptr<std::vector<char>>;

class Device final : public devarray::Device {
 public:
  /// `memory`: bytes it has, `max_allocation`: 0 for no bound below that.
  Device(std::vector<MemoryKind> kinds, std::size_t memory, std::size_t max_allocation = 0);

  DriverKind driver() const noexcept override { return DriverKind::opencl; }
  const Capabilities& caps() const noexcept override { return caps_; }
  int index() const noexcept override { return 0; }
  std::vector<MemoryKind> memory_kinds() const override { return kinds_; }
  AllocationPtr allocate(MemoryKind kind, std::size_t bytes) override;
  QueuePtr create_queue() override;
  QueuePtr default_queue() override;
  /// A queue as CUDA's streams are: the one `with_all` (the legacy default stream) and the others (blocking streams)
  /// run each other's earlier work first.
  QueuePtr create_ordered_queue(bool with_all);
  std::vector<std::shared_ptr<Queue>> ordered_queues();
  ProgramPtr build(const std::string&, const std::string&) override;
  ProgramPtr load(const std::string&, const std::string&) override;
  MemoryInfo memory_info() override;

  // What tests read and set.
  std::atomic<std::size_t> live_allocations{0}, live_bytes{0};
  std::atomic<std::size_t> allocations_made{0};
  std::atomic<std::size_t> freed_in_use{0};              ///< pointers freed under pending work: a bug in a resource
  std::atomic<std::size_t> host_waits{0};                ///< finish() and Event::wait() that had to wait
  std::atomic<std::size_t> events_recorded{0};           ///< record() calls; the events of transfers do not count
  std::atomic<std::size_t> events_waited{0};             ///< wait_event() calls
  std::atomic<bool> drop_waits{false};                   ///< wait_event() does nothing: shows that a test sees the race
  std::atomic<std::size_t> fail_after{~std::size_t{0}};  ///< this many driver allocations succeed from now on

 private:
  const std::vector<MemoryKind> kinds_;
  Capabilities caps_;
  std::mutex mutex_;
  std::weak_ptr<devarray::Queue> default_queue_;  ///< weak, since a queue holds its device
  std::vector<std::weak_ptr<Queue>> ordered_;
};

/// Work in order; nothing runs before step(), run() or a host wait. Thread-safe.
class Queue final : public devarray::Queue {
 public:
  explicit Queue(std::shared_ptr<Device> device, DriverOrder order = {})
      : devarray::Queue(order), device_(std::move(device)) {}
  /// Finishes what is pending, as drivers do with queues that are released.
  ~Queue() override {
    close();
    run_until([this] { return pending() == 0; });
  }

  DevicePtr device() const override { return device_; }
  void do_launch(Kernel&, const LaunchDims&, const MemoryArg*, std::size_t, const std::int64_t*, std::size_t) override;
  EventPtr do_record() override;
  void do_wait_event(devarray::Event& event) override;
  void do_flush() override {}
  void do_finish() override;
  bool do_idle() override { return pending() == 0; }
  EventPtr do_read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) override;
  EventPtr do_write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes, bool blocking) override;
  EventPtr do_copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset,
                   std::size_t bytes) override;
  EventPtr do_fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                   std::size_t bytes) override;
  EventPtr do_read_rect(void*, Allocation&, const Rect&, bool) override;
  EventPtr do_write_rect(Allocation&, const void*, const Rect&, bool) override;
  void* do_map(Allocation& memory, std::size_t offset, std::size_t bytes, MapMode mode) override;
  void do_unmap(Allocation&, void*) override {}
  std::uintptr_t handle() const noexcept override { return reinterpret_cast<std::uintptr_t>(this); }

  std::size_t pending() const;
  /// Does the oldest piece of work; false if there is none or it waits for an event that is not done.
  bool step();
  /// Steps until there is nothing that can be done.
  std::size_t run();
  /// Steps until `done`, running other queues where this one waits for them.
  void run_until(const std::function<bool()>& done);

 private:
  friend class Event;
  struct Work {
    std::function<void()> action;
    EventPtr blocked_on;  ///< done before this can go
  };
  void enqueue(std::function<void()> action, EventPtr blocked_on = nullptr);
  void push(std::function<void()> action, EventPtr blocked_on = nullptr);
  void keep_driver_order();
  EventPtr mark();
  EventPtr finish_if(bool blocking);

  std::shared_ptr<Device> device_;
  mutable std::mutex mutex_;
  std::deque<Work> work_;
  bool running_ = false;  ///< a step has taken work off and not finished it
};

/// Blocks that grow in place within ranges of `range` bytes, which come from the upstream as a whole.
class GrowingResource final : public MemoryResource {
 public:
  GrowingResource(ResourcePtr upstream, std::size_t range, std::size_t granule)
      : upstream_(std::move(upstream)), range_(range), granule_(granule) {}
  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  std::size_t granule() const override { return granule_; }
  bool extend(Block& block, std::size_t bytes) override;
  std::size_t shrink(Block& block, std::size_t bytes) override;
  DevicePtr device() const override { return upstream_->device(); }
  MemoryKind kind() const override { return upstream_->kind(); }
  ResourcePtr upstream() const override { return upstream_; }
  std::size_t trim() override { return upstream_->trim(); }
  std::string describe() const override { return "growing blocks over " + upstream_->describe(); }

  /// Bytes behind the fronts of all blocks.
  std::atomic<std::size_t> mapped{0};

 private:
  const ResourcePtr upstream_;
  const std::size_t range_, granule_;
};

}  // namespace devarray::mock
