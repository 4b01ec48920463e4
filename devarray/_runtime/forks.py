"""Forks of the process, which copy its memory and none of its threads.

A lock that another thread holds would stay taken in the child, and work under way would never end there. So a fork
waits until no thread is in a runtime. On CPU devices a child reads what its parent made; further work is done by
runtimes that need no threads for it (Intel's), and a ForkError where they do. A GPU's driver refuses its calls.
"""

from __future__ import annotations

import os
import threading
import time

from devarray import _core
from devarray._runtime.background import Background

__all__ = ["watch"]

_PATIENCE = 5.0  # seconds, for work that waits for the thread that forks
_PAUSE = 0.0005


class _Fork:
    def __init__(self, jobs: Background, lock: threading.Lock) -> None:
        self._jobs, self._lock, self._at_rest = jobs, lock, False

    def before(self) -> None:
        deadline, look = time.monotonic() + _PATIENCE, 0.001
        while True:
            self._jobs.hold()
            self._lock.acquire()
            self._at_rest = _core.at_rest(look)
            if self._at_rest or time.monotonic() > deadline:
                return
            self.in_parent()
            time.sleep(_PAUSE)  # for threads that need the interpreter's lock to come to their end
            look = min(2 * look, 0.25)

    def in_parent(self) -> None:
        self._lock.release()
        self._jobs.release()

    def in_child(self) -> None:
        self._lock.release()
        self._jobs.reset()
        _core.note_fork(self._at_rest)


def watch(jobs: Background, lock: threading.Lock) -> None:
    """Make this process's forks safe, from now on.

    Parameters
    ----------
    jobs : Background
        The compiler's jobs, of which none may be under way at a fork.
    lock : threading.Lock
        Of the compiler's tables, which no other thread may hold then.
    """
    if hasattr(os, "register_at_fork"):
        fork = _Fork(jobs, lock)
        os.register_at_fork(before=fork.before, after_in_parent=fork.in_parent, after_in_child=fork.in_child)
