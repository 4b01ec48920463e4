#include "memory/foreign.hpp"

namespace devarray {
namespace {

/// Takes back the blocks of adopted memory; what is asked of it beyond that goes to the device's default resource.
class ForeignResource final : public MemoryResource {
 public:
  ForeignResource(DevicePtr device, MemoryKind kind) : device_(std::move(device)), kind_(kind) {}
  Ref<Block> allocate(std::size_t bytes, const QueuePtr& queue) override {
    return default_resource(device_)->allocate(bytes, queue);
  }
  void deallocate(Block* block) noexcept override {
    park(*block);
    delete block;
  }
  DevicePtr device() const override { return device_; }
  MemoryKind kind() const override { return kind_; }
  std::string describe() const override { return "memory of another library on " + device_->label(); }

 private:
  const DevicePtr device_;
  const MemoryKind kind_;
};

}  // namespace

Ref<Block> adopt(AllocationPtr allocation, const QueuePtr& queue) {
  Ref<Block> block(new Block);
  block->size = block->capacity = allocation->size();
  block->timeline = timeline_of(queue);
  block->owner = std::make_shared<ForeignResource>(allocation->device().shared_from_this(), allocation->kind());
  block->allocation = std::move(allocation);
  return block;
}

}  // namespace devarray
