#include "engine/host/evaluator.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "common/gil.hpp"
#include "engine/config.hpp"

namespace devarray::host {
namespace {

/// What costs the host about as long as a small kernel does its compiler, 20 ms; what takes longer waits for the
/// kernel.
constexpr std::int64_t kColdCost = std::int64_t{1} << 26;
/// A root, a quotient or a function in float64 takes 0.7 to 1.3 ns an element, a sum and each operand 0.08 ns. Half of
/// that ratio: with 16, an exponential of 16,000 elements was launched for 24 us, which takes the host 11.
constexpr int kHeavyCost = 8;
/// An operand that is read shifted, beside one that is not: it is copied, in pieces of rows.
constexpr int kShiftedCost = 8;
/// A row, which takes 6 to 10 ns beside its elements' 0.05 for each operation.
constexpr std::int64_t kRowCost = 128;
constexpr std::int64_t kBlock = 1024;          // elements that are worked on at a time, at most
constexpr std::size_t kBlockBytes = 32 << 10;  // of all values of a block: the first cache
constexpr std::size_t kAlignment = 64;

/// Calls `row(offset, done, n)` for each piece of a row among `count` elements from number `first` on.
template <class F>
void walk_rows(const Dims& sizes, const Dims& strides, std::int64_t first, std::int64_t count, F&& row) {
  const std::size_t last = sizes.size() - 1;
  Dims at(sizes.size(), 0);
  std::int64_t rest = first, offset = 0;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    at[i] = rest % sizes[i];
    rest /= sizes[i];
    offset += at[i] * strides[i];
  }
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t n = std::min(count - done, sizes[last] - at[last]);
    row(offset, done, n);
    done += n;
    offset += n * strides[last];
    at[last] += n;
    for (std::size_t i = last; i > 0 && at[i] == sizes[i]; --i) {
      offset += strides[i - 1] - at[i] * strides[i];
      at[i] = 0;
      ++at[i - 1];
    }
  }
}

struct Bytes16 {
  std::uint64_t half[2];
};

/// Calls `f` with an object of as many bytes.
template <class F>
void with_size(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t());
    case 2: return f(std::uint16_t());
    case 4: return f(std::uint32_t());
    case 8: return f(std::uint64_t());
    default: return f(Bytes16());
  }
}

template <class T>
void gather(char* to, const char* from, const Dims& sizes, const Dims& strides, std::int64_t first, std::int64_t n) {
  const std::int64_t stride = strides.back();
  walk_rows(sizes, strides, first, n, [&](std::int64_t offset, std::int64_t done, std::int64_t count) {
    char* out = to + done * static_cast<std::int64_t>(sizeof(T));
    const char* in = from + offset;
    if (stride == static_cast<std::int64_t>(sizeof(T))) {
      std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
      return;
    }
    if (stride == 0) {
      T element;
      std::memcpy(&element, in, sizeof(T));
      std::fill_n(reinterpret_cast<T*>(out), count, element);
      return;
    }
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * static_cast<std::int64_t>(sizeof(T)), in + i * stride, sizeof(T));
  });
}

/// gather() of elements that lie at (index + shift) modulo each size.
template <class T>
void gather_shifted(char* to, const char* from, const Dims& sizes, const Dims& strides, const Dims& shifts,
                    std::int64_t first, std::int64_t n) {
  const std::size_t last = sizes.size() - 1;
  const std::int64_t stride = strides[last];
  for (std::int64_t done = 0; done < n;) {
    std::int64_t rest = first + done, offset = 0, run = 0;
    for (std::size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) {
      const std::int64_t at = rest % sizes[i], there = at + shifts[i] - (at + shifts[i] < sizes[i] ? 0 : sizes[i]);
      offset += there * strides[i];
      if (i == last) run = std::min({sizes[i] - at, sizes[i] - there, n - done});  // up to an end of either row
    }
    char* out = to + done * static_cast<std::int64_t>(sizeof(T));
    const bool dense = stride == static_cast<std::int64_t>(sizeof(T));
    if (dense) std::memcpy(out, from + offset, static_cast<std::size_t>(run) * sizeof(T));
    for (std::int64_t i = 0; i < run && !dense; ++i)
      std::memcpy(out + i * static_cast<std::int64_t>(sizeof(T)), from + offset + i * stride, sizeof(T));
    done += run;
  }
}

