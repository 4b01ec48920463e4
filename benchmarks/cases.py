"""What is timed: each case once, for every library.

A body gets a library and its arrays. It uses operators, `lib.xp` (a namespace of NumPy's functions) and the few methods
of `Library` for what the libraries spell differently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from libraries import Library

__all__ = ["CASES", "Case"]

Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes
    ----------
    name : str
    cpu, gpu : int
        Size on CPU and GPU devices, handed to `inputs`.
    inputs : callable
        Size to named host arrays, which live on the device while the body runs.
    body : callable
        (library, arrays) to the result. Results of one run are evaluated and alive until it is timed.
    needs : tuple of str
        Functions of the namespace, or abilities ("axis", "slices", "broadcasting"), without which a library sits out.
    reads, writes : int
        Arrays of `size ** dims` elements that one pass over memory would read and write: the measure of the budgets.
        Both 0 where there is none.
    budget : mapping of device type to float
        The most times one pass that docs/design.md allows.
    dims : int
        1 where the size is a number of elements, 2 where it is the side of a square.
    small : int
        Size at which results are compared with NumPy's.
    on_host : bool
        Whether the inputs stay host arrays.
    """

    name: str
    cpu: int
    gpu: int
    inputs: Callable[[int], dict[str, np.ndarray]]
    body: Callable[[Library, Arrays], Any]
    needs: tuple[str, ...] = ()
    reads: int = 0
    writes: int = 0
    budget: Mapping[str, float] = field(default_factory=dict)
    dims: int = 1
    small: int = 64
    on_host: bool = False

    def size(self, device_type: str) -> int:
        return self.cpu if device_type == "cpu" else self.gpu


