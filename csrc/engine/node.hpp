// Values: storages, the views on them, and expressions that are not evaluated yet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/checked.hpp"
#include "common/dtype.hpp"
#include "common/ref.hpp"
#include "common/shape.hpp"
#include "engine/config.hpp"
#include "engine/op.hpp"
#include "engine/profile.hpp"
#include "memory/resource.hpp"

namespace devarray {

class Node;
using NodeRef = Ref<Node>;
struct Join;
struct Reduction;

/// Where a value lives and where its results go: device, queue and allocator (rule 9). Shared by many values.
class Place : public RefCounted<Place, GuardedCount> {
 public:
  Place(QueuePtr queue, ResourcePtr resource);
  bool operator==(const Place& other) const { return queue == other.queue && resource == other.resource; }
  const DevicePtr device;
  const QueuePtr queue;
  const ResourcePtr resource;
};
using PlaceRef = Ref<Place>;

/// What a storage of two dims holds around a window: one value, up to its start and its end (framed(), moves.hpp).
struct FrameAround {
  std::int64_t first, pitch;   ///< of the window; in bytes
  std::int64_t rows, columns;  ///< of it
  std::int64_t bits[2];        ///< encode_scalar() of the value
  std::uint32_t writes;        ///< Storage::writes then: whatever is written later may be to the frame
};

/// One block of memory that views share.
class Storage : public RefCounted<Storage, GuardedCount> {
 public:
  Storage(Ref<Block> block, PlaceRef place) : block(std::move(block)), place(std::move(place)) {}
  /// Work on the storage's own queue is not noted one by one, so a block that other queues used, too, learns of it
  /// here.
  ~Storage();
  Ref<Block> block;
  PlaceRef place;
  bool exposed = false;            ///< a raw pointer to it is out (rule 8): work on it is not deferred
  bool unused = false;             ///< imported, and no work has been enqueued that uses it: it goes without a wait
  bool read_only = false;          ///< imported memory that must not be written
  bool locked = false;             ///< its own array was made read-only: no view of it becomes writable again
  bool orphan = false;             ///< among orphaned_storages
  bool awaits_store = false;       ///< a store to it waits for others (held_stores.hpp)
  bool framing = false;            ///< the sides of a frame are being written to it (framed(), moves.hpp)
  std::uint32_t elements = 0;      ///< how many of its views are elements
  std::uint32_t writes = 0;        ///< how often it was written to, modulo 2**32
  std::uint8_t asked = 0;          ///< how often the host asked for an element since
  std::unique_ptr<char[]> mirror;  ///< what its memory holds, where the host keeps it (mirror.hpp)
  EventPtr written;                ///< behind the last write (note_written(), hazards.hpp); mostly null
  /// Work that writes to it is about to be enqueued, or other threads may have run while it was.
  void note_write() {
    ++writes;
    asked = 0;
    mirror.reset();
    written.reset();
  }
  std::unique_ptr<const FrameAround> frame;  ///< null where nothing is known of one
  // Scratch of one key of a graph (graph_key.hpp): valid where `epoch` is that key's.
  std::uint16_t number = 0;
  std::uint64_t epoch = 0;
  std::int64_t first_offset = 0;
  Node* views = nullptr;  ///< leaves on it, linked through Node::next
};
using StorageRef = Ref<Storage>;

/// Large storages that only elements keep, since their arrays are gone. Null until there was one.
inline std::vector<Storage*>* orphaned_storages = nullptr;

/// A scalar argument. Which member counts follows from the kind: b and i signed, u unsigned, f re, c re and im.
struct ScalarValue {
  Kind kind = Kind::integer;
  std::int64_t i = 0;
  std::uint64_t u = 0;
  double re = 0, im = 0;
};

/// 8-byte slots of a scalar in a kernel's argument struct, after conversion to `dtype` as NumPy converts it.
/// Returns how many of the two were used.
int encode_scalar(DType dtype, const ScalarValue& value, std::int64_t out[2]);

/// Node::left_pending of a value that the next kernel stores.
inline constexpr std::uint8_t kStored = 255;
/// Bytes of values left pending from which on no more are: programs that keep them all want them one day.
inline constexpr std::uint64_t kMostLeft = std::uint64_t{4} << 30;

enum class NodeState : std::uint8_t { leaf, scalar, pending };

/// A value: a view of a Storage, a scalar, or a pending operation. Evaluation turns the last into the first in
/// place. Nodes know their pending consumers, so that a write finds what must be evaluated before it (rule 4).
class Node : public RefCounted<Node, GuardedCount> {
 public:
  /// A view. Strides and offset in bytes. Throws ShapeError where it leaves the storage's block, ValueError where it is
  /// not aligned.
  static NodeRef leaf(StorageRef storage, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset);
  /// The same where shape, strides and offset were worked out from those of a leaf on this storage, or are what
  /// byte_size() measured the storage by. Checked in builds without NDEBUG, as those of tools/sanitize.sh are.
  static NodeRef derived_leaf(StorageRef storage, DType dtype, const Dims& shape, const Dims& strides,
                              std::int64_t offset);
  /// The same as a view of what another leaf shows: read-only where that one is.
  static NodeRef view(const Node& of, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset);
  static NodeRef scalar(DType dtype, const ScalarValue& value);
  /// An operation on `inputs`, evaluated later. `shape` is the broadcast shape; throws ShapeError for one that no array
  /// has.
  static NodeRef pending(OpId op, DType compute, DType result, const Dims& shape, PlaceRef place, const NodeRef* inputs,
                         int n);
  /// A view of a pending value, which becomes a leaf when that one does (pending_views.hpp). Strides and offset count
  /// elements of `of` in C order.
  static NodeRef pending_view(const NodeRef& of, const Dims& shape, const Dims& strides, std::int64_t offset,
                              bool writable);
  /// A reduction that waits (reduce_rows.hpp).
  static NodeRef pending_reduction(const NodeRef& of, const Dims& shape, DType result, const Reduction& reduction);
  /// Values that are joined, of one dtype (join.hpp).
  static NodeRef pending_join(const std::vector<NodeRef>& parts, const Dims& shape, const Join& join);
  /// The operation of another pending node on other inputs, as old as that one.
  static NodeRef repeated_operation(const Node& of, const Dims& shape, const NodeRef* inputs);
  ~Node();
  // Memory of nodes that are gone is used again, under the GIL: a graph is made and taken apart as a whole, which
  // malloc's own lists of free memory are too short for.
  static void* operator new(std::size_t bytes);
  static void* operator new(std::size_t bytes, int inputs);
  static void operator delete(void* memory) noexcept;
  static void operator delete(void* memory, int) noexcept { operator delete(memory); }