template <class T>
void scatter_rows(char* to, const char* from, const Dims& sizes, const Dims& strides, std::int64_t first,
                  std::int64_t n) {
  const std::int64_t stride = strides.back();
  walk_rows(sizes, strides, first, n, [&](std::int64_t offset, std::int64_t done, std::int64_t count) {
    const char* in = from + done * static_cast<std::int64_t>(sizeof(T));
    char* out = to + offset;
    if (stride == static_cast<std::int64_t>(sizeof(T))) {
      std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
      return;
    }
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * stride, in + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  });
}

bool is_dense(const Dims& strides, DType t) {
  return strides.empty() || (strides.size() == 1 && strides[0] == static_cast<std::int64_t>(size_of(t)));
}

}  // namespace

char* scratch(Scratch use, std::size_t bytes) {
  struct Piece {
    std::size_t size = 0;
    char* memory = nullptr;
  };
  static Piece pieces[2];  // never given back
  Piece& piece = pieces[static_cast<int>(use)];
  if (bytes > piece.size) {
    ::operator delete(std::exchange(piece.memory, nullptr), std::align_val_t(kAlignment));
    piece.size = 0;
    piece.memory = static_cast<char*>(::operator new(bytes, std::align_val_t(kAlignment)));
    piece.size = bytes;
  }
  return piece.memory;
}

void repeat(char* to, const void* element, std::size_t itemsize, std::size_t n) {
  const std::size_t all = n * itemsize;
  if (all == 0) return;
  std::memcpy(to, element, itemsize);
  for (std::size_t done = itemsize; done < all;) {
    const std::size_t more = std::min(done, all - done);
    std::memcpy(to + done, to, more);
    done += more;
  }
}

void scatter(char* to, const char* from, std::size_t itemsize, const Dims& sizes, const Dims& strides) {
  if (sizes.empty()) {
    std::memcpy(to, from, itemsize);
    return;
  }
  with_size(itemsize,
            [&](auto unit) { scatter_rows<decltype(unit)>(to, from, sizes, strides, 0, element_count(sizes)); });
}

bool is_small(const Place& place, std::int64_t cost) {
  return cost <= config().host_elements && place.device->strategy() == Strategy::cpu && !config().check_bounds;
}

bool takes(const Place& place, std::int64_t cost) { return is_small(place, cost) && place.queue->seen_idle(); }

bool takes_behind_short(const Place& place, std::int64_t cost) {
  if (takes(place, cost)) return true;
  if (!is_small(place, cost) || !place.queue->only_short()) return false;
  settle(place);
  return takes(place, cost);
}

void note_launch(const Place& place, std::int64_t cost) {
  if (is_small(place, cost)) place.queue->note_short();
}

bool stands_in(const Place& place, std::int64_t cost) {
  return cost <= kColdCost && config().background && place.device->strategy() == Strategy::cpu &&
         !config().check_bounds;
}

void settle(const Place& place) {
  if (place.queue->seen_idle()) return;
  GilRelease unlocked;
  place.queue->finish();
}

bool can_read(const Storage& storage, const Place& place) {
  return storage.place->queue == place.queue && !storage.exposed && storage.block->host();
}

bool can_write(const Storage& storage, const Place& place) {
  const Block& block = *storage.block;
  return can_read(storage, place) && block.foreign_uses.empty() &&
         (!block.timeline || block.timeline == place.queue->timeline());
}

int host_weight(OpId op) { return has_flag(op, Op::heavy) ? kHeavyCost : 1; }

std::int64_t cost_of(const Expression& e, std::int64_t elements, std::int64_t rows) {
  auto weight = static_cast<std::int64_t>(e.operands.size() + 1);
  for (const Operand& o : e.operands) weight += o.shifts.empty() ? 0 : kShiftedCost;
  for (const Node* n : e.nodes) weight += host_weight(n->op);
  std::int64_t cost = 0, of_rows = 0;
  const bool beyond = __builtin_mul_overflow(weight, elements, &cost) ||
                      __builtin_mul_overflow(kRowCost, rows, &of_rows) || __builtin_add_overflow(cost, of_rows, &cost);
  return beyond ? INT64_MAX : cost;
}

bool Evaluator::has_loops() const {
  DType inputs[3];
  for (const Node* n : e_.nodes)
    if (!loop_for(*n, inputs)) return false;
  return true;
}

std::uint16_t Evaluator::new_slot(DType dtype, bool constant) {
  Slot slot;
  slot.dtype = dtype;
  slot.constant = constant;
  slots_.push_back(slot);
  return static_cast<std::uint16_t>(slots_.size() - 1);
}

