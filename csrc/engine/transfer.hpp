// Bytes between arrays and the host.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// A host array seen by the engine: its memory and byte strides; `shape` is that of the device value.
struct HostView {
  void* data = nullptr;
  Dims strides;
};

/// Copies a value to host memory. Blocking unless an event is wanted: then the caller keeps both ends alive until it.
/// Bytes between the host view's elements are never touched.
EventPtr copy_to_host(const NodeRef& n, const HostView& host, const QueuePtr& queue, bool blocking);

/// Copies a few bytes from the host into a fresh leaf that nothing is under way for: host::can_write() says so.
void put_at_once(Node& leaf, const HostView& host);

/// Copies host memory into a leaf's elements.
EventPtr copy_from_host(Node& leaf, const HostView& host, const QueuePtr& queue, bool blocking);

/// Copies one device's value into a leaf of another device, through the host.
void copy_across(Node& target, const NodeRef& source);

/// Waits for everything enqueued on the value's queue.
void wait_for(const Place& place, const char* what);

/// The value's single element: its bytes into `out` (16 bytes at most).
void read_item(const NodeRef& n, void* out);

}  // namespace devarray
