#include "engine/node.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "common/assertion.hpp"
#include "engine/config.hpp"
#include "engine/join.hpp"
#include "engine/reduce_rows.hpp"

namespace devarray {

using detail::left_total;
using detail::pending_limit;
using detail::pending_total;

namespace {

Node* pending_head = nullptr;

/// What pending operations hold on a device.
struct HeldOn {
  const Device* device;
  std::uint64_t results = 0;   ///< bytes of results that arrays hold: evaluated at once, they would lie there already
  std::uint64_t operands = 0;  ///< bytes of memory that only pending operations still read
  std::uint64_t room_for_results() const { return room(2); }
  std::uint64_t room_for_operands() const { return room(8); }

 private:
  std::uint64_t room(std::uint64_t part) const {
    return std::max<std::uint64_t>(kMaxPendingBytes, device->caps().global_memory / part);
  }
};

double as_double(const ScalarValue& v) {
  switch (v.kind) {
    case Kind::boolean:
    case Kind::integer: return static_cast<double>(v.i);
    case Kind::unsigned_: return static_cast<double>(v.u);
    default: return v.re;
  }
}

std::int64_t as_bits(const ScalarValue& v) {
  switch (v.kind) {
    case Kind::boolean:
    case Kind::integer: return v.i;
    case Kind::unsigned_: return static_cast<std::int64_t>(v.u);
    default: return static_cast<std::int64_t>(v.re);
  }
}

std::int64_t float_bits(double d) {
  const float f = static_cast<float>(d);
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  return static_cast<std::int64_t>(b);
}

std::int64_t half_bits(double d) {
#ifdef __FLT16_MAX__
  return float_bits(static_cast<double>(static_cast<_Float16>(d)));
#else
#error "devarray needs a compiler with _Float16 (GCC 12, Clang 15)"
#endif
}

std::int64_t double_bits(double d) {
  std::int64_t b;
  std::memcpy(&b, &d, 8);
  return b;
}

}  // namespace

int encode_scalar(DType dtype, const ScalarValue& v, std::int64_t out[2]) {
  switch (dtype) {
    case DType::bool_:
      out[0] = (v.kind == Kind::real || v.kind == Kind::complex ? v.re != 0 || v.im != 0 : as_bits(v) != 0);
      return 1;
    case DType::float16: out[0] = half_bits(as_double(v)); return 1;
    case DType::float32: out[0] = float_bits(as_double(v)); return 1;
    case DType::float64: out[0] = double_bits(as_double(v)); return 1;
    case DType::complex64: {
      const std::int64_t im = v.kind == Kind::complex ? float_bits(v.im) : 0;
      out[0] = static_cast<std::int64_t>(static_cast<std::uint64_t>(float_bits(as_double(v))) |
                                         static_cast<std::uint64_t>(im) << 32);
      return 1;
    }
    case DType::complex128:
      out[0] = double_bits(as_double(v));
      out[1] = v.kind == Kind::complex ? double_bits(v.im) : 0;
      return 2;
    default: out[0] = as_bits(v); return 1;
  }
}

Place::Place(QueuePtr q, ResourcePtr r) : device(q->device()), queue(std::move(q)), resource(std::move(r)) {
  if (resource->device() != device)
    throw DeviceError("the allocator is of " + resource->device()->label() + ", the queue of " + device->label() +
                      ": give both of one device");
}

std::uint64_t pending_bytes() { return pending_total; }

bool too_much_left() { return left_total > kMostLeft; }

bool detail::count_pending() {
  std::vector<HeldOn> devices;
  const auto held_on = [&](const Device& device) -> HeldOn& {
    const auto at = std::find_if(devices.begin(), devices.end(), [&](const HeldOn& h) { return h.device == &device; });
    return at != devices.end() ? *at : devices.emplace_back(HeldOn{&device});
  };
  const std::uint64_t epoch = Node::new_epoch();
  for (Node* n = pending_head; n; n = n->next) {
    const bool kept = n->owners > 0 || !n->consumers;  // one that was just recorded has no array yet
    // A view has no memory of its own; a value that views keep counts when it is their base's turn.
    if (kept && !n->is_pending_view) held_on(*n->place->device).results += static_cast<std::uint64_t>(n->nbytes());
    for (int i = 0; i < n->arity; ++i) {
      Node& in = *n->inputs[i].node;
      if (!in.is_leaf() || in.owners > 0 || in.epoch == epoch || in.storage->use_count() != 1) continue;
      in.epoch = epoch;
      held_on(*in.place->device).operands += in.storage->block->size;
    }
  }
  std::uint64_t left = kMaxPendingBytes;
  for (const HeldOn& h : devices) {
    if (h.results > h.room_for_results() || h.operands > h.room_for_operands()) return true;
    left = std::min({left, h.room_for_results() - h.results, h.room_for_operands() - h.operands});
  }
  pending_limit = pending_total + left;
  return false;
}

std::uint64_t Node::new_epoch() {
  static std::uint64_t counter = 0;
  return ++counter;
}

Storage::~Storage() {
  if (!unused) {
    if (exposed) place->queue->touch();  // by its raw memory, work may have been enqueued that nobody here knows of
    block->used_until_now_on(place->queue);
  }
  if (orphan) std::erase(*orphaned_storages, this);
}

Node* pending_nodes() { return pending_head; }

void Node::link(Node*& head) {
  prev = nullptr;
  next = head;
  if (next) next->prev = this;
  head = this;
}

void Node::unlink(Node*& head) {
  if (prev)
    prev->next = next;
  else
    head = next;
  if (next) next->prev = prev;
  prev = next = nullptr;
}

NodeRef Node::leaf(StorageRef storage, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset) {
  check_view(
      {shape, strides, offset, static_cast<std::int64_t>(size_of(dtype)), alignment_of(dtype), storage->block->size});
  return derived_leaf(std::move(storage), dtype, shape, strides, offset);
}

NodeRef Node::derived_leaf(StorageRef storage, DType dtype, const Dims& shape, const Dims& strides,
                           std::int64_t offset) {
#ifndef NDEBUG  // sanitizer builds: views and `empty` are the hot path
  check_view(
      {shape, strides, offset, static_cast<std::int64_t>(size_of(dtype)), alignment_of(dtype), storage->block->size});
#endif
  NodeRef n(new Node(NodeState::leaf, dtype, shape));
  n->place = storage->place;
  n->writable = !storage->read_only;
  n->storage = std::move(storage);
  n->strides = strides;
  n->offset = offset;
  n->link(n->storage->views);
  return n;
}

namespace {

struct FreeMemory {
  FreeMemory* next;
};
constexpr int kMostFree = 2 * static_cast<int>(kMaxPendingNodes);
FreeMemory* free_memory = nullptr;
int free_count = 0;

}  // namespace

void* Node::operator new(std::size_t bytes) {
#ifndef __SANITIZE_ADDRESS__
  if (FreeMemory* const first = free_memory) {
    free_memory = first->next;
    --free_count;
    // What is taken next was last touched a whole graph ago.
#pragma GCC unroll 16
    for (std::size_t line = 0; line < sizeof(Node); line += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(free_memory) + line, 1);
    return first;
  }
#endif
  return ::operator new(bytes);
}

inline void* Node::operator new(std::size_t bytes, int inputs) {
  constexpr int kFew = std::extent_v<decltype(Node::inputs)>;
  static_assert(alignof(Node) == alignof(Input), "or there is a gap behind the last member");
  if (inputs <= kFew) [[likely]]
    return operator new(bytes);
  auto* const memory =
      static_cast<char*>(::operator new(bytes + static_cast<std::size_t>(inputs - kFew) * sizeof(Input)));
  for (int i = kFew; i < inputs; ++i) new (memory + bytes + static_cast<std::size_t>(i - kFew) * sizeof(Input)) Input;
  return memory;
}

void Node::operator delete(void* memory) noexcept {
#ifndef __SANITIZE_ADDRESS__
  if (free_count < kMostFree) {
    free_memory = new (memory) FreeMemory{free_memory};
    ++free_count;
    return;
  }
#endif
  ::operator delete(memory);
}

NodeRef Node::view(const Node& of, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset) {
  NodeRef n = derived_leaf(of.storage, dtype, shape, strides, offset);
  n->is_view = true;
  n->writable = of.writable;
  if (of.element) n->mark_element();
  return n;
}

NodeRef Node::scalar(DType dtype, const ScalarValue& value) {
  NodeRef n(new Node(NodeState::scalar, dtype, Dims()));
  n->value = value;
  return n;
}

namespace {

inline void fill_input(Node::Input& input, Node* consumer, const NodeRef& with) {
  DEVARRAY_ASSERT(!with->is_leaf() || !with->storage->awaits_store);
  input.node = with;
  input.consumer = consumer;
  input.next = with->consumers;
  if (input.next) input.next->prev = &input;
  with->consumers = &input;
}

}  // namespace

void Node::link_input(int number, const NodeRef& with) { fill_input(inputs[number], this, with); }

NodeRef Node::pending(OpId op, DType compute, DType result, const Dims& shape, PlaceRef place, const NodeRef* in,
                      int n) {
  const std::int64_t bytes = byte_size(shape, static_cast<std::int64_t>(size_of(result)));
  NodeRef node(new (n) Node(NodeState::pending, result, shape));
  node->op = op;
  node->compute = compute;
  node->place = std::move(place);
  node->arity = static_cast<std::uint8_t>(n);
  static std::uint64_t recorded = 0;
  node->serial = node->oldest = ++recorded;
  int depth = 0;
  for (int i = 0; i < n; ++i) {
    const Node* source = in[i].get();
    fill_input(node->inputs[i], node.get(), in[i]);
    node->oldest = std::min(node->oldest, source->oldest);
    if (source->is_pending()) {
      node->over_reduction |= source->over_reduction || source->reduction;
      node->of_vector |= source->of_vector;
      node->joins_axes |= source->joins_axes;
    }
    if (shape.size() > 1)
      node->by_rows &= source->is_leaf() ? lies_by_rows(source->shape, source->strides) : source->by_rows;
    depth = std::max<int>(depth, source->depth);
  }
  node->depth = static_cast<std::uint16_t>(depth + 1);
  node->pending_bytes = static_cast<std::uint64_t>(bytes);
  pending_total += node->pending_bytes;
  node->link(pending_head);
  return node;
}

NodeRef Node::pending_view(const NodeRef& of, const Dims& shape, const Dims& strides, std::int64_t offset,
                           bool writable) {
  NodeRef node = pending(kNoOp, of->dtype, of->dtype, shape, of->place, &of, 1);
  node->is_pending_view = node->is_view = true;
  node->writable = writable;
  node->strides = strides;
  node->offset = offset;
  node->by_rows &= lies_by_rows(shape, strides);
  return node;
}

NodeRef Node::pending_reduction(const NodeRef& of, const Dims& shape, DType result, const Reduction& reduction) {
  NodeRef node = pending(kNoOp, of->dtype, result, shape, of->place, &of, 1);
  node->reduction = std::make_unique<const Reduction>(reduction);
  waiting_reductions.push_back(node.get());
  return node;
}

NodeRef Node::repeated_operation(const Node& of, const Dims& shape, const NodeRef* in) {
  NodeRef node = pending(of.op, of.compute, of.dtype, shape, of.place, in, of.arity);
  node->serial = node->oldest = of.serial;
  for (int i = 0; i < of.arity; ++i) node->oldest = std::min(node->oldest, in[i]->oldest);
  node->line = of.line;
  return node;
}

bool Node::has_held_views() const {
  for (const Input* c = consumers; c; c = c->next)
    if (c->consumer->is_pending_view && c->consumer->owners > 0) return true;
  return false;
}

void Node::take_consumers_of(Node& other) {
  const NodeRef keep(&other);
  while (Input* const c = other.consumers) {
    other.consumers = c->next;
    if (c->next) c->next->prev = nullptr;
    c->next = consumers;
    if (c->next) c->next->prev = c;
    consumers = c;
    c->node = NodeRef(this);
  }
}

void Node::unlink_input(Input& input) {
  if (input.prev)
    input.prev->next = input.next;
  else
    input.node->consumers = input.next;
  if (input.next) input.next->prev = input.prev;
  input.prev = input.next = nullptr;
  input.consumer = nullptr;
}

void Node::drop_input(Input& input) {
  if (!input.node) return;
  if (input.consumer) unlink_input(input);
  input.node = nullptr;
}

void Node::drop_inputs() {
  for (int i = 0; i < arity; ++i) drop_input(inputs[i]);
}

void Node::replace_input(int number, const NodeRef& with) {
  Input& input = inputs[number];
  const NodeRef keep = input.node;  // `with` may be computed from it
  drop_input(input);
  link_input(number, with);
}

void Node::become_copy_of(const NodeRef& leaf) {
  store_next();
  left_pending = 0;
  drop_inputs();
  op = core_ops().copy;
  compute = ops()[op].compute[static_cast<int>(dtype)];
  joins_no_more();
  arity = 1;
  link_input(0, leaf);
  over_reduction = of_vector = false;
  renumber();
  leave_pending();
}

void Node::renumber() {
  depth = 0;
  oldest = serial;
  for (int k = 0; k < arity; ++k) {
    depth = std::max(depth, inputs[k].node->depth);
    oldest = std::min(oldest, inputs[k].node->oldest);
  }
  ++depth;
}

void Node::renumber_with_inputs() {
  if (!is_pending()) return;
  for (int k = 0; k < arity; ++k) inputs[k].node->renumber_with_inputs();
  renumber();
}

Node::Node(NodeState state, DType dtype, const Dims& shape) : state(state), dtype(dtype), shape(shape) {}

Node::~Node() {
  if (state == NodeState::pending) {
    store_next();
    pending_total -= pending_bytes;
    pending_limit = kMaxPendingBytes;
    unlink(pending_head);
    if (reduction) waits_no_more();
    joins_no_more();
    drop_inputs();  // recursion is bounded by the depth limit of recording
  } else if (state == NodeState::leaf) {
    unlink(storage->views);
    if (element)
      --storage->elements;
    else if (storage->elements) [[unlikely]]
      note_orphan();
  }
}

void Node::waits_no_more() {
  std::erase(waiting_reductions, this);
  reduction.reset();
}

void Node::leave_pending() {
  if (left_pending == 0) left_total += static_cast<std::uint64_t>(nbytes());
  if (left_pending < kStored - 1) ++left_pending;
}

void Node::store_next() {
  if (left_pending != 0 && left_pending != kStored) left_total -= static_cast<std::uint64_t>(nbytes());
  left_pending = kStored;
}

void Node::materialize(StorageRef s, Dims new_strides, std::int64_t new_offset) {
  // Views that join axes rely on it: lands_in_c_order().
  DEVARRAY_ASSERT(op == kNoOp || !by_rows || is_c_contiguous(shape, new_strides, itemsize()));
  store_next();
  pending_total -= pending_bytes;
  unlink(pending_head);
  state = NodeState::leaf;
  if (reduction) waits_no_more();
  joins_no_more();
  storage = std::move(s);
  place = storage->place;
  strides = std::move(new_strides);
  offset = new_offset;
  depth = 0;
  oldest = ~std::uint64_t{0};
  pending_limit = kMaxPendingBytes;
  link(storage->views);
  drop_inputs();
  if (consumers) show_in_views();
}

void Node::show_in_views() {
  const NodeRef keep(this);  // a view may be all that holds it
  for (Input *c = consumers, *next; c; c = next) {
    next = c->next;
    Node& view = *c->consumer;
    if (!view.is_pending_view) continue;
    view.is_pending_view = false;
    const Placement seen = placement_of({shape, strides, offset}, view.shape, {view.strides, view.offset}, itemsize());
    view.materialize(storage, seen.strides, seen.offset);
  }
}

void Node::give_memory(StorageRef s) {
  state = NodeState::leaf;
  is_view = false;
  storage = std::move(s);
  link(storage->views);
}

void Node::note_orphan() {
  if (storage->use_count() != storage->elements + 1 || storage->block->size < kLargeForElements || storage->orphan)
    return;
  storage->orphan = true;
  if (!orphaned_storages) orphaned_storages = new std::vector<Storage*>();
  orphaned_storages->push_back(storage.get());
}

void Node::move_element(StorageRef s, std::int64_t new_offset) {
  unlink(storage->views);
  --storage->elements;
  storage = std::move(s);
  place = storage->place;
  offset = new_offset;
  element = false;
  is_view = true;
  link(storage->views);
}

}  // namespace devarray
