// Command queues.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "opencl/device.hpp"
#include "opencl/event.hpp"

namespace devarray::opencl {

class CommandQueue final : public Queue {
 public:
  CommandQueue(ContextDevicePtr device, Handle<cl_command_queue> queue);
  ~CommandQueue() override { close(); }
  static std::shared_ptr<CommandQueue> create(const ContextDevicePtr& device, cl_command_queue_properties properties);
  static Handle<cl_command_queue> create_raw(const ContextDevice& device, cl_command_queue_properties properties);

  /// For work that is enqueued past this class, too.
  cl_command_queue get() const {
    settle();
    return queue_.get();
  }
  const ContextDevicePtr& engine_device() const noexcept { return device_; }
  cl_command_queue_properties properties() const noexcept { return properties_; }
  bool in_order() const noexcept { return !(properties_ & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }
  /// Tells idle() that something was enqueued past this class.
  void touch() noexcept override { dirty_.fetch_add(1, std::memory_order_relaxed); }
  /// Says that the `with` statement of this queue has ended: PyOpenCL warns of uses after it.
  void leave() noexcept { left_.store(true, std::memory_order_relaxed); }
  bool left() const noexcept { return left_.load(std::memory_order_relaxed); }

  // The methods below throw DeviceError on an out-of-order queue: the engine relies on order.
  DevicePtr device() const override { return device_; }
  void do_launch(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
                 const std::int64_t* slots, std::size_t nslots) override;
  EventPtr do_record() override;
  EventPtr do_mark() override;
  /// An event of another context or driver cannot be handed to this one: then the calling thread waits for it.
  void do_wait_event(Event& event) override;
  void do_flush() override;
  void do_finish() override;
  bool do_idle() override;
  bool do_known_idle() const noexcept override {
    return in_order() && dirty_.load(std::memory_order_relaxed) == quiet_.load(std::memory_order_acquire);
  }
  bool do_seen_idle() noexcept override;
  void note_short() noexcept override;
  bool only_short() noexcept override;
  EventPtr do_read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) override;
  EventPtr do_write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes, bool blocking) override;
  EventPtr do_copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset,
                   std::size_t bytes) override;
  EventPtr do_fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                   std::size_t bytes) override;
  EventPtr do_read_rect(void* dst, Allocation& src, const Rect& rect, bool blocking) override;
  EventPtr do_write_rect(Allocation& dst, const void* src, const Rect& rect, bool blocking) override;
  void* do_map(Allocation& memory, std::size_t offset, std::size_t bytes, MapMode mode) override;
  void do_unmap(Allocation& memory, void* mapped) override;
  std::uintptr_t handle() const noexcept override { return reinterpret_cast<std::uintptr_t>(queue_.get()); }

 private:
  enum class Direction : bool { read, write };
  void require_order() const;
  EventPtr marker();  ///< behind all that was enqueued, in any order
  EventPtr finished(cl_event event);
  /// A blocking write returns once the host memory may be reused, which can be before another queue sees the bytes.
  EventPtr written(cl_event event, bool blocking);
  /// For memory that the host may touch: on CPU runtimes this takes a third of the time of a small enqueued copy, and
  /// no more than a large one.
  void copy_on_host(void* dst, const void* src, std::size_t bytes);
  EventPtr transfer_rect(Direction direction, Allocation& memory, void* host, const Rect& rect, bool blocking);
  EventPtr buffer_rect(Direction direction, Allocation& memory, void* host, Rect rect, bool blocking);
  void svm_rect(Direction direction, Allocation& memory, void* host, const Rect& rect);

  ContextDevicePtr device_;
  Handle<cl_command_queue> queue_;
  cl_command_queue_properties properties_;
  std::atomic<bool> left_{false};
  // idle(): the driver has no such query, so a marker stands behind the work counted so far.
  std::atomic<std::uint64_t> dirty_{0};
  std::mutex idle_mutex_;
  std::uint64_t marked_ = 0;             ///< the count that `marker_` stands behind
  std::atomic<std::uint64_t> quiet_{0};  ///< the count up to which work is known to be done
  EventPtr marker_;
  std::atomic<int> watched_{0};       ///< launches still to keep an event of, since seen_idle() was asked
  Handle<cl_event> launched_;         ///< on CPUs: the last of these, for seen_idle()
  std::uint64_t launched_count_ = 0;  ///< the count with it
  std::uint64_t short_count_ = 0;     ///< the count up to which all that is not known to be done is short
};
using CommandQueuePtr = std::shared_ptr<CommandQueue>;

}  // namespace devarray::opencl
