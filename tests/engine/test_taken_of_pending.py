"""f(x)[i] of GPUs: what is taken of a pending value is computed from what is taken of its operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels", "gpu_strategy")

RNG = np.random.default_rng(29)
X = RNG.standard_normal((1100, 40, 25)).astype(np.float32)  # 4.4 MB
ROW = RNG.standard_normal((40, 1)).astype(np.float32)
LAST = RNG.standard_normal(25).astype(np.float32)
FIRST = RNG.integers(-1100, 1100, 500)
SECOND = RNG.integers(0, 40, (3, 500))
THIRD = RNG.integers(0, 25, (3, 1))

KEYS: dict[str, Any] = {
    "first axis": FIRST,
    "columns": (slice(None), SECOND[0, :7]),
    "last axis": (Ellipsis, THIRD[:, 0]),
    "two axes": (FIRST, SECOND),
    "axes apart": (FIRST[:3, None], slice(None), THIRD[:, 0]),
    "all axes": (FIRST, SECOND, THIRD),
    "a number beside": (FIRST, 3),
    "a slice beside": (FIRST, slice(3, 5)),
    "a list": ([5, -3, 700],),
    "a new axis": (FIRST[:20], None, SECOND[0, :20]),
}


def on_device(*hosts: Any) -> list[Any]:
    return [da.asarray(host).evaluate() for host in hosts]


def moved(work: Callable[[], Any]) -> tuple[Any, int]:
    before = da.stats()["bytes_moved"]
    result = work().evaluate()
    return result, da.stats()["bytes_moved"] - before


def key_on_device(key: Any) -> Any:
    key = key if isinstance(key, tuple) else (key,)
    return tuple(da.asarray(k) if isinstance(k, np.ndarray) else k for k in key)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("operands", [(X,), (X, ROW), (X, LAST), (X, X[::-1], ROW), (np.asfortranarray(X), LAST)])
def test_values(key: Any, operands: tuple[Any, ...]) -> None:
    def value(xp: Any, x: Any, *others: Any) -> Any:
        result = xp.abs(x) * np.float32(1.5)
        for other in others:
            result = result + other
        return result

    made = value(da, *on_device(*operands))
    wanted = value(np, *operands)
    same(made[key_on_device(key)], wanted[key])
    assert made.pending
    same(made[:3], wanted[:3])
    same(made, wanted)


def test_the_value_is_not_stored() -> None:
    x, i = on_device(X, FIRST)
    result, bytes_moved = moved(lambda: (x * 2 - 1)[i])
    same(result, (X * 2 - 1)[FIRST])
    assert bytes_moved < X.nbytes + 4096  # 500 of 1100 rows are read and written twice


def test_operands_that_do_not_reach_along_an_axis_are_not_taken() -> None:
    x, row = on_device(X, LAST)
    result = (x + row)[da.asarray(FIRST[:9])]
    same(result, (X + LAST)[FIRST[:9]])


def test_many_elements_are_taken_of_the_stored_value() -> None:
    i = np.concatenate([FIRST, FIRST])
    x, at = on_device(X, i)
    y = x * 2
    same(y[at], (X * 2)[i])
    assert not y.pending


def test_who_asks_several_times_finds_the_value_stored() -> None:
    (x,) = on_device(X)
    y = x * 2
    for k in range(8):
        same(y[da.asarray(FIRST[k : k + 5])], (X * 2)[FIRST[k : k + 5]])
    assert not y.pending


def test_writes_in_between() -> None:
    x, i = on_device(X, FIRST)
    y = x * 2
    before = y[i]
    x[...] = 0
    after = y[i]
    x += 1
    y[:, 0] = -1
    for result in (before, after):
        same(result, (X * 2)[FIRST])


def test_outside() -> None:
    x, i = on_device(X, np.array([0, 1100]))
    y = x + 1
    with pytest.raises(IndexError, match="index into axis 0 of size 1100"):
        y[i].copy_to_host()
    with pytest.raises(IndexError, match="axis 0 of size 1"):
        (x[:, :, :1] + da.asarray(LAST))[:1][da.asarray(np.array([1, 0, 0])), da.asarray(FIRST[:3] % 40)].copy_to_host()
    same(y, X + 1)


def test_reductions_below_are_one_kernel_with_those_above() -> None:
    """Softmax's logarithm: maximum and sum in one pass, the target's values from x, and no difference stored."""
    x = RNG.standard_normal((6000, 400)).astype(np.float32)  # 9.6 MB
    target = RNG.integers(0, 400, 6000)

    def loss(xp: Any, x: Any, target: Any) -> Any:
        z = x - x.max(1)[:, None]
        s = xp.log(xp.exp(z).sum(1))
        return s - z[xp.arange(x.shape[0]), target]

    d, t = on_device(x, target)
    result, bytes_moved = moved(lambda: loss(da, d, t))
    assert bytes_moved < 1.1 * x.nbytes
    np.testing.assert_allclose(result.copy_to_host(), loss(np, x, target), rtol=1e-5)


def test_an_operand_is_written_while_elements_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """As another thread may do between two gathers: the value is the one from before."""
    from devarray._primitives import gather

    x, other = on_device(X.copy(), X[::-1].copy())
    y = x * 2 + other
    plain, calls = gather.taken, []

    def taken(view: Any, *rest: Any) -> Any:
        if not calls:
            calls.append(1)
            other[...] = 0
        return plain(view, *rest)

    monkeypatch.setattr(gather, "taken", taken)
    same(y[da.asarray(FIRST)], (X * 2 + X[::-1])[FIRST])
    assert calls


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64", "complex128"])
def test_dtypes(dtype: str) -> None:
    if not da.default_device().fp64 and dtype in ("float64", "complex128"):
        pytest.skip("not computed there")
    host = (np.concatenate([X, X, X, X]) * 3).astype(dtype)
    (x,) = on_device(host)
    y = x + x
    for key in (KEYS["first axis"], KEYS["all axes"], (Ellipsis, THIRD[:, 0])):
        same(y[key_on_device(key)], (host + host)[key])
    same(y[da.asarray(FIRST[:0])], (host + host)[FIRST[:0]])
    same(y, host + host)
