// A vector whose first N elements live inside it: shapes and strides never touch the heap for common ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "common/assertion.hpp"

namespace devarray {

template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  explicit SmallVector(std::size_t n, T value = T()) { resize(n, value); }
  SmallVector(std::initializer_list<T> l) { assign(l.begin(), l.end()); }
  template <class It, class = std::enable_if_t<!std::is_integral_v<It>>>
  SmallVector(It first, It last) {
    assign(first, last);
  }
  SmallVector(const SmallVector& o) { assign(o.begin(), o.end()); }
  SmallVector(SmallVector&& o) noexcept { take(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) assign(o.begin(), o.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      drop();
      take(o);
    }
    return *this;
  }
  ~SmallVector() { drop(); }

  template <class It>
  void assign(It first, It last) {
    clear();
    if constexpr (std::is_pointer_v<It>) {
      const auto n = static_cast<std::size_t>(last - first);
      if (n > capacity_) grow(n);
      for (std::size_t i = 0; i < n; ++i) data_[i] = first[i];
      size_ = static_cast<std::uint32_t>(n);
    } else {
      for (; first != last; ++first) push_back(*first);
    }
  }
  void push_back(T v) {
    if (size_ == capacity_) grow(capacity_ * 2);
    data_[size_++] = v;
  }
  void pop_back() {
    DEVARRAY_ASSERT(size_ > 0);
    --size_;
  }
  void insert(std::size_t at, T v) {
    DEVARRAY_ASSERT(at <= size_);
    push_back(v);
    for (std::size_t i = size_ - 1; i > at; --i) data_[i] = data_[i - 1];
    data_[at] = v;
  }
  void erase(std::size_t at) {
    DEVARRAY_ASSERT(at < size_);
    for (std::size_t i = at; i + 1 < size_; ++i) data_[i] = data_[i + 1];
    --size_;
  }
  void resize(std::size_t n, T value = T()) {
    if (n > capacity_) grow(std::max<std::size_t>(n, capacity_ * 2));
    for (std::size_t i = size_; i < n; ++i) data_[i] = value;
    size_ = static_cast<std::uint32_t>(n);
  }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) {
    DEVARRAY_ASSERT(i < size_);
    return data_[i];
  }
  const T& operator[](std::size_t i) const {
    DEVARRAY_ASSERT(i < size_);
    return data_[i];
  }
  T& back() {
    DEVARRAY_ASSERT(size_ > 0);
    return data_[size_ - 1];
  }
  const T& back() const {
    DEVARRAY_ASSERT(size_ > 0);
    return data_[size_ - 1];
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)  // few elements: less than a call of memcmp
      if (!(a.data_[i] == b.data_[i])) return false;
    return true;
  }

 private:
  void grow(std::size_t n) {
    DEVARRAY_ASSERT(n > size_);
    T* p = new T[n];
    std::copy(begin(), end(), p);
    if (data_ != inline_) delete[] data_;
    data_ = p;
    capacity_ = static_cast<std::uint32_t>(n);
  }
  void drop() {
    if (data_ != inline_) delete[] data_;
    data_ = inline_;
    size_ = 0;
    capacity_ = N;
  }
  void take(SmallVector& o) {
    if (o.data_ == o.inline_) {
      std::copy(o.begin(), o.end(), inline_);
      data_ = inline_;
      capacity_ = N;
    } else {
      data_ = o.data_;
      capacity_ = o.capacity_;
    }
    size_ = o.size_;
    o.data_ = o.inline_;
    o.size_ = 0;
    o.capacity_ = N;
  }
  T* data_ = inline_;
  std::uint32_t size_ = 0, capacity_ = N;
  T inline_[N];
};

using Dims = SmallVector<std::int64_t, 5>;

}  // namespace devarray
