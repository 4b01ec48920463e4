#include "engine/reduce.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "engine/allocate.hpp"
#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/held_stores.hpp"
#include "engine/host/at_once.hpp"
#include "engine/host/reduction.hpp"
#include "engine/index_flags.hpp"
#include "engine/join.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/memory_order.hpp"
#include "engine/naming_lines.hpp"
#include "engine/pending_views.hpp"
#include "engine/ranges.hpp"
#include "engine/record.hpp"
#include "engine/reduce_rows.hpp"
#include "engine/reduction_launch.hpp"
#include "engine/throttle.hpp"
#include "engine/unroll.hpp"

namespace devarray {

namespace {

Dims shape_after(const Dims& shape, const Reduction& r) {
  Dims out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!is_reduced(r, i))
      out.push_back(shape[i]);
    else if (r.keepdims)
      out.push_back(1);
  }
  return out;
}

/// Strides of the result: its axes lie as those of `x`, but positions, which lie in C order, as NumPy's do.
Dims strides_after(Node& x, const Reduction& r, const Dims& shape, std::int64_t itemsize) {
  if (shape.size() < 2 || is_arg(r.kind)) return c_strides(shape, itemsize);
  SmallVector<std::uint8_t, 8> number, order;  // of each axis of x: its number in the result
  std::uint8_t next = 0;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    number.push_back(next);
    next += r.keepdims || !is_reduced(r, i);
  }
  for (const std::uint8_t axis : order_of_axes(x))
    if (r.keepdims || !is_reduced(r, axis)) order.push_back(number[axis]);
  return strides_in_order(shape, order, itemsize);
}

/// A reduction of no elements: the identity, and what follows it.
NodeRef reduce_nothing(Node& x, const Reduction& r, const Dims& shape) {
  if (is_arg(r.kind))
    throw ValueError("attempt to get " + r.kind + " of an empty sequence (shape " + to_string(x.shape) + ")");
  if (r.kind == "min" || r.kind == "max")
    throw ValueError("zero-size array to reduction operation " + r.kind + "imum which has no identity (shape " +
                     to_string(x.shape) + ")");
  const ReduceDtypes types = dtypes_of(r, x.dtype);
  ScalarValue identity;
  identity.i = r.kind == "prod" || r.kind == "all";
  return cast(record_post(full(x.place, types.accumulator, shape, identity), r), types.result);
}

/// Reduces the expression that a view of a pending value stands for, where that costs no more than the value.
NodeRef reduce_view(const NodeRef& x, const Reduction& r, NodeRef (*how)(const NodeRef&, const Reduction&)) {
  if (host::evaluate_at_once(*x)) return how(x, r);
  make_room(*x->place->queue);
  NodeRef source = x;
  {
    EngineLock lock;
    if (x->is_pending_view) source = expression_of_view(x, r.input_dies);
  }
  Reduction own = r;
  own.input_dies |= source != x;
  return how(source, own);
}

/// What its plan follows from beside the graph. Not `keepdims`, by which the result's shape alone differs.
Purpose purpose_of(const Reduction& r, const Node& result) {
  Purpose p{.stage = Stage::reduction};
  const std::uint64_t dtype = r.dtype ? static_cast<std::uint64_t>(*r.dtype) : 0xFF;
  p.words.push_back(dtype | static_cast<std::uint64_t>(r.input_dies) << 8 |
                    static_cast<std::uint64_t>(r.kind.size()) << 16 | static_cast<std::uint64_t>(r.axes.size()) << 32 |
                    static_cast<std::uint64_t>(r.post.size()) << 48);
  for (std::size_t at = 0; at < r.kind.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, r.kind.data() + at, std::min<std::size_t>(8, r.kind.size() - at));
    p.words.push_back(word);
  }
  for (const std::int64_t axis : r.axes) p.words.push_back(static_cast<std::uint64_t>(axis));
  for (const PostOp& op : r.post) {
    p.words.push_back(op.op | static_cast<std::uint64_t>(op.scalar.has_value()) << 32);
    p.words.push_back(std::bit_cast<std::uint64_t>(op.scalar.value_or(0)));
  }
  if (!lies_by_rows(result.shape, result.strides))
    for (std::size_t i = 0; i < result.shape.size(); ++i)
      if (!r.keepdims || !is_reduced(r, i)) p.words.push_back(static_cast<std::uint64_t>(result.strides[i]));
  return p;
}

/// Whether a work-item has all columns of the values that are reduced, and computes once what they share:
/// columns_of_an_item() in reduce_plan.cpp.
bool shares_columns(const Node& x, const Reduction& r) {
  if (x.place->device->strategy() != Strategy::gpu || !config().deferred || x.shape.size() < 3) return false;
  const std::int64_t columns = x.shape.back();
  return columns > 1 && columns <= kFewColumns &&
         std::find(r.axes.begin(), r.axes.end(), std::ssize(x.shape) - 1) == r.axes.end();
}

