"""What single operations leave behind: prints, as JSON, bytes per call for each step of test_memory_stays_flat.

In a process of its own: in one that has run other tests, free heap hides what leaks, and a runtime that sets more aside
looks like a leak.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from pathlib import Path

import devarray as da

ROUNDS, COUNT = 9, 20_000


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def kept_by_each(step: Callable[[], object]) -> float:
    """Bytes: the third least of all rounds. What leaks grows in each but those whose memory filled a hole."""
    grown = []
    for _ in range(ROUNDS):
        before = resident()
        for _ in range(COUNT):
            step()
        da.synchronize()
        grown.append(resident() - before)
    return sorted(grown)[2] / COUNT


def main() -> None:
    x, y = da.zeros(10, da.int64), da.ones(10, da.int64)
    leak: list[bytearray] = []
    steps: dict[str, Callable[[], object]] = {
        "recorded and dropped": lambda: x + 1,
        "evaluated": lambda: (x * 2 - y).evaluate(),
        "views": lambda: x[::2] + y[1::2],
        "in place": lambda: x.__iadd__(1),
        "assigned": lambda: x.__setitem__(slice(2, 4), y[1:3]),
        "fetched": lambda: x.copy_to_host(),
        "a planted leak": lambda: leak.append(bytearray(100)),
    }
    print(json.dumps({name: kept_by_each(step) for name, step in steps.items()}))


if __name__ == "__main__":
    main()
