// What the next launch of an evaluation follows from, as a row of words: equal rows, equal launches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// What is asked of a pending graph.
enum class Stage : std::uint8_t {
  whole,      ///< the root's value, and with it what shares values
  cut,        ///< the root's value, of whose graph a part was cut off
  oldest,     ///< any part of what is below the root
  reduction,  ///< the root reduced
  store,      ///< the root's value in memory that there is
};

/// What a launch is for.
struct Purpose {
  Stage stage = Stage::whole;
  SmallVector<const Node*, 2> targets{};  ///< of a store: leaves on one storage, of the root, then of the others
  SmallVector<Node*, 2> others{};         ///< of a store: further roots, which nothing reads
  /// Of a store: a value that is not stored beside it, where that would be the only one.
  const Node* unstored = nullptr;
  /// Of a store of several: a bit for each whose value is living and not stored beside it. A value has one bit at most.
  std::uint64_t elsewhere = 0;
  SmallVector<std::uint64_t, 12> words{};  ///< of a reduction: all that its plan follows from beside the graph
};

/// The pending graph around a root, as planning sees it: operations, dtypes, shapes, strides, which values are the same
/// and which somebody holds, what may be donated. Neither addresses nor numbers' values, so that the next step of a
/// loop has the same key. It takes the part below the root; all that is connected with it where a plan may depend on
/// that: where values are shared or one kernel may not take everything.
class GraphKey {
 public:
  using Nodes = SmallVector<Node*, 32>;
  enum class Found : std::uint8_t {
    complete,
    differs,  ///< values of other shapes, or views, are pending below the root
    unknown,  ///< a plan may follow from more than this says
  };
  /// Reads the graph. Its nodes stay marked until the next walk over the graph. The root is pending, or the leaf that
  /// is reduced.
  Found read(Node& root, const Purpose& purpose);

  std::span<const std::uint64_t> words() const { return {words_.data(), count_}; }
  std::uint64_t hash() const { return hash_; }
  /// Another one after each read().
  std::uint64_t number() const { return epoch_; }
  /// By their numbers.
  const Nodes& nodes() const { return nodes_; }
  const Nodes& leaves() const { return leaves_; }
  const Nodes& scalars() const { return scalars_; }

 private:
  Found read_graph();
  bool on_root_queue(const Node& n) const;
  bool alike(const Node& n) const;
  void add(Node& n);
  void count_input(const Node& n);
  Found add_below();
  void look_outside();
  bool add_connected();
  void sort_by_age();
  bool may_be_too_much() const;
  bool is_read_beside(const Storage& s) const;
  bool encode();
  std::uint64_t reference_to(Node& n);
  std::uint64_t first_like(const Node& n) const;
  void encode_leaf(const Node& n);
  bool is_read_outside(const Node& leaf) const;
  void compute_hash();

  Node* root_ = nullptr;
  const Purpose* purpose_ = nullptr;
  std::uint64_t epoch_ = 0, leaf_epoch_ = 0;
  bool shares_ = false, connected_ = false, one_resource_ = true;
  int weight_ = 0, living_ = 0;
  std::size_t slots_ = 0, leaf_count_ = 0, scalar_count_ = 0;
  std::uint16_t storages_ = 0;
  Nodes nodes_, leaves_, scalars_;
  std::vector<Node*> places_;
  std::vector<std::uint8_t> outside_, unsorted_;  ///< of each node: whether something else reads it
  void make_room(std::size_t words) {
    if (count_ + words > words_.size()) words_.resize(2 * (count_ + words));
  }
  void put(std::uint64_t word) {
    DEVARRAY_ASSERT(count_ < words_.size());
    words_[count_++] = word;
  }
  std::vector<std::uint64_t> words_;  ///< the first `count_`, and room
  std::size_t count_ = 0;
  std::uint64_t hash_ = 0;
};

}  // namespace devarray
