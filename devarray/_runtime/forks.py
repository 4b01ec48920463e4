"""Forks of the process, which copy its memory and none of its threads.

A lock that another thread holds would stay taken in the child, and work under way would never end there. So a fork
waits until no thread is in a runtime. On CPU devices a child reads what its parent made; further work is done by
runtimes that need no threads for it (Intel's), and a ForkError where they do. A GPU's driver refuses its calls.
"""

from __future__ import annotations

import os
import time
from typing import Protocol

from devarray import _core

__all__ = ["register", "watch"]

_PATIENCE = 5.0  # seconds, for work that waits for the thread that forks
_PAUSE = 0.0005


class _Fork:
    """What is done around each fork of this process."""

    def __init__(self) -> None:
        self._jobs: Jobs | None = None
        self._holder = 0
        """The thread that lets no job begin. An interrupt may have ended its wait: the fork goes on all the same."""
        self._survivor = 0
        """In a child, the system's number of the thread that forked; its `native_id` may still be the parent's."""

    def before(self) -> None:
        import threading  # programs that never fork do not need it

        deadline, look = time.monotonic() + _PATIENCE, 0.001
        while True:
            if self._jobs is not None:
                self._jobs.hold()
                self._holder = threading.get_ident()
            if _core.at_rest(look, [self._survivor, *(thread.native_id or 0 for thread in threading.enumerate())]):
                return  # fork() itself looks again, and tells the child
            if time.monotonic() > deadline:
                return
            self.in_parent()
            time.sleep(_PAUSE)  # for threads that need the interpreter's lock to come to their end
            look = min(2 * look, 0.25)

    def in_parent(self) -> None:
        import threading

        if self._jobs is not None and self._holder == threading.get_ident():
            self._holder = 0
            self._jobs.release()

    def in_child(self) -> None:
        import threading

        self._survivor = threading.get_native_id()
        self.in_parent()
        if self._jobs is not None:
            self._jobs.reset()

    def watch(self, jobs: Jobs) -> None:
        self._jobs = jobs


class Jobs(Protocol):
    """The compiler's jobs, of which none may be under way at a fork."""

    def hold(self) -> None:
        """Wait for the one under way, and let none begin."""

    def release(self) -> None:
        """Let them begin again."""

    def reset(self) -> None:
        """Forget them, in a child."""


_fork = _Fork()
watch = _fork.watch


def register() -> None:
    """Let each fork of this process wait."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_fork.before, after_in_parent=_fork.in_parent, after_in_child=_fork.in_child)
