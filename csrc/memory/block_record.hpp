// Which blocks are alive, and the line of the program that asked for each: devarray.alloc.snapshot(). Off, an
// allocation and the end of a block test one flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/resource.hpp"

namespace devarray {

/// A block in use, as it was handed out.
struct LivingBlock {
  std::uint64_t number = 0;  ///< of the allocation since the record began, from 1
  std::uint32_t line = 0;    ///< of the program, as a number; 0 where none is known
  double seconds = 0;        ///< of the host's steady clock
  std::string device, resource;
  const char* kind = "";
  std::uintptr_t address = 0;
  std::size_t bytes = 0, capacity = 0;
};

/// An allocation or, with negative bytes, its end.
struct BlockEvent {
  double seconds = 0;
  std::int64_t bytes = 0;
  std::uint64_t number = 0;
};

namespace detail {
extern std::atomic<bool> blocks_are_recorded;
void note_block(const Block& block);
void forget_block(const Block& block) noexcept;
}  // namespace detail

inline bool recording_blocks() noexcept { return detail::blocks_are_recorded.load(std::memory_order_relaxed); }
/// A block was handed out. The second note of one only adds its line, where that was not known.
inline void note_block(const Block& block) {
  if (recording_blocks()) [[unlikely]]
    detail::note_block(block);
}
/// Its last user let go of it.
inline void forget_block(const Block& block) noexcept {
  if (recording_blocks()) [[unlikely]]
    detail::forget_block(block);
}

/// Begins a record, and drops the one before.
void start_block_record();
void stop_block_record();
/// The blocks in use that were allocated since the record began, in that order.
std::vector<LivingBlock> living_blocks();
/// What happened since, oldest first: at most the first 2^20 events.
std::vector<BlockEvent> block_events();
/// Tells the line that is running. Called with the GIL or without.
void set_block_line_source(std::uint32_t (*source)() noexcept);

}  // namespace devarray
