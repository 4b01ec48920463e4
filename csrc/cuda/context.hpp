// Contexts: the retained primary context of a device, contexts of one's own, and contexts made by others.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cuda/host_slot.hpp"

namespace devarray::cuda {

class Context;
using ContextPtr = std::shared_ptr<Context>;

/// Everything that lives in a context holds it; the last one gives it back to the driver.
class Context final : public std::enable_shared_from_this<Context> {
 public:
  /// The device's primary context, that CUDA's runtime API and devarray's arrays use. One object a device.
  static ContextPtr retain_primary(CUdevice device);
  /// A new context, made current.
  static ContextPtr create(CUdevice device, unsigned flags);
  /// The one that is current in this thread; throws DriverError when none is.
  static ContextPtr current();
  /// The same, null when none is.
  static ContextPtr current_or_null();

  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  CUcontext handle() const noexcept { return handle_; }
  CUdevice device() const noexcept { return device_; }
  /// False once detached: what lives in it is gone.
  bool alive() const noexcept { return alive_; }
  bool is_primary() const noexcept { return kind_ == Kind::primary; }

  void push() const;
  static void pop();
  /// Pops it when it is current; one that create() made is destroyed now, with all that lives in it.
  void detach();

  /// Events without timing are kept for reuse: making one takes longer than recording it.
  CUevent take_event();
  void give_event(CUevent event) noexcept;

  /// Page-locked memory for small copies while `lock` is held; null where another thread has it. The context is
  /// current.
  HostSlot* slot(std::unique_lock<std::mutex>& lock);

 private:
  enum class Kind : std::uint8_t { primary, created, foreign };
  Context(Kind kind, CUcontext handle, CUdevice device) : kind_(kind), handle_(handle), device_(device) {}
  static ContextPtr add(Kind kind, CUcontext handle, CUdevice device);
  void release() noexcept;

  Kind kind_;
  CUcontext handle_;
  CUdevice device_;
  std::atomic<bool> alive_{true};
  std::mutex events_mutex_;
  std::vector<CUevent> events_;
  std::mutex slot_mutex_;
  std::unique_ptr<HostSlot> slot_;
};

/// Makes a context current for a scope. Where the thread had none, it stays, so that the next scope costs one query.
class Current {
 public:
  explicit Current(const Context& context);
  ~Current() {
    if (pushed_) [[unlikely]]
      pop();
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  void pop() noexcept;
  bool pushed_ = false;
};

/// The same for destructors: does not throw, and says whether calls to the driver are allowed at all.
class CurrentForRelease {
 public:
  explicit CurrentForRelease(const Context& context) noexcept;
  ~CurrentForRelease();
  CurrentForRelease(const CurrentForRelease&) = delete;
  CurrentForRelease& operator=(const CurrentForRelease&) = delete;
  explicit operator bool() const noexcept { return usable_; }

 private:
  bool usable_ = false, pushed_ = false;
};

}  // namespace devarray::cuda
