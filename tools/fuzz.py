"""Random programs of array operations, run by devarray and by NumPy, whose arrays are then compared.

    python tools/fuzz.py --seconds 60
    python tools/fuzz.py --device pocl --eager --jobs 4 --seconds 3600
    python tools/fuzz.py --seed 1234 --programs 1      one program again, by its seed

Programs run in child processes, so that a crash or a hang is a result like any other. What fails is made small, and
printed as a script that runs by itself. The exit status is 1 where anything differed. See tools/fuzzing/ for the parts.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from fuzzing.generate import generate
from fuzzing.program import Outcome, Program, script
from fuzzing.serve import Request, serve
from fuzzing.shrink import shrink
from workers import Died, Worker

BATCH = 100
"""Programs that share a vocabulary."""
KERNELS = 500
"""After so many compilations a child is replaced: compiled kernels take memory."""


@dataclass
class Totals:
    """What was done, by all threads."""

    programs: int = 0
    statements: int = 0
    comparisons: int = 0
    failures: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)


class Job:
    """One child and what it is asked.

    Parameters
    ----------
    options : argparse.Namespace
    totals : Totals
    """

    def __init__(self, options: argparse.Namespace, totals: Totals) -> None:
        self.options, self.totals = options, totals
        self.worker = Worker(serve, memory=options.memory << 20)
        self.kernels = 0

    def run(self, first: int, last: int, until: float) -> None:
        """The programs of a range of seeds; the vocabulary is that of a seed's batch."""
        for seed in range(first, last, self.options.threads):
            if time.monotonic() > until or len(self.totals.failures) >= self.options.failures:
                return
            seeds = [(s, s // BATCH, self.options.length) for s in range(seed, min(seed + self.options.threads, last))]
            for deferred in self.options.modes:
                self._judge(
                    seeds,
                    deferred,
                    self.worker.ask(Request(seeds, deferred, self.options.repeats), self.options.timeout),
                )

    def _judge(self, seeds: list[tuple[int, int, int]], deferred: bool, answer: Died | list[Outcome]) -> None:
        if isinstance(answer, Died):
            self.kernels = 0
            self._report(seeds, deferred, answer.how, f"{answer.how}: {answer.message}", len(seeds) - 1)
            return
        with self.totals.lock:
            self.totals.programs += len(answer)
            self.totals.statements += sum(o.statements for o in answer)
            self.totals.comparisons += sum(o.comparisons for o in answer)
        self.kernels += answer[0].compiled
        if self.kernels > KERNELS:
            self.worker.stop()
            self.kernels = 0
        for place, outcome in enumerate(answer):
            if outcome.kind == "mismatch":
                self._report(seeds, deferred, outcome.sort, outcome.message, place)

    def _report(self, seeds: list[tuple[int, int, int]], deferred: bool, how: str, message: str, place: int) -> None:
        """Make the failing program small and print it."""
        mode = "deferred" if deferred else "eager"
        heading = f"seed {seeds[place][0]}, {mode}, {self.options.device}: {message}"
        print(f"fuzz: {heading}; making it small", file=sys.stderr, flush=True)
        program = next((p for p in map(generate_one, seeds) if self._fails(p, deferred, how)), None)
        if program is None:
            text = f"{heading}\nnot seen again by itself: run the seeds {[s for s, *_ in seeds]} and those before them"
        else:
            deadline = time.monotonic() + self.options.shrink
            found = shrink(program, lambda p: time.monotonic() < deadline and self._fails(p, deferred, how))
            message = self._message(found, deferred) or message
            heading = f"seed {seeds[place][0]}, {mode}, {self.options.device}: {message}"
            lines = [heading, *(f"    {statement.text}" for statement in found)]
            text = "\n".join(lines) if self.options.brief else script(found, heading)
        with self.totals.lock:
            self.totals.failures.append(text)
            print(text, flush=True)

    def _fails(self, program: Program, deferred: bool, how: str) -> bool:
        answer = self.worker.ask(Request([program], deferred, self.options.repeats), self.options.timeout)
        if isinstance(answer, Died):
            return answer.how == how
        return answer[0].sort == how

    def _message(self, program: Program, deferred: bool) -> str:
        answer = self.worker.ask(Request([program], deferred, self.options.repeats), self.options.timeout)
        return f"{answer.how}: {answer.message}" if isinstance(answer, Died) else answer[0].message


def generate_one(seeds: tuple[int, int, int]) -> Program:
    return generate(*seeds)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="of the first program; at random where it is not given")
    parser.add_argument("--seconds", type=float, help="how long to go on; 60 where --programs is not given, too")
    parser.add_argument("--programs", type=int, help="how many programs to make")
    parser.add_argument("--length", type=int, default=30, help="statements of a program (%(default)s)")
    parser.add_argument("--device", help="as DEVARRAY_DEVICE takes it")
    parser.add_argument(
        "--strategy", choices=("cpu", "gpu"), help="how CPU devices are worked on, whatever DEVARRAY_STRATEGY says"
    )
    parser.add_argument("--jobs", type=int, default=1, help="children at a time (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="programs at a time in each child (%(default)s)")
    parser.add_argument("--repeats", type=int, default=1, help="how often each program runs in a child (%(default)s)")
    parser.add_argument("--memory", type=int, default=4096, help="MiB at which a child is ended (%(default)s)")
    parser.add_argument("--shrink", type=float, default=60, help="seconds to make a failure small (%(default)s)")
    parser.add_argument("--failures", type=int, default=10, help="after so many, stop (%(default)s)")
    parser.add_argument(
        "--timeout", type=float, default=60, help="seconds for a program, and its kernels (%(default)s)"
    )
    parser.add_argument("--brief", action="store_true", help="print what fails as its statements alone")
    mode = parser.add_mutually_exclusive_group()
    for name, modes in (("deferred", [True]), ("eager", [False]), ("both", [True, False])):
        mode.add_argument(f"--{name}", dest="modes", action="store_const", const=modes, help="mode of the engine")
    parser.set_defaults(modes=[True])
    options = parser.parse_args(arguments)
    if options.seconds is None and options.programs is None:
        options.seconds = 60.0
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(10**6) * BATCH
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.device:
        os.environ["DEVARRAY_DEVICE"] = options.device
    if options.strategy == "gpu":
        os.environ["DEVARRAY_STRATEGY"] = "gpu"
    elif options.strategy == "cpu":
        os.environ.pop("DEVARRAY_STRATEGY", None)
    options.device = os.environ.get("DEVARRAY_DEVICE", "default device")
    print(f"fuzz: from seed {options.seed}", flush=True)
    totals, start = Totals(), time.monotonic()
    until = start + options.seconds if options.seconds else float("inf")
    last = options.seed + (options.programs or 2**40)
    following = iter(range(options.seed, last + 1, BATCH))

    def work(_: int) -> None:
        job = Job(options, totals)
        while time.monotonic() < until and len(totals.failures) < options.failures:
            with totals.lock:
                seed = next(following, last)
            if seed >= last:
                break
            job.run(seed, min(seed + BATCH, last), until)
        job.worker.stop()

    with ThreadPoolExecutor(options.jobs) as jobs:
        list(jobs.map(work, range(options.jobs)))
    print(
        f"fuzz: {totals.programs} programs, {totals.statements} statements, {totals.comparisons} comparisons, "
        f"{len(totals.failures)} mismatches ({options.device}, {time.monotonic() - start:.0f} s)"
    )
    return 1 if totals.failures else 0


if __name__ == "__main__":
    sys.exit(main())
