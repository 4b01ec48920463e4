#include "engine/host/at_once.hpp"

#include <cstring>

#include "engine/config.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/partition.hpp"
#include "engine/profile.hpp"
#include "memory/block_record.hpp"

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

/// One operation whose inputs are dense or scalars.
struct Operation {
  Loop loop = nullptr;

  /// False where it is of another kind. `written`: the memory that the result goes to, where that may be an operand's.
  bool suits(const Node& n, const Node* written);
  void run(const Node& n, char* out) const;
};

bool Operation::suits(const Node& n, const Node* written) {
  const std::int64_t count = n.size();
  if (count == 0 || count > kMost || profiling() || debugging(2) || EngineLock::held()) return false;
  if (!takes(*n.place, count * (n.arity + 1 + weight_of(n.op)))) return false;
  DType inputs[3];
  loop = loop_for(n, inputs);
  if (!loop) return false;
  for (int i = 0; i < n.arity; ++i) {
    const Node& in = *n.inputs[i].node;
    if (in.is_pending() || in.dtype != inputs[i]) return false;
    if (!in.is_leaf()) continue;
    if (!plain(in.dtype) || !dense(in, n.shape) || !can_read(*in.storage, *n.place)) return false;
    if (written && in.storage == written->storage && (in.offset != written->offset || in.itemsize() != n.itemsize()))
      return false;
  }
  return true;
}

void Operation::run(const Node& n, char* out) const {
  const auto count = static_cast<std::size_t>(n.size());
  const void* in[3] = {nullptr, nullptr, nullptr};
  char* room = nullptr;
  for (std::size_t i = 0; i < n.arity; ++i) {
    const Node& input = *n.inputs[i].node;
    if (input.is_leaf()) {
      in[i] = address(input);
      continue;
    }
    if (!room) room = scratch(Scratch::block, count * 16 * 3);
    fill(room + count * 16 * i, input, n.size());
    in[i] = room + count * 16 * i;
  }
  loop(out, in, count, 0);
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
}

/// Whether anything pending but `reader` reads the storage.
bool has_reader(const Storage& storage, const Node* reader) {
  for (const Node* view = storage.views; view; view = view->next)
    for (const Node::Input* c = view->consumers; c; c = c->next)
      if (c->consumer != reader) return true;
  return false;
}

}  // namespace

bool evaluate_at_once(Node& n) {
  Operation operation;
  if (n.dtype == DType::float16 || !operation.suits(n, nullptr)) return false;
  const PlaceRef& place = n.place;
  Ref<Block> block = place->resource->try_allocate(static_cast<std::size_t>(n.nbytes()), place->queue);
  if (!block) return false;
  note_block(*block);
  const StorageRef storage(new Storage(std::move(block), place));
  // An allocator may have let other threads run.
  if (!n.is_pending()) return true;
  if (!can_write(*storage, *place) || !place->queue->known_idle() || EngineLock::held()) return false;
  operation.run(n, static_cast<char*>(storage->block->host()));
  n.materialize(storage, c_strides(n.shape, n.itemsize()), 0);
  return true;
}

bool assign_at_once(Node& target, Node& value) {
  const std::int64_t count = target.size();
  if (!target.is_leaf() || count > kMost || !takes(*target.place, count) || profiling() || debugging(2) ||
      EngineLock::held())
    return false;
  if (target.shifts || !target.c_contiguous() || value.dtype != target.dtype || target.dtype == DType::float16 ||
      has_reader(*target.storage, &value) || !can_write(*target.storage, *target.place))
    return false;
  if (value.is_pending()) {
    if (!(value.shape == target.shape) || value.owners || value.consumers || value.place->queue != target.place->queue)
      return false;
    Operation operation;
    if (!operation.suits(value, &target)) return false;
    operation.run(value, address(target));
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
