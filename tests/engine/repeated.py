"""Uses of graphs that come again, and what the engine counts of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from oracle import same

import devarray as da
from devarray import _core

COUNTERS = ("launches", "cuts", "donations", "bytes_moved", "recorded", "memory_cache_hits", "compilations")

Results = list[tuple[Any, np.ndarray]]
"""Arrays, in the order in which they are evaluated, and what NumPy makes of them."""
Use = Callable[[], Results]


def on_device(host: np.ndarray) -> da.Array:
    return da.asarray(host).evaluate()


def counted(use: Use) -> dict[str, int]:
    """Compare the results of a use with NumPy's, and return what the engine counted."""
    before = da.stats()
    results = use()
    for got, _ in results:
        got.evaluate()
    after = da.stats()
    for got, want in results:
        same(got, want)
    return {name: after[name] - before[name] for name in (*COUNTERS, "plans_reused")}


def settle(use: Use) -> dict[str, int]:
    """Use it until its plan is kept, and return what one more use counts."""
    for _ in range(3):
        counted(use)
    return counted(use)


class Case(NamedTuple):
    use: Callable[..., Results]
    one: Any
    other: Any


def bound(case: Case, which: Any) -> Use:
    arguments = which if isinstance(which, tuple) else (which,)
    return lambda: case.use(*arguments)


def names(cases: list[Case]) -> list[str]:
    return [f"{k}-{case.use.__name__}" for k, case in enumerate(cases)]


def check_what_differs(case: Case, back: bool) -> None:
    """Counters are those of fresh plans, for what was kept and for what differs from it."""
    one, other = (bound(case, which) for which in ((case.other, case.one) if back else (case.one, case.other)))
    for use in (one, other, one, other):  # NumPy's functions take another way when they are called first
        counted(use)
    _core.clear_kernel_cache()
    fresh = counted(one)
    _core.clear_kernel_cache()
    fresh_other = counted(other)
    _core.clear_kernel_cache()
    kept = settle(one)
    assert kept.pop("plans_reused") > 0
    got = counted(other)
    again = counted(one)
    for counters in (fresh, fresh_other, got, again):
        counters.pop("plans_reused")
        counters.pop("memory_cache_hits")  # fresh plans had to ask for their kernels
    kept.pop("memory_cache_hits")
    assert kept == fresh
    assert got == fresh_other
    assert again == fresh
