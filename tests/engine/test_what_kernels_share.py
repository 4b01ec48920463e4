"""What GPUs' kernels load once, add up once or leave out: the values are NumPy's, and the texts tell that they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import close, same, skip_without
from test_loops_of_steps import lorenz
from test_rows import waiting

import devarray as da

__all__ = ["waiting"]

RNG = np.random.default_rng(31)

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy", "waiting")


def below_its_rows(xp: Any, x: Any, w: Any, b: Any) -> tuple[Any, Any, Any]:
    y = x * w + b
    most = xp.amax(y, 1, keepdims=True)
    return y - most, most, y == most


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8"])
@pytest.mark.parametrize(("n", "columns"), [(70_000, 16), (70_003, 16), (70_001, 12), (40_000, 32), (5, 16), (0, 16)])
def test_leaves_that_are_the_same_for_all_rows(sources: list[str], n: int, columns: int, dtype: str) -> None:
    skip_without(dtype)
    hosts = [RNG.integers(-4, 5, shape).astype(dtype) for shape in ((n, columns), columns, columns)]
    for ours, wanted in zip(below_its_rows(da, *map(da.asarray, hosts)), below_its_rows(np, *hosts), strict=True):
        same(ours, wanted)
    if n >= 70_000 and columns == 16 and dtype == "float32" and da.device().caps["compute_units"] <= 16:
        assert any("part < 8" in text for text in sources)


def pulls(xp: Any, x: Any) -> Any:
    d = x[None, :, :] - x[:, None, :]
    weights = 1 / ((d * d).sum(-1) + 1)
    return (d * weights[:, :, None]).sum(1)


@pytest.mark.parametrize("step", [1, -1, 2])
@pytest.mark.parametrize("columns", [2, 3, 4])
def test_leaves_that_are_columns_of_another_one(sources: list[str], columns: int, step: int) -> None:
    host = RNG.normal(size=(300, columns)).astype(np.float32)
    ours = pulls(da, da.asarray(host)[::step]).copy_to_host()
    wanted = pulls(np, host.astype(np.float64)[::step])
    assert ours.dtype == np.float32
    assert np.abs(ours - wanted).max() <= 1e-6 * np.abs(wanted).max()  # a sum may cancel
    assert any("(base + 1)" in text for text in sources)


def test_reductions_of_the_same_values_share_a_sum(sources: list[str]) -> None:
    host = RNG.normal(size=300_000).astype(np.float32)
    x = da.asarray(host)
    valid, wanted = x > 0.5, host > 0.5
    results = x.max(), valid.sum(), valid.mean(), valid.sum()
    for ours, theirs in zip(results, (host.max(), wanted.sum(), wanted.mean(), wanted.sum()), strict=True):
        close(ours, theirs, 4)
    together = [text for text in sources if text.count("acc0_[") > 0]
    assert together
    assert not any("acc3_[" in text for text in together)


def test_sums_of_squares_begin_with_the_first_one(sources: list[str]) -> None:
    host = RNG.integers(-9, 9, (50_000, 3)).astype(np.float32)
    x = da.asarray(host)
    same(((x - 1) ** 2).sum(-1), ((host - 1) ** 2).sum(-1))
    zeros = np.array([[-0.0, -0.0]], np.float32)
    ours = ((da.asarray(zeros) * 1).sum(-1)).copy_to_host()
    assert not np.signbit(ours).any()  # of others NumPy's 0 stands before the first one


def test_many_operations_of_steps_are_one_launch() -> None:
    """1,425 operations: more than a thousand, and no deeper than a graph may be."""
    host = [RNG.normal(size=300_000).astype(np.float32) for _ in "xyz"]
    ours, wanted = tuple(da.asarray(h).evaluate() for h in host), tuple(host)
    before = da.stats()["launches"]
    ours, wanted = lorenz(*ours, 95, 0.001), lorenz(*wanted, 95, 0.001)
    ours[0].evaluate()
    assert da.stats()["launches"] == before + 1
    for mine, theirs in zip(ours, wanted, strict=True):
        same(mine, theirs)
