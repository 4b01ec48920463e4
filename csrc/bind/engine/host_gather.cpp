// x[index], x[mask] and their assignments, of few elements whose memory the host sees: without a launch.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

/// Elements of what one number of the first axis takes, which lie side by side; 0 where they do not.
std::int64_t row_elements(const Node& x) {
  std::int64_t elements = 1;
  for (std::size_t axis = x.shape.size(); axis-- > 1;) {
    if (x.shape[axis] != 1 && x.strides[axis] != elements * x.itemsize()) return 0;
    elements *= x.shape[axis];
  }
  return elements;
}

struct RowCopy {
  const char* from;
  std::int64_t size, stride;  ///< of the first axis
  char* to;
  std::size_t bytes;  ///< of a row
};

/// copy_rows() of single elements by numbers that lie side by side.
template <class T, class Unit>
bool copy_elements(const RowCopy& c, std::int64_t count, const char* numbers) {
  for (std::int64_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, numbers + i * static_cast<std::int64_t>(sizeof number), sizeof number);
    auto place = static_cast<std::int64_t>(number);
    place += place < 0 ? c.size : 0;
    if (static_cast<std::uint64_t>(place) >= static_cast<std::uint64_t>(c.size)) return false;
    std::memcpy(c.to + i * static_cast<std::int64_t>(sizeof(Unit)), c.from + place * c.stride, sizeof(Unit));
  }
  return true;
}

/// False where a number is out of bounds; kernels then say so.
template <class T>
bool copy_rows(const RowCopy& c, const Node& index, const char* numbers) {
  if (index.c_contiguous() && c.bytes == 8) return copy_elements<T, std::uint64_t>(c, index.size(), numbers);
  if (index.c_contiguous() && c.bytes == 4) return copy_elements<T, std::uint32_t>(c, index.size(), numbers);
  char* to = c.to;
  Dims at(index.shape.size(), 0);
  for (std::int64_t i = 0, count = index.size(); i < count; ++i, to += c.bytes) {
    T number;
    std::memcpy(&number, numbers, sizeof number);
    auto place = static_cast<std::int64_t>(number);
    if (place < 0) place += c.size;
    if (place < 0 || place >= c.size) return false;
    std::memcpy(to, c.from + place * c.stride, c.bytes);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      numbers += index.strides[axis];
      if (++at[axis] < index.shape[axis]) break;
      numbers -= index.strides[axis] * index.shape[axis];
      at[axis] = 0;
    }
  }
  return true;
}

/// What `make` gives for a number of an integer dtype; null for other dtypes.
template <class Result, class Make>
Result by_integer(DType dtype, const Make& make) {
  switch (dtype) {
    case DType::int8: return make(std::int8_t{});
    case DType::int16: return make(std::int16_t{});
    case DType::int32: return make(std::int32_t{});
    case DType::int64: return make(std::int64_t{});
    case DType::uint8: return make(std::uint8_t{});
    case DType::uint16: return make(std::uint16_t{});
    case DType::uint32: return make(std::uint32_t{});
    default: return nullptr;
  }
}

/// copy_rows for the index's dtype.
using CopyRows = bool (*)(const RowCopy&, const Node&, const char*);
CopyRows copy_rows_of(DType index) {
  return by_integer<CopyRows>(index, [](auto i) { return &copy_rows<decltype(i)>; });
}

