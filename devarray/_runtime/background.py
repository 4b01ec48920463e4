"""Kernels compiled in the background, on CPU devices, while the host's interpreter does their work.

One thread: the compilers of CPU runtimes do not work side by side in a process (Intel's holds a lock, PoCL's another).
For the same reason the thread begins nothing while another one waits for a compiler, nor right after: first calls come
in rows, and the next one may have to wait for its kernel.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from devarray.errors import Error

__all__ = ["Background"]

_QUIET = 0.1  # seconds without a new job or a caller's compilation after which the thread begins
_LATEST = 1.0  # seconds after which it begins though there was no such pause


class Background:
    """Jobs by key, done one after the other by a thread.

    At the process's end the job that is under way is waited for: no runtime is to be torn down while it compiles. What
    did not begin is dropped at the end. For forks see :mod:`devarray._runtime.forks`.

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
        self.lock = threading.Lock()  # of the tables that jobs and callers share
        self.reset()
        atexit.register(self.stop)

    def reset(self) -> None:
        """Forget all jobs and the thread, which are not in a fork's child."""
        self._changed = threading.Condition()
        self._jobs: dict[Hashable, Callable[[], object]] = {}
        self._running: set[Hashable] = set()
        self._ahead = 0  # threads that wait for a compiler themselves
        self._waiting = 0  # threads that wait for all jobs
        self._first = self._last = 0.0  # when the oldest job came; when a job came last, or a caller was done
        self._stopped = False
        self._thread: threading.Thread | None = None
        self.failed: set[Hashable] = set()

    def submit(self, key: Hashable, job: Callable[[], object]) -> None:
        """Do a job later, unless it is there already. One that raises is noted in `failed`."""
        with self._changed:
            if key in self._jobs or key in self._running or self._stopped:
                return
            self._last = time.monotonic()
            if not self._jobs:
                self._first = self._last
            self._jobs[key] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="devarray-compiler", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def take(self, most: int, suits: Callable[[Any], bool]) -> list[Any]:
        """For the job that is under way: up to `most` further keys, which it does as well."""
        with self._changed:
            keys = [key for key in self._jobs if suits(key)][:most]
            for key in keys:
                del self._jobs[key]
            self._running.update(keys)
            return keys

    def knows(self, key: Hashable) -> bool:
        """Whether a job of this key is waiting or under way."""
        with self._changed:
            return key in self._jobs or key in self._running

    def at_work(self) -> bool:
        """Whether the caller is a job."""
        return threading.current_thread() is self._thread

    @contextmanager
    def ahead(self, *keys: Hashable) -> Iterator[None]:
        """Work of the caller's on the compiler, for which no further job begins; `keys` are what it makes itself.

        Jobs that are under way for these are waited for.
        """
        if self.at_work():
            yield
            return
        with self._changed:
            for key in keys:
                self._jobs.pop(key, None)
            self._ahead += 1
            try:
                self._changed.wait_for(lambda: self._running.isdisjoint(keys))
            except BaseException:
                self._leave()
                raise
        try:
            yield
        finally:
            with self._changed:
                self._leave()

    def _leave(self) -> None:
        self._ahead -= 1
        self._last = time.monotonic()
        self._changed.notify_all()

    def wait(self) -> None:
        """Return when all jobs are done."""
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            try:
                self._changed.wait_for(lambda: not (self._jobs or self._running))
            finally:
                self._waiting -= 1

    def stop(self) -> None:
        """Drop what did not begin, take nothing more, and wait for the job that is under way."""
        with self._changed:
            self._stopped = True
            self._jobs.clear()
            self._changed.wait_for(lambda: not self._running)

    def hold(self) -> None:
        """Wait for the job that is under way and for the lock, and let no job begin until `release`."""
        self._changed.acquire()
        try:
            if not self.at_work():  # a job may fork itself (to probe a library): it does not wait for itself
                self._changed.wait_for(lambda: not self._running)
            self.lock.acquire()
        except BaseException:  # an interrupt
            self._changed.release()
            raise

    def release(self) -> None:
        """Let jobs begin again."""
        self.lock.release()
        self._changed.release()

    def _may_begin(self) -> bool:
        """Waits for a job that may begin, or for what changes that."""
        if not self._jobs or self._ahead:
            self._changed.wait()
            return False
        pause = min(self._last + _QUIET, self._first + _LATEST) - time.monotonic()
        if self._waiting or pause <= 0:
            return True
        self._changed.wait(pause)
        return False

    def _work(self) -> None:
        try:
            while True:
                self._next()
        finally:  # what is no error of ours ends this thread; the next job gets another one
            with self._changed:
                self._thread = None
                self._jobs.clear()

    def _next(self) -> None:
        with self._changed:
            while not self._may_begin():
                pass
            key = next(iter(self._jobs))
            job = self._jobs.pop(key)
            self._running.add(key)
        failed = True
        try:
            job()
            failed = False
        except Error:
            pass
        finally:
            with self._changed:
                if failed:  # the call that needs it does it again, and raises
                    self.failed.update(self._running)
                self._running.clear()
                self._first = time.monotonic()
                self._changed.notify_all()
