// Where a pool keeps its free blocks. The pool holds its lock around every call, so an implementation makes no driver
// or upstream call and waits for nothing.
#pragma once

#include <cstddef>
#include <memory>

#include "memory/resource.hpp"

namespace devarray {

class FreeStore {
 public:
  virtual ~FreeStore() = default;

  /// A free block of at least `bytes` that needs no event before the timeline's queue uses it: last used there, or
  /// (null) used nowhere. Null if there is none.
  virtual Block* take(std::size_t bytes, const Timeline* timeline) = 0;
  /// A free block of at least `bytes`, whatever used it last. As the last resort, also from where blocks of that size
  /// are not kept.
  virtual Block* take_any(std::size_t bytes, const Timeline* timeline, bool last_resort) = 0;
  /// Keeps a block; false if it is not one to keep, which then belongs to the caller again.
  virtual bool put(Block& block) = 0;

  /// How much to ask of the upstream to serve `bytes`.
  virtual std::size_t growth(std::size_t bytes) const = 0;
  /// Makes a block for `bytes` out of one that the upstream gave; what is left of it is kept.
  virtual Block* adopt(Ref<Block> base, std::size_t bytes) = 0;
  /// Takes out a block that is all of what the upstream gave at once. Null if there is none.
  virtual Block* take_whole() = 0;
  /// The same for one that was too small to serve `bytes` and is better freed than kept beside what does.
  virtual Block* take_outgrown(std::size_t) { return nullptr; }

  /// The upstream's block that could serve `bytes` if it were `missing` bytes longer; null where there is none.
  struct Stretch {
    Ref<Block> base;
    std::size_t missing = 0;
  };
  virtual Stretch stretch(std::size_t) const { return {}; }
  /// It is longer now. False where it is none of the store's any more.
  virtual bool stretched(const Block&, std::size_t) { return false; }
  /// Takes out a free block of at least `least` bytes that stands at the end of an upstream's block, which comes with
  /// it, behind others. Null if there is none.
  struct Tail {
    Block* block = nullptr;
    Ref<Block> base;
  };
  virtual Tail take_tail(std::size_t) { return {}; }
  /// Puts it back, `cut` bytes shorter.
  virtual void put_tail(Block&, std::size_t) {}

  virtual std::size_t held_blocks() const = 0;
  virtual std::size_t held_bytes() const = 0;
  virtual std::size_t largest_hole() const = 0;
};

/// Free blocks in bins of similar size; never split. For memory whose pieces have no address of their own (cl_mem).
std::unique_ptr<FreeStore> bin_store(unsigned leading_bits);

/// Free blocks that are split for smaller requests and merge again with free neighbours. For memory with addresses.
std::unique_ptr<FreeStore> arena_store();

}  // namespace devarray
