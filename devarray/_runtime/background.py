"""Kernels compiled in the background, on CPU devices, while the host's interpreter does their work.

One thread: the compilers of CPU runtimes do not work side by side in a process (Intel's holds a lock, PoCL's another).
For the same reason the thread begins nothing while another one waits for a compiler.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from devarray.errors import Error

__all__ = ["Background"]


class Background:
    """Jobs by key, done one after the other by a thread that ends with the process.

    Examples
    --------
    >>> from devarray._runtime.background import Background
    >>> done, jobs = [], Background()
    >>> jobs.submit("a", lambda: done.append(1))
    >>> jobs.wait()
    >>> done
    [1]
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jobs: dict[Hashable, Callable[[], object]] = {}
        self._running: Hashable | None = None
        self._ahead = 0  # threads that wait for a compiler themselves
        self._thread: threading.Thread | None = None
        self.failed: set[Hashable] = set()

    def submit(self, key: Hashable, job: Callable[[], object]) -> None:
        """Do a job later, unless it is there already. One that raises is noted in `failed`."""
        with self._changed:
            if key in self._jobs or key == self._running:
                return
            self._jobs[key] = job
            if self._thread is None or not self._thread.is_alive():  # none yet, or this process is a fork's child
                self._running = None
                self._thread = threading.Thread(target=self._work, name="devarray-compiler", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def knows(self, key: Hashable) -> bool:
        """Whether a job of this key is waiting or under way."""
        with self._changed:
            return key in self._jobs or (key == self._running and self._alive())

    @contextmanager
    def ahead(self, key: Hashable) -> Iterator[None]:
        """Work of the caller's on the compiler, for which no further job begins; `key` is what it makes itself.

        A job that is under way for that key is waited for.
        """
        mine = threading.current_thread() is self._thread
        with self._changed:
            self._jobs.pop(key, None)
            if not mine:
                self._changed.wait_for(lambda: self._running != key or not self._alive())
                self._ahead += 1
        try:
            yield
        finally:
            if not mine:
                with self._changed:
                    self._ahead -= 1
                    self._changed.notify_all()

    def wait(self) -> None:
        """Return when all jobs are done."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._jobs or self._running) or not self._alive())

    def _alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs and not self._ahead)
                key = next(iter(self._jobs))
                job, self._running = self._jobs.pop(key), key
            try:
                job()
            except Error:  # the call that needs it does it again, and raises
                self.failed.add(key)
            finally:
                with self._changed:
                    self._running = None
                    self._changed.notify_all()
