// What the engine and the memory resources ask of a driver, and nothing more. opencl/ and cuda/ implement these
// classes; everything a driver offers beyond them is reached through its own classes.
//
// Rules for every implementation:
// - No Python in here: the caller has released the GIL before anything that waits.
// - All methods may be called from any thread. A CUDA implementation makes its context current itself.
// - Destructors never throw and do nothing once `shutting_down()` is true.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace devarray {

enum class DriverKind : std::uint8_t { opencl, cuda };
enum class DeviceType : std::uint8_t { cpu, gpu, accelerator };
/// How work is cut up: for a few cores with vectors and caches of their own, or for many work-items side by side.
/// Everything that chooses a kernel, its geometry or a way for data asks Device::strategy(); what a device is (type,
/// limits, binaries) and what the host sees (Allocation::host) are other questions.
enum class Strategy : std::uint8_t { cpu, gpu };

/// buffer: cl_mem. svm_coarse / svm_fine: OpenCL shared virtual memory. device, managed, pinned: CUDA.
enum class MemoryKind : std::uint8_t { buffer, svm_coarse, svm_fine, device, managed, pinned };

const char* name_of(DriverKind kind);
const char* name_of(DeviceType type);
const char* name_of(Strategy strategy);
const char* name_of(MemoryKind kind);

/// Set at interpreter shutdown: from then on nothing is released to a driver that may be gone already.
bool shutting_down() noexcept;
void set_shutting_down() noexcept;

/// The strategy that CPU devices take which are made from now on (DEVARRAY_STRATEGY); all others take the GPUs'.
void set_strategy_of_cpus(Strategy strategy) noexcept;
/// A number that nothing else in this process has had. Caches that outlive what they are about go by it: an address is
/// given to the next object.
std::uint64_t new_serial() noexcept;

class Device;
class Queue;
class Timeline;
class Event;
class Kernel;
class Program;
class Allocation;
using DevicePtr = std::shared_ptr<Device>;
using QueuePtr = std::shared_ptr<Queue>;
using TimelinePtr = std::shared_ptr<Timeline>;
using EventPtr = std::shared_ptr<Event>;
using KernelPtr = std::shared_ptr<Kernel>;
using ProgramPtr = std::shared_ptr<Program>;
using AllocationPtr = std::shared_ptr<Allocation>;

/// What a device can do. Read from the driver once.
struct Capabilities {
  std::string name, vendor, platform, version, driver_version;
  /// Compiler, driver and device in one string: part of every kernel cache key.
  std::string fingerprint;
  bool fp64 = false;
  bool fp16 = false;          ///< arithmetic in float16; storage works everywhere
  bool host_unified = false;  ///< the device's memory is the host's
  bool int64_atomics = false;
  bool partial_groups = false;  ///< launches need not be whole groups: the last ones may hold fewer work-items
  std::size_t max_work_group_size = 1;
  std::size_t compute_units = 1;
  std::size_t local_memory = 0;    ///< bytes of local/shared memory a work-group can have
  std::size_t global_memory = 0;   ///< bytes
  std::size_t max_allocation = 0;  ///< bytes
  std::size_t max_parameter_bytes = 1024;
  std::size_t sub_buffer_alignment = 1;      ///< bytes
  unsigned simd_width = 1;                   ///< warp size, or the preferred work-group multiple
  int compute_major = 0, compute_minor = 0;  ///< NVIDIA's compute capability, else 0
};

/// A piece of driver memory. Its destructor gives it back, or a release by hand before; after that nothing that lies on
/// it can be used, and says so.
class Allocation {
 public:
  virtual ~Allocation() = default;
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  MemoryKind kind() const noexcept { return kind_; }
  std::size_t size() const noexcept { return size_; }
  /// The cl_mem for buffers, the device address for everything else. What kernels get.
  /// Throws ValueError once released.
  void* handle() const {
    if (!handle_) [[unlikely]]
      throw_released();
    return handle_;
  }
  bool is_buffer() const noexcept { return kind_ == MemoryKind::buffer; }
  /// Where the host may read and write it without a map, or null.
  void* host() const noexcept { return host_; }
  virtual Device& device() const = 0;

  /// While a memory resource has it in use it is the resource's to give back, and under arrays that share it.
  void lend() noexcept { lent_.fetch_add(1, std::memory_order_relaxed); }
  void take_back() noexcept { lent_.fetch_sub(1, std::memory_order_relaxed); }

