// CUDA events.
#pragma once

#include "cuda/context.hpp"

namespace devarray::cuda {

class Event final : public devarray::Event {
 public:
  /// With CU_EVENT_... flags, in `context`.
  static std::shared_ptr<Event> create(const ContextPtr& context, unsigned flags);
  /// Without timing, from the context's stock, and back to it afterwards.
  static std::shared_ptr<Event> pooled(const ContextPtr& context);
  static std::shared_ptr<Event> from_ipc(const ContextPtr& context, const std::string& handle);

  Event(ContextPtr context, CUevent event, bool pooled)
      : context_(std::move(context)), event_(event), pooled_(pooled) {}
  ~Event() override;

  bool done() override;
  void wait() override;
  void record(CUstream stream);
  float milliseconds_since(const Event& start) const;
  std::string ipc_handle() const;
  CUevent handle() const noexcept { return event_; }
  const ContextPtr& context() const noexcept { return context_; }

 private:
  ContextPtr context_;
  CUevent event_;
  bool pooled_;
};

}  // namespace devarray::cuda
