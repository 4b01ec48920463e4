#include "engine/graph_key.hpp"

#include <algorithm>
#include <bit>

#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/partition.hpp"
#include "engine/repeats.hpp"

namespace devarray {
namespace {

/// Whether a leaf's elements lie one behind the other, in C order.
bool is_dense(const Node& n) {
  std::int64_t stride = n.itemsize();
  for (std::size_t i = n.shape.size(); i-- > 0; stride *= n.shape[i])
    if (n.strides[i] != stride) return false;
  return true;
}

/// Numbers of 14 bits, with what they are of.
enum Reference : std::uint64_t { kNode = 0u << 14, kLeaf = 1u << 14, kScalar = 2u << 14, kElsewhere = 3u << 14 };
constexpr std::size_t kMostNumbers = std::size_t{1} << 14;

/// Bytes that decide how wide an aligned access may be: no vector of a kernel is wider.
constexpr std::uint64_t kAlignment = 16;

}  // namespace

/// Whether a value goes to the queue that the root goes to.
inline bool GraphKey::on_root_queue(const Node& n) const {
  return n.place == root_->place || n.place->queue == root_->place->queue;
}

/// Whether a kernel of the root's may compute it.
bool GraphKey::alike(const Node& n) const { return !n.is_of_another() && on_root_queue(n) && n.shape == root_->shape; }

inline void GraphKey::add(Node& n) {
  n.epoch = epoch_;
  n.id = static_cast<std::uint16_t>(nodes_.size());
  one_resource_ &= n.place == root_->place || n.place->resource == root_->place->resource;
  nodes_.push_back(&n);
}

void GraphKey::count_input(const Node& n) {
  if (n.is_leaf()) {
    ++leaf_count_;
    if (n.shifts) slots_ += root_->shape.size();
  } else {
    ++scalar_count_;
    slots_ += n.dtype == DType::complex128 ? 2 : 1;
  }
}

/// The nodes below the root, and an upper bound of what one kernel of them takes.
GraphKey::Found GraphKey::add_below() {
  if (root_->is_pending())
    add(*root_);
  else
    count_input(*root_);
  for (Node* other : purpose_->others) add(*other);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& n = *nodes_[i];
    weight_ += weight_of(n.op);
    for (int k = 0; k < n.arity; ++k) {
      Node& in = *n.inputs[k].node;
      if (in.epoch == epoch_) continue;
      if (in.is_pending()) {
        if (in.is_of_another() || !(in.shape == root_->shape)) return Found::differs;
        if (!on_root_queue(in) || nodes_.size() == kMaxConnected) return Found::unknown;
        add(in);
        continue;
      }
      in.epoch = epoch_;
      count_input(in);
    }
  }
  return Found::complete;
}

/// Notes which nodes something else reads.
void GraphKey::look_outside() {
  outside_.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node* const n = nodes_[i];
    bool outside = false;
    for (const Node::Input* c = n->consumers; c && !outside; c = c->next) outside = c->consumer->epoch != epoch_;
    outside_[i] = outside;
    if (n == root_) continue;
    living_ += outside || n->owners > 0;
    shares_ |= outside && n->owners == 0;
  }
  living_ += static_cast<int>(purpose_->others.size()) - std::popcount(purpose_->elsewhere);
}

bool GraphKey::may_be_too_much() const {
  return weight_ > kMaxNodes || static_cast<int>(leaf_count_) > kMaxLeaves ||
         static_cast<int>(scalar_count_) > kMaxScalars || living_ > kMaxExtraOutputs ||
         parameter_excess(leaf_count_ + static_cast<std::size_t>(living_) + 1, root_->shape.size(), slots_,
                          *root_->place->device);
}

/// What shares values with the nodes so far, as partition.cpp finds it, and which nodes something else reads. False
/// where that is too much.
bool GraphKey::add_connected() {
  const std::size_t below = nodes_.size();  // whose inputs are all there
  outside_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = *nodes_[i];
    for (int k = 0; k < n.arity && i >= below; ++k) {
      Node& in = *n.inputs[k].node;
      if (in.is_pending() && in.epoch != epoch_ && alike(in)) add(in);
    }
    bool outside = false;
    for (const Node::Input* c = n.consumers; c; c = c->next) {
      if (c->consumer->epoch == epoch_) continue;
      if (alike(*c->consumer))
        add(*c->consumer);
      else
        outside = true;
    }
    outside_.push_back(outside);
    if (nodes_.size() >= kMaxConnected) return false;
  }
  sort_by_age();
  return true;
}

