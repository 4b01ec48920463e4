#include "engine/attempt.hpp"

#include <algorithm>
#include <utility>

#include "common/error.hpp"
#include "engine/lock.hpp"

namespace devarray {

Attempt::~Attempt() {
  current_ = nullptr;
  call_postponed();
}

void Attempt::note_again() {
  constexpr int kMost = 1000;  // more than a launch allocates
  if (++again_ > kMost)
    throw ValueError(
        "an allocator or a finalizer (__del__) evaluates arrays each time that it is called, so that what called it "
        "never ends; evaluate them before, or outside of it");
  std::erase_if(memory_, [](const Left& l) { return l.taken && l.block->use_count() > 1; });
  for (Left& l : memory_) l.taken = false;
  overtaken_ = false;
}

void Attempt::call_postponed() {
  while (!postponed_.empty()) {  // they may add to it
    std::vector<std::function<void()>> calls;
    calls.swap(postponed_);
    for (const auto& call : calls) call();
  }
}

Ref<Block> Attempt::left_memory(const MemoryResource& resource, std::size_t bytes, const QueuePtr& queue) {
  if (!current_ || current_->memory_.empty()) [[likely]]
    return nullptr;
  auto& left = current_->memory_;
  const auto found = std::ranges::find_if(
      left, [&](const Left& l) { return !l.taken && l.resource == &resource && l.bytes == bytes && l.queue == queue; });
  if (found == left.end()) return nullptr;
  found->taken = true;
  return found->block;
}

void Attempt::call_in_order(std::function<void()> call) {
  if (!current_) return call();
  current_->postponed_.push_back(std::move(call));
}

void Attempt::settle(const Queue& queue) {
  queue.settle();
  if (current_ && current_->overtaken_) throw Overtaken();
}

Attempt::Aside::Aside(Postponed postponed) : attempt_(std::exchange(current_, nullptr)), taken_(EngineLock::taken()) {
  if (attempt_ && postponed == Postponed::is_called) attempt_->call_postponed();
}

/// While this thread holds the lock, nobody else takes it.
bool Attempt::Aside::was_overtaken() const {
  return attempt_ && (attempt_->overtaken_ || EngineLock::taken() != taken_);
}

void Attempt::Aside::end(const Ref<Block>& block, const MemoryResource& resource, std::size_t bytes,
                         const QueuePtr& queue) const {
  if (!was_overtaken()) return;
  attempt_->memory_.push_back({&resource, bytes, queue, block});
  throw Overtaken();
}

void Attempt::Aside::end(const KernelPtr& kernel) const {
  if (!was_overtaken()) return;
  attempt_->kernels_.push_back(kernel);
  throw Overtaken();
}

}  // namespace devarray
