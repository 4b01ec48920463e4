#include "cuda/stream.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/device.hpp"
#include "cuda/memory.hpp"
#include "cuda/module.hpp"
#include "cuda/virtual_memory.hpp"

namespace devarray::cuda {
namespace {

constexpr std::size_t kMaxEngineArguments = 128;  // beyond what 4 KiB of kernel parameters hold comes from the heap
constexpr std::size_t kFillTileBytes = 65536;

CUdeviceptr address_of(const Allocation& memory, std::size_t offset, std::size_t bytes) {
  if (offset > memory.size() || bytes > memory.size() - offset)
    throw IndexError("bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
                     " lie outside an allocation of " + std::to_string(memory.size()) + " bytes");
  return reinterpret_cast<CUdeviceptr>(memory.handle()) + offset;
}

void to_unsigned(const std::size_t (&from)[3], unsigned (&to)[3]) {
  for (int i = 0; i < 3; ++i) {
    if (from[i] > 0x7fffffff)
      throw ShapeError("a launch dimension of " + std::to_string(from[i]) + "; CUDA takes at most 2147483647");
    to[i] = static_cast<unsigned>(from[i]);
  }
}

// Whether the pattern is a repetition of its first `unit` bytes.
bool repeats(const unsigned char* pattern, std::size_t bytes, std::size_t unit) {
  return bytes % unit == 0 && std::memcmp(pattern, pattern + unit, bytes - unit) == 0;
}

class EventStopwatch final : public Stopwatch {
 public:
  EventStopwatch(const Stream& stream, std::shared_ptr<Event> origin, double origin_seconds)
      : stream_(stream.raw()),
        origin_(std::move(origin)),
        origin_seconds_(origin_seconds),
        begin_(Event::create(stream.context(), CU_EVENT_DEFAULT)),
        end_(Event::create(stream.context(), CU_EVENT_DEFAULT)) {
    begin_->record(stream_);
  }
  void stop() override { end_->record(stream_); }
  Span span() override {
    end_->wait();
    const double begin = origin_seconds_ + begin_->milliseconds_since(*origin_) * 1e-3;
    return {begin, begin + end_->milliseconds_since(*begin_) * 1e-3};
  }

