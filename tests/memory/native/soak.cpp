// Many threads and queues on shared pools over the mock device, for sanitizer builds. Every block is filled with its
// own byte through its queue and checked before it is given back; blocks also change threads and queues, and some queues
// end while blocks note uses on them. A further thread runs the others, so that work is pending when blocks are freed.
//
//     soak [steps per thread] [threads]
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "memory/adaptor.hpp"
#include "memory/pool.hpp"
#include "testing/mock_driver.hpp"

using namespace devarray;

namespace {

constexpr std::size_t device_memory = 64u << 20;
constexpr std::size_t kept = 64;

struct Held {
  Ref<Block> block;
  char byte = 0;
};

/// Where threads leave blocks for each other.
struct Exchange {
  std::mutex mutex;
  std::vector<Held> slots = std::vector<Held>(kept);
  void swap(std::size_t i, Held& held) {
    std::lock_guard lock(mutex);
    std::swap(slots[i % kept], held);
  }
};

/// `other` reads where the block's own queue is gone.
bool holds(Held& held, const QueuePtr& other) {
  if (!held.block->timeline) return true;
  QueuePtr reader = held.block->timeline->queue();
  if (!reader) {
    held.block->timeline->wait();
    reader = other;
  }
  std::vector<char> got(held.block->size);
  reader->read(got.data(), *held.block->allocation, held.block->offset, got.size(), true);
  return got.front() == held.byte && std::memcmp(got.data(), got.data() + 1, got.size() - 1) == 0;
}

unsigned magnitudes = 20;
constexpr unsigned passing = 8;  ///< one step in so many is done on a queue that ends with it

std::size_t size_of(std::mt19937& random) {
  const unsigned magnitude = random() % magnitudes;
  return 1 + random() % (1u << magnitude);
}

void work(mock::Device& device, MemoryResource& resource, const std::vector<QueuePtr>& queues, Exchange& exchange, std::size_t steps,
          unsigned seed, std::atomic<std::size_t>& wrong, std::atomic<std::size_t>& refused) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < steps; ++i) {
    Held held;
    const QueuePtr queue = random() % passing ? queues[random() % queues.size()] : device.create_queue();
    try {
      held.block = resource.allocate(size_of(random), queue);
    } catch (const OutOfMemoryError&) {
      ++refused;
      Held dropped;
      exchange.swap(random(), dropped);
      continue;
    }
    held.byte = static_cast<char>(random());
    queue->fill(*held.block->allocation, held.block->offset, &held.byte, 1, held.block->size);
    exchange.swap(random(), held);
    if (!held.block) continue;
    const QueuePtr& other = queues[random() % queues.size()];
    if (!holds(held, other)) ++wrong;
    // Freed with work pending on two queues.
    const char junk = '!';
    if (EventPtr before = held.block->timeline->behind()) other->wait_event(*before);
    other->fill(*held.block->allocation, held.block->offset, &junk, 1, held.block->size);
    held.block->used_on(other);
  }
}

std::size_t soak(const char* name, const std::shared_ptr<mock::Device>& device, ResourcePtr resource,
                 std::size_t steps, std::size_t thread_count) {
  std::atomic<std::size_t> wrong{0}, refused{0};
  std::atomic<bool> stop{false};
  std::vector<QueuePtr> queues;
  for (int i = 0; i < 4; ++i) queues.push_back(device->create_queue());
  {
    Exchange exchange;
    std::thread runner([&] {
      while (!stop) {
        for (const QueuePtr& queue : queues) static_cast<mock::Queue&>(*queue).step();
        std::this_thread::yield();
      }
    });
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < thread_count; ++t)
      threads.emplace_back([&, t] {
        work(*device, *resource, queues, exchange, steps, static_cast<unsigned>(t), wrong, refused);
      });
    for (std::thread& thread : threads) thread.join();
    stop = true;
    runner.join();
  }
  resource->trim();
  for (const QueuePtr& queue : queues) queue->finish();
  sweep_parked(true);
  resource->trim();
  const std::size_t left = device->live_allocations, freed_in_use = device->freed_in_use;
  std::printf("%s: %zu allocations, %zu refused, %zu wrong, %zu freed in use, %zu left\n", name, steps * thread_count,
              refused.load(), wrong.load(), freed_in_use, left);
  return wrong + freed_in_use + left;
}

}  // namespace

// soak [STEPS [THREADS [MAGNITUDES]]]: sizes stay below 2^MAGNITUDES.
int main(int argc, char** argv) {
  const std::size_t steps = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
  const std::size_t threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4;
  if (argc > 3) magnitudes = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
  std::size_t failures = 0;
  for (const MemoryKind kind : {MemoryKind::svm_fine, MemoryKind::buffer}) {
    const auto device = std::make_shared<mock::Device>(std::vector{kind}, device_memory);
    const auto direct = direct_resource(device, kind);
    failures += soak("direct", device, direct, steps, threads);
    failures += soak("bins", device, bin_pool(direct), steps, threads);
    failures += soak("pool", device, pool_resource(direct), steps, threads);
    const auto limit = std::make_shared<LimitingResource>(direct, 6u << 20);
    failures += soak("statistics over pool over limit", device,
                     std::make_shared<StatisticsResource>(pool_resource(limit)), steps, threads);
  }
  return failures == 0 ? 0 : 1;
}
