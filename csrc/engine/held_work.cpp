#include "engine/held_work.hpp"

#include <algorithm>
#include <utility>

#include "common/fork.hpp"
#include "common/gil.hpp"
#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/held_launches.hpp"
#include "engine/held_stores.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

/// Those that hold something back.
std::vector<HeldWork*>& all_held() {
  static auto* held = new std::vector<HeldWork*>;
  return *held;
}

/// Whether this thread is launching what is held: what it lets go of the GIL for then has nothing to ask of more.
thread_local bool launching_here = false;

void launch_all() {
  if (launching_here) return;
  release_stores();
  while (!all_held().empty()) {
    HeldWork* const work = all_held().back();
    const QueuePtr queue = work->queue();                   // alive until its launches are made
    queue && !forked() ? work->launch() : work->release();  // a child process has no use for its parent's
  }
}

bool is_of_queue_alone(const Storage& s, const Queue& queue) {
  const Block& block = *s.block;
  return s.place->queue.get() == &queue && !s.exposed && block.foreign_uses.empty() &&
         (!block.timeline || block.timeline == queue.timeline());
}

}  // namespace

void HeldWork::begin() {
  all_held().push_back(this);
  watch_gil();
  queue_.holds_back.store(true, std::memory_order_relaxed);
}

void HeldWork::release() {
  launching_ = stays_ = false;
  queue_.holds_back.store(false, std::memory_order_relaxed);
  std::erase(all_held(), this);
  watch_gil();
  forget();
}

void HeldWork::launch() {
  EngineLock lock;
  if (!holds() || launching_) return;
  launch_now();
  mark_launches(queue_);
}

void HeldWork::launch_now() {
  struct Launching {
    HeldWork& work;
    const bool before = std::exchange(launching_here, true);
    ~Launching() {
      launching_here = before;
      work.launching_ = false;
      if (!work.stays_) work.release();
    }
  } launching{*this};
  launching_ = true;
  stays_ = false;
  const Attempt::Apart apart;
  launch_held();
}

void launch_steps(Queue& queue) {
  if (queue.holds_back.load(std::memory_order_relaxed)) [[unlikely]]
    HeldLaunches::of(queue).chain.launch();
}

void watch_gil() {
  const bool any = !all_held().empty() || EngineLock::before_work.load(std::memory_order_relaxed);
  gil_hooks().before_release.store(any ? launch_all : nullptr, std::memory_order_relaxed);
}

bool may_be_held(std::span<Storage* const> storages, const Queue& queue, bool profiled) {
  return config().deferred && (profiled || !profiling()) && !debugging(2) && !config().check_bounds &&
         std::ranges::all_of(storages, [&](const Storage* s) { return is_of_queue_alone(*s, queue); });
}

HeldLaunches& HeldLaunches::of(Queue& queue) {
  if (!queue.held_back) queue.held_back = std::make_shared<HeldLaunches>(queue);
  return static_cast<HeldLaunches&>(*queue.held_back);
}

StencilChain& StencilChain::of(Queue& queue) { return HeldLaunches::of(queue).chain; }
LaunchBatch& LaunchBatch::of(Queue& queue) { return HeldLaunches::of(queue).batch; }

}  // namespace devarray
