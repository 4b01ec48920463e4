#include "engine/moves.hpp"

#include <algorithm>
#include <optional>

#include "common/checked.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/join.hpp"
#include "engine/lock.hpp"
#include "engine/operators.hpp"
#include "engine/parts.hpp"
#include "engine/pending_views.hpp"
#include "engine/record.hpp"
#include "engine/views.hpp"

namespace devarray {
namespace {

/// A C-ordered copy in the shape `final` of a view of `n`, whose axes are those of `n` with the numbers `axes`; -1 are
/// axes that repeat. On GPUs it waits for who reads it.
NodeRef spread(const NodeRef& n, const Dims& shape, const Dims& axes, const Dims& final) {
  byte_size(shape, n->itemsize());
  const auto strides_of = [&](const Dims& own) {
    Dims strides;
    for (const std::int64_t axis : axes) strides.push_back(axis < 0 ? 0 : own[static_cast<std::size_t>(axis)]);
    return strides;
  };
  const bool waits = n->place->device->strategy() == Strategy::gpu && is_supported(*n->place->device, n->dtype);
  NodeRef seen;
  if (waits && views_wait(*n)) {
    const Placement now = pending_placement(*n);
    seen = view_of_pending(n, shape, {strides_of(now.strides), now.offset});
  }
  if (!seen) {
    evaluate(*n);
    seen = Node::view(*n, n->dtype, shape, strides_of(n->strides), n->offset);
    if (!waits || !lies_by_rows(shape, seen->strides)) return reshaped(seen, final, true);
  }
  RecordArg arg;
  arg.node = seen;
  const NodeRef made = reshaped(record(core_ops().copy, &arg, 1), final, {});
  made->is_view = false;  // nothing else has its memory
  return made;
}

/// What spread() copies, over the axes before they are joined, where nobody has computed the copy yet.
NodeRef spread_source(const Node& n) {
  if (!n.is_pending() || !n.is_pending_view || n.offset != 0 || !is_c_contiguous(n.shape, n.strides, 1)) return nullptr;
  const Node& copy = *n.inputs[0].node;
  if (copy.op != core_ops().copy || copy.size() != n.size()) return nullptr;
  const NodeRef& source = copy.inputs[0].node;
  const bool is_view = source->is_leaf() ? source->is_read_in_place() : source->is_pending() && source->is_pending_view;
  return is_view && source->shape == copy.shape && source->dtype == n.dtype ? source : nullptr;
}

/// Elements of a shape for each index of an axis and those before it.
std::int64_t behind_axis(const Dims& shape, std::size_t axis) {
  std::int64_t count = 1;
  while (++axis < shape.size()) count *= shape[axis];
  return count;
}

/// The number of the axis from which on a shape has so many elements.
std::optional<std::size_t> axis_behind(const Dims& shape, std::int64_t elements) {
  std::int64_t found = 1;
  for (std::size_t axis = shape.size();; --axis) {
    if (found == elements) return axis;
    if (axis == 0) return {};
    found *= shape[axis - 1];
  }
}

using Widths = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Whether writing the sides of a frame, by a launch each, costs less than writing all of it.
bool sides_are_cheaper(const Dims& shape, const Widths& widths, std::int64_t itemsize) {
  int sides = 0;
  for (const auto& [before, after] : widths) sides += before == after ? before > 0 : (before > 0) + (after > 0);
  return static_cast<double>(byte_size(shape, itemsize)) > sides * kLaunchBytes;
}

/// While a frame is written: a chain of stencils of which its window becomes a step writes it only where it is read.
class Framing {
 public:
  explicit Framing(const Node& frame) : storage_(*frame.storage) { storage_.framing = may_be_of_chain(frame); }
  ~Framing() { storage_.framing = false; }
  Framing(const Framing&) = delete;
  Framing& operator=(const Framing&) = delete;

  static bool may_be_of_chain(const Node& frame) {
    constexpr std::int64_t kReads = 8;  // of a step, roughly
    const Device& device = *frame.place->device;
    return frame.shape.size() == 2 && device.strategy() == Strategy::gpu && !device.exact_launches() &&
           kReads * frame.nbytes() >= config().large_bytes();
  }

 private:
  Storage& storage_;
};

/// Memory of `shape`, in which all that lies around a place for `n` has a value.
NodeRef frame_of_sides(const Node& n, const Dims& shape, const Widths& widths, const ScalarValue& value) {
  const NodeRef frame = empty(n.place, n.dtype, shape);
  const Framing framing(*frame);
  Dims sizes = shape;  // axes before that of a side leave out what its own sides hold
  std::int64_t start = frame->offset;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto [before, after] = widths[axis];
    const std::int64_t stride = frame->strides[axis];
    const auto write = [&](const Dims& shape, const Dims& strides, std::int64_t first) {
      const NodeRef side = Node::view(*frame, n.dtype, shape, strides, start + first * stride);
      assign(*side, full(n.place, n.dtype, shape, value));
    };
    if (before == after && before > 0 && shape.size() < 16) {  // both sides by one launch
      sizes[axis] = before;
      Dims both = sizes, steps = frame->strides;
      both.insert(0, 2);
      steps.insert(0, (before + n.shape[axis]) * stride);
      write(both, steps, 0);
    } else {
      for (const auto& [first, count] : {std::pair{std::int64_t{0}, before}, {before + n.shape[axis], after}}) {
        if (count == 0) continue;
        sizes[axis] = count;
        write(sizes, frame->strides, first);
      }
    }
    sizes[axis] = n.shape[axis];
    start += before * stride;
  }
  return frame;
}

/// Memory of `shape` that is filled with a value.
NodeRef filled(const Node& n, const Dims& shape, const ScalarValue& value) {
  const NodeRef fill = full(n.place, n.dtype, shape, value);
  if (n.size() == 0 || !Framing::may_be_of_chain(*fill)) {
    evaluate(*fill);
    return fill;
  }
  const NodeRef frame = empty(n.place, n.dtype, shape);
  const Framing framing(*frame);
  assign(*frame, fill);
  return frame;
}

/// For chains of stencils, which then need not read what lies around a window.
void note_frame(const Node& frame, const Node& window, const ScalarValue& value) {
  Storage& s = *frame.storage;
  const Kind kind = kind_of(frame.dtype);
  const bool is_cast = (kind == Kind::integer || kind == Kind::unsigned_) &&
                       (value.kind == Kind::real || value.kind == Kind::complex);  // by a kernel: see full()
  if (frame.shape.size() != 2 || is_cast || frame.place->device->strategy() != Strategy::gpu || !window.is_leaf() ||
      static_cast<std::size_t>(frame.nbytes()) != s.block->size || !frame.c_contiguous())
    return;
  FrameAround around{window.offset, window.strides[0], window.shape[0], window.shape[1], {0, 0}, s.writes};
  encode_scalar(frame.dtype, value, around.bits);
  s.frame = std::make_unique<const FrameAround>(around);
}

}  // namespace

