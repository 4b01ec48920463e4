"""Few numbers of a stream that are drawn again and again: made ahead, many at once, by the strategy of CPUs.

A number depends on its word's place in the stream alone, so that it is the same whichever draw makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from devarray import _core
from devarray._runtime.settings import config
from devarray.array import Array
from devarray.errors import OutOfMemoryError
from devarray.random.bits import Philox

__all__ = ["FEW", "numbers_made_ahead"]

FEW = 128
"""Numbers of a draw that are taken from those made ahead, at most."""
_MADE = 1024


class _Stretch(NamedTuple):
    """Numbers of a kind from one word of a stream on; without `numbers` where none were drawn before that word."""

    first: int
    queue: Any
    allocator: Any
    numbers: Array | None


def numbers_made_ahead(
    kind: Any, bits: Philox, count: int, place: tuple[Any, Any], make: Callable[[int, int, tuple[Any, Any]], Array]
) -> Array | None:
    """The next numbers of a kind, where a draw shortly before took few of it, too.

    Parameters
    ----------
    kind : hashable
        What is made of the words.
    bits : Philox
        The stream, which goes on by `count` words where numbers are given.
    count : int
        From 1 to FEW.
    place : (queue, allocator)
        Of the numbers; None for the current ones.
    make : callable
        From the number of a word, a count, and a place to that many numbers.

    Returns
    -------
    Array or None
        A row, shared with other draws; None where the draw is to make them.
    """
    queue, allocator = place
    if queue is None and allocator is None:
        _, queue, allocator = _core.current_place()
    ahead, before = bits.ahead, bits._at
    made = ahead.get(kind)
    if made is None or made.queue is not queue or made.allocator is not allocator:
        ahead[kind] = _Stretch(before, queue, allocator, None)
        return None
    if not 0 < before - made.first <= _MADE:
        ahead[kind] = _Stretch(before, queue, allocator, None)
        return None
    if made.numbers is None and config.host_elements < _MADE:
        return None
    first = bits.take_words(count)
    offset, numbers = first - made.first, made.numbers
    if numbers is None or not 0 <= offset <= _MADE - count or bits.ahead is not ahead:  # another stream by now
        try:
            numbers, offset = make(first, _MADE, (queue, allocator)).evaluate(), 0
        except OutOfMemoryError:  # the draw alone may fit
            ahead[kind] = _Stretch(first, queue, allocator, None)
            return make(first, count, (queue, allocator))
        ahead[kind] = _Stretch(first, queue, allocator, numbers)
    return numbers[offset : offset + count]