PyObject* gathered(const NodeRef& x, const NodeRef& index) {
  const CopyRows copy_them = copy_rows_of(index->dtype);
  if (!x->place || !index->place || !copy_them || x->dtype == DType::bool_) return nullptr;
  if (x->shape.empty() || index->shape.empty()) return nullptr;
  const PlaceRef place = x->place;
  if (EngineLock::held()) return nullptr;  // another thread is about to enqueue work
  if (index->place->queue != place->queue || x->size() == 0 || index->size() == 0) return nullptr;
  const auto takes = [&](std::int64_t elements) {
    std::int64_t cost = 0;
    return !__builtin_mul_overflow(index->size(), elements, &cost) && host::takes(*place, cost);
  };
  if (!takes(x->size() / x->shape[0])) return nullptr;
  evaluate(*x);
  evaluate(*index);
  const std::int64_t elements = row_elements(*x);
  if (elements == 0 || !takes(elements)) return nullptr;
  if (!host::can_read(*x->storage, *place) || !host::can_read(*index->storage, *place)) return nullptr;
  Dims shape = index->shape;
  for (std::size_t axis = 1; axis < x->shape.size(); ++axis) shape.push_back(x->shape[axis]);
  const NodeRef result = empty(place, x->dtype, shape);
  if (!place->queue->known_idle() || !host::can_write(*result->storage, *place)) return nullptr;
  const RowCopy copy{memory_of(*x), x->shape[0], x->strides[0], memory_of(*result),
                     static_cast<std::size_t>(elements * x->itemsize())};
  const auto timer = timer_of(Activity::host);
  if (!copy_them(copy, *index, memory_of(*index))) return nullptr;
  if (timer) timer->done({.name = "gather"});
  return wrap(result);
}

}  // namespace

PyObject* small_gather(const NodeRef& x, const NodeRef& index) { return gathered(x, index); }

namespace {

/// gather_on_host(x, index)
PyObject* gather_on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 2 || !is_array(argv[0]) || !is_array(argv[1])) Py_RETURN_NONE;
    PyObject* made = gathered(NodeRef(&node_of(argv[0])), NodeRef(&node_of(argv[1])));
    return made ? made : Py_NewRef(Py_None);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// --- assignments -----------------------------------------------------------------------------------------------------

/// The bytes of values that are assigned: of an evaluated array, or of a scalar, which this holds.
struct StoredValues {
  explicit StoredValues(const Node& values) : one(!values.is_leaf() || values.size() == 1) {
    if (values.is_leaf())
      from = memory_of(values);
    else
      encode_scalar(values.dtype, values.value, bits);
  }
  StoredValues(const StoredValues&) = delete;
  StoredValues& operator=(const StoredValues&) = delete;

  bool one;  ///< the same value for all elements
  alignas(16) std::int64_t bits[2] = {0, 0};
  const char* from = reinterpret_cast<const char*>(bits);
};

/// Whether x is memory that the host may be about to write, and the values are of its dtype and lie apart from it.
/// Evaluates them.
bool can_store(const Node& x, const Node& key, Node& values) {
  if (!x.is_leaf() || !x.writable || x.dtype != values.dtype || x.storage == key.storage) return false;
  if (!values.place) return values.state == NodeState::scalar && x.dtype != DType::float16;
  if (values.place->queue != x.place->queue || values.shape.size() > 1) return false;
  evaluate(values);
  return values.size() == 0 || (values.c_contiguous() && !values.shifts && values.storage != x.storage &&
                                host::can_read(*values.storage, *x.place));
}

/// Whether all numbers lie within `size`; they are made places, counted from the first row.
template <class T>
bool read_places(const Node& index, std::int64_t size, std::int64_t* places) {
  const char* numbers = memory_of(index);
  for (std::int64_t i = 0, count = index.size(); i < count; ++i) {
    T number;
    std::memcpy(&number, numbers + i * index.itemsize(), sizeof number);
    auto place = static_cast<std::int64_t>(number);
    if (place < 0) place += size;
    if (place < 0 || place >= size) return false;
    places[i] = place;
  }
  return true;
}

using ReadPlaces = bool (*)(const Node&, std::int64_t, std::int64_t*);
ReadPlaces read_places_of(DType index) {
  return by_integer<ReadPlaces>(index, [](auto i) { return &read_places<decltype(i)>; });
}

