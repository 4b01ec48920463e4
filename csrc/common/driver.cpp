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

std::string Device::label() const {
  return std::string(name_of(driver())) + ":" + std::to_string(index()) + " (" + caps().name + ")";
}

}  // namespace devarray
