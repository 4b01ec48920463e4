"""A child process that is asked one thing after another, and may die, hang or eat memory over any of them.

`serve(connection, *arguments)` runs in the child: it answers each request that it receives. The parent starts the child
again after whatever ended it. What `serve` does before it first receives is start-up, which has a time of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_POLL = 0.05
STARTUP = 300.0
"""Seconds that a child has to import what it needs and to compile its first kernels."""
_spawn = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Died:
    """What ended a child.

    Attributes
    ----------
    how : {"crash", "hang", "memory"}
    message : str
        The signal or exit status, and the last lines on stderr.
    """

    how: str
    message: str


class Worker:
    """One child.

    Parameters
    ----------
    serve : callable
        ``serve(connection, *arguments)``; of a module, so that the child can import it.
    arguments : tuple
    memory : int
        Resident bytes at which the child is ended. A limit of the address space is no use with OpenCL, whose runtimes
        reserve far more than they touch.
    startup : float
        Seconds until the child waits for its first request.
    """

    def __init__(
        self,
        serve: Callable[..., None],
        arguments: tuple[Any, ...] = (),
        memory: int = 4 << 30,
        startup: float = STARTUP,
    ) -> None:
        self._serve, self._arguments, self._memory, self._startup = serve, arguments, memory, startup
        self._process: Any = None
        self._connection: Any = None
        self._stderr = tempfile.NamedTemporaryFile(prefix="worker-", suffix=".err")  # noqa: SIM115 (open as long as this)
        weakref.finalize(self, self._stderr.close)

    def ask(self, request: Any, timeout: float) -> Any:
        """The child's answer within `timeout` seconds of its being ready, or Died."""
        try:
            if self._process is None:
                self._start()
                ready = self._answer(self._startup, "it did not start in time")
                if isinstance(ready, Died):
                    return ready
            self._connection.send(request)
            return self._answer(timeout, "no answer in time")
        except (EOFError, OSError):
            self._process.join(5)
            return self._died("crash", _describe(self._process.exitcode))

    def stop(self) -> None:
        """End the child; the next request starts another."""
        if self._process is None:
            return
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._connection.close()
        self._process = None

    def _start(self) -> None:
        self._connection, other = _spawn.Pipe()
        self._stderr.truncate(0)
        self._process = _spawn.Process(
            target=_child, args=(self._serve, other, self._stderr.name, self._arguments), daemon=True
        )
        self._process.start()
        other.close()

    def _answer(self, seconds: float, late: str) -> Any:
        deadline = time.monotonic() + seconds
        while not self._connection.poll(_POLL):
            if time.monotonic() > deadline:
                return self._died("hang", late)
            if resident(self._process.pid) > self._memory:
                return self._died("memory", f"more than {self._memory >> 20} MiB resident")
        return self._connection.recv()

    def _died(self, how: str, message: str) -> Died:
        self.stop()
        tail = Path(self._stderr.name).read_text(errors="replace").strip()[-2000:]
        return Died(how, f"{message}\n{tail}".strip())


class _Connection:
    """The child's end, which tells the parent when the first request is waited for."""

    def __init__(self, connection: Any) -> None:
        self._connection, self._told = connection, False
        self.send = connection.send

    def recv(self) -> Any:
        if not self._told:
            self._told = True
            self.send(True)
        return self._connection.recv()


def resident(pid: int) -> int:
    """Bytes of a process that are in memory; 0 where it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _child(serve: Callable[..., None], connection: Any, stderr: str, arguments: tuple[Any, ...]) -> None:
    os.dup2(os.open(stderr, os.O_WRONLY | os.O_APPEND), 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its children
    serve(_Connection(connection), *arguments)


def _describe(code: int | None) -> str:
    if code is None:
        return "the connection broke"
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