void Evaluator::add_leaf(std::uint16_t number, const Dims& strides) {
  const Operand& o = e_.operands[number];
  auto* base = static_cast<char*>(o.storage->block->host()) + o.offset;
  slots_[number].dtype = o.dtype;
  slots_[number].constant = o.repeated;
  slots_[number].at = base;  // of a repeated one for the time being
  if (o.repeated) return;
  const Convert convert = loops().load(o.dtype);
  std::uint16_t raw = number;
  if (convert) {
    raw = new_slot(o.dtype == DType::float16 ? DType::uint16 : o.dtype, false);
    slots_[raw].at = base;
    steps_.push_back({nullptr, convert, number, {raw, 0, 0}, 1, false});
  }
  if (linear_ && o.shifts.empty() && host::is_dense(strides, o.dtype)) {
    slots_[raw].advance = static_cast<std::uint8_t>(size_of(o.dtype));
    return;
  }
  Load& load = loads_.emplace_back(Load{raw, base, sizes_, strides, &o.shifts, size_of(o.dtype)});
  if (linear_ || !o.shifts.empty()) return;
  // Axes along which its elements lie as along one: its rows are longer then, and fewer.
  collapse(load.sizes, {&load.strides});
  if (load.sizes.empty()) load.sizes = load.strides = Dims{1};
}

std::uint16_t Evaluator::converted(std::uint16_t from, Convert convert, DType to) {
  if (!convert) return from;
  const bool constant = slots_[from].constant;
  const std::uint16_t out = new_slot(to, constant);
  steps_.push_back({nullptr, convert, out, {from, 0, 0}, 1, constant});
  return out;
}

void Evaluator::add_node(std::size_t number, std::uint16_t id) {
  const Node& n = *e_.nodes[number];
  DType inputs[3];
  Step s;
  s.loop = loop_for(n, inputs);
  s.arity = n.arity;
  s.constant = !has_flag(n.op, Op::indexed);
  for (int i = 0; i < n.arity; ++i) {
    const std::uint16_t from = e_.id_of(*n.inputs[i].node);
    s.in[i] = converted(from, loops().cast(slots_[from].dtype, inputs[i]), inputs[i]);
    s.constant &= slots_[s.in[i]].constant;
  }
  s.copies = n.op == core_ops().astype && n.inputs[0].node->dtype == n.dtype;
  s.out = id;
  slots_[id].dtype = n.dtype;
  slots_[id].constant = s.constant;
  steps_.push_back(s);
}

void Evaluator::fill(Slot& slot, const char* element) const {
  repeat(slot.at, element, value_size(slot.dtype), static_cast<std::size_t>(block_));
}

/// Memory for the values that do not lie in arrays, and the values of constants.
void Evaluator::give_memory() {
  std::size_t each = 0, count = 0;
  for (const Slot& slot : slots_) {
    if (slot.advance) continue;
    each += value_size(slot.dtype);
    ++count;
  }
  block_ = std::min<std::int64_t>(total_, kBlock);
  if (each * static_cast<std::size_t>(block_) > kBlockBytes)
    block_ = std::max<std::int64_t>(64, static_cast<std::int64_t>(kBlockBytes / each));
  block_ = std::min(block_, total_);
  const auto bytes = [&](const Slot& slot) {
    const std::size_t wanted = value_size(slot.dtype) * static_cast<std::size_t>(block_);
    return (wanted + kAlignment - 1) / kAlignment * kAlignment;
  };
  std::size_t all = kAlignment;
  for (const Slot& slot : slots_)
    if (!slot.advance) all += bytes(slot);
  char* next = count ? scratch(Scratch::block, all) : nullptr;
  const std::size_t leaves = e_.operands.size();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.advance) continue;
    const char* element = slot.at;
    slot.at = next;
    next += bytes(slot);
    if (!slot.constant || i >= leaves + e_.scalar_nodes.size()) continue;
    alignas(16) char value[16] = {};
    if (i < leaves) {
      if (const Convert load = loops().load(slot.dtype))
        load(value, element, 1);
      else
        std::memcpy(value, element, size_of(slot.dtype));
    } else {
      std::int64_t bits[2] = {0, 0};
      encode_scalar(slot.dtype, e_.scalar_nodes[i - leaves]->value, bits);
      std::memcpy(value, bits, sizeof bits);
    }
    fill(slot, value);
  }
}