void join_into(const Node& whole, const std::vector<NodeRef>& parts, std::size_t axis, bool stacked) {
  const std::int64_t step = whole.strides[axis];
  Dims strides = whole.strides;
  if (stacked) strides.erase(axis);
  std::int64_t at = whole.offset;
  std::vector<Part> places;
  places.reserve(parts.size());
  for (const NodeRef& part : parts) {
    places.push_back({part, at});
    at += step * (stacked ? 1 : part->shape[axis]);
  }
  assign_parts(whole, strides, places);
}

NodeRef joined(const std::vector<NodeRef>& given, std::size_t axis, bool stacked) {
  std::vector<NodeRef> parts;
  std::optional<EngineLock> lock;  // what views of a join that waits show is read before another thread writes it
  if (waiting_joins > 0) lock.emplace();
  for (const NodeRef& part : given) {
    parts.push_back(seen_part(part));
    const Node& seen = *parts.back();  // the result lies as they do
    if (seen.is_pending_view && !seen.by_rows) evaluate(*parts.back());
  }
  const Node& first = *parts[0];
  DType dtype = first.dtype;
  Dims shape = first.shape;
  if (stacked) shape.insert(axis, static_cast<std::int64_t>(parts.size()));
  bool pending = first.is_pending();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Node& part = *parts[i];
    if (part.shape.size() != first.shape.size() || part.place->device != first.place->device) return nullptr;
    for (std::size_t a = 0; a < part.shape.size(); ++a)
      if (part.shape[a] != first.shape[a] && (stacked || a != axis)) return nullptr;
    if (!stacked) shape[axis] = checked_add(shape[axis], part.shape[axis], "the size of what is joined");
    dtype = promote(dtype, part.dtype);
    pending |= part.is_pending();
  }
  // To ask how a pending array lies would compute it apart from its store into the result.
  const auto plain = [](const NodeRef& part) { return part->c_contiguous(); };
  if (shape.size() > 1 && !pending && !std::all_of(parts.begin(), parts.end(), plain)) return nullptr;
  check_supported(*first.place->device, dtype);
  if (const NodeRef waits = waiting_join(parts, axis, stacked, shape, dtype)) return waits;
  NodeRef result = empty(first.place, dtype, shape);
  join_into(*result, parts, axis, stacked);
  return result;
}

NodeRef framed(const NodeRef& n, const Widths& widths, const ScalarValue& value) {
  Dims shape = n->shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] = checked_add(checked_add(shape[axis], widths[axis].first, "a padded size"), widths[axis].second,
                              "a padded size");
  const NodeRef frame = n->size() > 0 && sides_are_cheaper(shape, widths, n->itemsize())
                            ? frame_of_sides(*n, shape, widths, value)
                            : filled(*n, shape, value);
  std::int64_t start = frame->offset;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) start += widths[axis].first * frame->strides[axis];
  if (n->size() == 0) return frame;
  const NodeRef window = Node::view(*frame, n->dtype, n->shape, frame->strides, start);
  assign_item(*window, n);
  note_frame(*frame, *window, value);
  return frame;
}

NodeRef tiled(const NodeRef& n, const Dims& counts) {
  const std::size_t ndim = std::max(counts.size(), n->shape.size());
  const std::size_t missing = ndim - n->shape.size(), uncounted = ndim - counts.size();
  Dims shape, axes, final;
  for (std::size_t i = 0; i < ndim; ++i) {
    const std::int64_t size = i < missing ? 1 : n->shape[i - missing];
    const std::int64_t count = i < uncounted ? 1 : counts[i - uncounted];
    shape.push_back(count);
    axes.push_back(-1);
    shape.push_back(size);
    axes.push_back(i < missing ? -1 : static_cast<std::int64_t>(i - missing));
    final.push_back(checked_mul(size, count, "a tiled size"));
  }
  return spread(n, shape, axes, final);
}

NodeRef repeated(const NodeRef& n, std::size_t axis, std::int64_t count) {
  Dims final = n->shape;
  final[axis] = checked_mul(final[axis], count, "a repeated size");
  NodeRef source = n;
  std::size_t behind = axis + 1;
  if (const NodeRef copied = spread_source(*n))
    if (const auto place = axis_behind(copied->shape, behind_axis(n->shape, axis))) {
      source = copied;
      behind = *place;
    }
  Dims shape = source->shape, axes;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  shape.insert(behind, count);
  axes.insert(behind, -1);
  return spread(source, shape, axes, final);
}

}  // namespace devarray