/// One that is launched now, under the engine's lock.
NodeRef launch_reduction(const NodeRef& x, const Reduction& r, const Dims& shape, DType dtype) {
  if (NodeRef made = launch_row_columns(x, r, shape, dtype)) return made;
  if (x->is_pending() && shares_columns(*x, r)) take_in_repeated(*x);
  const Dims strides = strides_after(*x, r, shape, static_cast<std::int64_t>(size_of(dtype)));
  const NodeRef result = empty_in_order(x->place, dtype, shape, strides);
  const Purpose purpose = purpose_of(r, *result);
  for (;;) {
    const Node* const given[] = {result.get()};
    PlanOf plan(*x, purpose, given);
    if (plan.done()) return result;
    Expression e(*x, x->shape);
    while (!e.fits(kReductionMemory) && e.cut());
    if (x->is_pending() && (!absorbable(e, *x->place) || is_read_across(e))) {
      evaluate(*x);
      continue;
    }
    launch_reduction_of(e, *x, r, result);
    plan.keep();
    return result;
  }
}

/// Of a join that waits, or of what a view shows of one. Null for what is neither.
NodeRef reduce_joined(const NodeRef& x, const Reduction& r) {
  Reduction own = r;
  own.input_dies = false;
  own.dying = nullptr;
  const EngineLock lock;
  if (const NodeRef seen = seen_part(x); seen != x) return reduce(seen, own);
  if (!x->is_pending_join()) return nullptr;
  const ReduceDtypes types = dtypes_of(r, x->dtype);
  if (NodeRef made = unrolled_parts(*x, r, types.accumulator, types.result)) return made;
  evaluate(*x);
  return nullptr;
}

}  // namespace

NodeRef reduce(const NodeRef& x, const Reduction& r) {
  if (awaits_store(*x)) [[unlikely]]
    release_stores();
  if (waiting_joins > 0) [[unlikely]]
    if (NodeRef made = reduce_joined(x, r)) return made;
  if (x->is_pending_view && x->size() > 0) [[unlikely]]
    return reduce_view(x, r, reduce);
  const ReduceDtypes types = dtypes_of(r, x->dtype);
  if (is_total(r.kind) && r.dtype && kind_of(x->dtype) == Kind::complex && kind_of(*r.dtype) != Kind::complex)
    throw DTypeError(r.kind + " of " + name_of(x->dtype) + " in " + name_of(*r.dtype) +
                     " would drop imaginary parts; take real() first");
  check_supported(*x->place->device, types.accumulator);
  const Dims shape = shape_after(x->shape, r);
  if (element_count(shape) == 0) {
    if (r.kind == "min" || r.kind == "max" || is_arg(r.kind))
      for (std::int64_t axis : r.axes)
        if (x->shape[static_cast<std::size_t>(axis)] == 0) return reduce_nothing(*x, r, shape);
    return empty(x->place, types.result, shape);
  }
  if (x->size() == 0) return reduce_nothing(*x, r, shape);
  if (x->is_known()) evaluate(*x);
  if (NodeRef done = host::reduce_at_once(*x, r, types.accumulator, types.result, shape)) return done;
  if (r.only_read)
    if (NodeRef same = equal_reduction(x, r, shape, types.result)) return same;
  if (reduction_waits(*x, r)) return waiting_reduction(x, r, shape, types.result);
  make_room(*x->place->queue);
  EngineLock lock;
  return Attempt::run([&]() -> NodeRef {
    if (NodeRef sum = unrolled(x, r, types.accumulator, types.result)) return sum;
    if (x->is_pending() && !x->by_rows && x->size() >= kLeastReadAcross && is_read_across(Expression(*x, x->shape))) {
      evaluate(*x);
      if (reduction_waits(*x, r)) return waiting_reduction(x, r, shape, types.result);
    }
    if (short_rows_wait(*x, r) || vector_waits(*x, r)) return waiting_reduction(x, r, shape, types.result);
    return launch_reduction(x, r, shape, types.result);
  });
}

NodeRef reduce_deviation(const NodeRef& x, const Reduction& r) {
  if (awaits_store(*x)) [[unlikely]]
    release_stores();
  if (x->place->device->strategy() != Strategy::gpu || x->size() == 0) return nullptr;
  if (x->is_pending_view) [[unlikely]]
    return reduce_view(x, r, reduce_deviation);
  std::int64_t count = 1;
  for (const std::int64_t axis : r.axes) count *= x->shape[static_cast<std::size_t>(axis)];
  const bool whole = r.axes.size() == x->shape.size();
  if (count <= (whole ? std::max(kMaxUnrolled, config().vector_elements) : kMaxUnrolled)) return nullptr;
  const DType dtype = r.dtype ? *r.dtype : kind_rank(kind_of(x->dtype)) <= 1 ? DType::float64 : x->dtype;
  if (dtype != DType::float32 && dtype != DType::float64) return nullptr;
  const NodeRef values = cast(x, dtype);
  Reduction own = r;
  own.dtype.reset();
  own.input_dies |= values != x;
  if (short_rows_wait(*values, own) || (!whole && reduction_waits(*values, own))) return nullptr;
  return reduce(values, own);
}

void evaluate_reduction(Node& n) {
  const NodeRef x = n.inputs[0].node;
  Reduction r = *n.reduction;
  r.input_dies |= x->owners == 0 && x->consumers == &n.inputs[0] && !n.inputs[0].next;
  const NodeRef result = launch_reduction(x, r, n.shape, n.dtype);
  if (n.is_pending()) n.materialize(result->storage, result->strides, result->offset);
}

}  // namespace devarray
