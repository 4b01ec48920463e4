"""Which blocks are alive, and the line of the program that asked for each."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from devarray import _core
from devarray._runtime.lines import Line
from devarray.errors import Error, ValueError

__all__ = ["Difference", "LivingBlock", "Snapshot", "snapshot", "start_recording", "stop_recording"]


@dataclass(frozen=True, slots=True)
class LivingBlock:
    """A block in use.

    Parameters
    ----------
    number : int
        Of the allocation since the recording began, from 1.
    line : Line or None
        The line of the program that asked for it, outside of devarray: `file`, `number`, `function` and `text`. None
        where no Python was running.
    seconds : float
        When, from the start of the recording.
    device, resource, kind : str
        Where it lies: the device, the allocator that it came from, and the kind of memory.
    address : int
        Of the first byte, or the driver's handle where memory has none.
    nbytes, capacity : int
        Bytes as asked for, and as reserved.

    Examples
    --------
    >>> import devarray as da
    >>> da.alloc.start_recording()
    >>> x = da.empty(2048, dtype="uint8")
    >>> (block,) = da.alloc.snapshot().blocks
    >>> block.number, block.nbytes
    (1, 2048)
    >>> da.alloc.stop_recording()
    """

    number: int
    line: Line | None
    seconds: float
    device: str
    resource: str
    kind: str
    address: int
    nbytes: int
    capacity: int


@dataclass(frozen=True, slots=True)
class Difference:
    """What a line holds in one snapshot and held in another one.

    Parameters
    ----------
    key : Line, str or None
        The line, device, kind or allocator.
    nbytes, nbytes_before : int
        Bytes in the later and in the earlier snapshot.
    count, count_before : int
        Blocks in them.

    Examples
    --------
    >>> from devarray import alloc
    >>> grown = alloc.Difference("buffer", 300, 100, 3, 1)
    >>> grown.nbytes_diff, grown.count_diff
    (200, 2)
    """

    key: Line | str | None
    nbytes: int
    nbytes_before: int
    count: int
    count_before: int

    @property
    def nbytes_diff(self) -> int:
        """What has come."""
        return self.nbytes - self.nbytes_before

    @property
    def count_diff(self) -> int:
        """What has come."""
        return self.count - self.count_before


def _key(by: str) -> Callable[[LivingBlock], Any]:
    if by not in ("line", "device", "kind", "resource"):
        raise ValueError(f"a snapshot is grouped by 'line', 'device', 'kind' or 'resource', not by {by!r}")
    return lambda block: getattr(block, by)


@dataclass(frozen=True)
class Snapshot:
    """The blocks in use at one moment; what :func:`snapshot` gives.

    Parameters
    ----------
    blocks : tuple of LivingBlock
        In the order in which they were allocated.
    history : tuple of (float, int, int)
        Seconds from the start of the recording, bytes (negative where a block ended) and the allocation's number, of
        the first 1,048,576 events.
    seconds : float
        When it was taken, from the start of the recording.

    Examples
    --------
    >>> import devarray as da
    >>> da.alloc.start_recording()
    >>> x = da.empty(2048, dtype="uint8")
    >>> da.alloc.snapshot()
    <devarray.alloc.Snapshot: 2.0 KiB in 1 blocks>
    >>> da.alloc.stop_recording()
    """

    blocks: tuple[LivingBlock, ...]
    history: tuple[tuple[float, int, int], ...]
    seconds: float

    @property
    def nbytes(self) -> int:
        """Bytes in use, as asked for."""
        return sum(b.nbytes for b in self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)

    def statistics(self, by: str = "line") -> list[tuple[Any, int, int]]:
        """Bytes and blocks for each line, the most bytes first.

        Parameters
        ----------
        by : {"line", "device", "kind", "resource"}
            What blocks are put together by.

        Returns
        -------
        list of (key, nbytes, count)
            The key is a `Line` (None where none is known) or a text.

        Raises
        ------
        ValueError
            For another `by`.

        Examples
        --------
        >>> import devarray as da
        >>> da.alloc.start_recording()
        >>> x = da.empty(1000, dtype="uint8")
        >>> [(nbytes, count) for _, nbytes, count in da.alloc.snapshot().statistics("kind")]
        [(1000, 1)]
        >>> da.alloc.stop_recording()
        """
        groups = _grouped(self.blocks, by)
        rows = [(key, sum(b.nbytes for b in blocks), len(blocks)) for key, blocks in groups.items()]
        return sorted(rows, key=lambda row: -row[1])

    def compare_to(self, earlier: Snapshot, by: str = "line") -> list[Difference]:
        """What has changed since an earlier snapshot, the largest change first.

        Parameters
        ----------
        earlier : Snapshot
            Of the same recording, or one read by :meth:`load`.
        by : {"line", "device", "kind", "resource"}
            What blocks are put together by.

        Returns
        -------
        list of Difference
            Of what is not the same in both.

        Raises
        ------
        ValueError
            For another `by`.

        Examples
        --------
        >>> import devarray as da
        >>> da.alloc.start_recording()
        >>> before = da.alloc.snapshot()
        >>> kept = [da.empty(100, dtype="uint8") for _ in range(3)]
        >>> (leak,) = da.alloc.snapshot().compare_to(before)
        >>> leak.nbytes_diff, leak.count_diff
        (300, 3)
        >>> da.alloc.stop_recording()
        """
        now = {key: (nbytes, count) for key, nbytes, count in self.statistics(by)}
        before = {key: (nbytes, count) for key, nbytes, count in earlier.statistics(by)}
        found = [
            Difference(key, now.get(key, (0, 0))[0], before.get(key, (0, 0))[0], now.get(key, (0, 0))[1],
                       before.get(key, (0, 0))[1])
            for key in {**now, **before}
            if now.get(key) != before.get(key)
        ]  # fmt: skip
        return sorted(found, key=lambda d: (-abs(d.nbytes_diff), -abs(d.count_diff)))

    def table(self, by: str = "line", limit: int = 20) -> str:
        """The statistics as text.

        Parameters
        ----------
        by : {"line", "device", "kind", "resource"}
            What blocks are put together by.
        limit : int
            Rows at most. 20 by default.

        Returns
        -------
        str
            Bytes, blocks, and the line with its source.

        Examples
        --------
        >>> import devarray as da
        >>> da.alloc.start_recording()
        >>> x = da.empty(2048, dtype="uint8")
        >>> da.alloc.snapshot().table("kind").splitlines()[0]
        '2.0 KiB in 1 blocks'
        >>> da.alloc.stop_recording()
        """
        rows = self.statistics(by)
        lines = [f"{_size(self.nbytes)} in {len(self.blocks)} blocks"]
        for key, nbytes, count in rows[:limit]:
            text = f"{key}  {key.text}" if isinstance(key, Line) else str(key or "no line of the program")
            lines.append(f"{_size(nbytes):>10} {count:>7}  {text}".rstrip())
        if len(rows) > limit:
            lines.append(f"and {len(rows) - limit} more")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<devarray.alloc.Snapshot: {_size(self.nbytes)} in {len(self.blocks)} blocks>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the snapshot as JSON.

        Parameters
        ----------
        path : path
            Of the file; :meth:`load` reads it.

        Examples
        --------
        >>> import os, tempfile
        >>> import devarray as da
        >>> da.alloc.start_recording()
        >>> x = da.empty(2048, dtype="uint8")
        >>> da.alloc.snapshot().save(os.path.join(tempfile.mkdtemp(), "blocks.json"))
        >>> da.alloc.stop_recording()
        """
        blocks = [{**asdict(b), "line": list(b.line) if b.line else None} for b in self.blocks]
        Path(path).write_text(json.dumps({"seconds": self.seconds, "blocks": blocks, "history": self.history}))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Snapshot:
        """Read what :meth:`save` wrote.

        Parameters
        ----------
        path : path
            Of the file.

        Returns
        -------
        Snapshot
            Equal to the one that was written.

        Examples
        --------
        >>> import os, tempfile, devarray as da
        >>> path = os.path.join(tempfile.mkdtemp(), "blocks.json")
        >>> da.alloc.start_recording()
        >>> x = da.empty(1000, dtype="uint8")
        >>> taken = da.alloc.snapshot()
        >>> taken.save(path)
        >>> da.alloc.Snapshot.load(path) == taken
        True
        >>> da.alloc.stop_recording()
        """
        read = json.loads(Path(path).read_text())
        blocks = [LivingBlock(**{**b, "line": Line(*b["line"]) if b["line"] else None}) for b in read["blocks"]]
        return cls(tuple(blocks), tuple((t, n, k) for t, n, k in read["history"]), read["seconds"])

    def plot(self, path: str | os.PathLike[str] | None = None, limit: int = 8) -> Any:
        """Draw the bytes in use over time, and the lines that hold the most.

        Parameters
        ----------
        path : path, optional
            Where to save the picture.
        limit : int
            Lines at most. 8 by default.

        Returns
        -------
        matplotlib.figure.Figure
            The upper plot is over seconds, the lower one a bar for each line.

        Raises
        ------
        Error
            Where matplotlib is not installed.

        Examples
        --------
        >>> import devarray as da
        >>> da.alloc.start_recording()
        >>> x = da.empty(2048, dtype="uint8")
        >>> len(da.alloc.snapshot().plot().axes)
        2
        >>> da.alloc.stop_recording()
        """
        try:
            from matplotlib.figure import Figure
        except ModuleNotFoundError as error:
            raise Error("plot() needs matplotlib, which is not installed: pip install matplotlib") from error
        times, live = [0.0], [0.0]
        for seconds, nbytes, _ in self.history:
            times.append(seconds)
            live.append(live[-1] + nbytes / 2**20)
        figure = Figure(figsize=(9, 6), layout="constrained")
        upper, lower = figure.subplots(2, 1)
        upper.step([*times, self.seconds], [*live, live[-1]], where="post", color="#2a6f97")
        upper.fill_between([*times, self.seconds], [*live, live[-1]], step="post", color="#2a6f97", alpha=0.2)
        upper.set_xlabel("seconds since the recording began")
        upper.set_ylabel("MiB in use")
        rows = self.statistics()[:limit][::-1]
        names = [f"{key}  {key.text[:40]}" if key else "no line of the program" for key, _, _ in rows]
        bars = lower.barh(range(len(rows)), [nbytes / 2**20 for _, nbytes, _ in rows], color="#2a6f97")
        lower.set_yticks(range(len(rows)), names, fontsize=8)
        lower.bar_label(bars, [f"{_size(nbytes)}, {count}" for _, nbytes, count in rows], fontsize=8, padding=2)
        lower.set_xlabel("MiB in use now")
        for axis in (upper, lower):
            axis.spines[["top", "right"]].set_visible(False)
        if path is not None:
            figure.savefig(path, dpi=120)
        return figure


