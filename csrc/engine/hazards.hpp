// What must happen before memory is read or written: pending readers, other queues, and who sees the memory at all.
#pragma once

#include "engine/expression.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Throws ValueError where a leaf must not be written: it is read-only, or several of its elements share memory.
void require_writable(const Node& leaf);

/// A pending node that reads the storage, of these bytes of its block where they are given, and is neither part of
/// `except` nor `inherits`; null where there is none.
Node* other_reader(const Storage& storage, const Expression* except, const Extent* written = nullptr,
                   const Node* inherits = nullptr);

/// Evaluates every pending expression that reads `storage`.
void evaluate_readers(Storage& storage);

/// Makes an array ready to be overwritten: it has memory that may be written, and what still reads its old values has
/// run.
void prepare_target(Node& n);

/// Evaluates an array and its readers; from then on work on its memory is not deferred (rule 8).
void expose(Node& n);

/// Of memory that was just imported: until work is enqueued that uses it, or somebody asks for its address, it may go
/// back to its owner without a question to the device.
void expect_no_use(Storage& storage);

/// Keeps an event behind what was written to the storage so far: other queues then wait for that, and not for all that
/// its own queue has come to do until they read it.
void note_written(Storage& storage);
/// From now on that is done for all large storages.
void start_noting_writes();

/// Makes `queue` wait for what was written to the storage.
void wait_for_writes(Storage& storage, Queue& queue);

/// Orders work that is about to be enqueued on `place.queue` behind what the storage still waits for.
void acquire_read(Storage& storage, const Place& place);
void acquire_write(Storage& storage, const Place& place);
/// Notes that enqueued work on `place.queue` reads the storage, or writes it: then its own queue waits for that work.
void release_read(Storage& storage, const Place& place);
void release_write(Storage& storage, const Place& place);

}  // namespace devarray
