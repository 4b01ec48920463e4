"""Products that sums take in, where ``devarray.config.contract`` is on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "gpu_strategy")

N = 10_000


@pytest.fixture
def contracted() -> Iterator[None]:
    da.config.contract = True
    yield
    da.config.contract = False


def values(dtype: str = "float32") -> list[np.ndarray]:
    return [np.random.default_rng(seed).standard_normal(N).astype(dtype) for seed in range(3)]


FUSED: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sum": (lambda a, b, c: a * b + c, lambda a, b, c: a * b + c),
    "turned": (lambda a, b, c: c + a * b, lambda a, b, c: a * b + c),
    "difference": (lambda a, b, c: a * b - c, lambda a, b, c: a * b - c),
    "from another": (lambda a, b, c: c - a * b, lambda a, b, c: c - a * b),
    "square": (lambda a, b, c: c - a**2, lambda a, b, c: c - a * a),
    "a number": (lambda a, b, c: a * 3 - c, lambda a, b, c: a * 3 - c),
    "twice": (lambda a, b, c: (lambda p: (p + c) * 0 + (p + c))(a * b), lambda a, b, c: a * b + c),
}


@pytest.mark.parametrize("name", FUSED)
def test_products_are_not_rounded(name: str, contracted: None) -> None:
    body, wide = FUSED[name]
    h = values()
    result = body(*map(da.asarray, h)).copy_to_host()
    with np.errstate(all="ignore"):
        wanted = wide(*(x.astype("longdouble") for x in h)).astype("float32")
    np.testing.assert_array_equal(result, wanted)
    assert (result != body(*h)).any()


OTHERS: dict[str, Callable[..., Any]] = {
    "integers": lambda xp, a, b, c: (a * 100).astype("int32") * 3 + (b * 100).astype("int32"),
    "another precision": lambda xp, a, b, c: (a * b).astype("float64") + c,
    "halves": lambda xp, a, b, c: a.astype("float16") * b.astype("float16") + c.astype("float16"),
    "a quotient": lambda xp, a, b, c: a / b + c,
    "the product itself": lambda xp, a, b, c: a * b,
    "a chosen one": lambda xp, a, b, c: xp.where(a > 0, a * b, c) + c,
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_sum_of_a_product_keeps_its_bits(name: str, contracted: None) -> None:
    h = values()
    same(OTHERS[name](da, *map(da.asarray, h)), OTHERS[name](np, *h))


def test_steps_that_repeat(contracted: None) -> None:
    def iterated(x: Any, y: Any) -> Any:
        z = x * 0
        for _ in range(40):
            z = z * z * 0.25 + x
            z = z - y * x
        return z

    x, y = (np.clip(h, -0.5, 0.5) for h in values()[:2])
    got, want = iterated(da.asarray(x), da.asarray(y)).copy_to_host(), iterated(x, y)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert (got != want).any()


def test_the_switch_takes_effect_at_once() -> None:
    h = values()
    x = [da.asarray(a) for a in h]
    rounded = h[0] * h[1] + h[2]
    for _ in range(4):
        same(x[0] * x[1] + x[2], rounded)
    da.config.contract = True
    try:
        assert ((x[0] * x[1] + x[2]).copy_to_host() != rounded).any()
    finally:
        da.config.contract = False
    same(x[0] * x[1] + x[2], rounded)
    with pytest.raises(da.errors.ValueError, match="contract is one of"):
        da.config.contract = "yes"


def test_reductions_and_rows(contracted: None) -> None:
    h = values("float64")
    a, b, c = map(da.asarray, h)
    np.testing.assert_allclose((a * b + c).sum().item(), (h[0] * h[1] + h[2]).sum(), rtol=1e-12)
    rows = [x.reshape(100, 100) for x in h]
    got = (lambda z: z / z.sum(1, keepdims=True))(da.exp(da.asarray(rows[0]) * 0.5 + 1)).copy_to_host()
    want = (lambda z: z / z.sum(1, keepdims=True))(np.exp(rows[0] * 0.5 + 1))
    np.testing.assert_allclose(got, want, rtol=1e-12)