/// x[index] = values along one axis. Of numbers that are the same the last one's value stays, as in NumPy.
bool scattered(const NodeRef& x, const NodeRef& index, const NodeRef& values) {
  const ReadPlaces read = read_places_of(index->dtype);
  if (!read || !x->place || !index->place || x->shape.size() != 1 || index->shape.size() != 1 || x->size() == 0)
    return false;
  const Place& place = *x->place;
  const std::int64_t count = index->size();
  if (index->place->queue != place.queue || count == 0 || config().check_bounds || EngineLock::held() ||
      !host::takes(place, 4 * count))
    return false;
  evaluate(*index);
  if (!index->c_contiguous() || index->shifts || x->shifts || !host::can_read(*index->storage, place)) return false;
  if (!can_store(*x, *index, *values)) return false;
  const StoredValues stored(*values);
  if (!stored.one && values->size() != count) return false;
  prepare_target(*x);
  if (!host::can_write(*x->storage, place) || !place.queue->known_idle() || EngineLock::held()) return false;
  char* room = host::scratch(host::Scratch::reduction, static_cast<std::size_t>(count) * sizeof(std::int64_t));
  auto* places = reinterpret_cast<std::int64_t*>(room);
  if (!read(*index, x->shape[0], places)) return false;
  const auto timer = timer_of(Activity::host);
  char* to = memory_of(*x);
  const auto bytes = static_cast<std::size_t>(x->itemsize());
  const std::size_t step = stored.one ? 0 : bytes;
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + places[i] * x->strides[0], stored.from + static_cast<std::size_t>(i) * step, bytes);
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done({.name = "scatter"});
  return true;
}

// --- masks -----------------------------------------------------------------------------------------------------------

/// A mask and an array of its shape, dense and evaluated, that the host may read as soon as their queue is idle. Of so
/// many elements at most.
bool suits_mask(const NodeRef& x, const NodeRef& mask, std::int64_t most) {
  if (!x->place || !mask->place || mask->dtype != DType::bool_ || !(mask->shape == x->shape) || x->size() == 0)
    return false;
  const Place& place = *x->place;
  if (mask->place->queue != place.queue || place.device->strategy() != Strategy::cpu || config().check_bounds ||
      x->size() > most || EngineLock::held())
    return false;
  evaluate(*mask);
  evaluate(*x);
  return mask->c_contiguous() && x->c_contiguous() && !mask->shifts && !x->shifts &&
         host::can_read(*mask->storage, place) && host::can_read(*x->storage, place);
}

template <class F>
void with_unit(std::size_t bytes, F&& f) {
  struct Pair {
    std::uint64_t half[2];
  };
  switch (bytes) {
    case 1: return f(std::uint8_t());
    case 2: return f(std::uint16_t());
    case 4: return f(std::uint32_t());
    case 8: return f(std::uint64_t());
    default: return f(Pair());
  }
}

/// Eight bytes of a mask as zeros and ones.
inline std::uint64_t ones_of(std::uint64_t eight) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f, kUnits = 0x0101010101010101;
  return ((((eight & kLow) + kLow) | eight) >> 7) & kUnits;
}

/// Those from number i on, of which there are at most eight.
inline std::uint64_t eight_at(const char* mask, std::int64_t i, std::int64_t n) {
  std::uint64_t eight = 0;
  if (n - i >= 8) [[likely]]
    std::memcpy(&eight, mask + i, 8);
  else
    std::memcpy(&eight, mask + i, static_cast<std::size_t>(n - i));
  return ones_of(eight);
}

/// The same as bits, the first one's lowest.
inline unsigned bits_at(const char* mask, std::int64_t i, std::int64_t n) {
  return static_cast<unsigned>((eight_at(mask, i, n) * 0x0102040810204080) >> 56);
}

std::int64_t count_of(const char* mask, std::int64_t n) {
  constexpr std::int64_t kWords = 255;  // each byte of their sum holds an eighth of the count
  std::int64_t count = 0, i = 0;
  while (i + 8 <= n) {
    const std::int64_t words = std::min((n - i) / 8, kWords);
    std::uint64_t sum = 0;
    for (std::int64_t w = 0; w < words; ++w) {
      std::uint64_t eight;
      std::memcpy(&eight, mask + i + 8 * w, 8);
      sum += ones_of(eight);
    }
    for (; sum; sum >>= 8) count += static_cast<std::int64_t>(sum & 0xff);
    i += 8 * words;
  }
  return count + (i < n ? std::popcount(eight_at(mask, i, n)) : 0);
}

