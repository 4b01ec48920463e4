#include "engine/whole_copy.hpp"

#include <utility>

#include "engine/config.hpp"
#include "engine/op.hpp"

namespace devarray {

bool is_most_of(const Storage& s, std::int64_t bytes) {
  constexpr std::int64_t kMostAround = 8;  // times that these are more than the others, at least
  return (static_cast<std::int64_t>(s.block->size) - bytes) * kMostAround <= bytes;
}

bool is_whole_copy(const Node& n) {
  if (!n.is_pending() || n.op != core_ops().copy || n.is_of_another()) return false;
  const Node& of = *n.inputs[0].node;
  if (!of.is_leaf() || !of.is_read_in_place() || of.dtype != n.dtype || of.shape != n.shape) return false;
  return of.offset == 0 && of.c_contiguous() && *of.storage->place == *n.place && is_most_of(*of.storage, of.nbytes());
}

NodeRef copy_of(const Storage& s) {
  if (2 * static_cast<std::int64_t>(s.block->size) < config().large_bytes()) return nullptr;
  for (Node* view = s.views; view; view = view->next)
    for (Node::Input* c = view->consumers; c; c = c->next)
      if (c->consumer && c->consumer->owners > 0 && is_whole_copy(*c->consumer)) return NodeRef(c->consumer);
  return nullptr;
}

bool may_take_source(const Node& n) {
  if (!is_whole_copy(n)) return false;
  const Storage& s = *n.inputs[0].node->storage;
  if (s.exposed || s.unused || s.read_only || s.block->use_count() > 1 || s.block->owner != n.place->resource)
    return false;
  for (const Node* view = s.views; view; view = view->next)
    if (view->owners > 0) return false;
  return !n.place->queue->is_captured();
}

void take_memory(Node& copy, const StorageRef& from) {
  Dims strides = copy.inputs[0].node->strides;
  copy.materialize(from, std::move(strides), 0);
}

}  // namespace devarray
