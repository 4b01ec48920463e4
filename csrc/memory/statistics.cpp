#include "memory/statistics.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace devarray {
namespace {

std::uintptr_t address_of(const Block& block) {
  return reinterpret_cast<std::uintptr_t>(block.allocation->handle()) + block.offset;  // lent: not released
}

}  // namespace

std::vector<TrackingResource::Entry> TrackingResource::outstanding() const {
  std::vector<Entry> list;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [block, entry] : entries_) list.push_back(entry);
  }
  std::sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
  return list;
}

std::size_t TrackingResource::allocated_bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

void TrackingResource::allocated(Block& block) {
  Entry entry{address_of(block), block.size, 0, describe_place_ ? describe_place_() : std::string()};
  std::lock_guard lock(mutex_);
  entry.number = ++count_;
  bytes_ += block.size;
  entries_.emplace(&block, std::move(entry));
}

void TrackingResource::before_deallocate(Block& block) noexcept {
  std::lock_guard lock(mutex_);
  bytes_ -= block.size;
  entries_.erase(&block);
}

namespace {

QueuePtr queue_of(const Block& block) { return block.timeline ? block.timeline->queue() : nullptr; }

}  // namespace

LoggingResource::LoggingResource(ResourcePtr upstream, std::string path)
    : Adaptor(std::move(upstream)), path_(std::move(path)), file_(std::fopen(path_.c_str(), "w")) {
  if (!file_) throw ValueError("log file '" + path_ + "' cannot be written: " + std::strerror(errno));
  std::fputs("Thread,Time,Action,Pointer,Size,Stream\n", file_.get());
}

Ref<Block> LoggingResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  try {
    return Adaptor::allocate(bytes, queue);
  } catch (const OutOfMemoryError&) {
    write("allocate failure", 0, bytes, queue);
    throw;
  }
}

void LoggingResource::flush() {
  std::lock_guard lock(mutex_);
  std::fflush(file_.get());
}

void LoggingResource::allocated(Block& block) { write("allocate", address_of(block), block.size, queue_of(block)); }

void LoggingResource::before_deallocate(Block& block) noexcept {
  write("free", address_of(block), block.size, queue_of(block));
}

void LoggingResource::write(const char* action, std::uintptr_t pointer, std::size_t bytes,
                            const QueuePtr& queue) noexcept {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
  const std::size_t thread = std::hash<std::thread::id>()(std::this_thread::get_id());
  std::lock_guard lock(mutex_);
  std::fprintf(file_.get(), "%zu,%.9f,%s,0x%zx,%zu,0x%zx\n", thread, time.count(), action,
               static_cast<std::size_t>(pointer), bytes, static_cast<std::size_t>(queue ? queue->handle() : 0));
}

Ref<Block> FailureCallbackResource::allocate(std::size_t bytes, const QueuePtr& queue) {
  while (true) {
    try {
      return Adaptor::allocate(bytes, queue);
    } catch (const OutOfMemoryError&) {
      if (!callback_(bytes)) throw;
    }
  }
}

}  // namespace devarray
