#include "opencl/queue.hpp"

#include <cstring>
#include <utility>

#include "opencl/memory.hpp"
#include "opencl/program.hpp"
#include "opencl/svm.hpp"

namespace devarray::opencl {
namespace {

constexpr int kWatchedLaunches = 8;  // that keep an event, since the last question whether the queue is idle

cl_mem buffer_of(const Allocation& memory) { return static_cast<cl_mem>(memory.handle()); }
// A buffer has an address where it lies in host memory.
char* address_of(const Allocation& memory, std::size_t offset) {
  return static_cast<char*>(memory.is_buffer() ? memory.host() : memory.handle()) + offset;
}

cl_map_flags map_flags(MapMode mode) {
  switch (mode) {
    case MapMode::read: return CL_MAP_READ;
    case MapMode::write: return CL_MAP_WRITE;
    default: return CL_MAP_READ | CL_MAP_WRITE;
  }
}

/// Bytes from the first to one past the last that a rectangle touches on the device.
std::size_t extent(const Rect& r) {
  return (r.region[2] - 1) * r.device_pitch[1] + (r.region[1] - 1) * r.device_pitch[0] + r.region[0];
}

/// Slice pitches that drivers take: a multiple of the row pitch, and no smaller than a slice.
bool regular(const Rect& r, const std::size_t* pitch) {
  return pitch[0] && pitch[1] % pitch[0] == 0 && pitch[1] >= r.region[1] * pitch[0];
}

bool empty(const Rect& r) { return r.region[0] == 0 || r.region[1] == 0 || r.region[2] == 0; }

}  // namespace

CommandQueue::CommandQueue(ContextDevicePtr device, Handle<cl_command_queue> queue)
    : device_(std::move(device)),
      queue_(std::move(queue)),
      properties_(info_value<cl_command_queue_properties>(
          DEVARRAY_CL_INFO(clGetCommandQueueInfo, queue_.get(), CL_QUEUE_PROPERTIES), "clGetCommandQueueInfo")) {}

Handle<cl_command_queue> CommandQueue::create_raw(const ContextDevice& device, cl_command_queue_properties properties) {
  const cl_context context = device.context();
  if (device.info().platform_version < 200)
    return Handle<cl_command_queue>::adopt(
        DEVARRAY_CL_CREATE(context, clCreateCommandQueue, context, device.id(), properties));
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  return Handle<cl_command_queue>::adopt(
      DEVARRAY_CL_CREATE(context, clCreateCommandQueueWithProperties, context, device.id(), list));
}

CommandQueuePtr CommandQueue::create(const ContextDevicePtr& device, cl_command_queue_properties properties) {
  return std::make_shared<CommandQueue>(device, create_raw(*device, properties));
}

void CommandQueue::require_order() const {
  if (!in_order())
    throw DeviceError("arrays need an in-order queue; this one on " + device_->label() +
                      " was created for out-of-order execution");
}

EventPtr CommandQueue::finished(cl_event event) {
  touch();
  return event ? std::make_shared<ClEvent>(Handle<cl_event>::adopt(event)) : nullptr;
}

EventPtr CommandQueue::written(cl_event event, bool blocking) {
  EventPtr result = finished(event);
  if (!blocking) return result;
  result->wait();
  return nullptr;
}

void CommandQueue::do_launch(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
                             const std::int64_t* slots, std::size_t nslots) {
  require_order();
  ClKernel& k = static_cast<ClKernel&>(kernel);
  std::size_t global[3], local[3];
  cl_uint ndim = 1;
  for (cl_uint d = 0; d < 3; ++d) {
    local[d] = dims.local[d];
    global[d] = dims.items[d] ? dims.items[d] : dims.groups[d] * dims.local[d];
    if (global[d] == 0) return;
    if (global[d] > 1) ndim = d + 1;
  }
  std::lock_guard lock(k.mutex());
  std::uint64_t buffers = 0;
  for (std::size_t i = 0; i < nmem; ++i) buffers |= static_cast<std::uint64_t>(memory[i].is_buffer) << i;
  const cl_kernel handle = k.with_arguments(buffers);
  for (std::size_t i = 0; i < nmem; ++i) {
    const auto index = static_cast<cl_uint>(i);
    if (memory[i].is_buffer)
      DEVARRAY_CL(handle, clSetKernelArg, handle, index, sizeof(cl_mem), &memory[i].handle);
    else
      DEVARRAY_CL(handle, clSetKernelArgSVMPointer, handle, index, memory[i].handle);
  }
  if (nslots)
    DEVARRAY_CL(handle, clSetKernelArg, handle, static_cast<cl_uint>(nmem), nslots * sizeof(std::int64_t), slots);
  // On CPUs the host runs small work itself as soon as it sees that the queue has come to its end.
  cl_event event = nullptr;
  const bool seen = watched_.load(std::memory_order_relaxed) > 0;
  std::unique_lock note(idle_mutex_, std::defer_lock);  // so that the event kept is that of the launch enqueued last
  if (seen) note.lock();
  DEVARRAY_CL(queue_.get(), clEnqueueNDRangeKernel, queue_.get(), handle, ndim, nullptr, global, local, 0, nullptr,
              seen ? &event : nullptr);
  touch();
  if (!seen) return;
  watched_.fetch_sub(1, std::memory_order_relaxed);
  launched_ = Handle<cl_event>::adopt(event);
  launched_count_ = dirty_.load(std::memory_order_relaxed);
}

bool CommandQueue::do_seen_idle() noexcept {
  if (known_idle()) return true;
  if (device_->strategy() == Strategy::cpu) watched_.store(kWatchedLaunches, std::memory_order_relaxed);
  std::lock_guard lock(idle_mutex_);
  if (!launched_.get() || launched_count_ != dirty_.load(std::memory_order_relaxed)) return false;
  try {
    const auto status = info_value<cl_int>(
        DEVARRAY_CL_INFO(clGetEventInfo, launched_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS), "clGetEventInfo");
    if (status == CL_QUEUED) flush();  // not handed to the device yet, and without a flush it may never be
    if (status != CL_COMPLETE) return false;
  } catch (const Error&) {
    return false;  // what failed is told where the host waits
  }
  launched_.reset();
  quiet_.store(launched_count_, std::memory_order_release);
  return true;
}

void CommandQueue::note_short() noexcept {
  std::lock_guard lock(idle_mutex_);
  const std::uint64_t now = dirty_.load(std::memory_order_relaxed), before = now - 1;
  if (short_count_ == before || quiet_.load(std::memory_order_relaxed) == before) short_count_ = now;
}

bool CommandQueue::only_short() noexcept {
  std::lock_guard lock(idle_mutex_);
  return in_order() && short_count_ == dirty_.load(std::memory_order_relaxed);
}

EventPtr CommandQueue::do_record() {
  require_order();
  return marker();
}

EventPtr CommandQueue::do_mark() {
  EventPtr event = marker();
  flush();
  return event;
}

EventPtr CommandQueue::marker() {
  cl_event event = nullptr;
  DEVARRAY_CL(queue_.get(), clEnqueueMarkerWithWaitList, queue_.get(), 0, nullptr, &event);
  return std::make_shared<ClEvent>(Handle<cl_event>::adopt(event));
}

void CommandQueue::do_wait_event(Event& event) {
  auto* own = dynamic_cast<ClEvent*>(&event);
  const bool same_context =
      own && info_value<cl_context>(DEVARRAY_CL_INFO(clGetEventInfo, own->get(), CL_EVENT_CONTEXT), "clGetEventInfo") ==
                 device_->context();
  if (!same_context) {
    event.wait();
    return;
  }
  const cl_event waited = own->get();
  DEVARRAY_CL(queue_.get(), clEnqueueBarrierWithWaitList, queue_.get(), 1, &waited, nullptr);
  touch();
}

void CommandQueue::do_flush() { DEVARRAY_CL(queue_.get(), clFlush, queue_.get()); }

void CommandQueue::do_finish() {
  if (forked() && known_idle()) return;  // a child may read what was done before
  const std::uint64_t before = dirty_.load(std::memory_order_relaxed);
  DEVARRAY_CL(queue_.get(), clFinish, queue_.get());
  std::lock_guard lock(idle_mutex_);
  if (before < marked_) return;  // idle() has marked later work meanwhile
  marked_ = before;
  marker_.reset();
  quiet_.store(marked_, std::memory_order_release);
}

bool CommandQueue::do_idle() {
  std::lock_guard lock(idle_mutex_);
  const std::uint64_t now = dirty_.load(std::memory_order_relaxed);
  if (now != marked_) {
    marker_ = mark();
    marked_ = now;
  }
  if (marker_ && marker_->done()) marker_.reset();
  if (!marker_) quiet_.store(marked_, std::memory_order_release);
  return !marker_;
}

void CommandQueue::copy_on_host(void* dst, const void* src, std::size_t bytes) {
  finish();
  std::memcpy(dst, src, bytes);
}

EventPtr CommandQueue::do_read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) {
  require_order();
  if (bytes == 0) return blocking ? nullptr : record();
  if (blocking && src.host()) {
    copy_on_host(dst, address_of(src, offset), bytes);
    return nullptr;
  }
  cl_event event = nullptr;
  cl_event* wanted = blocking ? nullptr : &event;
  if (src.is_buffer())
    DEVARRAY_CL(queue_.get(), clEnqueueReadBuffer, queue_.get(), buffer_of(src), blocking, offset, bytes, dst, 0,
                nullptr, wanted);
  else
    DEVARRAY_CL(queue_.get(), clEnqueueSVMMemcpy, queue_.get(), blocking, dst, address_of(src, offset), bytes, 0,
                nullptr, wanted);
  return finished(event);
}