def _uniform(*shape: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    values = np.random.default_rng(7).random(shape, dtype=np.float32)
    return values if (low, high) == (0.0, 1.0) else low + (high - low) * values


def _two(n: int) -> dict[str, np.ndarray]:
    return {"a": _uniform(n), "b": _uniform(n)[::-1].copy()}


def _one(n: int) -> dict[str, np.ndarray]:
    return {"a": _uniform(n)}


def _square(n: int) -> dict[str, np.ndarray]:
    return {"a": _uniform(n, n)}


def _option(n: int) -> dict[str, np.ndarray]:
    return {
        "spot": _uniform(n, low=80, high=120),
        "strike": _uniform(n, low=90, high=110)[::-1].copy(),
        "years": np.roll(_uniform(n, low=0.25, high=2), n // 3),
    }


def _expression(lib: Library, x: Arrays) -> Any:
    a, b = x["a"], x["b"]
    return lib.xp.sqrt(a * a + b * b) * 2 + a - b


RATE, DIVIDEND, VOLATILITY = 0.03, 0.01, 0.2
# The normal distribution function as a logistic one of an odd polynomial, right to 3e-5: a least-squares fit.
CDF_1, CDF_3, CDF_5 = 1.5952817, 0.0738127, -0.0006768


def _normal_cdf(lib: Library, x: Any) -> Any:
    """9 operations."""
    square = x * x
    return 1.0 / (lib.xp.exp(((square * -CDF_5 - CDF_3) * square - CDF_1) * x) + 1.0)


def _black_scholes(lib: Library, x: Arrays) -> Any:
    """The straddle (call and put) of options on a stock that pays a dividend: 39 operations, one output."""
    xp = lib.xp
    spot, strike, years = x["spot"], x["strike"], x["years"]
    deviation = xp.sqrt(years) * VOLATILITY
    d1 = (xp.log(spot / strike) + years * (RATE - DIVIDEND + VOLATILITY * VOLATILITY / 2)) / deviation
    d2 = d1 - deviation
    stock = xp.exp(years * -DIVIDEND) * spot
    bond = xp.exp(years * -RATE) * strike
    call = stock * _normal_cdf(lib, d1) - bond * _normal_cdf(lib, d2)
    put = call - stock + bond
    return call + put


def _softmax(lib: Library, x: Arrays) -> Any:
    a = x["a"]
    e = lib.xp.exp(a - lib.xp.max(a, axis=1, keepdims=True))
    return e / lib.xp.sum(e, axis=1, keepdims=True)


def _stencil(lib: Library, x: Arrays) -> Any:
    u = x["a"]
    return (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * 0.2


def _where_clip(lib: Library, x: Arrays) -> Any:
    a, b = x["a"], x["b"]
    return lib.xp.clip(lib.xp.where(a > b, a - b, b * 0.5), 0.1, 0.7) * 2 + a


_FUSED = {"cpu": 1.25, "gpu": 1.1}
_REDUCTION = {"cpu": 1.1, "gpu": 1.1}
_VECTOR = {"cpu": 10**7, "gpu": 2**26}
_MATRIX = {"cpu": 3000, "gpu": 8192, "dims": 2}
_READ_ONCE = {"reads": 1, "budget": _REDUCTION}

CASES: tuple[Case, ...] = (
    Case("a + b, 16 elements", 16, 16, _two, lambda lib, x: x["a"] + x["b"]),
    Case("a + b", inputs=_two, body=lambda lib, x: x["a"] + x["b"], reads=2, writes=1, **_VECTOR),
    Case(
        "sqrt(a*a+b*b)*2+a-b", inputs=_two, body=_expression, needs=("sqrt",), reads=2, writes=1, budget=_FUSED,
        **_VECTOR,
    ),
    Case(
        "Black-Scholes, 39 operations", 10**7, 2**25, _option, _black_scholes, ("sqrt", "exp", "log"),
        reads=3, writes=1, budget={"gpu": 1.4},
    ),
    Case("where, clip", inputs=_two, body=_where_clip, needs=("where", "clip"), reads=2, writes=1, **_VECTOR),
    Case(
        "column + row", inputs=lambda n: {"column": _uniform(n, 1), "row": _uniform(1, n)},
        body=lambda lib, x: x["column"] + x["row"], needs=("broadcasting",), writes=1, **_MATRIX,
    ),
    Case("5-point stencil by slices", inputs=_square, body=_stencil, needs=("slices",), reads=1, writes=1, **_MATRIX),
    Case("softmax, axis 1", 2048, 8192, _square, _softmax, ("exp", "axis"), reads=1, writes=1, dims=2),
    Case("sum", 4 * 10**7, 2**27, _one, lambda lib, x: lib.xp.sum(x["a"]), ("sum",), **_READ_ONCE),
    Case(
        "sum, axis 0", 6000, 8192, _square, lambda lib, x: lib.xp.sum(x["a"], axis=0), ("axis",), dims=2, **_READ_ONCE
    ),
    Case(
        "sum, axis 1", 6000, 8192, _square, lambda lib, x: lib.xp.sum(x["a"], axis=1), ("axis",), dims=2, **_READ_ONCE
    ),
    Case(
        "std, axis 0", inputs=_square, body=lambda lib, x: lib.xp.std(x["a"], axis=0), needs=("std",),
        reads=1, **_MATRIX,
    ),
    Case(
        "std, axis 1", inputs=_square, body=lambda lib, x: lib.xp.std(x["a"], axis=1), needs=("std",),
        reads=1, **_MATRIX,
    ),
    Case("argmax", 4 * 10**7, 2**27, _one, lambda lib, x: lib.xp.argmax(x["a"]), ("argmax",), **_READ_ONCE),
    Case(
        "cumsum", inputs=_one, body=lambda lib, x: lib.xp.cumsum(x["a"]), needs=("cumsum",),
        reads=1, writes=1, **_VECTOR,
    ),
    Case("sort", 10**6, 2**25, _one, lambda lib, x: lib.xp.sort(x["a"]), ("sort",)),
    Case(
        "transpose to contiguous", inputs=_square, body=lambda lib, x: lib.transposed(x["a"]), needs=("transposed",),
        reads=1, writes=1, **_MATRIX,
    ),
    Case("matmul", 1024, 4096, _square, lambda lib, x: lib.xp.matmul(x["a"], x["a"]), ("matmul",), dims=2),
    Case("16 elements there and back", 16, 16, _one, lambda lib, x: lib.to_host(lib.to_device(x["a"])), on_host=True),
    Case("host to device", inputs=_one, body=lambda lib, x: lib.to_device(x["a"]), on_host=True, **_VECTOR),
    Case("device to new host array", inputs=_one, body=lambda lib, x: lib.to_host(x["a"]), **_VECTOR),
)  # fmt: skip
