"""What ran, how long, and for which lines of the program: ``with devarray.profile() as p``."""

from __future__ import annotations

import html
import json
import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from devarray import _core
from devarray._profiling import ranges
from devarray._runtime.devices import devices
from devarray._runtime.lines import Line
from devarray.errors import Error

__all__ = ["Activity", "Line", "Profile", "profile"]

HOST = "host"
COUNTERS = ("launches", "host_runs", "compilations", "transfers_to_device", "transfers_to_host", "waits", "cuts")


@dataclass(frozen=True, slots=True)
class Activity:
    """One launch, run on the host, transfer, wait or compilation.

    Attributes
    ----------
    kind : {"kernel", "host", "library", "to_device", "to_host", "wait", "compilation"}
        ``"host"`` is work that the host ran in place of a kernel, ``"library"`` a call of cuBLAS and the like.
    name : str
        Of a fused kernel its operations (``"add multiply*3"``), of a reduction ``"sum(multiply)"``, of others the
        function that the program called.
    device : str
        Empty for what the host did.
    queue : int
        A number for each queue; 0 where the host's time was taken.
    start, seconds : float
        From the start of the profile, and how long.
    read, written : int
        Bytes of the arrays, each element once.
    operations : int
        Element-wise operations in the kernel.
    lines : tuple of Line
        What asked for it: the line of the result first.
    """

    kind: str
    name: str
    device: str
    queue: int
    start: float
    seconds: float
    read: int
    written: int
    operations: int
    lines: tuple[Line, ...]

    @property
    def bytes(self) -> int:
        """Read and written."""
        return self.read + self.written


