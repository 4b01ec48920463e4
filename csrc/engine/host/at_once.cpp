#include "engine/host/at_once.hpp"

#include <cstring>

#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"
#include "memory/block_record.hpp"

namespace devarray::host {
namespace {

/// More elements are worth a plan.
constexpr std::int64_t kMost = 4096;

char* address(const Node& leaf) { return static_cast<char*>(leaf.storage->block->host()) + leaf.offset; }

/// How a leaf's elements lie for work on a shape.
enum class Lie : std::uint8_t { dense, one, row, otherwise };

Lie lie_of(const Node& leaf, const Dims& shape) {
  if (leaf.shifts) return Lie::otherwise;
  if (leaf.shape.empty() && !shape.empty()) return Lie::one;
  if (!(leaf.shape == shape)) return Lie::otherwise;
  return leaf.c_contiguous() ? Lie::dense : shape.size() == 1 ? Lie::row : Lie::otherwise;
}

template <class Unit>
void copy_row(char* to, std::int64_t step, const char* from, std::int64_t stride, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    Unit unit;
    std::memcpy(&unit, from + i * stride, sizeof unit);
    std::memcpy(to + i * step, &unit, sizeof unit);
  }
}

/// Copies elements from even distances to even distances.
void copy_row(std::int64_t itemsize, char* to, std::int64_t step, const char* from, std::int64_t stride,
              std::int64_t n) {
  struct Pair {
    std::uint64_t half[2];
  };
  switch (itemsize) {
    case 1: return copy_row<std::uint8_t>(to, step, from, stride, n);
    case 2: return copy_row<std::uint16_t>(to, step, from, stride, n);
    case 4: return copy_row<std::uint32_t>(to, step, from, stride, n);
    case 8: return copy_row<std::uint64_t>(to, step, from, stride, n);
    default: return copy_row<Pair>(to, step, from, stride, n);
  }
}

void fill(char* to, const Node& scalar, std::int64_t n) {
  std::int64_t bits[2] = {0, 0};
  encode_scalar(scalar.dtype, scalar.value, bits);
  repeat(to, bits, value_size(scalar.dtype), static_cast<std::size_t>(n));
}

/// Writes the elements of a leaf that is no array of `n` dense ones to such memory.
void gather(char* to, const Node& leaf, Lie lie, std::int64_t n) {
  if (lie == Lie::one)
    repeat(to, address(leaf), static_cast<std::size_t>(leaf.itemsize()), static_cast<std::size_t>(n));
  else
    copy_row(leaf.itemsize(), to, leaf.itemsize(), address(leaf), leaf.strides[0], n);
}

/// Whether values lie in memory as loops take them.
bool plain(DType t) { return t != DType::bool_ && t != DType::float16; }

/// A tree of operations whose leaves are dense, rows or single elements, done one after the other over all elements.
/// The values between them are nobody's but their one consumer's, and stay in the cache.
class Tree {
 public:
  /// Whether to look further at a value. Before a tree is made, which is large.
  static bool may_suit(const Node& root) {
    return !root.is_of_another() && root.size() > 0 && root.size() <= kMost && takes(*root.place, 2 * root.size()) &&
           !profiling() && !debugging(2) && !EngineLock::held();
  }
  /// False where the tree is of another kind. `written`: the memory that the result goes to, where that may be an
  /// operand's.
  /// `last`: counts as held by nobody.
  bool suits(const Node& root, const Node* written, const Node* last = nullptr);
  void run(char* out) const;
  /// Whether values that others hold were evaluated on the way. Other threads may have run meanwhile.
  bool disturbed() const { return disturbed_; }

 private:
  static constexpr int kMostSteps = 12;
  struct Source {
    const Node* node = nullptr;  ///< a leaf or a scalar; null for what a step gave
    int step = 0;
    Lie lie = Lie::dense;
  };
  struct Step {
    Loop loop = nullptr;
    Convert convert = nullptr;  ///< instead, of a cast
    int arity = 0;
    Source in[3];
  };