EventPtr CommandQueue::do_write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes,
                                bool blocking) {
  require_order();
  if (bytes == 0) return blocking ? nullptr : record();
  if (blocking && dst.host()) {
    copy_on_host(address_of(dst, offset), src, bytes);
    return nullptr;
  }
  cl_event event = nullptr;
  if (dst.is_buffer())
    DEVARRAY_CL(queue_.get(), clEnqueueWriteBuffer, queue_.get(), buffer_of(dst), blocking, offset, bytes, src, 0,
                nullptr, &event);
  else
    DEVARRAY_CL(queue_.get(), clEnqueueSVMMemcpy, queue_.get(), blocking, address_of(dst, offset), src, bytes, 0,
                nullptr, &event);
  return written(event, blocking);
}

EventPtr CommandQueue::do_copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset,
                               std::size_t bytes) {
  require_order();
  if (bytes == 0) return record();
  cl_event event = nullptr;
  const cl_command_queue q = queue_.get();
  if (dst.is_buffer() && src.is_buffer()) {
    DEVARRAY_CL(q, clEnqueueCopyBuffer, q, buffer_of(src), buffer_of(dst), src_offset, dst_offset, bytes, 0, nullptr,
                &event);
  } else if (!dst.is_buffer() && !src.is_buffer()) {
    DEVARRAY_CL(q, clEnqueueSVMMemcpy, q, CL_FALSE, address_of(dst, dst_offset), address_of(src, src_offset), bytes, 0,
                nullptr, &event);
  } else {
    // Between a buffer and shared memory, the latter stands in for host memory; mapping makes that valid for
    // coarse-grained memory too. The queue's order does the rest.
    const bool to_svm = src.is_buffer();
    void* shared = to_svm ? address_of(dst, dst_offset) : address_of(src, src_offset);
    const cl_map_flags flags = to_svm ? CL_MAP_WRITE : CL_MAP_READ;
    DEVARRAY_CL(q, clEnqueueSVMMap, q, CL_FALSE, flags, shared, bytes, 0, nullptr, nullptr);
    if (to_svm)
      DEVARRAY_CL(q, clEnqueueReadBuffer, q, buffer_of(src), CL_FALSE, src_offset, bytes, shared, 0, nullptr, nullptr);
    else
      DEVARRAY_CL(q, clEnqueueWriteBuffer, q, buffer_of(dst), CL_FALSE, dst_offset, bytes, shared, 0, nullptr, nullptr);
    DEVARRAY_CL(q, clEnqueueSVMUnmap, q, shared, 0, nullptr, &event);
  }
  return finished(event);
}

