// All that a queue holds back.
#pragma once

#include "engine/held_stores.hpp"
#include "engine/launch_batch.hpp"
#include "engine/stencil_queue.hpp"

namespace devarray {

/// One of them holds launches at a time, or none.
class HeldLaunches final : public Queue::HeldBack {
 public:
  explicit HeldLaunches(Queue& queue) : chain(queue), batch(queue) {}
  void launch(Queue&) override {
    release_stores();
    chain.launch();
    batch.launch();
  }
  static HeldLaunches& of(Queue& queue);

  StencilChain chain;
  LaunchBatch batch;
};

}  // namespace devarray
