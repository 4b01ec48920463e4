"""Every public callable with hostile values: nothing may crash, hang, or answer with the text of its own entrails.

    python tools/abuse.py --jobs 4
    python tools/abuse.py --only linalg.solve --calls 500

Calls are made in child processes with a limit of memory and time; a call that passes that of memory is made again by a
child that made no other. Bare answers are AttributeError and KeyError out of devarray's own functions, pybind11's
texts, SystemError, RecursionError, UnboundLocalError, AssertionError, NameError. Each finding is a line of Python that
runs after `from abusing.zoo import *` in tools/. The exit status is 1 where there are any.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from abusing import targets
from abusing.serve import Answer, serve
from workers import Died, Worker

CALLABLES = 30
"""So many have one child; the next have another."""


class Batch:
    """A child, and the callables that it is given.

    Parameters
    ----------
    options : argparse.Namespace
    found : dict
        Lists of findings by sort, shared by all.
    """

    def __init__(self, options: argparse.Namespace, found: dict[str, list[str]], counts: Counter[str]) -> None:
        self.options, self.found, self.counts = options, found, counts
        self.progress = tempfile.NamedTemporaryFile(prefix="abuse-", suffix=".call")  # noqa: SIM115 (open as long as this)
        self.fresh = True
        self.worker = Worker(serve, (self.progress.name,), memory=options.memory << 20)

    def run(self, names: list[str]) -> None:
        for name in names:
            self._call(name)
        self.worker.stop()

    def _call(self, name: str) -> None:
        first, ends, fresh = 0, 0, self.fresh
        while True:
            self.progress.truncate(0)
            answer = self.worker.ask((name, self.options.calls, self.options.seed, first), self.options.timeout)
            self.fresh = isinstance(answer, Died)  # the next request starts another child
            if isinstance(answer, Answer):
                self.counts["calls"] += answer.calls
                self._tell("bare answers", name, answer.bare)
                return
            said = Path(self.progress.name).read_text(errors="replace").partition("\0")[0].splitlines()
            number, text = (int(said[0]), said[1]) if said else (first, f"{name}: before its first call")
            if answer.how == "memory" and not (fresh and number == first):  # what calls before it took, and its pool
                self.counts["calls"] += number - first
                first, fresh = number, True
                continue
            self._tell("hangs" if answer.how == "hang" else "crashes", name, [f"{text}  ->  {_short(answer)}"])
            self.counts["calls"] += number + 1 - first
            first, ends, fresh = number + 1, ends + 1, True
            if ends == self.options.ends:
                return

    def _tell(self, sort: str, name: str, lines: list[str]) -> None:
        for line in lines:
            print(f"{sort}: {line}", flush=True)
            self.found[sort].append(line)
            self.counts[name] += 1


def _short(died: Died) -> str:
    return " / ".join(died.message.splitlines()[:1] + died.message.splitlines()[-1:])[:200]


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="callables whose name contains this")
    parser.add_argument("--seed", type=int, default=0, help="other calls for another seed (%(default)s)")
    parser.add_argument("--calls", type=int, default=60, help="of each callable (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="children at a time (%(default)s)")
    parser.add_argument("--device", help="as DEVARRAY_DEVICE takes it")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for the calls of a callable (%(default)s)")
    parser.add_argument("--memory", type=int, default=3072, help="MiB at which a child is ended (%(default)s)")
    parser.add_argument(
        "--ends", type=int, default=3, help="crashes and hangs after which a callable is left (%(default)s)"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.device:
        os.environ["DEVARRAY_DEVICE"] = options.device
    names = [name for name in targets.targets() if options.only in name]
    found: dict[str, list[str]] = {"crashes": [], "hangs": [], "bare answers": []}
    counts: Counter[str] = Counter()
    lock = threading.Lock()
    rest: Any = iter(range(0, len(names), CALLABLES))

    def work(_: int) -> None:
        while True:
            with lock:
                start = next(rest, None)
            if start is None:
                return
            Batch(options, found, counts).run(names[start : start + CALLABLES])

    with ThreadPoolExecutor(options.jobs) as jobs:
        list(jobs.map(work, range(options.jobs)))
    calls = counts.pop("calls", 0)
    for name, number in counts.most_common():
        print(f"{number:5d}  {name}")
    ends = ", ".join(f"{len(lines)} {sort}" for sort, lines in found.items())
    print(f"abuse: {calls} calls of {len(names)} callables, {ends}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
