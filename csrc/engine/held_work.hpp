// Launches that a queue holds back, to make fewer of them with what comes next.
#pragma once

#include <span>
#include <vector>

#include "common/driver.hpp"

namespace devarray {

class Storage;

/// Times that a launch is held back for nothing, one after the other.
inline constexpr unsigned kMostAlone = 3;
/// Of parameters, in bytes: CUDA takes 4096.
inline constexpr std::size_t kMostParameters = 3500;
/// The part of a device's memory that what is held back may keep.
inline constexpr std::size_t kShareOfMemory = 16;

/// What a queue holds back, of one kind. Under the GIL, which a launch may let go of, and then the engine's lock.
class HeldWork {
 public:
  explicit HeldWork(Queue& queue) : queue_(queue) {}
  HeldWork(const HeldWork&) = delete;
  HeldWork& operator=(const HeldWork&) = delete;

  virtual bool holds() const = 0;
  void launch();
  void release();
  /// Null once it is about to end.
  QueuePtr queue() const { return queue_.weak_from_this().lock(); }

 protected:
  ~HeldWork() = default;
  /// The first launch is being taken.
  void begin();
  virtual void launch_held() = 0;
  /// Lets go of all that is held, and last of what dies then: that may run programs.
  virtual void forget() = 0;

  Queue& queue_;
  bool launching_ = false;
  bool stays_ = false;  ///< an error left it as it was: the launch may be tried again

 private:
  void launch_now();
};

/// What is held back of a chain goes to the queue. A batch stays: what is asked for one by one may be all of it.
void launch_steps(Queue& queue);

/// Whether a launch with these operands may be held back: nobody but the queue knows them, and nobody wants to see
/// launches made one by one.
/// `profiled`: also while a profile is taken.
bool may_be_held(std::span<Storage* const> storages, const Queue& queue, bool profiled = false);

/// Has what is held launched before the interpreter's lock is let go of, while anything is.
void watch_gil();

}  // namespace devarray