/// Whether a mask picks nothing of the 64 elements from number i on.
inline bool nothing_in_64(const char* mask, std::int64_t i, std::int64_t n) {
  if (n - i < 64) return false;
  std::uint64_t words[8];
  std::memcpy(words, mask + i, 64);
  return !(words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]);
}

constexpr unsigned kAll = 0xff;

/// Writes what the mask picks, `count` elements, side by side.
template <class Unit>
void pack(Unit* to, const Unit* from, const char* mask, std::int64_t n, std::int64_t count) {
  std::int64_t j = 0;
  for (std::int64_t i = 0; j < count; i += 8) {
    while (nothing_in_64(mask, i, n)) i += 64;
    unsigned bits = bits_at(mask, i, n);
    if (bits == kAll) {
      std::memcpy(to + j, from + i, 8 * sizeof(Unit));
      j += 8;
    } else if (bits != 0 && j + 8 <= count && i + 8 <= n) {
      for (int b = 0; b < 8; ++b) {  // without a branch, which would often be foretold wrongly
        to[j] = from[i + b];
        j += bits >> b & 1;
      }
    } else {
      for (; bits; bits &= bits - 1) to[j++] = from[i + std::countr_zero(bits)];
    }
  }
}

/// `picked ? value : other`, without a branch.
template <class Unit>
Unit chosen(bool picked, const Unit& value, const Unit& other) {
  if constexpr (std::is_integral_v<Unit>)
    return static_cast<Unit>(other ^ ((other ^ value) & static_cast<Unit>(-static_cast<Unit>(picked))));
  else
    return {{chosen(picked, value.half[0], other.half[0]), chosen(picked, value.half[1], other.half[1])}};
}

/// Writes elements that lie side by side, `count` of them, where the mask says.
template <class Unit>
void unpack(Unit* to, const Unit* from, const char* mask, std::int64_t n, std::int64_t count) {
  std::int64_t j = 0;
  for (std::int64_t i = 0; j < count; i += 8) {
    while (nothing_in_64(mask, i, n)) i += 64;
    unsigned bits = bits_at(mask, i, n);
    if (bits == kAll) {
      std::memcpy(to + i, from + j, 8 * sizeof(Unit));
      j += 8;
    } else if (bits != 0 && j + 8 <= count && i + 8 <= n) {
      for (int b = 0; b < 8; ++b) {
        const bool picked = bits >> b & 1;
        to[i + b] = chosen(picked, from[j], to[i + b]);
        j += picked;
      }
    } else {
      for (; bits; bits &= bits - 1) to[i + std::countr_zero(bits)] = from[j++];
    }
  }
}

/// Writes one value where the mask says.
template <class Unit>
void fill(Unit* to, const Unit value, const char* mask, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const unsigned bits = bits_at(mask, i, n);
    if (bits == kAll) std::fill_n(to + i, 8, value);
    if (bits == 0 || bits == kAll) continue;
    for (int b = 0; b < 8; ++b) to[i + b] = chosen(bits >> b & 1, value, to[i + b]);
  }
  for (; i < n; ++i)
    if (mask[i]) to[i] = value;
}

/// Of a mask with more elements, two kernels look through it sooner; of so many, where it picks no more than one in
/// kSparseShare, the host, which skips 64 at a time.
constexpr std::int64_t kSparse = 1 << 24, kSparseShare = 16;

/// Whether a long mask picks few, by a look at a thousandth of it at least.
bool seems_sparse(const char* mask, std::int64_t n) {
  constexpr std::int64_t kPiece = 64;
  const std::int64_t pieces = 64 + n / (1024 * kPiece), step = n / pieces;
  std::int64_t count = 0;
  for (std::int64_t piece = 0; piece < pieces; ++piece) count += count_of(mask + piece * step, std::min(kPiece, step));
  return count <= pieces * kPiece / (kSparseShare / 2);
}

