"""Jobs of one caller in threads of their own: compilers of GPUs' kernels work side by side."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

__all__ = ["do_side_by_side"]


def do_side_by_side(jobs: Sequence[Callable[[], object]]) -> None:
    """Do all jobs, the caller among those who do them, and return when they are done.

    Parameters
    ----------
    jobs : sequence of callable
        Each is done once, whatever becomes of the others.

    Raises
    ------
    Exception
        What the first of the jobs that failed, in their order, raised.

    Examples
    --------
    >>> from devarray._runtime.side_by_side import do_side_by_side
    >>> done = set()
    >>> do_side_by_side([lambda i=i: done.add(i) for i in range(3)])
    >>> done
    {0, 1, 2}
    """
    waiting = list(enumerate(jobs))[::-1]
    failed: dict[int, BaseException] = {}

    def work() -> None:
        while waiting:
            try:
                number, job = waiting.pop()
            except IndexError:  # another thread took the last one
                return
            try:
                job()
            except Exception as error:
                failed[number] = error

    count = min(len(jobs), os.cpu_count() or 1) - 1
    threads = [threading.Thread(target=work, name="devarray-compiler", daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[min(failed)]
