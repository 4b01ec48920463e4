// Work on the graph of values that code of the program's may run in the middle of.
#pragma once

#include <functional>
#include <vector>

#include "common/driver.hpp"
#include "memory/resource.hpp"

namespace devarray {

/// Plans and launches, and begins again where code of the program's has come to the engine meanwhile: the graph may be
/// another one then, and what was planned be gone. That code is an allocator in Python, what is called where memory has
/// run out, and finalizers, which may run where Python compiles a kernel. Work that begins again has not launched what
/// it was about to, and finds the memory that was allocated for it, so that it comes to its end.
class Attempt {
 public:
  /// Under the engine's lock. What is evaluated on the way is part of the outer work.
  template <typename Work>
  static auto run(const Work& work) {
    if (current_) return work();
    Attempt attempt;
    for (;;) try {
        return work();
      } catch (const Overtaken&) {
        attempt.note_again();
      }
  }

  /// Around calls of such code, by a thread that is at work or not.
  class Aside {
   public:
    Aside() : Aside(Postponed::is_called) {}
    ~Aside() { current_ = attempt_; }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;
    /// Once the call is over, with what it gave: leaves the work, which will find that, if it is to begin again.
    void end(const Ref<Block>& block, const MemoryResource& resource, std::size_t bytes, const QueuePtr& queue) const;
    void end(const KernelPtr& kernel) const;

   protected:
    enum class Postponed { is_called, waits };
    explicit Aside(Postponed postponed);
    bool was_overtaken() const;
    Attempt* const attempt_;
    const std::uint64_t taken_;
  };

  /// Around the launch of what is held back, which is no part of the work that sets it off and may not leave it there:
  /// settle() does, and the next that steps aside.
  class Apart : private Aside {
   public:
    Apart() : Aside(Postponed::waits) {}
    ~Apart() {
      if (was_overtaken()) attempt_->overtaken_ = true;
    }
  };
  /// What is held back is launched, in the middle of work.
  static void settle(const Queue& queue);

  /// Memory of an attempt before, which the next one has where this one ends without a use of it. Null: there is none.
  static Ref<Block> left_memory(const MemoryResource& resource, std::size_t bytes, const QueuePtr& queue);
  /// Calls what may be code of the program's: at once, or in the middle of work when that is over or steps aside.
  static void call_in_order(std::function<void()> call);

 private:
  struct Overtaken {};
  struct Left {
    const MemoryResource* resource;
    std::size_t bytes;
    QueuePtr queue;
    Ref<Block> block;
    bool taken = false;
  };

  Attempt() { current_ = this; }
  ~Attempt();
  void note_again();
  void call_postponed();

  static constinit inline thread_local Attempt* current_ = nullptr;
  std::vector<Left> memory_;
  std::vector<KernelPtr> kernels_;
  std::vector<std::function<void()>> postponed_;
  int again_ = 0;
  bool overtaken_ = false;
};

}  // namespace devarray