/// x[mask]. Waits for the queue, as the count's way to the host does: kernels would have to be two, and a wait between
/// them, so that more elements are worth it than elsewhere.
PyObject* selected(const NodeRef& x, const NodeRef& mask) {
  const std::int64_t few = 2 * config().host_elements;
  if (!suits_mask(x, mask, few ? std::max(few, kSparse) : 0)) return nullptr;
  const PlaceRef place = x->place;
  if (!place->queue->seen_idle()) wait_for(*place, "mask");
  const std::int64_t n = x->size();
  if (n > few && !seems_sparse(memory_of(*mask), n)) return nullptr;
  const std::int64_t count = count_of(memory_of(*mask), n);
  if (n > few && count > n / kSparseShare) return nullptr;
  const NodeRef result = empty(place, x->dtype, Dims{count});
  if (count == 0) return wrap(result);
  if (!place->queue->known_idle() || !host::can_write(*result->storage, *place)) return nullptr;
  const auto timer = timer_of(Activity::host);
  with_unit(static_cast<std::size_t>(x->itemsize()), [&](auto unit) {
    using Unit = decltype(unit);
    const auto* from = reinterpret_cast<const Unit*>(memory_of(*x));
    auto* to = reinterpret_cast<Unit*>(memory_of(*result));
    pack(to, from, memory_of(*mask), n, count);
  });
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done({.name = "select"});
  return wrap(result);
}

/// x[mask] = values, of which there is one, or one for each place. False where the usual way has to do it.
bool placed(const NodeRef& x, const NodeRef& mask, const NodeRef& values) {
  if (!x->place || !can_store(*x, *mask, *values) || !suits_mask(x, mask, config().host_elements / 4)) return false;
  const PlaceRef place = x->place;
  // Several values wait for their count in any case.
  if (values->size() > 1 && !place->queue->seen_idle()) wait_for(*place, "mask");
  prepare_target(*x);
  if (!host::can_write(*x->storage, *place) || !place->queue->seen_idle() || EngineLock::held()) return false;
  const StoredValues stored(*values);
  const std::int64_t n = x->size();
  if (!stored.one && count_of(memory_of(*mask), n) != values->size()) return false;
  const auto timer = timer_of(Activity::host);
  with_unit(static_cast<std::size_t>(x->itemsize()), [&](auto unit) {
    using Unit = decltype(unit);
    auto* to = reinterpret_cast<Unit*>(memory_of(*x));
    const auto* from = reinterpret_cast<const Unit*>(stored.from);
    if (stored.one)
      fill(to, *from, memory_of(*mask), n);
    else
      unpack(to, from, memory_of(*mask), n, values->size());
  });
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done({.name = "place"});
  return true;
}

}  // namespace

PyObject* small_select(const NodeRef& x, const NodeRef& mask) { return selected(x, mask); }
bool small_place(const NodeRef& x, const NodeRef& mask, const NodeRef& values) { return placed(x, mask, values); }
bool small_scatter(const NodeRef& x, const NodeRef& index, const NodeRef& values) {
  return scattered(x, index, values);
}

namespace {

/// select_on_host(x, mask)
PyObject* select_on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 2 || !is_array(argv[0]) || !is_array(argv[1])) Py_RETURN_NONE;
    PyObject* made = selected(NodeRef(&node_of(argv[0])), NodeRef(&node_of(argv[1])));
    return made ? made : Py_NewRef(Py_None);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// place_on_host(x, mask, values)
PyObject* place_on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 3 || !is_array(argv[0]) || !is_array(argv[1]) || !is_array(argv[2])) Py_RETURN_FALSE;
    return PyBool_FromLong(placed(NodeRef(&node_of(argv[0])), NodeRef(&node_of(argv[1])), NodeRef(&node_of(argv[2]))));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <class F>
PyMethodDef fast_method(const char* name, F* function, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL, doc};
}

PyMethodDef gather_functions[] = {
    fast_method("select_on_host", select_on_host,
                "select_on_host(x, mask): x[mask] of few elements that the host may read; None for all else."),
    fast_method(
        "place_on_host", place_on_host,
        "place_on_host(x, mask, values): x[mask] = values of few elements that the host may read now; False, and "
        "nothing done, for all else."),
    fast_method("gather_on_host", gather_on_host,
                "gather_on_host(x, index): x[index] of a few elements that the host may read now; None for all else."),
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_engine_host_gather(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), gather_functions) < 0) throw py::error_already_set();
}

}  // namespace devarray
