"""The log of a LoggingResourceAdaptor: read, and drawn over time."""

from __future__ import annotations

import csv
import os
from bisect import bisect_left, insort
from typing import Any

from devarray._runtime.arguments import expect

__all__ = ["plot", "read_log"]


def read_log(path: str | os.PathLike[str]) -> list[tuple[float, str, int, int, int]]:
    """Read what a `LoggingResourceAdaptor` wrote.

    Parameters
    ----------
    path : str or path
        The log's file.

    Returns
    -------
    list of (time, action, pointer, size, stream)
        In seconds and bytes; the action is ``"allocate"``, ``"allocate failure"`` or ``"free"``.

    Examples
    --------
    >>> import os, tempfile
    >>> import devarray as da
    >>> from devarray import alloc
    >>> path = os.path.join(tempfile.mkdtemp(), "log.csv")
    >>> log = alloc.LoggingResourceAdaptor(alloc.default_allocator(da.device()), path)
    >>> block = log.allocate(1000)
    >>> log.flush()
    >>> [(action, size) for _, action, _, size, _ in alloc.read_log(path)]
    [('allocate', 1000)]
    """
    expect("read_log", "path", path, (str, os.PathLike), "a path")
    with open(path, newline="", encoding="ascii") as file:
        return [
            (float(r["Time"]), r["Action"], int(r["Pointer"], 16), int(r["Size"]), int(r["Stream"], 16))
            for r in csv.DictReader(file)
        ]


def plot(log: str | os.PathLike[str], file: str | os.PathLike[str] | None = None) -> Any:
    """Draw a log: live bytes over time, and how much of the address range in use is holes.

    Needs matplotlib, which the extra ``devarray[plot]`` brings.

    Parameters
    ----------
    log : str or path
        The file of a `LoggingResourceAdaptor`.
    file : str or path, optional
        Where to save the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The upper plot is live memory in MiB, the lower one the share of holes, both over seconds.

    Examples
    --------
    >>> import os, tempfile
    >>> import devarray as da
    >>> from devarray import alloc
    >>> path = os.path.join(tempfile.mkdtemp(), "log.csv")
    >>> log = alloc.LoggingResourceAdaptor(alloc.default_allocator(da.device()), path)
    >>> block = log.allocate(1000)
    >>> log.flush()
    >>> len(alloc.plot(path).axes)
    2
    """
    from matplotlib.figure import Figure

    times, live_bytes, holes = [], [], []
    memory = _LiveMemory()
    for time, action, pointer, size, _ in read_log(log):
        if action == "allocate":
            memory.add(pointer, size)
        elif action == "free":
            memory.remove(pointer)
        times.append(time)
        live_bytes.append(memory.live / 2**20)
        holes.append(memory.holes / max(memory.holes + memory.live, 1))
    figure = Figure(figsize=(8, 5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.step(times, live_bytes, where="post")
    upper.set_ylabel("live memory / MiB")
    lower.step(times, holes, where="post", color="tab:red")
    lower.set_ylabel("share of holes")
    lower.set_ylim(0, 1)
    lower.set_xlabel("time / s")
    if file is not None:
        figure.savefig(file)
    return figure


class _LiveMemory:
    """The blocks in use at a moment of a log, and the holes between neighbours."""

    NEIGHBOURS = 2 << 20  # bytes: blocks further apart do not lie in one chunk

    def __init__(self) -> None:
        self.live = 0
        self.holes = 0
        self._sizes: dict[int, int] = {}
        self._starts: list[int] = []

    def add(self, pointer: int, size: int) -> None:
        self._sizes[pointer] = size
        self.live += size
        insort(self._starts, pointer)
        self._count_around(bisect_left(self._starts, pointer), 1)

    def remove(self, pointer: int) -> None:
        if pointer not in self._sizes:  # in use before the log began
            return
        i = bisect_left(self._starts, pointer)
        self._count_around(i, -1)
        del self._starts[i]
        self.live -= self._sizes.pop(pointer)

    def _count_around(self, i: int, sign: int) -> None:
        """Block i between its neighbours: two holes in place of one."""
        self.holes += sign * (self._gap(i - 1, i) + self._gap(i, i + 1) - self._gap(i - 1, i + 1))

    def _gap(self, i: int, j: int) -> int:
        if i < 0 or j >= len(self._starts):
            return 0
        gap = self._starts[j] - self._starts[i] - self._sizes[self._starts[i]]
        return gap if 0 < gap <= self.NEIGHBOURS else 0
