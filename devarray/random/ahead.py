"""Few numbers of a stream that are drawn again and again: made ahead, many at once, by the strategy of CPUs.

A number depends on its word's place in the stream alone, so that it is the same whichever draw makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray._runtime.config import config
from devarray.array import Array
from devarray.errors import OutOfMemoryError
from devarray.random.bits import Philox

__all__ = ["FEW", "Kind", "numbers_made_ahead"]

FEW = 128
"""Numbers of a draw that are taken from those made ahead, at most."""
_MADE = 1024

Kind = Callable[[Array, np.dtype], Array]
"""Makes numbers of random words, in a dtype."""


_NEVER: tuple[int, Any, None] = 0, None, None


def numbers_made_ahead(
    kind: Kind, dtype: np.dtype, bits: Philox, count: int, place: tuple[Any, Any, Any]
) -> tuple[Array, int] | None:
    """The next numbers of a kind, by the strategy of CPUs where a draw shortly before took few of it, too.

    ``bits.ahead`` has for a kind and dtype the number of a word, a place, and a row of the numbers from that word on;
    None in place of the row where none were drawn before that word.

    Parameters
    ----------
    kind : Kind
        What is made of the words.
    dtype : dtype
        What `kind` is given.
    bits : Philox
        The stream, which goes on by `count` words where numbers are given.
    count : int
        From 1 to FEW.
    place : (device, queue, allocator)
        Of the numbers.

    Returns
    -------
    numbers : Array
        A row, shared with other draws.
    at : int
        Where the draw's numbers begin in it.

    Or None, where the draw is to make them.
    """
    ahead, before, what = bits.ahead, bits._at, (kind, dtype)
    start, made_at, numbers = ahead.get(what, _NEVER)
    if made_at != place or not 0 < before - start <= _MADE:
        if place[0].strategy == "cpu":
            ahead[what] = before, place, None
        return None
    if numbers is None and config.host_elements < _MADE:
        return None
    first = bits.take_words(count)
    at = first - start
    if numbers is not None and 0 <= at <= _MADE - count and bits.ahead is ahead:  # no other stream by now
        return numbers, at
    _, queue, allocator = place
    try:
        numbers = kind(bits.word(bits.numbers((_MADE,), first, queue, allocator)), dtype).evaluate()
    except OutOfMemoryError:  # the draw alone may fit
        ahead[what] = first, place, None
        return kind(bits.word(bits.numbers((count,), first, queue, allocator)), dtype), 0
    ahead[what] = first, place, numbers
    return numbers, 0
