#include "common/driver.hpp"

namespace devarray {

const char* name_of(DriverKind kind) { return kind == DriverKind::opencl ? "opencl" : "cuda"; }

const char* name_of(DeviceType type) {
  switch (type) {
    case DeviceType::cpu: return "cpu";
    case DeviceType::gpu: return "gpu";
    default: return "accelerator";
  }
}

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
}

bool shutting_down() noexcept { return shutdown_flag.load(std::memory_order_relaxed); }
void set_shutting_down() noexcept { shutdown_flag.store(true, std::memory_order_relaxed); }

void Allocation::throw_released() const {
  throw ValueError(std::string("the memory (") + name_of(kind_) + ", " + std::to_string(size_) +
                   " bytes) was released; neither it nor what lies on it can be used any more");
}

void Allocation::require_releasable() const {
  handle();
  if (lent_.load(std::memory_order_relaxed))
    throw ValueError(std::string("the memory (") + name_of(kind_) + ", " + std::to_string(size_) +
                     " bytes) belongs to an allocator, and other arrays may lie on it: it goes back when the last of "
                     "them is gone. Drop the arrays (del), then trim() the allocator to give free memory to the driver");
}

std::string Device::label() const {
  return std::string(name_of(driver())) + ":" + std::to_string(index()) + " (" + caps().name + ")";
}

}  // namespace devarray