def _grouped(blocks: Iterable[LivingBlock], by: str) -> dict[Any, list[LivingBlock]]:
    key, groups = _key(by), defaultdict(list)
    for block in blocks:
        groups[key(block)].append(block)
    return groups


def _size(nbytes: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(nbytes) >= factor:
            return f"{nbytes / factor:.1f} {unit}"
    return f"{nbytes} B"


_started = 0.0


def start_recording() -> None:
    """Note every allocation from now on, with the line that asks for it, until `stop_recording`.

    Blocks that exist already are not known. A recording that runs is begun anew. While none runs, an allocation costs
    what it did; while one does, some microseconds more.

    Examples
    --------
    >>> import devarray as da
    >>> da.alloc.start_recording()
    >>> x = da.ones(1 << 20, dtype="float32").evaluate()
    >>> print(da.alloc.snapshot().table("kind").splitlines()[0])
    4.0 MiB in 1 blocks
    >>> da.alloc.stop_recording()
    """
    global _started
    _started = _core.steady_seconds()
    _core.start_block_record()


def stop_recording() -> None:
    """End the recording and drop what it noted; snapshots that were taken stay.

    Examples
    --------
    >>> import devarray as da
    >>> da.alloc.stop_recording()
    """
    _core.stop_block_record()


def snapshot() -> Snapshot:
    """The blocks in use now, of all pools and allocators, that were allocated since `start_recording`.

    Pending work has no memory yet. What is freed on a device's queue counts until Python lets go of it, not until the
    device is done.

    Returns
    -------
    Snapshot
        With ``blocks``, ``statistics()``, ``compare_to()``, ``table()``, ``plot()`` and ``save()``.

    Raises
    ------
    Error
        Where nothing is recorded.

    Examples
    --------
    >>> import devarray as da
    >>> da.alloc.start_recording()
    >>> x = da.empty((10, 10), dtype="float32")
    >>> (block,) = da.alloc.snapshot().blocks
    >>> block.nbytes, block.line.text
    (400, 'x = da.empty((10, 10), dtype="float32")')
    >>> da.alloc.stop_recording()
    """
    if not _core.recording_blocks():
        raise Error("nothing is recorded: call devarray.alloc.start_recording() before the arrays are made")
    names = _core.profile_lines()
    blocks = [
        LivingBlock(number, Line(*names[line - 1]) if line else None, seconds - _started, device, resource, kind,
                    address, nbytes, capacity)
        for number, line, seconds, device, resource, kind, address, nbytes, capacity in _core.living_blocks()
    ]  # fmt: skip
    history = tuple((seconds - _started, nbytes, number) for seconds, nbytes, number in _core.block_events())
    return Snapshot(tuple(blocks), history, _core.steady_seconds() - _started)
