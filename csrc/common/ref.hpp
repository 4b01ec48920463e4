// Intrusive reference counting for the objects of the hot path (blocks, storages, expression nodes).
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace devarray {

/// A count of references that any thread may take and drop.
class SharedCount {
 public:
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Whether none is left.
  bool drop() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  std::uint32_t get() const noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> count_{0};
};

/// A count of references that are taken and dropped with the GIL alone. Atomic ones would take a third of the time of
/// an operation on a few elements.
class GuardedCount {
 public:
  void add() noexcept { ++count_; }
  bool drop() noexcept { return --count_ == 0; }
  std::uint32_t get() const noexcept { return count_; }

 private:
  std::uint32_t count_ = 0;
};

/// Base of intrusively counted objects. Derived classes may hide `dispose` to be recycled instead of deleted.
template <class T, class Count = SharedCount>
class RefCounted {
 public:
  void retain() const noexcept { count_.add(); }
  void release() const noexcept {
    if (count_.drop()) const_cast<T*>(static_cast<const T*>(this))->dispose();
  }
  std::uint32_t use_count() const noexcept { return count_.get(); }
  void dispose() noexcept { delete static_cast<T*>(this); }

 protected:
  RefCounted() = default;
  ~RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

 private:
  mutable Count count_;
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  Ref(T* p) : p_(p) {
    if (p_) p_->retain();
  }
  Ref(const Ref& o) : p_(o.p_) {
    if (p_) p_->retain();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
  Ref(const Ref<U>& o) : p_(o.get()) {
    if (p_) p_->retain();
  }
  ~Ref() {
    if (p_) p_->release();
  }
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  T* get() const noexcept { return p_; }
  T* operator->() const noexcept { return p_; }
  T& operator*() const noexcept { return *p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.p_ == b.p_; }
  T* detach() noexcept { return std::exchange(p_, nullptr); }
  /// Takes over a reference that was detached.
  static Ref adopt(T* p) noexcept {
    Ref r;
    r.p_ = p;
    return r;
  }

 private:
  T* p_ = nullptr;
};

}  // namespace devarray
