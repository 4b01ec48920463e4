#include "engine/host/at_once.hpp"

#include <cstring>

#include "engine/config.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"

namespace devarray::host {
namespace {

/// More elements are worth a plan.
constexpr std::int64_t kMost = 4096;

char* address(const Node& leaf) { return static_cast<char*>(leaf.storage->block->host()) + leaf.offset; }

bool dense(const Node& leaf, const Dims& shape) { return leaf.shape == shape && !leaf.shifts && leaf.c_contiguous(); }

/// Whether values lie in memory as loops take them.
bool plain(DType t) { return t != DType::bool_ && t != DType::float16; }

void fill(char* to, const Node& scalar, std::int64_t n) {
  std::int64_t bits[2] = {0, 0};
  encode_scalar(scalar.dtype, scalar.value, bits);
  const std::size_t size = value_size(scalar.dtype);
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + static_cast<std::size_t>(i) * size, bits, size);
}

/// A tree of operations whose leaves are dense or scalars, done one after the other over all elements. The values between
/// them are nobody's but their one consumer's, and stay in the cache.
class Tree {
 public:
  /// False where the tree is of another kind. `written`: the memory that the result goes to, where that may be an
  /// operand's.
  bool suits(const Node& root, const Node* written);
  void run(char* out) const;

 private:
  static constexpr int kMostSteps = 12;
  struct Source {
    const Node* node = nullptr;  ///< a leaf or a scalar; null for what a step gave
    int step = 0;
  };
  struct Step {
    Loop loop = nullptr;
    int arity = 0;
    Source in[3];
  };

  /// The number of the step that computes a node, behind those it needs; -1 where the host has no loop for one.
  int add(const Node& n);
  bool may_read(const Node& leaf) const;

  const Node* root_ = nullptr;
  const Node* written_ = nullptr;
  std::int64_t count_ = 0, cost_ = 0;
  int steps_ = 0, scalars_ = 0;
  Step step_[kMostSteps];
};

bool Tree::suits(const Node& root, const Node* written) {
  root_ = &root;
  written_ = written;
  count_ = root.size();
  if (count_ == 0 || count_ > kMost || profiling() || debugging(2) || EngineLock::held()) return false;
  if (!takes(*root.place, 2 * count_)) return false;
  return add(root) >= 0 && cost_ <= config().host_elements;
}

bool Tree::may_read(const Node& leaf) const {
  return plain(leaf.dtype) && dense(leaf, root_->shape) && can_read(*leaf.storage, *root_->place);
}

int Tree::add(const Node& n) {
  DType inputs[3];
  Step step;
  step.loop = loop_for(n, inputs);
  step.arity = n.arity;
  if (!step.loop || n.dtype == DType::float16) return -1;
  for (int i = 0; i < n.arity; ++i) {
    const Node& in = *n.inputs[i].node;
    if (in.dtype != inputs[i]) return -1;
    if (in.is_pending()) {
      const bool own = in.owners == 0 && in.consumers && !in.consumers->next;
      if (!own || !(in.shape == root_->shape) || in.place->queue != root_->place->queue) return -1;
      if ((step.in[i].step = add(in)) < 0) return -1;
      continue;
    }
    step.in[i].node = &in;
    if (!in.is_leaf()) {
      ++scalars_;
      continue;
    }
    if (!may_read(in)) return -1;
    // Steps before the last one have been done when it writes.
    if (written_ && &n == root_ && in.storage == written_->storage && in.offset != written_->offset &&
        in.offset < written_->offset + root_->nbytes() && written_->offset < in.offset + in.nbytes())
      return -1;
    if (written_ && &n == root_ && in.storage == written_->storage && in.itemsize() != root_->itemsize()) return -1;
  }
  if (steps_ == kMostSteps) return -1;
  cost_ += count_ * (n.arity + 1 + host_weight(n.op));
  step_[steps_] = step;
  return steps_++;
}

void Tree::run(char* out) const {
  const auto count = static_cast<std::size_t>(count_);
  const std::size_t piece = (count * 16 + 63) / 64 * 64;
  char* room = steps_ + scalars_ > 1 ? scratch(Scratch::block, piece * static_cast<std::size_t>(steps_ + scalars_)) : nullptr;
  char* next = room + piece * static_cast<std::size_t>(steps_);
  for (int s = 0; s < steps_; ++s) {
    const void* in[3] = {nullptr, nullptr, nullptr};
    for (int i = 0; i < step_[s].arity; ++i) {
      const Source& from = step_[s].in[i];
      if (!from.node) {
        in[i] = room + piece * static_cast<std::size_t>(from.step);
      } else if (from.node->is_leaf()) {
        in[i] = address(*from.node);
      } else {
        fill(next, *from.node, count_);
        in[i] = next;
        next += piece;
      }
    }
    step_[s].loop(s + 1 == steps_ ? out : room + piece * static_cast<std::size_t>(s), in, count, 0);
  }
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
}

/// Whether `at` is computed for nobody but `root`, which needs it.
bool belongs_to(const Node* at, const Node* root) {
  while (at != root) {
    if (at->owners || !at->consumers || at->consumers->next) return false;
    at = at->consumers->consumer;
  }
  return true;
}

/// Whether anything pending but `reader`, and what it alone needs, reads the storage.
bool has_reader(const Storage& storage, const Node* reader) {
  for (const Node* view = storage.views; view; view = view->next)
    for (const Node::Input* c = view->consumers; c; c = c->next)
      if (!belongs_to(c->consumer, reader)) return true;
  return false;
}

/// Whether arrays hold elements among the bytes from `offset` on, or so many elsewhere that they are not looked through.
bool shows_elements(const Storage& storage, std::int64_t offset, std::int64_t bytes) {
  if (!storage.elements) return false;
  int left = 32;
  for (const Node* view = storage.views; view; view = view->next) {
    if (--left < 0) return true;
    if (view->element && view->owners && view->offset < offset + bytes && offset < view->offset + view->nbytes())
      return true;
  }
  return false;
}

}  // namespace

