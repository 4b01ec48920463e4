"""The order of random words is that of a stable sort."""

from __future__ import annotations

import numpy as np
import pytest
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.random_order import plan_order


@pytest.mark.parametrize("n", [16, 17, 100, 1000, 20_000, 300_007])
@pytest.mark.parametrize("units", [1, 3, 64])
def test_the_order_of_words(runtime: Runtime, n: int, units: int) -> None:
    dialect = type(runtime.dialect)({**runtime.dialect.caps, "compute_units": units})
    words = np.random.Philox(n).random_raw(n)
    words[: n // 3] = words[-(n // 3) :]  # two of each: the first comes first
    order = np.zeros(n, np.int64)
    execute(runtime, plan_order(view("words", words), view("order", order), dialect), {"words": words, "order": order})
    np.testing.assert_array_equal(order, np.argsort(words, kind="stable"))


def test_the_greatest_and_the_least_word(runtime: Runtime) -> None:
    memory, order = np.full(60, 2**64 - 1, np.uint64), np.full(60, -7)
    words = memory[5:45]
    words[::3] = 0
    execute(
        runtime,
        plan_order(view("words", words), view("order", order[10:50]), runtime.dialect),
        {"words": words, "order": order[10:50]},
    )
    np.testing.assert_array_equal(order[10:50], np.argsort(words, kind="stable"))
    assert (order[:10] == -7).all() and (order[50:] == -7).all()


@pytest.mark.parametrize("units", [1, 2, 100])
@pytest.mark.parametrize("n", [16, 2**14, 10**6, 2**31])
def test_parts_cover_all_words(runtime: Runtime, n: int, units: int) -> None:
    dialect = type(runtime.dialect)({**runtime.dialect.caps, "compute_units": units})
    plan = plan_order(View.contiguous("words", "uint64", (n,)), View.contiguous("order", "int64", (n,)), dialect)
    count, _, _, finish = plan.launches
    (parts,), (ranges,) = count.groups, finish.groups
    share, buckets, each = count.slots[3], count.slots[4], finish.slots[4]
    assert (parts - 1) * share < n <= parts * share and (ranges - 1) * each < buckets <= ranges * each
    assert plan.temporaries == {"counts": 4 * parts * buckets, "pairs": 16 * n}