void Evaluator::step(const Step& s, std::int64_t first, std::size_t n) const {
  const void* in[3];
  for (int i = 0; i < s.arity; ++i) in[i] = at(slots_[s.in[i]], first);
  void* out = at(slots_[s.out], first);
  if (s.loop)
    s.loop(out, in, n, first);
  else
    s.convert(out, in[0], n);
}

void Evaluator::store(const Output& out, const Slot& slot, std::int64_t first, std::size_t n) const {
  const char* values = at(slot, first);
  const std::size_t size = value_size(slot.dtype);
  if (is_dense(out)) {
    std::memcpy(out.base + first * static_cast<std::int64_t>(size), values, n * size);
    return;
  }
  with_size(size, [&](auto unit) {
    scatter_rows<decltype(unit)>(out.base, values, sizes_, *out.strides, first, static_cast<std::int64_t>(n));
  });
}

bool Evaluator::is_dense(const Output& out) const {
  return out.in_value_form || (linear_ && host::is_dense(*out.strides, out.dtype));
}

/// The slot that a last step only copies to this one, without that step; an assignment ends with such a step. The slot
/// itself where there is no such step.
std::uint16_t Evaluator::without_copy(std::uint16_t slot) {
  if (steps_.size() < 2) return slot;
  const Step &last = steps_.back(), &before = steps_[steps_.size() - 2];
  if (!last.copies || last.out != slot || last.constant || before.constant || before.out != last.in[0]) return slot;
  slot = last.in[0];
  steps_.pop_back();
  return slot;
}

/// The slot of what is written. Where that is dense it is computed in place, unless that could overwrite what an
/// operation still reads.
std::uint16_t Evaluator::add_output(const Output& out, bool alone) {
  const std::uint16_t value = alone ? without_copy(out.value) : out.value;
  std::uint16_t slot = converted(value, loops().cast(slots_[value].dtype, out.dtype), out.dtype);
  if (!out.in_value_form) slot = converted(slot, loops().store(out.dtype), DType::uint16);
  Slot& s = slots_[slot];
  if (!is_dense(out) || s.advance || s.constant || steps_.empty()) return slot;
  bool read = slot < e_.operands.size();
  if (!alone || steps_.back().out != slot)
    for (const Operand& o : e_.operands) read |= o.storage == out.storage;
  if (read) return slot;
  s.at = out.base;
  s.advance = static_cast<std::uint8_t>(value_size(s.dtype));
  return slot;
}

void Evaluator::run(const Dims& sizes, const Dims* const* strides, const Output* outputs, std::size_t count) {
  sizes_ = sizes;
  if (sizes_.empty()) sizes_.push_back(1);
  total_ = element_count(sizes_);
  linear_ = sizes.size() <= 1;
  const std::size_t leaves = e_.operands.size(), scalars = e_.scalar_nodes.size();
  slots_.resize(leaves + scalars + e_.nodes.size());
  for (std::size_t i = 0; i < leaves; ++i) add_leaf(static_cast<std::uint16_t>(i), *strides[i]);
  for (std::size_t i = 0; i < scalars; ++i) {
    slots_[leaves + i].dtype = e_.scalar_nodes[i]->dtype;
    slots_[leaves + i].constant = true;
  }
  for (std::size_t i = 0; i < e_.nodes.size(); ++i) add_node(i, static_cast<std::uint16_t>(leaves + scalars + i));
  SmallVector<std::uint16_t, 8> from;
  for (std::size_t i = 0; i < count; ++i) from.push_back(add_output(outputs[i], count == 1));
  give_memory();
  for (const Step& s : steps_)
    if (s.constant) step(s, 0, static_cast<std::size_t>(block_));
  for (std::int64_t first = 0; first < total_; first += block_) {
    const std::int64_t n = std::min(block_, total_ - first);
    for (const Load& l : loads_)
      with_size(l.size, [&](auto unit) {
        char* to = slots_[l.slot].at;
        if (l.shifts->empty())
          gather<decltype(unit)>(to, l.base, l.sizes, l.strides, first, n);
        else
          gather_shifted<decltype(unit)>(to, l.base, l.sizes, l.strides, *l.shifts, first, n);
      });
    for (const Step& s : steps_)
      if (!s.constant) step(s, first, static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < count; ++i)
      if (const Slot& slot = slots_[from[i]]; !slot.advance || slot.at != outputs[i].base)
        store(outputs[i], slot, first, static_cast<std::size_t>(n));
  }
}

}  // namespace devarray::host
