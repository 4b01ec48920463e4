// The host's interpreter of the op table: small element-wise work where the memory is the host's, without a launch.
//
// It computes an Expression as a kernel would, operation by operation over blocks of elements that stay in the cache.
// Only operations whose results are fully specified have a loop (loops.hpp), so that the bits are the kernels'; an
// expression with any other goes to a kernel. It runs at once, in the caller's thread, and only where the queue is
// known to have nothing left to do (Queue::known_idle): it neither waits nor meets work that is still under way.
#pragma once

#include <cstdint>

#include "engine/expression.hpp"
#include "engine/host/loops.hpp"

namespace devarray::host {

/// Finds the loops of the op table's rows. To be called when the table is complete; rows of users' functions come later
/// and have none.
void bind_loops();

/// Whether work of `cost`, in elements times operations, is small enough to run on the host of this place, and the
/// place's queue has nothing left to do.
bool takes(const Place& place, std::int64_t cost);
/// The same, but for what the queue has to do.
bool is_small(const Place& place, std::int64_t cost);
/// takes(), where launches that are under way are waited for if each is as small: the host is through with such work
/// before one more launch would be, and with all that follows without any. Nothing may rest on the GIL meanwhile.
bool takes_behind_short(const Place& place, std::int64_t cost);
/// Tells a place's queue that the launch enqueued last is one of such work.
void note_launch(const Place& place, std::int64_t cost);
/// Whether work of `cost` is worth doing on the host of this place while its kernel is compiled; settle() comes first.
bool stands_in(const Place& place, std::int64_t cost);
/// Waits for what the place's queue still has to do, without the GIL.
void settle(const Place& place);
/// Whether the host may read, or write, the storage's memory now as work on `place` would.
bool can_read(const Storage& storage, const Place& place);
bool can_write(const Storage& storage, const Place& place);

/// The loop of a row of the op table; null where there is none.
Loop loop_of(OpId op, DType compute);
/// The loop that computes an operation, as the code generator chooses its text, and the dtypes that it takes. `given`
/// are those of its operands; `scalars`: whether all but the first are scalars.
Loop loop_for(const Device& device, OpId op, DType compute, const DType* given, int arity, bool scalars, DType* inputs);
/// The same for a pending node.
Loop loop_for(const Node& n, DType* inputs);

/// Memory for values, one piece for each use: work on the host is done under the engine lock, one after the other.
enum class Scratch : std::uint8_t { block, reduction };
char* scratch(Scratch use, std::size_t bytes);

/// Writes one element of `itemsize` bytes `n` times, side by side.
void repeat(char* to, const void* element, std::size_t itemsize, std::size_t n);

/// Writes dense elements of `itemsize` bytes, in C order of `sizes`, to memory with such strides.
void scatter(char* to, const char* from, std::size_t itemsize, const Dims& sizes, const Dims& strides);

/// What an operation costs the host beside a sum: quotients, roots and their like take as long as so many.
int host_weight(OpId op);
/// What the evaluation of so many elements costs: elements times operations, by their weight, and operands; and of
/// each row that is walked by itself the beginning and the end.
std::int64_t cost_of(const Expression& e, std::int64_t elements, std::int64_t rows);

/// Where the values of one node go.
struct Output {
  std::uint16_t value = 0;  ///< id, as Expression::id_of() has them
  DType dtype = DType::bool_;
  char* base = nullptr;           ///< of the first element
  const Dims* strides = nullptr;  ///< bytes, over the sizes that are walked
  bool in_value_form = false;     ///< no array's memory: dense, float16 as float
  const Storage* storage = nullptr;
};

/// The loops of an expression, in order.
class Evaluator {
 public:
  explicit Evaluator(const Expression& e) : e_(e) {}
  /// Whether every operation has a loop.
  bool has_loops() const;
  /// Evaluates over `sizes`; `strides[i]` are those of operand i over them.
  void run(const Dims& sizes, const Dims* const* strides, const Output* outputs, std::size_t count);

 private:
  struct Slot {  ///< values of the block that is worked on
    char* at = nullptr;
    DType dtype = DType::bool_;
    std::uint8_t advance = 0;  ///< bytes an element where the values lie in an array's memory, else 0
    bool constant = false;     ///< the same for every element
  };
  struct Step {
    Loop loop = nullptr;
    Convert convert = nullptr;
    std::uint16_t out = 0, in[3] = {0, 0, 0};
    std::uint8_t arity = 0;
    bool constant = false;
    bool copies = false;  ///< its values are its operand's
  };
  struct Load {  ///< what is gathered from an operand that is not dense
    std::uint16_t slot;
    const char* base;
    Dims sizes, strides;  ///< those that are walked, or fewer that mean the same
    const Dims* shifts;   ///< as Operand::shifts; empty where there are none
    std::size_t size;
  };

  std::uint16_t new_slot(DType dtype, bool constant);
  void add_leaf(std::uint16_t number, const Dims& strides);
  void add_node(std::size_t number, std::uint16_t id);
  std::uint16_t converted(std::uint16_t from, Convert convert, DType to);
  std::uint16_t add_output(const Output& out, bool alone);
  std::uint16_t without_copy(std::uint16_t slot);
  bool is_dense(const Output& out) const;
  void give_memory();
  void fill(Slot& slot, const char* element) const;
  void step(const Step& s, std::int64_t first, std::size_t n) const;
  void store(const Output& out, const Slot& slot, std::int64_t first, std::size_t n) const;
  char* at(const Slot& slot, std::int64_t first) const { return slot.at + first * slot.advance; }

  const Expression& e_;
  Dims sizes_;
  bool linear_ = false;
  std::int64_t total_ = 0, block_ = 0;
  SmallVector<Slot, 16> slots_;
  SmallVector<Step, 16> steps_;
  std::vector<Load> loads_;
};

}  // namespace devarray::host