 protected:
  Allocation(MemoryKind kind, std::size_t size, void* handle, void* host)
      : kind_(kind), size_(size), handle_(handle), host_(host) {}
  /// For every release by hand: throws ValueError where it was released before, or is a resource's.
  void require_releasable() const;
  MemoryKind kind_;
  std::atomic<std::uint32_t> lent_{0};
  std::size_t size_;
  void* handle_;
  void* host_;

 private:
  [[noreturn]] void throw_released() const;
};

class Event {
 public:
  virtual ~Event() = default;
  virtual bool done() = 0;
  virtual void wait() = 0;  ///< blocks the calling thread
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::string name() const = 0;
  virtual std::size_t max_work_group_size() const = 0;  ///< for this kernel on its device

  /// Notes a use. The kernel cache lets go of kernels that had none since it looked last.
  void note_use() noexcept {
    if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
  }
  /// Whether there was one since the last call.
  bool take_use() noexcept { return used_.exchange(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> used_{false};
};

class Program {
 public:
  virtual ~Program() = default;
  virtual KernelPtr kernel(const std::string& name) = 0;
  virtual std::string binary() const = 0;  ///< loads again through Device::load
  virtual std::string log() const = 0;     ///< the compiler's log, warnings included
};

/// One memory argument of an engine kernel.
struct MemoryArg {
  void* handle;
  bool is_buffer;
};

struct LaunchDims {
  std::size_t groups[3] = {1, 1, 1};
  std::size_t local[3] = {1, 1, 1};
  std::size_t items[3] = {0, 0, 0};  ///< work-items in all where the last groups are partial ones; 0: all are whole
};

enum class MapMode : std::uint8_t { read, write, read_write };

/// A rectangular copy, at most three dimensions, innermost first. Sizes, origins and pitches in bytes for the
/// innermost dimension, in rows and slices for the others; pitches are bytes from row to row and slice to slice.
struct Rect {
  std::size_t region[3] = {0, 1, 1};
  std::size_t device_offset = 0, host_offset = 0;
  std::size_t device_pitch[2] = {0, 0}, host_pitch[2] = {0, 0};
};

/// Order that the driver keeps between queues without being told. CUDA runs work of the legacy default stream behind
/// all earlier work of the context's blocking streams, and theirs behind its.
struct DriverOrder {
  const void* among = nullptr;  ///< the context of such queues; null for those that no other is ordered with
  bool with_all = false;        ///< the one that orders with all others: they do not with one another
};

/// The order of one queue's work, which outlives the queue: memory notes its uses here, and keeps no queue alive by
/// that. Thread-safe.
class Timeline {
 public:
  explicit Timeline(Queue& queue, DriverOrder order = {}) : queue_(&queue), order_(order) {}
  /// Whether the driver by itself runs later work of either queue behind all earlier work of the other.
  bool in_order_with(const Timeline& other) const noexcept {
    return this == &other ||
           (order_.among && order_.among == other.order_.among && (order_.with_all || other.order_.with_all));
  }
  bool open() const noexcept { return open_.load(std::memory_order_acquire); }  ///< whether the queue still lives
  QueuePtr queue();                                                             ///< null once it is gone
  EventPtr
  behind();     ///< an event behind all work so far, in reach of other queues; null where none is left to wait for
  bool over();  ///< whether all work so far is done
  void wait();  ///< until then; blocks the calling thread

 private:
  friend class Queue;
  EventPtr last_event();
  void close() noexcept;
  void settle();  ///< outside of the mutex, which launching may ask for

  std::mutex mutex_;  ///< held for calls of the driver that do not wait, so that no queue ends under them
  Queue* queue_;
  const DriverOrder order_;
  EventPtr last_;  ///< behind the work of a queue that is gone
  std::atomic<bool> open_{true};
};

/// Times work on a queue, on the host's steady clock.
class Stopwatch {
 public:
  struct Span {
    double begin = 0, end = 0;  ///< seconds
  };
  virtual ~Stopwatch() = default;
  virtual void stop() = 0;  ///< behind what was enqueued since it was made
  virtual Span span() = 0;  ///< of that work alone; blocks until it is done
};
/// Seconds of the host's steady clock.
double steady_seconds() noexcept;

/// An in-order queue (OpenCL) or stream (CUDA).
class Queue : public std::enable_shared_from_this<Queue> {
 public:
  /// Whether the engine's last large element-wise kernel went from the end of its arrays to their start; under the
  /// engine's lock.
  bool walks_backwards = false;
  explicit Queue(DriverOrder order = {});
  virtual ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  virtual DevicePtr device() const = 0;
  std::uint64_t serial() const noexcept { return serial_; }
  const TimelinePtr& timeline() const noexcept { return timeline_; }
  static std::size_t live();           ///< how many queues there are
  static std::vector<QueuePtr> all();  ///< those queues
  /// For the process's end: waits for the work of CPUs' queues, which runs in threads of this process, and at most so
  /// many seconds. A runtime that compiles where it launches (PoCL) may crash if it still does when static objects go.
  static void finish_on_cpus(double seconds);

  /// How far the host is ahead, for engine/throttle.hpp. Guarded by the GIL.
  struct Flight {
    unsigned unmarked = 0;
    EventPtr mark, due;
  };
  Flight flight;

  /// Launches that the engine holds back, to join them with what comes next (engine/stencil_chain.hpp). Whatever is
  /// asked of the queue, they go first. Guarded by the GIL; threads without it come behind GilRelease, which lets all
  /// such launches go.
  class HeldBack {
   public:
    virtual ~HeldBack() = default;
    virtual void launch(Queue& queue) = 0;
  };
  std::shared_ptr<HeldBack> held_back;
  std::atomic<bool> holds_back{false};
  void settle() const {
    if (holds_back.load(std::memory_order_relaxed)) [[unlikely]]
      launch_held_back();
  }

  /// Engine kernels have one signature: `nmem` memory arguments, then one struct of `nslots` 8-byte slots by value.
  void launch(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
              const std::int64_t* slots, std::size_t nslots) {
    settle();
    do_launch(kernel, dims, memory, nmem, slots, nslots);
  }
  /// The same past what is held back, which has nothing to do with it.
  void launch_first(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
                    const std::int64_t* slots, std::size_t nslots) {
    do_launch(kernel, dims, memory, nmem, slots, nslots);
  }

  EventPtr record() { return settle(), do_record(); }  ///< complete when all work enqueued so far is
  /// The same, and that work is handed to the device; also of a queue without an order.
  EventPtr mark() { return settle(), do_mark(); }
  void wait_event(Event& event) {
    settle(), do_wait_event(event);
  }  ///< what is enqueued from now on does, not the host
  void flush() { settle(), do_flush(); }
  void finish() { settle(), do_finish(); }     ///< blocks the calling thread
  bool idle() { return settle(), do_idle(); }  ///< true when nothing enqueued is left to do
  /// The same as far as it is known without asking the driver: nothing was enqueued since the queue was last seen idle.
  bool known_idle() const noexcept { return !holds_back.load(std::memory_order_relaxed) && do_known_idle(); }
  /// The same with a look at the last launch, where that costs no more than a glance.
  bool seen_idle() noexcept { return !holds_back.load(std::memory_order_relaxed) && do_seen_idle(); }
  /// Whether work is taken for a graph instead of being run: of its events the driver takes no questions.
  virtual bool is_captured() const { return false; }
  /// Something may have been enqueued past this class.
  virtual void touch() noexcept {}
  /// The launch enqueued last is a short one. Whether all that is under way are such.
  virtual void note_short() noexcept {}
  virtual bool only_short() noexcept { return false; }

  // Offsets and sizes in bytes. Ordered behind earlier work of this queue. Blocking forms return null when done.
  EventPtr read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) {
    return settle(), do_read(dst, src, offset, bytes, blocking);
  }
  EventPtr write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes, bool blocking) {
    return settle(), do_write(dst, offset, src, bytes, blocking);
  }
  EventPtr copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset, std::size_t bytes) {
    return settle(), do_copy(dst, dst_offset, src, src_offset, bytes);
  }
  EventPtr fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                std::size_t bytes) {
    return settle(), do_fill(dst, offset, pattern, pattern_bytes, bytes);
  }
  EventPtr read_rect(void* dst, Allocation& src, const Rect& rect, bool blocking) {
    return settle(), do_read_rect(dst, src, rect, blocking);
  }
  EventPtr write_rect(Allocation& dst, const void* src, const Rect& rect, bool blocking) {
    return settle(), do_write_rect(dst, src, rect, blocking);
  }

  /// Blocking map of [offset, offset + bytes) and its undoing. For memory with host() != null it waits and returns
  /// host() + offset. Throws DriverError where the kind cannot be mapped (CUDA device memory).
  void* map(Allocation& memory, std::size_t offset, std::size_t bytes, MapMode mode) {
    return settle(), do_map(memory, offset, bytes, mode);
  }
  void unmap(Allocation& memory, void* mapped) { settle(), do_unmap(memory, mapped); }

  /// Times what is enqueued from now on. Where the driver keeps no time of an ordinary queue, the queue is emptied at
  /// both ends, which blocks.
  std::unique_ptr<Stopwatch> stopwatch() { return settle(), do_stopwatch(); }

  /// The driver's handle (cl_command_queue, CUstream) as an integer.
  virtual std::uintptr_t handle() const noexcept = 0;

 protected:
  virtual void do_launch(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
                         const std::int64_t* slots, std::size_t nslots) = 0;
  virtual EventPtr do_record() = 0;
  virtual EventPtr do_mark();
  virtual void do_wait_event(Event& event) = 0;
  virtual void do_flush() = 0;
  virtual void do_finish() = 0;
  virtual bool do_idle() = 0;
  virtual bool do_known_idle() const noexcept { return false; }
  virtual bool do_seen_idle() noexcept { return known_idle(); }
  virtual EventPtr do_read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) = 0;
  virtual EventPtr do_write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes, bool blocking) = 0;
  virtual EventPtr do_copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset,
                           std::size_t bytes) = 0;
  virtual EventPtr do_fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                           std::size_t bytes) = 0;
  virtual EventPtr do_read_rect(void* dst, Allocation& src, const Rect& rect, bool blocking) = 0;
  virtual EventPtr do_write_rect(Allocation& dst, const void* src, const Rect& rect, bool blocking) = 0;
  virtual void* do_map(Allocation& memory, std::size_t offset, std::size_t bytes, MapMode mode) = 0;
  virtual void do_unmap(Allocation& memory, void* mapped) = 0;
  virtual std::unique_ptr<Stopwatch> do_stopwatch();

  /// To be called first in every destructor of a queue that memory may be used on: what is enqueued goes on.
  void close() noexcept;

 private:
  void launch_held_back() const;

  const std::uint64_t serial_ = new_serial();
  const TimelinePtr timeline_;
};

