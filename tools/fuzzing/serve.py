"""The child: generates programs and runs them, in one thread or in several at once."""

from __future__ import annotations

import importlib
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from fuzzing import prelude
from fuzzing.generate import generate
from fuzzing.program import Outcome, Program, run

HOOK = "DEVARRAY_FUZZ_HOOK"
"""A module that the child imports before it runs anything: how a test plants a fault."""


@dataclass(frozen=True)
class Request:
    """Programs to run at the same time, each in a thread.

    Attributes
    ----------
    programs : list of Program, or of (seed, batch, length)
    deferred : bool
    repeats : int
        How often each program runs: what the engine keeps is used from the third time on.
    """

    programs: list[Any]
    deferred: bool = True
    repeats: int = 1


def serve(connection: Any) -> None:
    """Answer each Request with an Outcome for each program."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    import devarray as da

    (da.ones(2) + 1).evaluate()  # start-up: finds the runtimes and the device, and compiles
    if os.environ.get(HOOK):
        importlib.import_module(os.environ[HOOK])
    while True:
        request: Request = connection.recv()
        da.config.deferred = request.deferred
        programs = [p if isinstance(p, list) else generate(*p) for p in request.programs]
        before = da.stats()["compilations"]
        if len(programs) == 1:
            outcomes = [_run(programs[0], da, request.repeats)]
        else:
            with ThreadPoolExecutor(len(programs)) as threads:
                outcomes = list(threads.map(_run, programs, repeat(da), repeat(request.repeats)))
        outcomes[0].compiled = da.stats()["compilations"] - before
        connection.send(outcomes)


def _run(program: Program, da: Any, repeats: int) -> Outcome:
    with np.errstate(all="ignore"):
        for _ in range(repeats):
            outcome = run(program, da, prelude.Ours())
            if outcome.kind == "mismatch":
                break
    return outcome
