#include "engine/recipe.hpp"

#include <algorithm>

#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/expression.hpp"
#include "engine/lock.hpp"
#include "engine/pending_views.hpp"
#include "engine/record.hpp"
#include "engine/survey.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

/// What a pending view shows, as a value: its own one where it shows all of it, as x[:, :] does.
NodeRef value_of(const NodeRef& n) {
  if (!n->is_pending() || !n->is_pending_view) return n;
  const NodeRef& base = n->inputs[0].node;
  if (n->shape == base->shape && n->offset == 0 && is_c_contiguous(n->shape, n->strides, 1)) return base;
  return expression_of_view(n, false);
}

/// Of the reductions that wait for the value, or for what is computed from it, the one that was recorded last.
Node* last_reduction_above(Node& n) {
  constexpr std::size_t kMost = 64;
  const std::uint64_t epoch = Node::new_epoch();
  SmallVector<Node*, 32> found{&n};
  n.epoch = epoch;
  Node* last = nullptr;
  for (std::size_t i = 0; i < found.size() && i < kMost; ++i)
    for (const Node::Input* c = found[i]->consumers; c; c = c->next) {
      Node& reader = *c->consumer;
      if (reader.epoch == epoch) continue;
      reader.epoch = epoch;
      if (reader.is_pending_reduction() && (!last || reader.serial > last->serial)) last = &reader;
      found.push_back(&reader);
    }
  return last;
}

class Writer {
 public:
  explicit Writer(Node& base) : shape_(base.shape), epoch_(Node::new_epoch()) {
    recipe.place = base.place;
    add(base);
  }
  Recipe recipe;

 private:
  std::size_t add(Node& n) {
    if (n.epoch == epoch_) return n.id;
    Recipe::Value value{.op = n.op, .compute = n.compute, .dtype = n.dtype};
    if (n.is_pending()) {
      for (int i = 0; i < n.arity; ++i) value.inputs.push_back(add(*n.inputs[i].node));
    } else {
      value.all_axes = n.is_leaf() && !n.shape.empty();
      value.operand = !value.all_axes
                          ? NodeRef(&n)
                          : Node::view(n, n.dtype, shape_, broadcast_strides(n.shape, n.strides, shape_), n.offset);
    }
    if (value.operand && value.operand->is_leaf()) value.writes = value.operand->storage->writes;
    n.epoch = epoch_;
    n.id = static_cast<std::uint16_t>(recipe.values.size());
    recipe.values.push_back(std::move(value));
    return n.id;
  }

  const Dims& shape_;
  const std::uint64_t epoch_;
};

}  // namespace

bool Recipe::holds() const {
  return std::all_of(values.begin(), values.end(), [](const Value& v) {
    return !v.operand || !v.operand->is_leaf() || v.operand->storage->writes == v.writes;
  });
}

NodeRef Recipe::computed_from(const std::vector<NodeRef>& others, const Dims& shape) const {
  std::vector<NodeRef> made;
  auto next = others.begin();
  for (const Value& v : values) {
    if (v.operand) {
      made.push_back(v.all_axes ? *next++ : v.operand);
      continue;
    }
    NodeRef inputs[3];
    for (std::size_t i = 0; i < v.inputs.size(); ++i) inputs[i] = made[v.inputs[i]];
    made.push_back(record_as(v.op, v.compute, v.dtype, shape, place, inputs, static_cast<int>(v.inputs.size())));
  }
  return made.back();
}

std::optional<Recipe> recipe_to_take(const NodeRef& of, std::int64_t elements) {
  constexpr std::uint64_t kLeastBytes = 1 << 20;  // below, to take what several operands have costs more
  constexpr std::size_t kMostReads = 8;
  if (!of->is_pending() || of->reduction || of->place->device->strategy() != Strategy::gpu) return {};
  const Node& whole = of->is_pending_view ? *of->inputs[0].node : *of;
  if (static_cast<std::uint64_t>(whole.nbytes()) < kLeastBytes || elements == 0 || 2 * elements > of->size()) return {};
  make_room(*of->place->queue);
  EngineLock lock;
  const NodeRef n = value_of(of);
  if (!views_wait(*n)) return {};
  if (n->over_reduction)
    if (Node* const last = last_reduction_above(*n)) evaluate(*last);  // which takes in what waits below the value
  evaluate_what_differs(*n, n->shape);
  if (!n->is_pending() || n->is_of_another()) return {};
  const Survey found = survey(*n);
  if (!found.movable || !found.full || found.reads > kMostReads) return {};
  if (n->owners > 0 || n->consumers) {
    if (!may_be_computed_again(*n, found.weight, found.bytes, true)) return {};
    n->leave_pending();
  }
  return Writer(*n).recipe;
}

}  // namespace devarray