  NodeState state;
  DType dtype, compute = kOpaque;
  OpId op = 0;
  std::uint8_t arity = 0;
  bool is_view = false;           ///< leaf: made from another one
  bool is_pending_view = false;   ///< pending: a view of its only input, see pending_view()
  bool writable = true;           ///< leaf: NumPy's flags.writeable; see require_writable()
  bool element = false;           ///< leaf: a value that was read, see elements.hpp; and views of it
  bool by_rows = true;            ///< pending: all memory below it lies by rows, see memory_order.hpp
  bool over_reduction = false;    ///< pending: a reduction waited below it when it was recorded
  bool joins_axes = false;        ///< pending: a view that joins axes, see view_of_pending(), or computed from one
  bool of_vector = false;         ///< pending: a waiting reduction of a whole small array, or computed from one
  std::uint8_t left_pending = 0;  ///< pending: how often a kernel computed it and did not store it; or kStored.
                                  ///< Changed by leave_pending() and store_next()
  std::uint16_t depth = 0;
  // Pending nodes are numbered as they are recorded. `oldest` is at most the lowest number below and at a node, or
  // where that was recounted, what says how many there are: 1 + serial - oldest bounds it.
  std::uint64_t serial = 0, oldest = ~std::uint64_t{0};
  std::uint32_t owners = 0;  ///< arrays that hold this value
  void* holder = nullptr;    ///< the binding's object of the last of them; null where that one is gone
  Dims shape;
  Dims strides;  ///< leaf and pending view
  std::int64_t offset =
      0;  ///< leaf, from the start of the storage's block; pending view, from its input's first element
  /// A leaf that is read with its axes shifted (shift.hpp): element i of an axis is number (i + shift) modulo the size.
  /// Such a leaf is an operation's input and no array's.
  std::unique_ptr<const Dims> shifts;
  /// A leaf that an operation reads at places that it works out (take.hpp): in which bytes of the block those are. Such
  /// a leaf has no axes, is an operation's input and no array's.
  std::unique_ptr<const Extent> reach;
  std::unique_ptr<const Reduction> reduction;  ///< pending: what its only input is reduced by; null of all others
  std::unique_ptr<const Join> join;            ///< pending: how its inputs lie in it; null of all others (join.hpp)
  StorageRef storage;                          ///< leaf
  PlaceRef place;                              ///< leaf and pending; a scalar that is an array's value: is_known()
  ScalarValue value;                           ///< scalar

  struct Input {
    NodeRef node;
    Node* consumer = nullptr;                ///< the node this input belongs to; null where that hides its reads
    Input *prev = nullptr, *next = nullptr;  ///< the list of `node`'s consumers
  };
  Input* consumers = nullptr;             ///< uses by pending nodes
  Node *prev = nullptr, *next = nullptr;  ///< the storage's views for a leaf, all pending nodes for a pending one