inline TimelinePtr timeline_of(const QueuePtr& queue) { return queue ? queue->timeline() : nullptr; }

/// A device as arrays see it: for OpenCL a cl_device in a cl_context, for CUDA a device's primary context. Those that
/// devarray lists live until the process ends; one in a context of the user's ends with the last thing that uses it.
class Device : public std::enable_shared_from_this<Device> {
 public:
  virtual ~Device();
  std::uint64_t serial() const noexcept { return serial_; }
  bool permanent() const noexcept { return permanent_; }  ///< whether it lives until the process ends
  static std::vector<std::uint64_t> live();               ///< serial numbers of the devices that there are
  virtual DriverKind driver() const noexcept = 0;
  DeviceType type() const noexcept { return type_; }
  Strategy strategy() const noexcept { return strategy_; }
  virtual const Capabilities& caps() const noexcept = 0;
  /// Whether element-wise kernels are launched over as many work-items as there are elements, and test no bounds. A
  /// test masks every vector of a CPU, which costs AVX2 more than the work of most kernels. In Python:
  /// Dialect.exact_launches.
  bool exact_launches() const noexcept { return strategy_ == Strategy::cpu && caps().partial_groups; }
  virtual int index() const noexcept = 0;                    ///< in devices() of its driver
  virtual std::vector<MemoryKind> memory_kinds() const = 0;  ///< the preferred one first