/// Cuts go by the order of recording.
void GraphKey::sort_by_age() {
  std::uint64_t first = nodes_[0]->serial, last = first;
  for (const Node* n : nodes_) {
    first = std::min(first, n->serial);
    last = std::max(last, n->serial);
  }
  // Most of a graph was recorded in one go, so that nearly each number between is a node's. Only repeated operations
  // have the number of another one.
  bool alone = last - first < 8 * nodes_.size();
  if (alone) {
    places_.assign(last - first + 1, nullptr);
    for (Node* n : nodes_) {
      Node*& place = places_[n->serial - first];
      alone &= !place;
      place = n;
    }
  }
  if (!alone) {
    places_.assign(nodes_.begin(), nodes_.end());
    std::stable_sort(places_.begin(), places_.end(),
                     [](const Node* a, const Node* b) { return a->serial < b->serial; });
  }
  unsorted_.swap(outside_);
  outside_.resize(nodes_.size());
  std::size_t count = 0;
  for (Node* n : places_) {
    if (!n) continue;
    outside_[count] = unsorted_[n->id];
    n->id = static_cast<std::uint16_t>(count);
    nodes_[count++] = n;
  }
}

/// Whether a value that is no part of the graph reads the storage.
bool GraphKey::is_read_beside(const Storage& s) const {
  for (const Node* view = s.views; view; view = view->next)
    if (is_read_outside(*view)) return true;
  return false;
}

bool GraphKey::is_read_outside(const Node& leaf) const {
  for (const Node::Input* c = leaf.consumers; c; c = c->next)
    if (c->consumer->epoch != epoch_) return true;
  return false;
}

/// The number of the first leaf that is the same element.
std::uint64_t GraphKey::first_like(const Node& n) const {
  std::uint64_t i = 0;
  while (leaves_[i]->storage != n.storage || leaves_[i]->offset != n.offset || leaves_[i]->dtype != n.dtype ||
         leaves_[i]->size() != 1)
    ++i;
  return i;
}

/// Everything of a leaf that planning asks for. Its offset counts from that of the first leaf on the same storage, and
/// from an aligned address. Of a single element that nothing is written beside, only which leaves are the same counts,
/// so that loops over elements find their plans.
void GraphKey::encode_leaf(const Node& n) {
  constexpr std::int64_t kNoOffset = -1;
  make_room(3 + 3 * n.shape.size());
  Storage& s = *n.storage;
  const bool element =
      n.size() == 1 && !n.reach && !(!purpose_->targets.empty() && purpose_->targets[0]->storage == n.storage);
  if (s.epoch != leaf_epoch_) {
    s.epoch = leaf_epoch_;
    s.number = storages_++;
    s.first_offset = kNoOffset;
  }
  if (!element && s.first_offset == kNoOffset) s.first_offset = n.offset;
  const bool same_place = *s.place == *root_->place;
  const bool donatable =
      same_place && n.owners == 0 && !s.exposed && !s.read_only && s.use_count() == 1 && !is_read_outside(n);
  const bool as_root = n.shape == root_->shape;
  const bool dense = as_root && is_dense(n);
  const std::uint64_t at = s.block->offset + static_cast<std::uint64_t>(n.offset);
  put(static_cast<std::uint64_t>(n.dtype) | static_cast<std::uint64_t>(n.shape.size()) << 8 |
      static_cast<std::uint64_t>(s.number) << 16 | at % kAlignment << 32 | static_cast<std::uint64_t>(donatable) << 40 |
      static_cast<std::uint64_t>(as_root) << 41 | static_cast<std::uint64_t>(dense) << 42 |
      static_cast<std::uint64_t>(n.shifts != nullptr) << 43 | static_cast<std::uint64_t>(element) << 44 |
      static_cast<std::uint64_t>(n.reach != nullptr) << 45);
  put(element ? first_like(n) : static_cast<std::uint64_t>(n.offset - s.first_offset));
  put(s.block->size);
  const auto add = [this](const Dims& dims) {
    for (std::int64_t d : dims) put(static_cast<std::uint64_t>(d));
  };
  if (!as_root) add(n.shape);
  if (!dense) add(n.strides);
  if (n.shifts) add(*n.shifts);
}

inline std::uint64_t GraphKey::reference_to(Node& n) {
  if (n.is_pending()) return n.epoch == epoch_ ? kNode | n.id : kElsewhere;
  Nodes& known = n.is_leaf() ? leaves_ : scalars_;
  if (n.epoch != leaf_epoch_) {
    n.epoch = leaf_epoch_;
    n.id = static_cast<std::uint16_t>(known.size());
    known.push_back(&n);
  }
  return (n.is_leaf() ? kLeaf : kScalar) | n.id;
}

