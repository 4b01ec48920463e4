#include "engine/operators.hpp"

#include <utility>

#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/held_stores.hpp"

namespace devarray {
namespace {

/// NumPy's same_kind rule: bool, unsigned, signed, real, complex, each to itself and those after it.
bool same_kind(DType from, DType to) {
  const auto rank = [](DType t) {
    switch (kind_of(t)) {
      case Kind::boolean: return 0;
      case Kind::unsigned_: return 1;
      case Kind::integer: return 2;
      case Kind::real: return 3;
      default: return 4;
    }
  };
  return rank(from) <= rank(to);
}

bool same_view(const Node& a, const Node& b) {
  return a.is_leaf() && b.is_leaf() && a.storage == b.storage && a.offset == b.offset && a.dtype == b.dtype &&
         a.shape == b.shape && a.strides == b.strides;
}

NodeRef without_leading_ones(const NodeRef& value, std::size_t ndim) {
  std::size_t extra = 0;
  while (value->shape.size() - extra > ndim && value->shape[extra] == 1) ++extra;
  if (!extra) return value;
  evaluate(*value);
  Dims shape(value->shape.begin() + extra, value->shape.end()),
      strides(value->strides.begin() + extra, value->strides.end());
  return Node::leaf(value->storage, value->dtype, std::move(shape), std::move(strides), value->offset);
}

/// Whether nobody sees what is written to a value's memory, that which it has and that which it will have.
bool alone_on(const Node& n) {
  if (n.is_pending()) return !n.is_pending_view && !n.has_held_views();
  return n.owners == 1 && n.storage->use_count() == 1 && !n.storage->exposed && n.c_contiguous();
}

/// Whether no array has a value, nor memory that it is a view of.
bool is_nobodys(const Node& n) {
  if (n.owners > 0 || !n.writable) return false;
  if (n.is_pending()) return !n.is_pending_view && !n.has_held_views();
  const Storage& s = *n.storage;
  return !n.is_view && s.use_count() == 1 && !s.exposed && !s.read_only && s.block->owner == n.place->resource;
}

}  // namespace

void require_power(const RecordArg* args, bool negative) {
  const RecordArg &base = args[0], &exponent = args[1];
  const bool known = !exponent.node || (exponent.node->state == NodeState::scalar && !exponent.node->place);
  const ScalarValue& value = exponent.node ? exponent.node->value : exponent.scalar;
  negative |= known && value.kind == Kind::integer && value.i < 0;
  const auto is_whole = [](Kind kind) { return kind_rank(kind) <= 1; };
  bool whole = is_whole(base.node ? kind_of(base.node->dtype) : base.scalar.kind);
  // Of uint64 and signed integers the power is a float.
  if (base.node && exponent.node) whole &= is_whole(kind_of(promote(base.node->dtype, exponent.node->dtype)));
  if (negative && whole)
    throw ValueError("Integers to negative integer powers are not allowed. Cast the base to a float dtype");
}

NodeRef record_power(const RecordArg* args, bool hold) {
  const RecordArg& exponent = args[1];
  if (args[0].node && !exponent.node && !exponent.beyond) {
    const Kind base = kind_of(args[0].node->dtype);
    const bool integer = exponent.scalar.kind == Kind::integer;
    const double value = integer ? static_cast<double>(exponent.scalar.i) : exponent.scalar.re;
    const bool inexact = base == Kind::real || base == Kind::complex;
    const bool keeps_dtype = integer || (exponent.scalar.kind == Kind::real && inexact);
    if (keeps_dtype && value == 2) return record(core_ops().square, args, 1, hold);
    if (keeps_dtype && value == -1 && base == Kind::real) return record(core_ops().reciprocal, args, 1, hold);
  }
  return record(core_ops().pow, args, 2, hold);
}

void require_inplace(const std::string& name, const Node& target, const Node& value) {
  if (!(value.shape == target.shape))
    throw ShapeError("non-broadcastable output operand with shape " + to_string(target.shape) +
                     " doesn't match the broadcast shape " + to_string(value.shape) + ": the in-place " + name +
                     " cannot enlarge the array");
  if (!same_kind(value.dtype, target.dtype))
    throw DTypeError("Cannot cast ufunc '" + name + "' output from dtype('" + name_of(value.dtype) + "') to dtype('" +
                     name_of(target.dtype) +
                     "') with casting rule 'same_kind': the array cannot hold what the in-place operation gives; "
                     "write x = x ... or cast with astype");
}

NodeRef store_or_replace(Node& target, const NodeRef& value, const Node* last) {
  if (target.writable && alone_on(target) && value->writable && value->shape == target.shape &&
      value->state != NodeState::scalar && (config().deferred || target.is_pending())) {
    NodeRef next = cast(value, target.dtype, true);
    // Recording the cast may evaluate other work, without the GIL: another thread may look at `target` since.
    if (next == value || alone_on(target)) return next;
  }
  const NodeRef keep(&target);
  if (target.is_pending()) evaluate(target);
  if (!hold_store(target, value)) assign(target, value, last);
  return nullptr;
}

NodeRef replacement_of(const Node& target, const NodeRef& value) {
  if (awaits_store(target)) release_stores();
  if (!config().deferred || !value->place || !target.writable || !alone_on(target) ||
      !(*value->place == *target.place) || !(value->shape == target.shape) || target.place->queue->is_captured())
    return nullptr;
  const bool waits = value->is_pending() && value->by_rows;
  if (!waits && !(value->is_leaf() && value->c_contiguous() && 2 * value->nbytes() >= config().large_bytes()))
    return nullptr;
  NodeRef next = cast(value, target.dtype, true);
  if (next == value && !is_nobodys(*value)) {
    const RecordArg arg{.node = value};
    next = record(core_ops().copy, &arg, 1, true);
  }
  // Recording may evaluate other work, without the GIL: another thread may look at `target` since.
  return alone_on(target) ? next : nullptr;
}

void assign_item(Node& target, NodeRef value, const Node* last, bool may_wait) {
  if (target.is_pending()) evaluate(target);
  if (value->shape.size() > target.shape.size()) value = without_leading_ones(value, target.shape.size());
  if (same_view(target, *value)) return require_writable(target);
  if (value->place && value->place->device != target.place->device)
    throw DeviceError("the value is on " + value->place->device->label() + ", the array on " +
                      target.place->device->label() + "; move one with to_device()");
  if (target.shape.empty() && !value->shape.empty())
    throw ShapeError(
        "setting an array element with a sequence. An element takes one number; could not broadcast input array from "
        "shape " +
        to_string(value->shape) + " into shape ()");
  if (!may_wait || !hold_store(target, value)) assign(target, value, last);
}

}  // namespace devarray
