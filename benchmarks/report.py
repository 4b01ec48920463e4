"""What the runner writes: the tables, the JSON document and the chart."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cases import Case
from libraries import Library
from micro import Cost
from timing import Measured

__all__ = ["Row", "cases_table", "costs_table", "document", "draw"]


@dataclass(frozen=True)
class Row:
    """A case's results.

    Attributes
    ----------
    times : dict of library's name to Measured
    one_pass : Measured or None
        One pass over memory that reads and writes as much.
    budget : float or None
        The most times `one_pass` that devarray may take.
    notes : dict of library's name to str
        Why there is no time.
    """

    case: Case
    size: int
    times: dict[str, Measured]
    one_pass: Measured | None
    budget: float | None
    notes: dict[str, str]

    def ratio(self, peer: str) -> float | None:
        """The peer's time by devarray's: above 1, devarray is faster."""
        if peer not in self.times or "devarray" not in self.times:
            return None
        return self.times[peer].median / self.times["devarray"].median

    def passes(self) -> float | None:
        """devarray's time by that of one pass."""
        if self.one_pass is None or "devarray" not in self.times:
            return None
        return self.times["devarray"].median / self.one_pass.median


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        value = seconds * factor
        if value >= 1 or unit == "us":
            return f"{value:.{max(0, 2 - len(str(int(value))) + 1)}f} {unit}"
    raise AssertionError("unreachable")


def _ratio(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f} x" if value >= 100 else f"{value:.1f} x" if value >= 10 else f"{value:.2f} x"


def _layout(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns line up in plain text."""
    widths = [max(len(line[i]) for line in (head, *rows)) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        name, *values = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join([cells[0].ljust(len(name)), *values])} |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def _allowed(value: float | None, budget: float | None) -> str:
    if value is None or budget is None:
        return ""
    return f"{'met' if value <= budget else 'MISSED'} (<= {budget:g})"


def cases_table(rows: Sequence[Row], peers: Sequence[str]) -> str:
    """devarray's time, one pass and the budget; then each peer's time and how many times devarray's that is."""
    head = ["case", "size", "devarray", "one pass", "ratio", "budget"]
    for peer in peers:
        head += [peer, "/ devarray"]
    lines = []
    for row in rows:
        ours = row.times.get("devarray")
        line = [
            row.case.name,
            str(row.size),
            _time(ours.median) if ours else row.notes.get("devarray", "-"),
            _time(row.one_pass.median) if row.one_pass else "",
            _ratio(row.passes()) if row.one_pass else "",
            _allowed(row.passes(), row.budget),
        ]
        for peer in peers:
            measured = row.times.get(peer)
            line += [_time(measured.median) if measured else row.notes.get(peer, "-"), _ratio(row.ratio(peer))]
        lines.append(line)
    return _layout(head, lines)


def costs_table(costs: Sequence[Cost]) -> str:
    lines = []
    for cost in costs:
        value = _ratio(cost.value) if cost.unit == "x" else f"{cost.value:.2f} us"
        lines.append([cost.name, value, _allowed(cost.value, cost.budget)])
    return _layout(["cost in Python", "median", "budget"], lines)


def document(
    libraries: Sequence[Library], rows: Sequence[Row], costs: Sequence[Cost], settings: dict[str, object]
) -> dict[str, Any]:
    """Everything measured, for a JSON file."""
    return {
        "settings": settings,
        "host": {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()},
        "libraries": {lib.name: {"version": lib.version, "place": lib.place} for lib in libraries},
        "cases": [
            {
                "name": row.case.name,
                "size": row.size,
                "seconds": {name: asdict(measured) for name, measured in row.times.items()},
                "one_pass": asdict(row.one_pass) if row.one_pass else None,
                "passes": row.passes(),
                "budget": row.budget,
                "notes": row.notes,
            }
            for row in rows
        ],
        "costs": [asdict(cost) for cost in costs],
    }


_COLOURS = {"numpy": "#7f8fa6", "pyopencl": "#e1a140", "cupy": "#5aa469", "torch": "#d35d4a", "jax": "#7b61c4"}


def draw(path: Path, measured: dict[str, Any]) -> None:
    """Bars of how many times devarray's time each peer takes, on a logarithmic axis.

    Parameters
    ----------
    path : Path
    measured : dict
        As `document` gives it.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ratios = {}
    for case in measured["cases"]:
        medians = {name: m["median"] for name, m in case["seconds"].items()}
        ours = medians.pop("devarray", None)
        if ours and medians:
            ratios[case["name"]] = {name: theirs / ours for name, theirs in medians.items()}
    peers = [name for name in _COLOURS if any(name in case for case in ratios.values())]
    if not peers:
        raise SystemExit("nothing to draw: no case was timed under devarray and a peer")
    thickness = 0.84 / len(peers)
    figure, axes = plt.subplots(figsize=(8.5, 1.3 + 0.15 * len(ratios) * (len(peers) + 1)), layout="constrained")
    for number, peer in enumerate(peers):
        places = [(place, case[peer]) for place, case in enumerate(ratios.values()) if peer in case]
        heights = [place + (number + 0.5) * thickness - 0.42 for place, _ in places]
        values = [ratio for _, ratio in places]
        label = f"{peer} {measured['libraries'][peer]['version']}"
        axes.barh(heights, [v - 1 for v in values], thickness * 0.9, left=1, color=_COLOURS[peer], label=label)
        for height, value in zip(heights, values, strict=True):
            faster = value >= 1
            axes.annotate(
                _ratio(value).removesuffix(" x"), (value, height), xytext=(3 if faster else -3, 0),
                textcoords="offset points", ha="left" if faster else "right", va="center", fontsize=6.5,
            )  # fmt: skip
    axes.set_xscale("log")
    axes.margins(x=0.12, y=0.01)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(ratios)), list(ratios), fontsize=8)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter("{x:g} x")
    axes.set_xlabel("their time by devarray's: right of the line devarray is faster", fontsize=9)
    axes.set_title(f"devarray on {measured['libraries']['devarray']['place']}", fontsize=10)
    axes.legend(fontsize=8, loc="best")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