  /// Straight from the driver. bytes > 0. Throws OutOfMemoryError, DeviceError for a kind it does not have.
  /// Real when it returns: drivers that promise memory lazily are made to commit (a small write).
  virtual AllocationPtr allocate(MemoryKind kind, std::size_t bytes) = 0;
  virtual QueuePtr create_queue() = 0;
  virtual QueuePtr default_queue() = 0;

  virtual ProgramPtr build(const std::string& source, const std::string& options) = 0;  ///< throws CompileError
  virtual ProgramPtr load(const std::string& binary, const std::string& options) = 0;

  struct MemoryInfo {
    long long free = -1, total = -1;  ///< bytes, -1 where the driver does not say
  };
  virtual MemoryInfo memory_info() = 0;

  /// Throws OutOfMemoryError for more bytes than one allocation of the kind can ever have here. For the time before
  /// work is done for them, and for drivers that promise memory lazily: what they cannot hold breaks a queue, much
  /// later.
  void require_room(MemoryKind kind, std::size_t bytes);

  /// "opencl:0 (Intel(R) Xeon(R) ...)"
  std::string label() const;

 protected:
  explicit Device(DeviceType type);
  [[noreturn]] void raise_out_of_memory(MemoryKind kind, std::size_t bytes, const std::string& why);
  bool permanent_ = true;

 private:
  const DeviceType type_;
  const Strategy strategy_;
  const std::uint64_t serial_ = new_serial();
};

}  // namespace devarray
