"""NumPy's work on the host, on all cores of this process: its long functions give up the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["BLOCK", "cores_for", "each_block"]

BLOCK = 1 << 15
"""Elements of a block: with what sorting them takes beside, they stay in a core's cache."""
_MOST = 8
"""Threads at most, as many as copies take."""


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST, cores)


def cores_for(elements: int) -> int:
    """Threads for a library's function over so many elements: one a block, as many as there are cores."""
    return 1 if elements <= BLOCK else min(_cores(), -(-elements // BLOCK))


class _Threads:
    """Helpers of whoever calls, started at the first call that has work for them and forgotten in a forked child."""

    def __init__(self) -> None:
        self.pool: ThreadPoolExecutor | None = None
        self.count = 0

    def helpers(self) -> tuple[ThreadPoolExecutor | None, int]:
        wanted = _cores() - 1
        if wanted > self.count:
            try:
                from concurrent.futures import ThreadPoolExecutor
            except RuntimeError:  # the main thread has ended, and its end waits for this one
                return None, 0
            self.pool, self.count = ThreadPoolExecutor(wanted, "devarray-host"), wanted
        return (self.pool, wanted) if wanted else (None, 0)

    def forget(self) -> None:
        self.pool, self.count = None, 0


_threads = _Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.forget)


def each_block(work: Callable[[int, int], None], rows: int, length: int) -> None:
    """Call ``work(begin, end)`` for all rows, in blocks, of which several run at once.

    Parameters
    ----------
    work : callable
        What it calls of NumPy must be safe beside itself on other rows.
    rows, length : int
        Rows, and elements of each.

    Raises
    ------
    Exception
        What `work` raised first; no block runs any more by then.
    """
    step = max(1, BLOCK // max(length, 1))
    begins = iter(range(0, rows, step))

    def take_turns() -> None:
        for begin in begins:  # next() of a range's iterator is one step of the interpreter: each block has one taker
            work(begin, min(begin + step, rows))

    pool, helpers = _threads.helpers() if rows > step else (None, 0)
    if pool is None:
        return take_turns()
    jobs = []
    try:
        with suppress(RuntimeError):  # once the main thread has ended, a pool takes no more work
            for _ in range(min(helpers, -(-rows // step) - 1)):
                jobs.append(pool.submit(take_turns))
        take_turns()
    finally:
        for job in jobs:
            job.cancel()  # what has not begun finds no blocks left
        wait(jobs)
    for job in jobs:
        if not job.cancelled():
            job.result()
    return None
