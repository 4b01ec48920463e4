// What is made once a device and kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "common/driver.hpp"

namespace devarray {

/// One T (a shared pointer) for each device, made at first use. A value may hold its device; so of devices that come
/// and go with the user's contexts only the most recently used have theirs kept. Thread-safe.
template <class T>
class PerDevice {
 public:
  static constexpr std::size_t kPassing = 16;  ///< values of devices that are not permanent

  /// `make` is called without the lock, since it may ask the driver: if two threads come here, the first one's stays.
  template <class Make>
  T get(const Device& device, Make&& make) {
    if (T known = find(device)) return known;
    T made = make();
    T dropped;  // ends outside the lock
    std::lock_guard lock(mutex_);
    if (const auto at = place_of(device); at != entries_.end()) return at->value;
    entries_.push_back({device.serial(), device.permanent(), made});
    dropped = drop_oldest();
    return made;
  }

  /// Null takes the value away.
  void set(const Device& device, T value) {
    T dropped;
    std::lock_guard lock(mutex_);
    if (const auto at = place_of(device); at != entries_.end()) {
      dropped = std::move(at->value);
      entries_.erase(at);
    }
    if (value) entries_.push_back({device.serial(), true, std::move(value)});
  }

 private:
  struct Entry {
    std::uint64_t device;
    bool stays;
    T value;
  };

  auto place_of(const Device& device) {
    return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.device == device.serial(); });
  }
  T find(const Device& device) {
    std::lock_guard lock(mutex_);
    const auto at = place_of(device);
    if (at == entries_.end()) return nullptr;
    T value = at->value;
    if (!at->stays) std::rotate(at, at + 1, entries_.end());  // the last used ones last
    return value;
  }
  T drop_oldest() {
    const auto passing = [](const Entry& e) { return !e.stays; };
    if (static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), passing)) <= kPassing) return nullptr;
    const auto oldest = std::find_if(entries_.begin(), entries_.end(), passing);
    T value = std::move(oldest->value);
    entries_.erase(oldest);
    return value;
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace devarray
