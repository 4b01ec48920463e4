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
#include <string>
#include <vector>

#include "common/error.hpp"

namespace devarray {

enum class DriverKind : std::uint8_t { opencl, cuda };
enum class DeviceType : std::uint8_t { cpu, gpu, accelerator };

/// buffer: cl_mem. svm_coarse / svm_fine: OpenCL shared virtual memory. device, managed, pinned: CUDA.
enum class MemoryKind : std::uint8_t { buffer, svm_coarse, svm_fine, device, managed, pinned };

const char* name_of(DriverKind kind);
const char* name_of(DeviceType type);
const char* name_of(MemoryKind kind);

/// Set at interpreter shutdown: from then on nothing is released to a driver that may be gone already.
bool shutting_down() noexcept;
void set_shutting_down() noexcept;

class Device;
class Queue;
class Event;
class Kernel;
class Program;
class Allocation;
using DevicePtr = std::shared_ptr<Device>;
using QueuePtr = std::shared_ptr<Queue>;
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
  bool fp16 = false;         ///< arithmetic in float16; storage works everywhere
  bool host_unified = false; ///< the device's memory is the host's
  bool int64_atomics = false;
  std::size_t max_work_group_size = 1;
  std::size_t compute_units = 1;
  std::size_t local_memory = 0;       ///< bytes of local/shared memory a work-group can have
  std::size_t global_memory = 0;      ///< bytes
  std::size_t max_allocation = 0;     ///< bytes
  std::size_t max_parameter_bytes = 1024;
  std::size_t sub_buffer_alignment = 1;  ///< bytes
  unsigned simd_width = 1;               ///< warp size, or the preferred work-group multiple
  int compute_major = 0, compute_minor = 0;  ///< NVIDIA's compute capability, else 0
};

/// A piece of driver memory. Its destructor gives it back, or a release by hand before; after that nothing that lies on it
/// can be used, and says so.
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
    if (!handle_) [[unlikely]] throw_released();
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
};

enum class MapMode : std::uint8_t { read, write, read_write };

/// A rectangular copy, at most three dimensions, innermost first. Sizes, origins and pitches in bytes for the
/// innermost dimension, in rows and slices for the others; pitches are bytes from row to row and slice to slice.
struct Rect {
  std::size_t region[3] = {0, 1, 1};
  std::size_t device_offset = 0, host_offset = 0;
  std::size_t device_pitch[2] = {0, 0}, host_pitch[2] = {0, 0};
};

/// An in-order queue (OpenCL) or stream (CUDA).
class Queue {
 public:
  virtual ~Queue() = default;
  virtual DevicePtr device() const = 0;

  /// Engine kernels have one signature: `nmem` memory arguments, then one struct of `nslots` 8-byte slots by value.
  virtual void launch(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
                      const std::int64_t* slots, std::size_t nslots) = 0;

  virtual EventPtr record() = 0;             ///< complete when all work enqueued so far is
  virtual void wait_event(Event& event) = 0; ///< work enqueued from now on waits for it, the host does not
  virtual void flush() = 0;
  virtual void finish() = 0;                 ///< blocks the calling thread
  virtual bool idle() = 0;                   ///< true when nothing enqueued is left to do

  // Offsets and sizes in bytes. Ordered behind earlier work of this queue. Blocking forms return null when done.
  virtual EventPtr read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) = 0;
  virtual EventPtr write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes, bool blocking) = 0;
  virtual EventPtr copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset,
                        std::size_t bytes) = 0;
  virtual EventPtr fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                        std::size_t bytes) = 0;
  virtual EventPtr read_rect(void* dst, Allocation& src, const Rect& rect, bool blocking) = 0;
  virtual EventPtr write_rect(Allocation& dst, const void* src, const Rect& rect, bool blocking) = 0;

  /// Blocking map of [offset, offset + bytes) and its undoing. For memory with host() != null it waits and returns
  /// host() + offset. Throws DriverError where the kind cannot be mapped (CUDA device memory).
  virtual void* map(Allocation& memory, std::size_t offset, std::size_t bytes, MapMode mode) = 0;
  virtual void unmap(Allocation& memory, void* mapped) = 0;

  /// The driver's handle (cl_command_queue, CUstream) as an integer.
  virtual std::uintptr_t handle() const noexcept = 0;
};

/// A device as arrays see it: for OpenCL a cl_device in a cl_context, for CUDA a device's primary context.
/// Lives until the process ends.
class Device : public std::enable_shared_from_this<Device> {
 public:
  virtual ~Device() = default;
  virtual DriverKind driver() const noexcept = 0;
  virtual DeviceType type() const noexcept = 0;
  virtual const Capabilities& caps() const noexcept = 0;
  virtual int index() const noexcept = 0;  ///< in devices() of its driver
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

  /// "opencl:0 (Intel(R) Xeon(R) ...)"
  std::string label() const;
};

}  // namespace devarray