  /// The number of the step that computes a node, behind those it needs; -1 where the host has no loop for one.
  int add(const Node& n);
  bool add_leaf(const Node& leaf, Source& source, bool last);

  const Node* root_ = nullptr;
  const Node* written_ = nullptr;
  const Node* last_ = nullptr;
  std::int64_t count_ = 0, cost_ = 0;
  int steps_ = 0, copies_ = 0;
  bool disturbed_ = false;
  Step step_[kMostSteps];
};

bool Tree::suits(const Node& root, const Node* written, const Node* last) {
  root_ = &root;
  written_ = written;
  last_ = last;
  count_ = root.size();
  return add(root) >= 0 && cost_ <= config().host_elements;
}

bool Tree::add_leaf(const Node& leaf, Source& source, bool last) {
  source.node = &leaf;
  source.lie = lie_of(leaf, root_->shape);
  if (source.lie == Lie::otherwise || leaf.dtype == DType::float16 || !can_read(*leaf.storage, *root_->place))
    return false;
  const bool copied = source.lie != Lie::dense || !plain(leaf.dtype);
  copies_ += copied;
  // Steps before the last one, and copies, have been done when it writes.
  if (!written_ || !last || copied || leaf.storage != written_->storage) return true;
  if (leaf.offset == written_->offset && leaf.itemsize() == root_->itemsize()) return true;
  return leaf.offset >= written_->offset + root_->nbytes() || written_->offset >= leaf.offset + leaf.nbytes();
}

int Tree::add(const Node& n) {
  DType inputs[3];
  Step step;
  step.loop = loop_for(n, inputs);
  step.arity = n.arity;
  if (!step.loop || n.dtype == DType::float16) return -1;
  for (int i = 0; i < n.arity; ++i) {
    Node& in = *n.inputs[i].node;
    if (in.dtype != inputs[i]) {
      if (n.op != core_ops().astype || in.dtype == DType::float16) return -1;
      step.convert = loops().cast(in.dtype, n.dtype);
    }
    const bool own = (in.owners == 0 || &in == last_) && !in.is_of_another() && in.consumers && !in.consumers->next &&
                     in.shape == root_->shape;
    if (in.is_pending() && !own) {
      if (!evaluate_at_once(in)) return -1;
      disturbed_ = true;
    } else if (in.is_pending() && in.place->queue != root_->place->queue) {
      return -1;
    }
    if (in.is_pending()) {
      if ((step.in[i].step = add(in)) < 0) return -1;
    } else if (in.is_leaf()) {
      if (!add_leaf(in, step.in[i], &n == root_)) return -1;
    } else {
      step.in[i].node = &in;
      ++copies_;
    }
  }
  if (steps_ == kMostSteps) return -1;
  cost_ += count_ * (n.arity + 1 + host_weight(n.op));
  step_[steps_] = step;
  return steps_++;
}

void Tree::run(char* out) const {
  const auto count = static_cast<std::size_t>(count_);
  const std::size_t piece = (count * 16 + 63) / 64 * 64;
  const auto pieces = static_cast<std::size_t>(steps_ + copies_);
  char* room = pieces > 1 ? scratch(Scratch::block, piece * pieces) : nullptr;
  char* next = room + piece * static_cast<std::size_t>(steps_);
  for (int s = 0; s < steps_; ++s) {
    const void* in[3] = {nullptr, nullptr, nullptr};
    for (int i = 0; i < step_[s].arity; ++i) {
      const Source& from = step_[s].in[i];
      if (!from.node) {
        in[i] = room + piece * static_cast<std::size_t>(from.step);
        continue;
      }
      const bool leaf = from.node->is_leaf(), dense = leaf && from.lie == Lie::dense;
      if (dense && plain(from.node->dtype)) {
        in[i] = address(*from.node);
        continue;
      }
      if (!leaf)
        fill(next, *from.node, count_);
      else if (!dense)
        gather(next, *from.node, from.lie, count_);
      if (leaf && from.node->dtype == DType::bool_)  // any byte but 0 is true
        loops().load(DType::bool_)(next, dense ? address(*from.node) : next, count);
      in[i] = next;
      next += piece;
    }
    char* to = s + 1 == steps_ ? out : room + piece * static_cast<std::size_t>(s);
    if (step_[s].convert)
      step_[s].convert(to, in[0], count);
    else
      step_[s].loop(to, in, count, 0);
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

/// Whether arrays hold elements among the bytes from `offset` on, or so many elsewhere that they are not looked
/// through.
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
  if (n.is_pending_view) return evaluate_at_once(*NodeRef(n.inputs[0].node));
  if (n.dtype == DType::float16 || !Tree::may_suit(n)) return false;
  Tree tree;
  if (!tree.suits(n, nullptr)) return false;
  const PlaceRef& place = n.place;
  Ref<Block> block = place->resource->try_allocate(static_cast<std::size_t>(n.nbytes()), place->queue);
  if (!block) return false;
  note_block(*block);
  const StorageRef storage(new Storage(std::move(block), place));
  // An allocator may have let other threads run.
  if (!n.is_pending()) return true;
  if (!can_write(*storage, *place) || !place->queue->known_idle() || EngineLock::held()) return false;
  tree.run(static_cast<char*>(storage->block->host()));
  n.materialize(storage, c_strides(n.shape, n.itemsize()), 0);
  return true;
}

bool assign_at_once(Node& target, Node& value, const Node* last) {
  const std::int64_t count = target.size();
  if (!target.is_leaf() || count > kMost || !takes(*target.place, count) || profiling() || debugging(2) ||
      EngineLock::held())
    return false;
  const Lie lie = lie_of(target, target.shape);
  if (lie == Lie::otherwise || value.dtype != target.dtype || target.dtype == DType::float16) return false;
  if (lie == Lie::row && target.strides[0] == 0) return false;
  const auto may_write = [&] {
    const Extent to = target.extent();
    return !shows_elements(*target.storage, to.low, to.high - to.low) && !has_reader(*target.storage, &value) &&
           can_write(*target.storage, *target.place);
  };
  // What others need, too, is stored twice.
  if (!may_stay_pending(last, target, value)) last = nullptr;
  if (value.is_pending() && &value != last && (value.owners || value.consumers) &&
      (value.place->queue != target.place->queue || !evaluate_at_once(value)))
    return false;
  if (value.is_pending()) {
    if (!(value.shape == target.shape) || value.place->queue != target.place->queue) return false;
    if (!Tree::may_suit(value)) return false;
    Tree tree;
    if (!tree.suits(value, lie == Lie::dense ? &target : nullptr, last)) return false;
    if (tree.disturbed()) return assign_at_once(target, value, last);
    if (!may_write()) return false;
    if (lie == Lie::dense) {
      tree.run(address(target));
      return true;
    }
    char* values = scratch(Scratch::reduction, static_cast<std::size_t>(count) * 16);
    tree.run(values);
    copy_row(target.itemsize(), address(target), target.strides[0], values, target.itemsize(), count);
    return true;
  }
  if (!may_write()) return false;
  const bool direct = lie == Lie::dense;
  char* values = direct ? address(target) : scratch(Scratch::reduction, static_cast<std::size_t>(count) * 16);
  if (value.is_leaf()) {
    const Lie from = lie_of(value, target.shape);
    if (from == Lie::otherwise || !plain(value.dtype) || !can_read(*value.storage, *target.place)) return false;
    if (from == Lie::dense) {
      if (direct)
        std::memmove(values, address(value), static_cast<std::size_t>(target.nbytes()));
      else
        std::memcpy(values, address(value), static_cast<std::size_t>(target.nbytes()));
    } else if (!direct || value.storage == target.storage) {
      char* apart = scratch(Scratch::reduction, static_cast<std::size_t>(count) * 16);
      gather(apart, value, from, count);
      if (direct) std::memcpy(values, apart, static_cast<std::size_t>(target.nbytes()));
    } else {
      gather(values, value, from, count);
    }
  } else {
    fill(values, value, count);
  }
  if (!direct) copy_row(target.itemsize(), address(target), target.strides[0], values, target.itemsize(), count);
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace devarray::host
