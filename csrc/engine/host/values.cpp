#include "engine/host/values.hpp"

#include <cmath>
#include <cstring>

#include "engine/config.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"

namespace devarray::host {
namespace {

/// Whether work on one element may be done on the host now.
bool works_at_once(const Place& place) {
  return takes(place, 1) && !profiling() && !debugging(2) && !EngineLock::held();
}

template <class T>
T as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// False for values that a ScalarValue does not keep bit by bit.
bool decode(DType dtype, const char* bytes, ScalarValue& value) {
  value.kind = kind_of(dtype);
  switch (dtype) {
    case DType::bool_: value.i = *bytes != 0; return true;
    case DType::int8: value.i = as<std::int8_t>(bytes); return true;
    case DType::int16: value.i = as<std::int16_t>(bytes); return true;
    case DType::int32: value.i = as<std::int32_t>(bytes); return true;
    case DType::int64: value.i = as<std::int64_t>(bytes); return true;
    case DType::uint8: value.u = as<std::uint8_t>(bytes); return true;
    case DType::uint16: value.u = as<std::uint16_t>(bytes); return true;
    case DType::uint32: value.u = as<std::uint32_t>(bytes); return true;
    case DType::uint64: value.u = as<std::uint64_t>(bytes); return true;
    case DType::float32: value.re = static_cast<double>(as<float>(bytes)); return !std::isnan(value.re);
    case DType::float64: value.re = as<double>(bytes); return true;
    case DType::complex64:
      value.re = static_cast<double>(as<float>(bytes));
      value.im = static_cast<double>(as<float>(bytes + 4));
      return !std::isnan(value.re) && !std::isnan(value.im);
    case DType::complex128:
      value.re = as<double>(bytes);
      value.im = as<double>(bytes + 8);
      return true;
    default: return false;
  }
}

/// Whether anything pending reads the storage.
bool has_reader(const Storage& storage) {
  for (const Node* view = storage.views; view; view = view->next)
    if (view->consumers) return true;
  return false;
}

}  // namespace

NodeRef known_value(DType dtype, const char* bytes, const PlaceRef& place) {
  ScalarValue value;
  if (!decode(dtype, bytes, value)) return nullptr;
  NodeRef n = Node::scalar(dtype, value);
  n->place = place;
  n->writable = false;
  return n;
}

NodeRef value_at(const Node& leaf, std::int64_t offset) {
  if (!works_at_once(*leaf.place) || !can_read(*leaf.storage, *leaf.place)) return nullptr;
  NodeRef value = known_value(leaf.dtype, static_cast<const char*>(leaf.storage->block->host()) + offset, leaf.place);
  if (value) value->is_view = true;  // until it has memory of its own: it was read of an array
  return value;
}

NodeRef value_of(OpId op, DType compute, DType result, const HostScalar* operands, int n, const PlaceRef& place) {
  if (op == core_ops().copy || op == core_ops().astype || !works_at_once(*place)) return nullptr;
  DType given[3], wanted[3];
  for (int i = 0; i < n; ++i) given[i] = operands[i].dtype;
  const Loop loop = loop_for(*place->device, op, compute, given, n, true, wanted);
  if (!loop || result == DType::float16) return nullptr;
  alignas(16) std::int64_t bits[3][2], cast_bits[3][2], made[2] = {0, 0};
  const void* in[3] = {nullptr, nullptr, nullptr};
  for (int i = 0; i < n; ++i) {
    encode_scalar(given[i], *operands[i].value, bits[i]);
    in[i] = bits[i];
    if (const Convert cast = loops().cast(given[i], wanted[i])) {
      cast(cast_bits[i], bits[i], 1);
      in[i] = cast_bits[i];
    }
  }
  loop(made, in, 1, 0);
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  return known_value(result, reinterpret_cast<const char*>(made), place);
}

bool store_value(Node& leaf, std::int64_t offset, DType dtype, const ScalarValue& value) {
  const Place& place = *leaf.place;
  if (!leaf.writable || leaf.dtype == DType::float16 || dtype == DType::float16 || !works_at_once(place)) return false;
  const Storage& storage = *leaf.storage;
  if (storage.elements || !can_write(storage, place) || has_reader(storage)) return false;
  alignas(16) std::int64_t bits[2] = {}, cast_bits[2] = {};
  encode_scalar(dtype, value, bits);
  const void* from = bits;
  if (const Convert cast = loops().cast(dtype, leaf.dtype)) {
    cast(cast_bits, bits, 1);
    from = cast_bits;
  }
  std::memcpy(static_cast<char*>(storage.block->host()) + offset, from, size_of(leaf.dtype));
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace devarray::host
