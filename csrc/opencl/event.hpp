// Events and user events.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "opencl/api.hpp"

namespace devarray::opencl {

class ClEvent : public Event {
 public:
  explicit ClEvent(Handle<cl_event> event) : event_(std::move(event)) {}
  cl_event get() const noexcept { return event_.get(); }
  void retire() noexcept { event_.reset(); }
  void renew(Handle<cl_event> event) noexcept { event_ = std::move(event); }

  /// Throws DriverError where the command ended with an error.
  bool done() override;
  void wait() override;

  /// Calls `function(status)` from a driver thread once the event reaches `state` (CL_COMPLETE, ...) or fails.
  void on_status(cl_int state, std::function<void(cl_int)> function);

 protected:
  Handle<cl_event> event_;
};
using ClEventPtr = std::shared_ptr<ClEvent>;

/// An event that the program completes.
class UserEvent final : public ClEvent {
 public:
  explicit UserEvent(cl_context context);
  /// CL_COMPLETE, or a negative code that fails everything that waits for it.
  void set_status(cl_int status);
};

/// Blocks until all are complete. Events may belong to several contexts.
void wait_for_events(const std::vector<ClEventPtr>& events);

/// A wait list as the driver takes it.
class WaitList {
 public:
  WaitList() = default;
  explicit WaitList(const std::vector<ClEventPtr>& events) {
    events_.reserve(events.size());
    for (const ClEventPtr& event : events) events_.push_back(event->get());
  }
  cl_uint size() const noexcept { return static_cast<cl_uint>(events_.size()); }
  const cl_event* data() const noexcept { return events_.empty() ? nullptr : events_.data(); }

 private:
  std::vector<cl_event> events_;
};

}  // namespace devarray::opencl
