// CUDA streams: the queues of CUDA devices.
#pragma once

#include <mutex>

#include "cuda/event.hpp"
#include "cuda/host_slot.hpp"

namespace devarray::cuda {

class Stream final : public Queue {
 public:
  /// Without CU_STREAM_NON_BLOCKING it orders with the legacy default stream. A lower priority value goes first.
  static std::shared_ptr<Stream> create(const ContextPtr& context, unsigned flags = CU_STREAM_DEFAULT,
                                        int priority = 0);
  /// A stream that somebody else made and destroys, or one of the driver's own (0, CU_STREAM_LEGACY,
  /// CU_STREAM_PER_THREAD). `owner` is what keeps it, and is let go of with this object.
  static std::shared_ptr<Stream> external(const ContextPtr& context, CUstream stream,
                                          std::shared_ptr<void> owner = nullptr);

  Stream(ContextPtr context, CUstream stream, bool owned, DriverOrder order, std::shared_ptr<void> owner = nullptr)
      : Queue(order), context_(std::move(context)), owner_(std::move(owner)), stream_(stream), owned_(owned) {}
  ~Stream() override;

  DevicePtr device() const override;
  void do_launch(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
                 const std::int64_t* slots, std::size_t nslots) override;
  EventPtr do_record() override;
  void do_wait_event(devarray::Event& event) override;
  void do_flush() override {}  // the driver submits by itself
  void do_finish() override;
  bool do_idle() override;
  bool is_captured() const override;

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

  /// By events: nothing waits until span().
  std::unique_ptr<Stopwatch> do_stopwatch() override;

  std::uintptr_t handle() const noexcept override { return reinterpret_cast<std::uintptr_t>(stream_); }
  /// For work that is enqueued past this class.
  CUstream raw() const {
    settle();
    return stream_;
  }
  bool owned() const noexcept { return owned_; }  ///< not one that somebody else made
  const ContextPtr& context() const noexcept { return context_; }
  int priority() const;

 private:
  /// After a blocking transfer: waits and returns null, else returns an event.
  EventPtr finished(bool blocking);
  void transfer_rect(void* host, CUdeviceptr device, const Rect& rect, bool to_host);

  /// One copy between the device and memory of the host. The driver refuses a range of which a part is page-locked
  /// (an array may share a page with one that is); that goes through page-locked memory of ours.
  void copy_host(void* host, CUdeviceptr device, std::size_t bytes, bool to_host);
  /// What may be used while `lock` holds the mutex; null where another thread has it.
  HostSlot* slot(std::unique_lock<std::mutex>& lock);
  /// An event that was over at a time of the host's clock.
  struct Origin {
    std::shared_ptr<Event> event;
    double seconds = 0;
  };
  Origin origin();

  ContextPtr context_;
  std::shared_ptr<void> owner_;
  CUstream stream_;
  bool owned_;
  std::mutex slot_mutex_;
  std::unique_ptr<HostSlot> slot_;
  Origin origin_;
};

}  // namespace devarray::cuda
