// devarray's memory for libraries that take an allocator by the names of two C functions: PyTorch's
// CUDAPluggableAllocator. They are looked up by name, in this extension.
#include <stdexcept>
#include <unordered_map>

#include "bind/cuda/common.hpp"
#include "cuda/device.hpp"
#include "memory/resource.hpp"

#define DEVARRAY_PLUGGED extern "C" __attribute__((visibility("default")))

namespace devarray::cuda {
namespace {

/// What was handed out by its address, and the streams that it was asked for on. Never destroyed: the other library
/// may give memory back while the process ends.
struct Plugged {
  std::mutex mutex;
  std::unordered_map<void*, Ref<Block>> blocks;
  std::unordered_map<CUstream, QueuePtr> queues[64];
};

Plugged& plugged() {
  static auto* const all = new Plugged;
  return *all;
}

QueuePtr queue_for(int device, CUstream stream) {
  const auto on = Device::of(device);
  std::lock_guard lock(plugged().mutex);
  QueuePtr& queue = plugged().queues[device % 64][stream];
  if (!queue) queue = on->stream(stream);
  return queue;
}

/// Runs something that may wait for the device, without Python's lock.
template <typename F>
void unlocked(F&& run) {
  if (Py_IsInitialized() && PyGILState_Check()) {
    GilRelease release;
    run();
  } else {
    run();
  }
}

}  // namespace

DEVARRAY_PLUGGED void* devarray_malloc(ssize_t bytes, int device, CUstream stream) {
  if (bytes <= 0) return nullptr;
  Ref<Block> block;
  try {
    unlocked([&] {
      block =
          default_resource(Device::of(device))->allocate(static_cast<std::size_t>(bytes), queue_for(device, stream));
    });
  } catch (const std::exception& e) {  // by a class that other libraries know
    throw std::runtime_error(std::string("devarray: ") + e.what());
  }
  void* const address = static_cast<char*>(block->allocation->handle()) + block->offset;
  std::lock_guard lock(plugged().mutex);
  plugged().blocks.emplace(address, std::move(block));
  return address;
}

DEVARRAY_PLUGGED void devarray_free(void* address, ssize_t, int device, CUstream stream) {
  if (!address || shutting_down()) return;
  Ref<Block> block;
  {
    std::lock_guard lock(plugged().mutex);
    const auto found = plugged().blocks.find(address);
    if (found == plugged().blocks.end()) return;
    block = std::move(found->second);
    plugged().blocks.erase(found);
  }
  unlocked([&] {
    block->used_until_now_on(queue_for(device, stream));
    block = nullptr;
  });
}

}  // namespace devarray::cuda