class Profile:
    """What :func:`profile` gives. Records come when its block ends."""

    def __init__(self) -> None:
        self.activities: tuple[Activity, ...] = ()
        self.counters: dict[str, int] = {}
        self.seconds = 0.0
        self._started = 0.0
        self._before: dict[str, int] = {}
        self._ranges = False

    def __enter__(self) -> Profile:
        _core.profile_start()
        self._ranges = ranges.begin()
        self._before = _core.stats()
        self._started = _core.steady_seconds()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            _core.evaluate_all()
        records = _core.profile_stop()
        if self._ranges:
            ranges.end()
        self.seconds = _core.steady_seconds() - self._started
        after, lines = _core.stats(), [Line(*entry) for entry in _core.profile_lines()]
        self.counters = {name: after[name] - self._before[name] for name in COUNTERS}
        self.activities = tuple(
            Activity(kind, name, device, queue, begin - self._started, end - begin, read, written, operations,
                     tuple(lines[number - 1] for number in numbers))
            for kind, name, device, queue, begin, end, read, written, operations, numbers in records
        )  # fmt: skip

    @property
    def kernels(self) -> tuple[Activity, ...]:
        """Those that ran on a device: kernels, and calls of libraries."""
        return tuple(a for a in self.activities if a.kind in ("kernel", "library"))

    @property
    def device_seconds(self) -> float:
        """The time of all kernels together."""
        return sum(a.seconds for a in self.kernels)

    def table(self, by: str = "kernel", limit: int = 20) -> str:
        """What took the longest, as text.

        Parameters
        ----------
        by : {"kernel", "line"}
            A row for each kernel (transfers, waits and compilations by their names), or for each line of the program.
        limit : int
            Rows at most. 20 by default.

        Returns
        -------
        str
            Times in milliseconds, bytes, and the bytes a second of kernels beside those of a plain copy on the device.

        Raises
        ------
        ValueError
            For another `by`.

        Examples
        --------
        >>> import devarray as da
        >>> with da.profile() as p:
        ...     y = (da.ones(1000) * 2 + 1).sum().item()
        >>> "sum(" in p.table()
        True
        """
        rows = self._rows(by, limit)
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        last = len(widths) - 1

        def aligned(cell: str, column: int) -> str:
            return cell.rjust(widths[column]) if 0 < column < last else cell.ljust(widths[column])

        lines = ["  ".join(aligned(cell, column) for column, cell in enumerate(row)) for row in rows]
        lines.insert(1, "-" * len(lines[0]))
        return "\n".join([*(line.rstrip() for line in lines), "", self._summary()])

    def _rows(self, by: str, limit: int) -> list[list[str]]:
        if by not in ("kernel", "line"):
            raise ValueError(f"a profile's table is by 'kernel' or by 'line', not by {by!r}")
        groups: dict[Any, list[Activity]] = defaultdict(list)
        for a in self.activities:
            groups[(a.kind, a.name) if by == "kernel" else (a.lines[:1] or (None,))[0]].append(a)
        found = sorted(groups.items(), key=lambda item: -sum(a.seconds for a in item[1]))
        head = ["kernel" if by == "kernel" else "line", "ms", "calls", "MB", "GB/s", "of copy"]
        rows = [[*head, "first asked for at" if by == "kernel" else "source"]]
        for key, activities in found[:limit]:
            at = next((a.lines[0] for a in activities if a.lines), None)
            name = str(key or "no line of the program")
            if by == "kernel":
                name = f"wait: {key[1]}" if key[0] == "wait" else key[1]
            tail = str(at or "") if by == "kernel" else (at.text if at else "")
            rows.append([name[:60], *self._figures(activities), tail])
        if len(found) > limit:
            rest = [a for _, activities in found[limit:] for a in activities]
            rows.append([f"{len(found) - limit} more", *self._figures(rest), ""])
        return rows

    def _figures(self, activities: list[Activity]) -> list[str]:
        seconds, moved = sum(a.seconds for a in activities), sum(a.bytes for a in activities)
        figures = [f"{seconds * 1e3:.3f}", str(len(activities)), f"{moved / 1e6:.2f}" if moved else ""]
        ran = [a for a in activities if a.kind in ("kernel", "library")]
        busy = sum(a.seconds for a in ran)
        if not ran or not busy:
            return [*figures, "", ""]
        rate = sum(a.bytes for a in ran) / busy
        limit = copy_rate(ran[0].device)
        return [*figures, f"{rate / 1e9:.1f}", f"{rate / limit:.0%}" if limit else ""]

    def _summary(self) -> str:
        counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in self.counters.items() if count)
        busy = f"kernels {self.device_seconds * 1e3:.3f} ms of {self.seconds * 1e3:.3f} ms"
        return f"{busy}; {counts or 'nothing ran'}"

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<devarray.Profile: {self._summary()}>"

    def _repr_html_(self) -> str:
        rows = self._rows("kernel", 20)
        cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
        head = cells[0].replace("td>", "th>")
        body = "".join(f"<tr>{row}</tr>" for row in cells[1:])
        return f"<table><tr>{head}</tr>{body}</table><p>{html.escape(self._summary())}</p>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a trace for Perfetto (ui.perfetto.dev) or chrome://tracing.

        Parameters
        ----------
        path : path
            Of the JSON file in the Trace Event Format.

        Examples
        --------
        >>> import tempfile, devarray as da
        >>> with da.profile() as p:
        ...     y = (da.ones(10) + 1).evaluate()
        >>> p.save(tempfile.mktemp(suffix=".json"))
        """
        events: list[dict[str, Any]] = []
        for a in self.activities:
            arguments: dict[str, Any] = {"bytes read": a.read, "bytes written": a.written, "operations": a.operations}
            arguments["lines"] = [f"{line.file}:{line.number} {line.text}" for line in a.lines]
            place = {"pid": a.device if a.queue else HOST, "tid": a.queue or a.kind}
            times = {"ts": a.start * 1e6, "dur": a.seconds * 1e6}
            events.append({"name": a.name, "cat": a.kind, "ph": "X", "args": arguments, **times, **place})
        processes = {name: number for number, name in enumerate(dict.fromkeys(e["pid"] for e in events), 1)}
        threads = {key: n for n, key in enumerate(dict.fromkeys((e["pid"], e["tid"]) for e in events), 1)}
        for event in events:
            event["tid"] = threads[event["pid"], event["tid"]]
            event["pid"] = processes[event["pid"]]
        names = [{"name": "process_name", "ph": "M", "pid": number, "args": {"name": name}}
                 for name, number in processes.items()]  # fmt: skip
        names += [{"name": "thread_name", "ph": "M", "pid": processes[process], "tid": number,
                   "args": {"name": f"queue {thread}" if isinstance(thread, int) else thread}}
                  for (process, thread), number in threads.items()]  # fmt: skip
        Path(path).write_text(json.dumps({"traceEvents": names + events, "displayTimeUnit": "ms"}))

    def plot(self, path: str | os.PathLike[str] | None = None, limit: int = 12) -> Any:
        """Draw the timeline, and what took the longest.

        Parameters
        ----------
        path : path, optional
            Where to save the picture.
        limit : int
            Kernels at most. 12 by default.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        Error
            Where matplotlib is not installed.

        Examples
        --------
        >>> import devarray as da
        >>> with da.profile() as p:
        ...     y = (da.ones(10) + 1).evaluate()
        >>> figure = p.plot()
        """
        try:
            from matplotlib.figure import Figure
        except ModuleNotFoundError as error:
            raise Error("plot() needs matplotlib, which is not installed: pip install matplotlib") from error
        figure = Figure(figsize=(10, 6), layout="constrained")
        upper, lower = figure.subplots(2, 1, height_ratios=(1, 1.4))
        self._draw_timeline(upper)
        totals: dict[str, float] = defaultdict(float)
        for a in self.activities:
            totals[a.name] += a.seconds * 1e3
        longest = sorted(totals.items(), key=lambda item: -item[1])[:limit][::-1]
        bars = lower.barh([name[:48] for name, _ in longest], [ms for _, ms in longest], color="#2a6f97")
        lower.bar_label(bars, fmt="%.3f", fontsize=8, padding=2)
        lower.set_xlabel("milliseconds")
        for axis in (upper, lower):
            axis.spines[["top", "right"]].set_visible(False)
        if path is not None:
            figure.savefig(path, dpi=120)
        return figure

    def _draw_timeline(self, axis: Any) -> None:
        colours = {"kernel": "#2a6f97", "library": "#468faf", "to_device": "#f2b880", "to_host": "#e08d3c",
                   "host": "#7fb7be", "wait": "#c9ced6", "compilation": "#b56576"}  # fmt: skip
        rows = list(dict.fromkeys((a.device, a.queue) if a.queue else (HOST, a.kind) for a in self.activities))
        for a in self.activities:
            row = rows.index((a.device, a.queue) if a.queue else (HOST, a.kind))
            axis.barh(row, a.seconds * 1e3, left=a.start * 1e3, height=0.7, color=colours[a.kind], linewidth=0)
        axis.set_yticks(range(len(rows)), [f"{name[:24]} {detail}" for name, detail in rows], fontsize=8)
        axis.set_xlabel("milliseconds since the start")


def profile() -> Profile:
    """Note what runs inside a ``with`` block: kernels, transfers, waits, compilations, each with its line.

    CUDA's times are those of events, and nothing waits but at the end of the block. Other drivers keep no time of an
    ordinary queue: there each launch is waited for, so that host and device do not overlap. What is pending at the end
    of the block is run in it. On NVIDIA's GPUs the block and each launch in it are NVTX ranges too, for Nsight Systems,
    where the library is installed (``pip install nvidia-nvtx-cu12``, or CUDA's own). Kernels that are launched by hand
    (``cl.Kernel``, ``cuda.Function``) are not seen.

    Returns
    -------
    Profile
        With ``table()``, ``plot()``, ``save()``, ``activities`` and ``counters``.

    Raises
    ------
    Error
        Where a profile is being taken already.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.linspace(0, 1, 1000)
    >>> with da.profile() as p:
    ...     y = (da.sqrt(x * x + 1) - x).evaluate()
    >>> [(k.name, k.operations, k.read, k.written) for k in p.kernels]
    [('multiply add sqrt subtract', 4, 8000, 8000)]
    """
    return Profile()


_copy_rates: dict[str, float | None] = {}
_COPIED = 1 << 26  # bytes


def copy_rate(label: str) -> float | None:
    """Bytes a second, read and written, of a plain copy of 64 MiB on a device; None where it cannot be measured."""
    if label not in _copy_rates:
        device = next((d for d in devices() if str(d) == label), None)
        _copy_rates[label] = _measured(device) if device is not None else None
    return _copy_rates[label]


def _measured(device: Any) -> float | None:
    queue = device.default_queue
    source = _core.full((_COPIED // 4,), "float32", 0.0, queue, None)
    target = _core.empty((_COPIED // 4,), "float32", queue, None)
    best = min(_seconds(lambda: target.copy_to_device(source), queue) for _ in range(4))
    return 2 * _COPIED / best if best else None


def _seconds(work: Callable[[], object], queue: Any) -> float:
    queue.finish()
    begin = _core.steady_seconds()
    work()
    queue.finish()
    return _core.steady_seconds() - begin