EventPtr CommandQueue::do_fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                               std::size_t bytes) {
  require_order();
  if (bytes == 0) return record();
  cl_event event = nullptr;
  if (dst.is_buffer())
    DEVARRAY_CL(queue_.get(), clEnqueueFillBuffer, queue_.get(), buffer_of(dst), pattern, pattern_bytes, offset, bytes,
                0, nullptr, &event);
  else
    DEVARRAY_CL(queue_.get(), clEnqueueSVMMemFill, queue_.get(), address_of(dst, offset), pattern, pattern_bytes, bytes,
                0, nullptr, &event);
  return finished(event);
}

EventPtr CommandQueue::do_read_rect(void* dst, Allocation& src, const Rect& rect, bool blocking) {
  return transfer_rect(Direction::read, src, dst, rect, blocking);
}

EventPtr CommandQueue::do_write_rect(Allocation& dst, const void* src, const Rect& rect, bool blocking) {
  return transfer_rect(Direction::write, dst, const_cast<void*>(src), rect, blocking);
}

EventPtr CommandQueue::transfer_rect(Direction direction, Allocation& memory, void* host, const Rect& rect,
                                     bool blocking) {
  require_order();
  if (!empty(rect)) {
    if (memory.is_buffer()) return buffer_rect(direction, memory, host, rect, blocking);
    svm_rect(direction, memory, host, rect);
  }
  return blocking ? nullptr : record();
}

