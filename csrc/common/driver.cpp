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

const char* name_of(Strategy strategy) { return strategy == Strategy::cpu ? "cpu" : "gpu"; }

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
std::atomic<Strategy> strategy_of_cpus{Strategy::cpu};
}

bool shutting_down() noexcept { return shutdown_flag.load(std::memory_order_relaxed); }
void set_shutting_down() noexcept { shutdown_flag.store(true, std::memory_order_relaxed); }

void set_strategy_of_cpus(Strategy strategy) noexcept { strategy_of_cpus = strategy; }

Device::Device(DeviceType type) : type_(type), strategy_(type == DeviceType::cpu ? strategy_of_cpus.load() : Strategy::gpu) {}

void Device::require_room(MemoryKind kind, std::size_t bytes) {
  if (kind == MemoryKind::managed || kind == MemoryKind::pinned) return;  // the host's, too: only the driver knows
  if (bytes > caps().max_allocation)
    raise_out_of_memory(kind, bytes, "the device allows " + std::to_string(caps().max_allocation) + " in one piece");
}

void Device::raise_out_of_memory(MemoryKind kind, std::size_t bytes, const std::string& why) {
  const MemoryInfo info = memory_info();
  OutOfMemoryError::Figures figures;
  figures.asked = static_cast<long long>(bytes);
  figures.free = info.free;
  figures.total = info.total;
  throw OutOfMemoryError("cannot allocate " + std::to_string(bytes) + " bytes of " + name_of(kind) + " memory on " +
                             label() + ": " + why,
                         figures);
}

std::string Device::label() const {
  return std::string(name_of(driver())) + ":" + std::to_string(index()) + " (" + caps().name + ")";
}

}  // namespace devarray
