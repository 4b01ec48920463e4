"""Scalars that stay the same become constants of a kernel that is compiled in the background, where plans repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray._runtime import compiler
from devarray.codegen.kernels import elementwise
from devarray.codegen.kernels.spec import ElementwiseSpec

N = 1 << 16
RNG = np.random.default_rng(11)

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "plans")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ElementwiseSpec]]:
    """Specs that have constants, as they are rendered."""
    specs: list[ElementwiseSpec] = []
    render = elementwise.render

    def noted(spec: ElementwiseSpec, dialect: Any) -> str:
        if spec.constants and spec.sets == 1:
            specs.append(spec)
        return render(spec, dialect)

    monkeypatch.setattr(elementwise, "render", noted)
    yield specs


def steps(x: Any, k: float = 3.0) -> Any:
    """Fourteen operations, and scalars at every second one."""
    y = x * 0.1 + k
    y = (y - 0.3) / 7.0 + x * x
    y = np.where(y > 0.25, y * 1.7, 2.5 - y)
    return np.maximum(y / 3.0 - x, -0.5) * 1.1


def data(dtype: str) -> np.ndarray:
    if np.dtype(dtype).kind == "f":
        values = RNG.standard_normal(N).astype(dtype)
        values[:6] = [0, -0.0, np.inf, -np.inf, np.nan, 1e-38]
        return values
    return RNG.integers(-1000, 1000, N).astype(dtype)


def repeated(function: Any, host: np.ndarray, times: int = 8, **names: Any) -> list[np.ndarray]:
    x = da.asarray(host).evaluate()
    results = []
    for _ in range(times):
        results.append(function(x, **names).copy_to_host())
        compiler.wait_for_kernels()
    return results


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_bits_stay(dtype: str, made: list[ElementwiseSpec]) -> None:
    host = data(dtype)
    first, *others = repeated(steps, host)
    divisors = 2  # those of float64 are, its other scalars are quicker loaded
    assert len(made) == 1
    assert len(made[0].constants) == (divisors if dtype == "float64" else len(made[0].scalars))
    with np.errstate(all="ignore"):
        same(first, steps(host))
    for other in others:
        assert other.tobytes() == first.tobytes()


VIEWS: dict[str, Any] = {
    "every second column": lambda x: x[:, ::2],
    "backwards": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "short rows": lambda x: x.reshape(-1, 6)[:, 1:5],
    "a row for all": lambda x: x[:, :1] + x[:1],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views(name: str, made: list[ElementwiseSpec]) -> None:
    host = RNG.standard_normal((360, 480)).astype(np.float32)
    first, *others = repeated(lambda x: steps(VIEWS[name](x)), host)
    assert len(made) == 1
    same(first, steps(VIEWS[name](host)))
    assert all(other.tobytes() == first.tobytes() for other in others)


def test_in_place(made: list[ElementwiseSpec]) -> None:
    """The result goes where the operand is, or half of it is."""
    host = np.linspace(-1, 1, 2 * N).astype(np.float32)
    x = da.asarray(host.copy()).evaluate()
    for _ in range(8):
        for array in (x, host):
            array[N // 2 :] = steps(array[: -N // 2]) * 0.1
            array *= 0.5
        same(x.copy_to_host(), host)
        compiler.wait_for_kernels()
    assert made


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_shifts(dtype: str, made: list[ElementwiseSpec]) -> None:
    """By less than the width, by as much and by more, which shift everything out."""
    bits = 8 * np.dtype(dtype).itemsize

    def mixed(x: Any) -> Any:
        y = (x ^ (x >> (bits // 2))) + (x << 1)
        y = (y ^ (y >> (bits // 2))) ^ (y >> (bits - 1))
        return (y << (bits - 1)) ^ (x >> bits) ^ (x << bits) ^ (y >> (bits + 3)) ^ (x << 2) ^ (y >> 0)

    host = RNG.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, N, dtype=dtype, endpoint=True)
    first, *others = repeated(mixed, host)
    assert len(made) == 1
    assert first.dtype == host.dtype
    same(first, mixed(host))
    assert all(other.tobytes() == first.tobytes() for other in others)


def test_integers(made: list[ElementwiseSpec]) -> None:
    def mixed(x: Any) -> Any:
        y = (x * 37 + 11) // 7 % 13
        y = (y ^ 5) << 2 | (x & 255)
        return (y - x) // 9 % 1000 * 3 >> 1

    for dtype in ("int32", "int64", "uint32"):
        host = data(dtype)
        first, *others = repeated(mixed, host)
        same(first, mixed(host))
        assert all(other.tobytes() == first.tobytes() for other in others)
    assert len(made) == 3


def test_the_kernel_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    render = elementwise.render

    def wrong(spec: ElementwiseSpec, dialect: Any) -> str:
        fields = {name: getattr(spec, name) for name in spec.__slots__}
        fields["constants"] = tuple((scalar, 0) for scalar, _ in spec.constants)
        return render(ElementwiseSpec(**fields), dialect)

    monkeypatch.setattr(elementwise, "render", wrong)
    first, *others = repeated(lambda x: steps(x, 3.5) * x, data("float32"))  # like no other test's
    assert others[0].tobytes() == first.tobytes()
    assert others[-1].tobytes() != first.tobytes()


def test_other_values_take_the_general_kernel(made: list[ElementwiseSpec]) -> None:
    host = np.linspace(-2, 2, N).astype(np.float32)
    x = da.asarray(host).evaluate()
    for k in (3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 4.0, 3.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 2.0):
        same(steps(x, k).copy_to_host(), steps(host, k))
        compiler.wait_for_kernels()
    assert 2 <= len(made) <= 3


def test_what_changes_each_time_is_none(made: list[ElementwiseSpec]) -> None:
    host = np.linspace(-2, 2, N).astype(np.float32)
    x = da.asarray(host).evaluate()
    for i in range(12):
        same(steps(x, 1.0 + i).copy_to_host(), steps(host, 1.0 + i))
        compiler.wait_for_kernels()
    assert len(made) == 1 and len(made[0].constants) == len(made[0].scalars) - 1


def test_operands_of_functions_are_none(made: list[ElementwiseSpec]) -> None:
    def powers(x: Any) -> Any:
        y = np.power(np.abs(x), 2.5) + np.power(np.abs(x) + 1.0, 1.5)
        return y * 3.0 + np.arctan2(x, 0.7) * 2.0 - 1.0

    first, *others = repeated(powers, data("float32"))
    bits = {np.float32(value).view(np.uint32) for value in (2.5, 1.5, 0.7)}
    assert len(made) == 1
    assert not bits & {bits for _, bits in made[0].constants}
    assert all(other.tobytes() == first.tobytes() for other in others)


def test_one_that_does_not_compile_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    render, broken = elementwise.render, []

    def no_source(spec: ElementwiseSpec, dialect: Any) -> str:
        if not spec.constants:
            return render(spec, dialect)
        broken.append(spec)
        return "this is no kernel"

    monkeypatch.setattr(elementwise, "render", no_source)
    first, *others = repeated(lambda x: steps(x, 4.5) + x, data("float32"))
    assert len(broken) == 1
    assert all(other.tobytes() == first.tobytes() for other in others)


def test_small_work_has_none(made: list[ElementwiseSpec]) -> None:
    repeated(steps, data("float32")[:1000])
    repeated(lambda x: x * 2.0 + 1.0, data("float32"))
    assert not made
