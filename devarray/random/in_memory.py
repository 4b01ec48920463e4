"""Words of long draws in memory, by the strategy of CPUs: a block of four is computed once.

In an expression each element computes the whole block in which its word lies.
"""

from __future__ import annotations

import numpy as np

from devarray import _core
from devarray._primitives.launch import ready, run, view_of
from devarray._runtime.compiler import dialect
from devarray.array import Array
from devarray.errors import OutOfMemoryError

__all__ = ["LONG", "most_words", "words_in_memory"]

LONG = 1 << 15
"""Words of a draw that get memory, at least."""
_ANYWHERE = 1 << 20
"""Words that every device has memory for: to ask how much there is takes a tenth of the time of a short draw."""


def most_words(device: _core.Device) -> int:
    """Words of a draw that get memory, at most: a sixteenth of the device's. More are an expression, without any."""
    return int(device.caps["global_memory"]) // (16 * 8)


def words_in_memory(key: tuple[int, int], first: int, count: int, like: Array) -> Array | None:
    """The words of a stream from `first` on.

    Parameters
    ----------
    key : tuple of two int
        Of the stream.
    first : int
        Number of the first word.
    count : int
        At least LONG, or half of it.
    like : Array
        Of the place where they are wanted.

    Returns
    -------
    Array or None
        A row of uint64; None where an expression is to give them.
    """
    device = like.device
    if device.strategy != "cpu" or (count > _ANYWHERE and count > most_words(device)):
        return None
    from devarray.codegen.kernels.random_words import plan_words

    try:
        words = _core.empty((count,), np.uint64, like.queue, like.allocator)
    except OutOfMemoryError:
        return None
    plan = plan_words(view_of("words", words), first % (1 << 64), key, dialect(device))
    if not ready(plan, device):
        return None
    run(plan, {"words": words})
    return words
