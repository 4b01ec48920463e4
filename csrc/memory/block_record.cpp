#include "memory/block_record.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <unordered_map>

namespace devarray {
namespace {

constexpr std::size_t kMostEvents = std::size_t{1} << 20;

struct Record {
  std::mutex mutex;
  std::unordered_map<const Block*, LivingBlock> living;
  std::vector<BlockEvent> events;
  std::uint64_t count = 0;

  void note(double seconds, std::int64_t bytes, std::uint64_t number) {
    if (events.size() < kMostEvents) events.push_back({seconds, bytes, number});
  }
};

Record& record() {
  static auto* r = new Record;  // blocks end after static objects do
  return *r;
}

std::uint32_t (*line_source)() noexcept = nullptr;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

namespace detail {

std::atomic<bool> blocks_are_recorded{false};

void note_block(const Block& block) {
  if (!block.allocation || !block.owner) return;
  const std::uint32_t line = line_source ? line_source() : 0;
  LivingBlock entry;
  entry.line = line;
  entry.seconds = now();
  entry.device = block.owner->device()->label();
  entry.resource = block.owner->describe();
  entry.kind = name_of(block.kind());
  entry.address = reinterpret_cast<std::uintptr_t>(block.allocation->handle()) + block.offset;
  entry.bytes = block.size;
  entry.capacity = block.capacity;
  std::lock_guard lock(record().mutex);
  const auto [at, fresh] = record().living.try_emplace(&block, std::move(entry));
  if (!fresh) {
    if (line && !at->second.line) at->second.line = line;
    return;
  }
  at->second.number = ++record().count;
  record().note(at->second.seconds, static_cast<std::int64_t>(block.size), at->second.number);
}

void forget_block(const Block& block) noexcept {
  try {
    std::lock_guard lock(record().mutex);
    const auto at = record().living.find(&block);
    if (at == record().living.end()) return;
    record().note(now(), -static_cast<std::int64_t>(at->second.bytes), at->second.number);
    record().living.erase(at);
  } catch (const std::exception&) {  // a record is not worth an error
  }
}

}  // namespace detail

void start_block_record() {
  std::lock_guard lock(record().mutex);
  record().living.clear();
  record().events.clear();
  record().count = 0;
  detail::blocks_are_recorded.store(true);
}

void stop_block_record() {
  detail::blocks_are_recorded.store(false);
  std::lock_guard lock(record().mutex);  // what ends from now on is not heard of
  record().living.clear();
}

std::vector<LivingBlock> living_blocks() {
  std::vector<LivingBlock> blocks;
  {
    std::lock_guard lock(record().mutex);
    for (const auto& [block, entry] : record().living) blocks.push_back(entry);
  }
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return blocks;
}

std::vector<BlockEvent> block_events() {
  std::lock_guard lock(record().mutex);
  return record().events;
}

void set_block_line_source(std::uint32_t (*source)() noexcept) { line_source = source; }

}  // namespace devarray
