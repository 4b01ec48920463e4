"""The picture of an explanation: an SVG of its kernels, one below the other, each with what it computes in layers."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from devarray._profiling.plan import PlannedKernel, Value

__all__ = ["draw"]

FOLDED = 40  # operations of a kernel above which they are counted, not drawn
FEW = 12  # the same where all kernels together have more than twice as many; boxes beside each other at most
CHARACTER, LINE, BOX, GAP, LANE, MARGIN = 6.7, 14, 22, 14, 26, 14
FILL = {"array": "#dbe9f4", "stored": "#dbe9f4", "operation": "#ffffff", "output": "#cfe8cf", "again": "#fde3c8"}
EDGE = {"array": "#5b7c99", "stored": "#5b7c99", "operation": "#8a8f98", "output": "#3f7d45", "again": "#c07a2c"}
ARROW = "#7b8490"
LEGEND = (("array", "array in memory"), ("operation", "operation"), ("output", "written to memory"),
          ("again", "computed again later"))  # fmt: skip


@dataclass(eq=False)
class Box:
    """A rectangle with text. Its place is that of its upper left corner."""

    kind: str
    lines: tuple[str, ...]
    tip: str = ""
    sources: list[Box] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    reach: float = 0.0  # of a lane, the height of its row

    @property
    def width(self) -> float:
        if self.kind == "lane":
            return 4
        return max(len(line) for line in self.lines) * CHARACTER + 12

    @property
    def height(self) -> float:
        return self.reach if self.kind == "lane" else BOX + LINE * (len(self.lines) - 1)

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass
class Frame:
    """A kernel: its title, its boxes row by row, and what the later ones read of it."""

    title: tuple[str, ...]
    rows: list[list[Box]]
    given: dict[int, Box]
    y: float = 0.0

    @property
    def width(self) -> float:
        rows = (sum(box.width for box in row) + GAP * (len(row) - 1) for row in self.rows)
        titles = (len(line) * CHARACTER for line in self.title)
        return max(*rows, *titles) + 2 * MARGIN

    @property
    def height(self) -> float:
        rows = sum(max(box.height for box in row) for row in self.rows) + LANE * (len(self.rows) - 1)
        return rows + LINE * len(self.title) + 3 * MARGIN


def draw(summary: str, kernels: Sequence[PlannedKernel], left: int) -> str:
    """The text of the SVG. `left` counts operations that stay pending."""
    frames: list[Frame] = []
    stored: dict[int, Box] = {}
    few = sum(len(kernel.operations) for kernel in kernels) <= 2 * FOLDED
    for number, kernel in enumerate(kernels, 1):
        frames.append(_frame(kernel, number, stored, FOLDED if few else FEW))
        stored.update(frames[-1].given)
    width = max([frame.width for frame in frames] + [len(summary) * CHARACTER, 560.0]) + 2 * MARGIN
    y = 2.0 * MARGIN + LINE
    for frame in frames:
        frame.y = y
        _place(frame, width)
        y += frame.height + LANE
    rest = f"stays pending: {left} more" if left else ""
    parts = [
        f'<rect width="{width:.0f}" height="{y + LINE + MARGIN:.0f}" fill="#ffffff"/>',
        _text(MARGIN, MARGIN + LINE - 4, summary, weight="bold"),
        *(_rectangle(MARGIN, f.y, width - 2 * MARGIN, f.height, "#f6f7f9", "#c4c9d1", 8) for f in frames),
        *(_arrow(source, box) for frame in frames for box in _boxes(frame) for source in box.sources),
        *(part for frame in frames for part in _drawn(frame)),
        *_legend(y, rest),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y + LINE + MARGIN:.0f}"'
    size = f' viewBox="0 0 {width:.0f} {y + LINE + MARGIN:.0f}" font-family="monospace" font-size="11">'
    return "\n".join([head + size, *parts, "</svg>"])


def _frame(kernel: PlannedKernel, number: int, stored: dict[int, Box], most: int) -> Frame:
    title = (f"kernel {number}: {kernel.work}", *_wrapped(f"ends here: {kernel.why}", 96))
    made: dict[int, Box] = {}
    for value in kernel.inputs:
        box = Box("stored" if id(value) in stored else "array", (_input(value),), value.text)
        box.sources = [stored[id(value)]] if id(value) in stored else []
        made[id(value)] = box
    inputs = list(made.values())
    rows = _layers(kernel, made) if len(kernel.operations) <= most else []
    if not rows or max(map(len, rows)) > FEW:
        made = {}
        rows = _folded(kernel, _few_inputs(inputs))
    else:
        rows = _with_lanes(rows)
        _sorted(rows)
    given = {id(value): made.get(id(value), rows[-1][0]) for value in kernel.outputs}
    return Frame(title, rows, given)


def _few_inputs(boxes: list[Box]) -> list[Box]:
    """Those that other kernels wrote, and one for all others, where they are many."""
    if len(boxes) <= FEW:
        return boxes
    written = [box for box in boxes if box.sources][: FEW - 1]
    count = f"{len(boxes) - len(written)} arrays" if not written else f"{len(boxes) - len(written)} more arrays"
    return [*written, Box("array", (count,))]


def _folded(kernel: PlannedKernel, inputs: list[Box]) -> list[list[Box]]:
    """One box that counts the operations, and one for what is written."""
    counts = Counter(value.operation for value in kernel.operations).most_common()
    listed = [f"{name} x {count}" for name, count in counts[:8]]
    if len(counts) > 8:
        listed.append(f"{sum(count for _, count in counts[8:])} others")
    lines = [str(line) for line in dict.fromkeys(value.line for value in kernel.operations) if line]
    more = [f"and {len(lines) - 4} more lines"] if len(lines) > 4 else []
    body = Box("operation", (f"{len(kernel.operations)} operations", *listed, *lines[:4], *more), sources=list(inputs))
    names = [value.name for value in kernel.outputs]
    written = _wrapped(", ".join(names[:24]) + (f" and {len(names) - 24} more" if len(names) > 24 else ""), 60)
    return [*([inputs] if inputs else []), [body], [Box("output", tuple(written), sources=[body])]]


def _layers(kernel: PlannedKernel, made: dict[int, Box]) -> list[list[Box]]:
    """Operations and what they read, each as low as what reads it allows, but below all that it reads itself."""
    outputs, again = {id(v) for v in kernel.outputs}, {id(v) for v in kernel.recomputed}
    depth = dict.fromkeys(made.values(), 0)
    for value in kernel.operations:
        kind = "output" if id(value) in outputs else "again" if id(value) in again else "operation"
        tip = f"{value.dtype} {value.shape}" + (f"\n{value.line}  {value.line.text}" if value.line else "")
        box = made[id(value)] = Box(kind, (value.text, str(value.line)) if value.line else (value.text,), tip)
        box.sources = [made[id(v)] for v in dict.fromkeys(value.inputs) if id(v) in made]
        depth[box] = 1 + max((depth[source] for source in box.sources), default=0)
    lowest = max(depth.values())
    room = dict.fromkeys(depth, lowest)
    for box in reversed(depth):
        for source in box.sources:
            if source in room:
                room[source] = min(room[source], room[box] - 1)
        if not any(box in other.sources for other in depth):
            room[box] = min(room[box], depth[box])
    rows = ([box for box in depth if room[box] == level] for level in range(lowest + 1))
    return [row for row in rows if row]  # a kernel that reads no array has nothing at the top


def _with_lanes(rows: list[list[Box]]) -> list[list[Box]]:
    """The rows with room for the arrows that pass them: a lane for each box that is read further below."""
    level = {box: number for number, row in enumerate(rows) for box in row}
    wide = [list(row) for row in rows]
    for row in rows:
        for box in row:
            readers = [other for other in level if box in other.sources]
            above = box
            for number in range(level[box] + 1, max((level[reader] for reader in readers), default=0)):
                lane = Box("lane", ("",), sources=[above])
                for reader in readers:
                    if level[reader] == number + 1:
                        reader.sources[reader.sources.index(box)] = lane
                wide[number].append(lane)
                above = lane
    return wide


def _sorted(rows: list[list[Box]]) -> None:
    """Puts the boxes of each row into an order in which few arrows cross: by the mean place of what they read, then by
    that of their readers, and so on."""
    place: dict[Box, float] = {}

    def number(row: list[Box]) -> None:
        place.update((box, (i + 0.5) / len(row)) for i, box in enumerate(row))

    readers: dict[Box, list[Box]] = {box: [] for row in rows for box in row}
    for box in [box for row in rows for box in row]:
        for source in box.sources:
            readers.get(source, []).append(box)
    for row in rows:
        number(row)
    for _ in range(6):
        for row in rows[1:]:
            row.sort(key=lambda box: _mean((place[source] for source in box.sources if source in place), place[box]))
            number(row)
        for row in rows[-2::-1]:
            row.sort(key=lambda box: _mean((place[reader] for reader in readers[box]), place[box]))
            number(row)


def _place(frame: Frame, width: float) -> None:
    """Gives the boxes their places, each row in the middle of the picture."""
    y = frame.y + MARGIN + LINE * len(frame.title) + MARGIN
    for row in frame.rows:
        x = (width - sum(box.width for box in row) - GAP * (len(row) - 1)) / 2
        height = max(box.height for box in row)
        for box in row:
            box.x, box.y = x, y
            if box.kind == "lane":
                box.reach = height
            x += box.width + GAP
        y += height + LANE


def _mean(numbers: Iterable[float], otherwise: float) -> float:
    given = list(numbers)
    return sum(given) / len(given) if given else otherwise


def _boxes(frame: Frame) -> Iterable[Box]:
    return (box for row in frame.rows for box in row)


def _drawn(frame: Frame) -> Iterable[str]:
    y = frame.y + MARGIN + LINE - 6
    for number, line in enumerate(frame.title):
        yield _text(2 * MARGIN, y + number * LINE, line, weight="normal" if number else "bold")
    for box in _boxes(frame):
        if box.kind == "lane":
            yield f'<path d="M{box.middle:.1f},{box.y:.1f} v{box.height:.1f}" stroke="{ARROW}"/>'
            continue
        yield "<g>" + (f"<title>{html.escape(box.tip)}</title>" if box.tip else "")
        yield _rectangle(box.x, box.y, box.width, box.height, FILL[box.kind], EDGE[box.kind], 4)
        for number, line in enumerate(box.lines):
            colour = "#6b7280" if number and box.kind != "output" else "#1f2933"
            yield _text(box.x + 6, box.y + 15 + number * LINE, line, colour)
        yield "</g>"


def _legend(y: float, rest: str) -> Iterable[str]:
    x = float(MARGIN)
    for kind, meaning in LEGEND:
        yield _rectangle(x, y, 14, 12, FILL[kind], EDGE[kind], 3)
        yield _text(x + 20, y + 10, meaning, "#6b7280")
        x += 20 + len(meaning) * CHARACTER + 2 * GAP
    if rest:
        yield _text(x, y + 10, rest, "#6b7280")


def _arrow(source: Box, target: Box) -> str:
    x1, y1, x2, y2 = source.middle, source.y + source.height, target.middle, target.y
    bend = max((y2 - y1) / 2, 8)
    colour = "#b9c0ca" if target.kind == "stored" else ARROW
    path = f"M{x1:.1f},{y1:.1f} C{x1:.1f},{y1 + bend:.1f} {x2:.1f},{y2 - bend:.1f} {x2:.1f},{y2:.1f}"
    return f'<path d="{path}" fill="none" stroke="{colour}"/>'


def _rectangle(x: float, y: float, width: float, height: float, fill: str, edge: str, round_: int) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} rx="{round_}" fill="{fill}" stroke="{edge}"/>'


def _text(x: float, y: float, text: str, colour: str = "#1f2933", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-weight="{weight}">{html.escape(text)}</text>'


def _input(value: Value) -> str:
    return value.name if value.kind == "operation" else value.text


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
