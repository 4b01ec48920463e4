#include "cuda/small_read.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

namespace devarray::cuda {
namespace {

constexpr auto kSpin = std::chrono::microseconds(30);  // then the driver waits, which may let other threads run
constexpr unsigned kThreads = 256;

// In PTX because NVRTC need not be installed. Words where address and size allow it, else bytes; every thread's stores
// reach the host before the number does.
constexpr const char* kSource = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry devarray_small_read(
  .param .u64 to_p, .param .u64 from_p, .param .u64 number_p, .param .u32 bytes_p, .param .u32 turn_p)
{
  .reg .pred %done, %odd, %other;
  .reg .b32 %value, %i, %step, %bytes, %turn;
  .reg .b64 %to, %from, %number, %offset, %source, %target;
  ld.param.u64 %to, [to_p];
  ld.param.u64 %from, [from_p];
  ld.param.u64 %number, [number_p];
  ld.param.u32 %bytes, [bytes_p];
  ld.param.u32 %turn, [turn_p];
  mov.u32 %i, %tid.x;
  mov.u32 %step, %ntid.x;
  cvt.u32.u64 %value, %from;
  or.b32 %value, %value, %bytes;
  and.b32 %value, %value, 3;
  setp.ne.u32 %odd, %value, 0;
  @%odd bra BYTES;
  shl.b32 %i, %i, 2;
  shl.b32 %step, %step, 2;
WORDS:
  setp.ge.u32 %done, %i, %bytes;
  @%done bra WRITTEN;
  cvt.u64.u32 %offset, %i;
  add.u64 %source, %from, %offset;
  add.u64 %target, %to, %offset;
  ld.global.u32 %value, [%source];
  st.global.u32 [%target], %value;
  add.u32 %i, %i, %step;
  bra WORDS;
BYTES:
  setp.ge.u32 %done, %i, %bytes;
  @%done bra WRITTEN;
  cvt.u64.u32 %offset, %i;
  add.u64 %source, %from, %offset;
  add.u64 %target, %to, %offset;
  ld.global.u8 %value, [%source];
  st.global.u8 [%target], %value;
  add.u32 %i, %i, %step;
  bra BYTES;
WRITTEN:
  membar.sys;
  bar.sync 0;
  mov.u32 %i, %tid.x;
  setp.ne.u32 %other, %i, 0;
  @%other bra END;
  st.volatile.global.u32 [%number], %turn;
END:
  ret;
}
)";

/// The kernel of a context, shared by its streams.
std::shared_ptr<Function> small_read_kernel(const ContextPtr& context) {
  static std::mutex mutex;
  static std::map<CUcontext, std::weak_ptr<Function>> known;
  const std::lock_guard lock(mutex);
  std::weak_ptr<Function>& place = known[context->handle()];
  std::shared_ptr<Function> kernel = place.lock();
  if (kernel && kernel->context() == context) return kernel;
  try {
    kernel = Module::load(context, kSource)->function("devarray_small_read");
  } catch (const DriverError&) {
    return nullptr;
  } catch (const CompileError&) {
    return nullptr;
  }
  place = kernel;
  return kernel;
}

/// Whether the number came before the host had waited for a while.
bool arrives(std::uint32_t* place, std::uint32_t number) {
  const std::atomic_ref<std::uint32_t> seen(*place);
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 64; ++i)
      if (seen.load(std::memory_order_acquire) == number) return true;
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

SmallReader::SmallReader(const ContextPtr& context)
    : slot_(PinnedMemory::allocate(context, kBytes + sizeof turn_, CU_MEMHOSTALLOC_PORTABLE)),
      kernel_(small_read_kernel(context)) {
  std::memset(slot_->host(), 0, slot_->size());
}

void SmallReader::read(void* dst, CUdeviceptr src, std::size_t bytes, CUstream stream) {
  if (!kernel_ || !read_by_kernel(src, bytes, stream)) {
    api().cuMemcpyDtoHAsync_v2(slot_->host(), src, bytes, stream);
    api().cuStreamSynchronize(stream);
  }
  std::memcpy(dst, slot_->host(), bytes);
}

bool SmallReader::read_by_kernel(CUdeviceptr src, std::size_t bytes, CUstream stream) {
  auto* number = reinterpret_cast<std::uint32_t*>(static_cast<char*>(slot_->host()) + kBytes);
  const auto to = reinterpret_cast<CUdeviceptr>(slot_->handle());
  CUdeviceptr place = to + kBytes, target = to;
  auto size = static_cast<std::uint32_t>(bytes);
  std::uint32_t turn = ++turn_;
  void* parameters[] = {&target, &src, &place, &size, &turn};
  kernel_->launch({1, 1, 1}, {kThreads, 1, 1}, parameters, 0, stream);
  if (arrives(number, turn)) return true;
  api().cuStreamSynchronize(stream);
  return std::atomic_ref<std::uint32_t>(*number).load(std::memory_order_acquire) == turn;
}

void SmallReader::copy(char* host, CUdeviceptr device, std::size_t bytes, bool to_host, CUstream stream) {
  for (std::size_t done = 0; done < bytes; done += kBytes) {
    const std::size_t n = std::min(kBytes, bytes - done);
    if (!to_host) std::memcpy(slot_->host(), host + done, n);
    if (to_host)
      api().cuMemcpyDtoHAsync_v2(slot_->host(), device + done, n, stream);
    else
      api().cuMemcpyHtoDAsync_v2(device + done, slot_->host(), n, stream);
    api().cuStreamSynchronize(stream);
    if (to_host) std::memcpy(host + done, slot_->host(), n);
  }
}

}  // namespace devarray::cuda