EventPtr CommandQueue::buffer_rect(Direction direction, Allocation& memory, void* host, Rect r, bool blocking) {
  if (r.region[1] == 1) {  // one row a slice: then the slices are rows
    std::swap(r.region[1], r.region[2]);
    r.device_pitch[0] = r.device_pitch[1];
    r.host_pitch[0] = r.host_pitch[1];
  }
  if (r.region[2] > 1 && !(regular(r, r.device_pitch) && regular(r, r.host_pitch))) {
    const std::size_t slices = std::exchange(r.region[2], 1);
    EventPtr last;
    for (std::size_t slice = 0; slice < slices; ++slice) {
      last = buffer_rect(direction, memory, host, r, blocking && slice + 1 == slices);
      r.device_offset += r.device_pitch[1];
      r.host_offset += r.host_pitch[1];
    }
    return last;
  }
  // NVIDIA's driver counts the last row, and the last slice, at its whole pitch. Where that ends behind the buffer, the
  // last one goes by itself.
  const int outer = r.region[2] > 1 ? 2 : 1;
  const std::size_t count = r.region[outer], device_pitch = r.device_pitch[outer - 1];
  if (count > 1 && r.device_offset + count * device_pitch > memory.size()) {
    Rect last = r;
    last.region[outer] = 1;
    last.device_offset += (count - 1) * device_pitch;
    last.host_offset += (count - 1) * r.host_pitch[outer - 1];
    r.region[outer] = count - 1;
    buffer_rect(direction, memory, host, r, false);
    return buffer_rect(direction, memory, host, last, blocking);
  }
  for (auto* pitch : {r.device_pitch, r.host_pitch}) {  // pitches of single rows and slices are the driver's to choose
    if (r.region[1] == 1) pitch[0] = 0;
    if (r.region[2] == 1) pitch[1] = 0;
  }
  const std::size_t device_origin[3] = {r.device_offset, 0, 0}, host_origin[3] = {r.host_offset, 0, 0};
  cl_event event = nullptr;
  cl_event* wanted = blocking ? nullptr : &event;
  if (direction == Direction::read)
    DEVARRAY_CL(queue_.get(), clEnqueueReadBufferRect, queue_.get(), buffer_of(memory), blocking, device_origin,
                host_origin, r.region, r.device_pitch[0], r.device_pitch[1], r.host_pitch[0], r.host_pitch[1], host, 0,
                nullptr, wanted);
  else
    DEVARRAY_CL(queue_.get(), clEnqueueWriteBufferRect, queue_.get(), buffer_of(memory), blocking, device_origin,
                host_origin, r.region, r.device_pitch[0], r.device_pitch[1], r.host_pitch[0], r.host_pitch[1], host, 0,
                nullptr, &event);
  return direction == Direction::read ? finished(event) : written(event, blocking);
}

void CommandQueue::svm_rect(Direction direction, Allocation& memory, void* host, const Rect& rect) {
  const bool reading = direction == Direction::read;
  auto* device_side =
      static_cast<char*>(map(memory, rect.device_offset, extent(rect), reading ? MapMode::read : MapMode::read_write));
  char* host_side = static_cast<char*>(host) + rect.host_offset;
  for (std::size_t slice = 0; slice < rect.region[2]; ++slice) {
    for (std::size_t row = 0; row < rect.region[1]; ++row) {
      char* d = device_side + slice * rect.device_pitch[1] + row * rect.device_pitch[0];
      char* h = host_side + slice * rect.host_pitch[1] + row * rect.host_pitch[0];
      std::memcpy(reading ? h : d, reading ? d : h, rect.region[0]);
    }
  }
  unmap(memory, device_side);
}

void* CommandQueue::do_map(Allocation& memory, std::size_t offset, std::size_t bytes, MapMode mode) {
  require_order();
  if (memory.host()) {
    finish();
    return static_cast<char*>(memory.host()) + offset;
  }
  touch();
  if (memory.is_buffer())
    return DEVARRAY_CL_CREATE(queue_.get(), clEnqueueMapBuffer, queue_.get(), buffer_of(memory), CL_TRUE,
                              map_flags(mode), offset, bytes, 0, nullptr, nullptr);
  void* pointer = address_of(memory, offset);
  DEVARRAY_CL(queue_.get(), clEnqueueSVMMap, queue_.get(), CL_TRUE, map_flags(mode), pointer, bytes, 0, nullptr,
              nullptr);
  return pointer;
}

void CommandQueue::do_unmap(Allocation& memory, void* mapped) {
  if (memory.host()) return;
  touch();
  if (memory.is_buffer())
    DEVARRAY_CL(queue_.get(), clEnqueueUnmapMemObject, queue_.get(), buffer_of(memory), mapped, 0, nullptr, nullptr);
  else
    DEVARRAY_CL(queue_.get(), clEnqueueSVMUnmap, queue_.get(), mapped, 0, nullptr, nullptr);
}

}  // namespace devarray::opencl