 private:
  CUstream stream_;
  std::shared_ptr<Event> origin_;
  double origin_seconds_;
  std::shared_ptr<Event> begin_, end_;
};

}  // namespace

std::shared_ptr<Stream> Stream::create(const ContextPtr& context, unsigned flags, int priority) {
  Current current(*context);
  CUstream stream = nullptr;
  api().cuStreamCreateWithPriority(&stream, flags, priority);
  const DriverOrder order{flags & CU_STREAM_NON_BLOCKING ? nullptr : context.get(), false};
  return std::make_shared<Stream>(context, stream, true, order);
}

std::shared_ptr<Stream> Stream::external(const ContextPtr& context, CUstream stream, std::shared_ptr<void> owner) {
  const bool legacy = stream == nullptr || stream == CU_STREAM_LEGACY;
  const DriverOrder order{legacy ? context.get() : nullptr, legacy};  // of others it is not known whether they block
  return std::make_shared<Stream>(context, stream, false, order, std::move(owner));
}

Stream::~Stream() {
  close();
  if (!owned_ && !slot_) return;
  CurrentForRelease current(*context_);
  if (!current) {
    static_cast<void>(slot_.release());  // gone with its context, or with the process
    return;
  }
  slot_.reset();
  if (owned_) api().cuStreamDestroy_v2.status(stream_);
}

DevicePtr Stream::device() const { return Device::of(context_->device()); }

void Stream::do_launch(Kernel& kernel, const LaunchDims& dims, const MemoryArg* memory, std::size_t nmem,
                       const std::int64_t* slots, std::size_t nslots) {
  auto& function = static_cast<Function&>(kernel);
  unsigned grid[3], block[3];
  to_unsigned(dims.groups, grid);
  to_unsigned(dims.local, block);
  void* few[kMaxEngineArguments + 1];
  std::vector<void*> many;
  void** parameters = few;
  if (nmem > kMaxEngineArguments) {
    many.resize(nmem + 1);
    parameters = many.data();
  }
  // The driver reads the arguments before it returns, so that they may lie where the caller has them.
  for (std::size_t i = 0; i < nmem; ++i) parameters[i] = const_cast<void**>(&memory[i].handle);
  if (nslots) parameters[nmem] = const_cast<std::int64_t*>(slots);
  function.launch(grid, block, parameters, 0, stream_);
}

EventPtr Stream::do_record() {
  Current current(*context_);
  auto event = Event::pooled(context_);
  api().cuEventRecord(event->handle(), stream_);
  return event;
}

void Stream::do_wait_event(devarray::Event& event) {
  auto* ours = dynamic_cast<Event*>(&event);
  if (!ours) throw DeviceError("a CUDA stream waits for events of CUDA streams only; wait() for it on the host");
  Current current(*context_);
  api().cuStreamWaitEvent(stream_, ours->handle(), 0);
}

void Stream::do_finish() {
  Current current(*context_);
  api().cuStreamSynchronize(stream_);
}

bool Stream::is_captured() const {
  Current current(*context_);
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult known = api().cuStreamIsCapturing.status(stream_, &capture);
  return known == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool Stream::do_idle() {
  if (is_captured()) return false;  // the question would end that with an error, also beside the legacy stream
  Current current(*context_);
  const CUresult result = api().cuStreamQuery.status(stream_);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) fail(result, "cuStreamQuery");
  return result == CUDA_SUCCESS;
}

Stream::Origin Stream::origin() {
  const std::lock_guard lock(slot_mutex_);
  if (!origin_.event) {
    origin_.event = Event::create(context_, CU_EVENT_DEFAULT);
    origin_.event->record(stream_);
    origin_.event->wait();
    origin_.seconds = steady_seconds();
  }
  return origin_;
}

std::unique_ptr<Stopwatch> Stream::do_stopwatch() {
  const Origin since = origin();
  return std::make_unique<EventStopwatch>(*this, since.event, since.seconds);
}

int Stream::priority() const {
  Current current(*context_);
  int priority = 0;
  api().cuStreamGetPriority(stream_, &priority);
  return priority;
}

EventPtr Stream::finished(bool blocking) {
  if (!blocking) return record();
  finish();
  return nullptr;
}

HostSlot* Stream::slot(std::unique_lock<std::mutex>& lock) {
  if (!lock) return nullptr;
  if (!slot_) slot_ = std::make_unique<HostSlot>();
  return slot_.get();
}

void Stream::copy_host(void* host, CUdeviceptr device, std::size_t bytes, bool to_host) {
  const auto there = reinterpret_cast<CUdeviceptr>(host);
  const CUresult result = to_host ? api().cuMemcpyAsync.status(there, device, bytes, stream_)
                                  : api().cuMemcpyAsync.status(device, there, bytes, stream_);
  if (result == CUDA_SUCCESS) [[likely]]
    return;
  if (result != CUDA_ERROR_INVALID_VALUE) fail(result, "cuMemcpyAsync");
  std::unique_lock lock(slot_mutex_);
  slot(lock)->copy(static_cast<char*>(host), device, bytes, to_host, stream_);
}

EventPtr Stream::do_read(void* dst, Allocation& src, std::size_t offset, std::size_t bytes, bool blocking) {
  Current current(*context_);
  const CUdeviceptr from = address_of(src, offset, bytes);
  if (blocking && src.kind() == MemoryKind::pinned) {
    finish();
    std::memcpy(dst, static_cast<const char*>(src.host()) + offset, bytes);
    return nullptr;
  }
  if (blocking && bytes > 0 && bytes <= HostSlot::kBytes && src.kind() == MemoryKind::device) {
    std::unique_lock lock(slot_mutex_, std::try_to_lock);
    if (HostSlot* place = slot(lock)) {
      place->read(dst, from, bytes, stream_);
      return nullptr;
    }
  }
  if (bytes) copy_host(dst, from, bytes, true);
  if (blocking && bytes && src.kind() == MemoryKind::device && !is_page_locked(dst))
    return nullptr;  // done, as documented
  return finished(blocking);
}

EventPtr Stream::do_write(Allocation& dst, std::size_t offset, const void* src, std::size_t bytes, bool blocking) {
  Current current(*context_);
  const CUdeviceptr to = address_of(dst, offset, bytes);
  if (blocking && dst.kind() == MemoryKind::pinned) {
    finish();
    std::memcpy(static_cast<char*>(dst.host()) + offset, src, bytes);
    return nullptr;
  }
  if (bytes) copy_host(const_cast<void*>(src), to, bytes, false);
  // Pageable memory has been read when the call returns, as documented; the stream's order does the rest.
  if (blocking && bytes && dst.kind() == MemoryKind::device && !is_page_locked(src)) return nullptr;
  return finished(blocking);
}

EventPtr Stream::do_copy(Allocation& dst, std::size_t dst_offset, Allocation& src, std::size_t src_offset,
                         std::size_t bytes) {
  Current current(*context_);
  const CUdeviceptr to = address_of(dst, dst_offset, bytes), from = address_of(src, src_offset, bytes);
  // Addresses are unified: the driver sees by them which devices and kinds of memory are meant.
  if (&dst.device() != &src.device()) {
    auto &there = static_cast<Device&>(dst.device()), &here = static_cast<Device&>(src.device());
    there.reach(here);
    if (auto* memory = dynamic_cast<VirtualMemory*>(&src)) memory->share(there.handle());
    if (auto* memory = dynamic_cast<VirtualMemory*>(&dst)) memory->share(here.handle());
  }
  if (bytes) api().cuMemcpyAsync(to, from, bytes, stream_);
  return record();
}

EventPtr Stream::do_fill(Allocation& dst, std::size_t offset, const void* pattern, std::size_t pattern_bytes,
                         std::size_t bytes) {
  if (pattern_bytes == 0 || bytes % pattern_bytes != 0)
    throw ValueError("a fill of " + std::to_string(bytes) + " bytes by a pattern of " + std::to_string(pattern_bytes) +
                     "; a whole number of patterns is wanted");
  Current current(*context_);
  const Api& a = api();
  const CUdeviceptr to = address_of(dst, offset, bytes);
  const auto* unit = static_cast<const unsigned char*>(pattern);
  if (bytes == 0) return record();
  if (repeats(unit, pattern_bytes, 1)) {
    a.cuMemsetD8Async(to, unit[0], bytes, stream_);
  } else if (to % 2 == 0 && repeats(unit, pattern_bytes, 2)) {
    std::uint16_t value;
    std::memcpy(&value, unit, sizeof value);
    a.cuMemsetD16Async(to, value, bytes / 2, stream_);
  } else if (to % 4 == 0 && repeats(unit, pattern_bytes, 4)) {
    std::uint32_t value;
    std::memcpy(&value, unit, sizeof value);
    a.cuMemsetD32Async(to, value, bytes / 4, stream_);
  } else {
    // A tile from the host, then the filled part doubles itself. Pageable memory is read before the call returns.
    std::size_t done = std::min(bytes, std::max(kFillTileBytes / pattern_bytes, std::size_t{1}) * pattern_bytes);
    std::vector<unsigned char> tile(done);
    for (std::size_t i = 0; i < done; i += pattern_bytes) std::memcpy(tile.data() + i, unit, pattern_bytes);
    a.cuMemcpyHtoDAsync_v2(to, tile.data(), done, stream_);
    for (; done < bytes; done += std::min(done, bytes - done))
      a.cuMemcpyDtoDAsync_v2(to + done, to, std::min(done, bytes - done), stream_);
  }
  return record();
}

EventPtr Stream::do_read_rect(void* dst, Allocation& src, const Rect& rect, bool blocking) {
  Current current(*context_);
  transfer_rect(dst, address_of(src, rect.device_offset, 0), rect, true);
  return finished(blocking);
}

EventPtr Stream::do_write_rect(Allocation& dst, const void* src, const Rect& rect, bool blocking) {
  Current current(*context_);
  transfer_rect(const_cast<void*>(src), address_of(dst, rect.device_offset, 0), rect, false);
  return finished(blocking);
}

// One 2D copy a slice: CUDA's 3D copies want slice pitches that are multiples of the row pitch, NumPy's views have
// others. A pitch that CUDA does not take (below the width, or past its limit) is copied row by row.
void Stream::transfer_rect(void* host, CUdeviceptr device, const Rect& r, bool to_host) {
  const std::size_t width = r.region[0], rows = r.region[1], slices = r.region[2];
  if (width == 0 || rows == 0 || slices == 0) return;
  const Api& a = api();
  int max_pitch = 0;
  a.cuDeviceGetAttribute(&max_pitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH, context_->device());
  auto usable = [&](std::size_t pitch) { return pitch >= width && pitch <= static_cast<std::size_t>(max_pitch); };
  const bool two_dimensional = rows == 1 || (usable(r.host_pitch[0]) && usable(r.device_pitch[0]));
  auto copy_rows = [&](char* h, CUdeviceptr d) {
    for (std::size_t y = 0; y < rows; ++y)
      copy_host(h + y * r.host_pitch[0], d + y * r.device_pitch[0], width, to_host);
  };
  for (std::size_t z = 0; z < slices; ++z) {
    char* h = static_cast<char*>(host) + r.host_offset + z * r.host_pitch[1];
    const CUdeviceptr d = device + z * r.device_pitch[1];
    if (rows == 1 || !two_dimensional) {
      copy_rows(h, d);
      continue;
    }
    CUDA_MEMCPY2D copy{};
    copy.WidthInBytes = width;
    copy.Height = rows;
    // Unified: page-locked host memory can stand on the device's side.
    copy.srcMemoryType = to_host ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_HOST;
    copy.dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = to_host ? d : 0;
    copy.dstDevice = to_host ? 0 : d;
    copy.srcHost = to_host ? nullptr : h;
    copy.dstHost = to_host ? h : nullptr;
    copy.srcPitch = to_host ? r.device_pitch[0] : r.host_pitch[0];
    copy.dstPitch = to_host ? r.host_pitch[0] : r.device_pitch[0];
    const CUresult result = a.cuMemcpy2DAsync_v2.status(&copy, stream_);
    if (result == CUDA_ERROR_INVALID_VALUE)
      copy_rows(h, d);  // for the reason that copy_host knows
    else if (result != CUDA_SUCCESS)
      fail(result, "cuMemcpy2DAsync");
  }
}

void* Stream::do_map(Allocation& memory, std::size_t offset, std::size_t bytes, MapMode) {
  if (!memory.host())
    throw DriverError("cuda", "map", CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED",
                      std::string("the host cannot see ") + name_of(memory.kind()) +
                          " memory; allocate it managed or pinned, or copy it");
  address_of(memory, offset, bytes);
  finish();
  return static_cast<char*>(memory.host()) + offset;
}

void Stream::do_unmap(Allocation&, void*) {}  // what the host wrote is seen by work launched from now on

}  // namespace devarray::cuda