bool evaluate_at_once(Node& n) {
  Tree tree;
  if (n.dtype == DType::float16 || !tree.suits(n, nullptr)) return false;
  const PlaceRef& place = n.place;
  Ref<Block> block = place->resource->try_allocate(static_cast<std::size_t>(n.nbytes()), place->queue);
  if (!block) return false;
  const StorageRef storage(new Storage(std::move(block), place));
  // An allocator may have let other threads run.
  if (!n.is_pending()) return true;
  if (!can_write(*storage, *place) || !place->queue->known_idle() || EngineLock::held()) return false;
  tree.run(static_cast<char*>(storage->block->host()));
  n.materialize(storage, c_strides(n.shape, n.itemsize()), 0);
  return true;
}

bool assign_at_once(Node& target, Node& value) {
  const std::int64_t count = target.size();
  if (!target.is_leaf() || count > kMost || !takes(*target.place, count) || profiling() || debugging(2) ||
      EngineLock::held())
    return false;
  if (target.shifts || !target.c_contiguous() || value.dtype != target.dtype || target.dtype == DType::float16 ||
      shows_elements(*target.storage, target.offset, target.nbytes()) || has_reader(*target.storage, &value) ||
      !can_write(*target.storage, *target.place))
    return false;
  // What others need, too, is stored twice.
  if (value.is_pending() && (value.owners || value.consumers) &&
      (value.place->queue != target.place->queue || !evaluate_at_once(value)))
    return false;
  if (value.is_pending()) {
    if (!(value.shape == target.shape) || value.place->queue != target.place->queue) return false;
    Tree tree;
    if (!tree.suits(value, &target)) return false;
    tree.run(address(target));
    return true;
  }
  if (value.is_leaf()) {
    if (!plain(value.dtype) || !dense(value, target.shape) || !can_read(*value.storage, *target.place)) return false;
    std::memmove(address(target), address(value), static_cast<std::size_t>(target.nbytes()));
  } else {
    fill(address(target), value, count);
  }
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace devarray::host
