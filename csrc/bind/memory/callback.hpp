// A Python callable as a memory resource.
#pragma once

#include "bind/memory/memory.hpp"

namespace devarray {

/// Asks `allocate(nbytes)` for each block. It may return a Block, an Allocation, an object with either as its `block`
/// or `allocation`, or an address as an integer, which `deallocate(address, nbytes)` gets back.
class CallbackResource final : public MemoryResource {
 public:
  CallbackResource(py::object allocate, py::object deallocate, DevicePtr device, MemoryKind kind);
  ~CallbackResource() override;

  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override;
  void deallocate(Block* block) noexcept override;
  DevicePtr device() const override { return device_; }
  MemoryKind kind() const override { return kind_; }
  std::string describe() const override;
  std::size_t trim() override { return sweep_parked(); }

 private:
  struct Callables;
  std::shared_ptr<Callables> callables_;  ///< given back under the GIL
  const DevicePtr device_;
  const MemoryKind kind_;
};

/// The allocation inside `object`, which lives as long as the result does. Its destructor runs before the object's.
AllocationPtr keep_alive(AllocationPtr allocation, py::object object);

MemoryKind kind_from(const std::string& name);
void bind_memory_callback(py::module_& m);

}  // namespace devarray
