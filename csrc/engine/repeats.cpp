#include "engine/repeats.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/expression.hpp"

namespace devarray {
namespace {

/// Numbers for values, equal ones for equal values: an open table.
class Repeats {
 public:
  using Value = std::array<std::uint64_t, 4>;
  explicit Repeats(std::size_t most) : table_(std::bit_ceil(2 * most + 1), 0) { values_.reserve(most); }

  /// The number of the first value that was the same; the next one, counted from 0, where there was none.
  std::size_t number_of(const Value& value) {
    std::uint64_t at = 0;
    for (std::uint64_t part : value) at = (at ^ part) * 0x9E3779B97F4A7C15u;
    for (at ^= at >> 32;; ++at) {
      std::uint32_t& entry = table_[at & (table_.size() - 1)];
      if (entry == 0) {
        values_.push_back(value);
        entry = static_cast<std::uint32_t>(values_.size());
      }
      if (values_[entry - 1] == value) return entry - 1;
    }
  }

 private:
  std::vector<std::uint32_t> table_;  // a value's number and 1; 0: free
  std::vector<Value> values_;
};

}  // namespace

std::vector<std::uint16_t> equal_scalars(std::span<Node* const> scalars) {
  std::vector<std::uint16_t> numbers;
  numbers.reserve(scalars.size());
  Repeats known(scalars.size());
  for (const Node* s : scalars) {
    std::int64_t bits[2] = {0, 0};
    encode_scalar(s->dtype, s->value, bits);
    numbers.push_back(static_cast<std::uint16_t>(
        known.number_of({static_cast<std::uint64_t>(s->dtype), static_cast<std::uint64_t>(bits[0]),
                         static_cast<std::uint64_t>(bits[1]), 0})));
  }
  return numbers;
}

/// As operations were recorded: what a program repeats stands in the same order each time.
void Expression::order_by_age() {
  if (root_.place->device->strategy() != Strategy::gpu || nodes.size() < repeats_from(Strategy::gpu)) return;
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->serial < b->serial; });
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i]->id = static_cast<std::uint16_t>(i);
}

void Expression::merge_repeated() {
  if (nodes.size() < repeats_from(root_.place->device->strategy())) return;
  const std::vector<std::uint16_t> scalar_number = equal_scalars({scalar_nodes.begin(), scalar_nodes.end()});
  Repeats operations(nodes.size());
  SmallVector<Node*, 16> kept;
  std::vector<Node*> first;
  for (Node* n : nodes) {
    Repeats::Value value{static_cast<std::uint64_t>(n->op) << 16 | static_cast<std::uint64_t>(n->compute) << 8 |
                         static_cast<std::uint64_t>(n->dtype)};
    for (std::size_t i = 0; i < n->arity; ++i) {
      const Node& in = *n->inputs[i].node;
      const std::uint16_t id = in.state == NodeState::scalar ? scalar_number[in.id] : in.id;
      value[i + 1] = std::uint64_t{1} << 32 | static_cast<std::uint64_t>(in.state) << 16 | id;
    }
    const std::size_t number = operations.number_of(value);
    if (number < first.size() && std::find(living_.begin(), living_.end(), n) == living_.end()) {
      n->id = first[number]->id;
      continue;
    }
    if (number == first.size()) first.push_back(n);
    n->id = static_cast<std::uint16_t>(kept.size());
    kept.push_back(n);
  }
  // On CPUs, where nothing repeats, kernels do not differ by which numbers happen to be the same.
  if (kept.size() == nodes.size() && root_.place->device->strategy() == Strategy::cpu) return;
  nodes = std::move(kept);
  merge_scalars(scalar_number);
}

/// Keeps one scalar of equal ones, in the order in which operations read them.
void Expression::merge_scalars(const std::vector<std::uint16_t>& number) {
  std::vector<std::uint16_t> id_of_number(scalar_nodes.size(), kNone);
  SmallVector<Node*, 8> read;
  for (const Node* n : nodes)
    for (int i = 0; i < n->arity; ++i) {
      Node& in = *n->inputs[i].node;
      if (in.state != NodeState::scalar) continue;
      std::uint16_t& id = id_of_number[number[in.id]];
      if (id != kNone) continue;
      id = static_cast<std::uint16_t>(read.size());
      read.push_back(&in);
    }
  for (Node* s : scalar_nodes) s->id = id_of_number[number[s->id]];
  scalar_nodes = std::move(read);
}

}  // namespace devarray
