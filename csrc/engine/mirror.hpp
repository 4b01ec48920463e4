// Elements of small arrays on GPUs, for programs that ask for one after the other: float(x[3]), x[4] > 0, int(x[i]).
// Each such question would wait for the device. The second time that the host asks for an element of a storage that
// nothing has been written to since, it reads the whole storage and keeps it, the storage's mirror; further elements,
// and operations on nothing but them, are answered from there, with the kernels' bits. Stores whose values the host
// knows keep it up to date. No wait is added: a mirror is made where the host would have waited for an element anyway.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// The bytes of the single element of a value into `out` (16 bytes at most) where it is an element, or made of elements
/// alone, of storages that have mirrors, or get them now. False, and nothing read, for all else.
bool read_mirrored(const NodeRef& n, void* out);

/// The same where all mirrors are there: does not wait, and is no wait to the program.
bool find_mirrored(const Node& n, void* out);

/// A store into a storage that has a mirror. Where the host knows the value, the mirror takes it, too, and stays: a
/// program that reads and writes elements by turns does not wait for each read.
class MirroredStore {
 public:
  /// Before the store is enqueued.
  MirroredStore(const Node& target, const Node& value);
  /// After it: gives the mirror back, unless something else was written meanwhile.
  void done();

 private:
  Storage& storage_;
  const std::uint32_t writes_;
  std::unique_ptr<char[]> mirror_;
};

/// From now on there are none: a stream's handle is out, or its work becomes a graph, so that launches may be repeated
/// without the engine's knowledge.
void stop_mirrors();
/// Whether elements of small storages on GPUs are looked up in mirrors in this process.
bool mirrors_in_use();

}  // namespace devarray