bool GraphKey::encode() {
  make_room(2 + root_->shape.size() + 2 * nodes_.size());
  if (!root_->is_pending()) reference_to(*root_);  // it gets its number
  put(root_->place->device->serial());
  put(static_cast<std::uint64_t>(purpose_->stage) | static_cast<std::uint64_t>(connected_) << 8 |
      static_cast<std::uint64_t>(root_->shape.size()) << 16 | static_cast<std::uint64_t>(root_->id) << 24 |
      static_cast<std::uint64_t>(nodes_.size()) << 40 | static_cast<std::uint64_t>(purpose_->others.size()) << 56 |
      static_cast<std::uint64_t>(too_much_left()) << 63);
  for (std::int64_t d : root_->shape) put(static_cast<std::uint64_t>(d));
  for (const Node* n : nodes_) {
    put(n->op | static_cast<std::uint64_t>(n->compute) << 16 | static_cast<std::uint64_t>(n->dtype) << 24 |
        static_cast<std::uint64_t>(n->left_pending) << 32 | static_cast<std::uint64_t>(outside_[n->id]) << 40 |
        static_cast<std::uint64_t>(n->owners > 0) << 41);
    std::uint64_t inputs = n->arity;
    for (int k = 0; k < n->arity; ++k) inputs |= reference_to(*n->inputs[k].node) << (16 + 16 * k);
    put(inputs);
  }
  if (leaves_.size() >= kMostNumbers || scalars_.size() >= kMostNumbers) return false;
  make_room(scalars_.size());
  if (nodes_.size() < repeats_from(Strategy::gpu)) {
    for (const Node* s : scalars_) put(static_cast<std::uint64_t>(s->dtype));
  } else {  // kernels of such graphs take equal scalars once
    const std::vector<std::uint16_t> equal = equal_scalars(scalars_);
    for (std::size_t i = 0; i < scalars_.size(); ++i)
      put(static_cast<std::uint64_t>(scalars_[i]->dtype) | static_cast<std::uint64_t>(equal[i]) << 8);
  }
  for (const Node* leaf : leaves_) encode_leaf(*leaf);
  for (const Node* target : purpose_->targets) encode_leaf(*target);
  if (!purpose_->targets.empty()) {
    const Node* const n = purpose_->unstored;
    make_room(2);
    put(n && n->is_pending() && n->epoch == epoch_ ? n->id + 1u : 0u);
    put(purpose_->elsewhere);
  }
  make_room(purpose_->words.size());
  for (std::uint64_t word : purpose_->words) put(word);
  return true;
}

void GraphKey::compute_hash() {
  const auto mixed = [](std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  std::uint64_t h = 0x9E3779B97F4A7C15u ^ count_, g = 0xBF58476D1CE4E5B9u;
  std::size_t i = 0;
  for (; i + 1 < count_; i += 2) {  // the two sums do not wait for each other
    h = mixed(h ^ words_[i], 0xA0761D6478BD642Fu);
    g = mixed(g ^ words_[i + 1], 0xE7037ED1A0B428DBu);
  }
  if (i < count_) h = mixed(h ^ words_[i], 0x8EBC6AF09C88C6E3u);
  hash_ = mixed(h ^ 0x589965CC75374CC3u, g ^ 0x1D8E4E27C47D124Fu);
}

/// Marks the nodes that the launch may depend on.
GraphKey::Found GraphKey::read_graph() {
  if (!root_->is_pending() && purpose_->stage != Stage::reduction) return Found::unknown;
  if (const Found found = add_below(); found != Found::complete) return found;
  const Stage stage = purpose_->stage;
  if (stage == Stage::reduction || stage == Stage::store) {  // one launch, or none that is kept
    look_outside();
    const bool read_beside = !purpose_->targets.empty() && is_read_beside(*purpose_->targets[0]->storage);
    return may_be_too_much() || read_beside ? Found::unknown : Found::complete;
  }
  connected_ = stage == Stage::oldest || may_be_too_much();
  if (!connected_) {
    look_outside();
    connected_ = (stage == Stage::whole && shares_) || may_be_too_much();
  }
  return connected_ && !add_connected() ? Found::unknown : Found::complete;
}

GraphKey::Found GraphKey::read(Node& root, const Purpose& purpose) {
  root_ = &root;
  purpose_ = &purpose;
  epoch_ = Node::new_epoch();
  leaf_epoch_ = Node::new_epoch();
  nodes_.clear();
  leaves_.clear();
  scalars_.clear();
  count_ = 0;
  shares_ = connected_ = false;
  one_resource_ = true;
  weight_ = living_ = 0;
  slots_ = leaf_count_ = scalar_count_ = 0;
  storages_ = 0;
  if (const Found found = read_graph(); found != Found::complete) return found;
  if (!one_resource_ || !encode()) return Found::unknown;
  compute_hash();
  return Found::complete;
}

}  // namespace devarray