  // Scratch of one planning walk: valid where `epoch` is that walk's.
  std::uint64_t epoch = 0;
  std::uint64_t pending_bytes = 0;  ///< pending: of its value
  std::uint16_t id = 0;
  SourceLine line = 0;  ///< pending: what recorded it, where lines are kept

  /// Pending: as many as `arity`. The last member, since memory of a join of more parts has room for theirs behind it.
  Input inputs[3];

  bool is_pending() const { return state == NodeState::pending; }
  bool is_leaf() const { return state == NodeState::leaf; }
  /// A leaf whose elements an operation reads at their own places.
  bool is_read_in_place() const { return !shifts && !reach; }
  bool is_pending_reduction() const { return is_pending() && reduction; }
  bool is_pending_join() const { return is_pending() && join; }
  /// Pending, and no operation on values of its own shape: a view, a reduction or a join.
  bool is_of_another() const { return is_pending_view || is_pending_reduction() || is_pending_join(); }
  /// A scalar that is an array's value: one that the host knows (host/values.hpp). evaluate() gives it memory.
  bool is_known() const { return state == NodeState::scalar && place; }
  std::int64_t size() const { return element_count(shape); }
  std::int64_t itemsize() const { return static_cast<std::int64_t>(size_of(dtype)); }
  std::int64_t nbytes() const { return size() * itemsize(); }
  bool c_contiguous() const { return is_c_contiguous(shape, strides, itemsize()); }
  /// Bytes of the storage's block that the view touches.
  Extent extent() const {
    if (reach) return *reach;
    Extent e = extent_of(shape, strides, itemsize());
    return {e.low + offset, e.high + offset};
  }

  /// A known value becomes a leaf.
  void give_memory(StorageRef storage);
  /// Whether arrays hold views of this pending value: they are to see what is written to it.
  bool has_held_views() const;
  /// What consumes `other` consumes this node instead.
  void take_consumers_of(Node& other);
  /// Reads another node in place of one of its inputs.
  void replace_input(int number, const NodeRef& with);
  /// Stays pending, as a copy of a leaf that holds its value, and lets go of its inputs.
  void become_copy_of(const NodeRef& leaf);
  /// Becomes a leaf, and so do the pending views of it; lets go of its inputs.
  void materialize(StorageRef storage, Dims strides, std::int64_t offset);
  /// A leaf becomes an element, or a view of one: read-only.
  void mark_element() {
    writable = false;
    storage->elements += !element;
    element = true;
  }
  /// An element shows another storage, where its value stands from now on.
  void move_element(StorageRef storage, std::int64_t offset);
  void drop_inputs();
  /// Whether the inputs know it as their consumer. One that is being evaluated reads them itself, and nobody else is to
  /// compute something for it.
  void hide_reads();
  void show_reads();
  /// A kernel computed it and did not store it.
  void leave_pending();
  /// The next kernel that computes it stores it.
  void store_next();
  /// Works out depth and age of a pending node again, where its inputs' have changed.
  void renumber();
  /// The same for the few pending nodes below it, and then for itself.
  void renumber_with_inputs();
  static std::uint64_t new_epoch();

 private:
  void link_input(int number, const NodeRef& with);
  static void unlink_input(Input& input);
  static void drop_input(Input& input);
  void note_orphan();
  void waits_no_more();
  void joins_no_more();
  void show_in_views();
  Node(NodeState state, DType dtype, const Dims& shape);
  void link(Node*& head);
  void unlink(Node*& head);
};

/// Joins that are pending.
inline std::size_t waiting_joins = 0;

/// The pending nodes there are, linked through Node::next.
Node* pending_nodes();

/// Whether the values left pending take kMostLeft bytes.
bool too_much_left();

/// Bytes of all pending results together, those that will never be stored among them.
std::uint64_t pending_bytes();

namespace detail {
inline std::uint64_t pending_limit = kMaxPendingBytes;  ///< where the next count of what is held is due
inline std::uint64_t pending_total = 0;                 ///< the limit and one array of 2**63 - 1 bytes fit
inline std::uint64_t left_total = 0;                    ///< bytes of values left pending
bool count_pending();
}  // namespace detail

/// Whether more is held on a device than kMaxPendingBytes, and than a share of its memory: half of it for pending
/// results that arrays hold, an eighth for memory that only pending operations still read. Counted where
/// `pending_bytes()` has grown by what was left.
inline bool too_much_pending() { return detail::pending_total > detail::pending_limit && detail::count_pending(); }

}  // namespace devarray
