"""errstate and seterr: what NumPy finds, where a program asks for it."""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da


def _squared(x: Any) -> Any:
    x **= 2
    return x


OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "number by array": lambda m, x, y: 1 / x,
    "array by array": lambda m, x, y: x / x,
    "logarithm": lambda m, x, y: m.log(x),
    "logarithm of one plus": lambda m, x, y: m.log1p(-y),
    "arctanh": lambda m, x, y: m.arctanh(y),
    "reciprocal": lambda m, x, y: m.reciprocal(x),
    "root of a negative": lambda m, x, y: m.sqrt(-y),
    "exponential": lambda m, x, y: m.exp(y * 1000),
    "float32": lambda m, x, y: m.exp(m.asarray([1e3], dtype="f4")),
    "power": lambda m, x, y: x**-1.5,
    "power of an array": lambda m, x, y: (x - 1) ** (y / 2),
    "square": lambda m, x, y: (y * 1e200) ** 2,
    "square by a fraction": lambda m, x, y: (y * 1e200) ** 2.0,
    "square in place": lambda m, x, y: _squared(y * 1e200),
    "root": lambda m, x, y: (x - 1) ** 0.5,
    "root by NumPy's number": lambda m, x, y: (x - 1) ** np.float64(0.5),
    "root of integers": lambda m, x, y: (x - 1).astype(int) ** 0.5,
    "inverse": lambda m, x, y: x**-1,
    "inverse by a fraction": lambda m, x, y: x**-1.0,
    "square of complex numbers": lambda m, x, y: (y * (1e300 + 0j)) ** 2,
    "powers by the function": lambda m, x, y: (m.power(y * 1e200, 2), m.power(x, -1.0), np.power(x - 1, 0.5)),
    "product": lambda m, x, y: (y * 1e200) * 1e200,
    "hypot": lambda m, x, y: m.hypot(y * 1e308, y * 1e308),
    "difference of infinities": lambda m, x, y: (y + np.inf) - (y + np.inf),
    "remainder": lambda m, x, y: y % x,
    "remainder of integers": lambda m, x, y: y.astype(int) % x.astype(int),
    "integers by nought": lambda m, x, y: y.astype(int) // 0,
    "complex": lambda m, x, y: (x + 0j) / 0,
    "cast to integers": lambda m, x, y: (y * 1e20).astype(np.int32),
    "cast to float32": lambda m, x, y: (y * 1e200).astype(np.float32),
    "NumPy's function": lambda m, x, y: np.divide(y, x),
    "cast by the function": lambda m, x, y: m.astype(y * 1e20, np.int32),
    "out": lambda m, x, y: m.divide(y, x, out=m.zeros(3)),
    "where there is none": lambda m, x, y: m.divide(y, x, where=x != 0, out=m.zeros(3)),
    "outer": lambda m, x, y: m.divide.outer(y, x),
    "in place": lambda m, x, y: y.__itruediv__(x),
    "elements": lambda m, x, y: y[0] / x[0],
    "no axes": lambda m, x, y: m.log(m.asarray(0.0)),
    "list": lambda m, x, y: y / [0, 1, 2],
    "nothing wrong": lambda m, x, y: m.sqrt(y) + x,
    "NaN in, NaN out": lambda m, x, y: (y * np.nan) + 1,
    "comparison with NaN": lambda m, x, y: (y * np.nan) < 1,
    "a choice of NaN": lambda m, x, y: m.where(x == 0, np.nan, x),
    "infinity given": lambda m, x, y: m.maximum(x + 1, np.inf),
    "no elements": lambda m, x, y: x[:0] / 0,
    "mean": lambda m, x, y: m.mean(y),
}


def _operands(m: Any) -> tuple[Any, Any]:
    return m.asarray([0.0, 1.0, 2.0]), m.asarray([1.0, 2.0, 3.0])


def _raised(m: Any, operation: Callable[[Any, Any, Any], Any], **modes: str) -> str | None:
    x, y = _operands(m)
    try:
        with m.errstate(**modes):
            operation(m, x, y)
    except FloatingPointError as error:
        return str(error).replace("scalar ", "")  # as NumPy says of its scalars, which are arrays here
    return None


def _warned(m: Any, operation: Callable[[Any, Any, Any], Any]) -> list[str]:
    x, y = _operands(m)
    with warnings.catch_warnings(record=True) as found, m.errstate(all="warn", under="ignore"):
        warnings.simplefilter("always")
        operation(m, x, y)
    assert all(w.category is RuntimeWarning for w in found)
    assert m is np or all(w.filename == __file__ for w in found)
    return [str(w.message).replace("scalar ", "") for w in found]


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_numpy_finds_is_found(name: str) -> None:
    operation = OPERATIONS[name]
    assert _warned(da, operation) == _warned(np, operation)
    for modes in ({"all": "raise"}, {"divide": "raise"}, {"invalid": "raise", "divide": "ignore"}, {"over": "raise"}):
        if modes.get("all") is None:  # NumPy's own would warn of the others
            modes = {"divide": "ignore", "invalid": "ignore", "over": "ignore"} | modes
        assert _raised(da, operation, **modes) == _raised(np, operation, **modes), modes


def test_nothing_is_looked_for_unless_it_is_named() -> None:
    x, _ = _operands(da)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (1 / x).pending == da.config.deferred
        with da.errstate(divide="ignore", invalid="ignore"):
            assert (1 / x).pending == da.config.deferred
        with da.errstate(over="raise"):
            assert (1 / x).tolist() == [np.inf, 1.0, 0.5]
    assert da._core.count_float_watchers() == 0


def test_blocks_nest_and_end_with_their_errors() -> None:
    x, _ = _operands(da)
    with da.errstate(divide="raise"):
        with da.errstate(divide="ignore"):
            assert (1 / x).tolist() == [np.inf, 1.0, 0.5]
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            1 / x
        assert da._core.count_float_watchers() == 1
    assert da._core.count_float_watchers() == 0

    @da.errstate(invalid="raise")
    def roots(values: Any) -> Any:
        return da.sqrt(values)

    with pytest.raises(FloatingPointError, match="invalid value encountered in sqrt"):
        roots(x - 1)
    assert np.isnan(da.sqrt(x - 1).tolist()[0])
    assert isinstance(da.errstate(), np.errstate)


def test_an_array_is_as_it_was_where_the_operation_in_place_is_refused() -> None:
    x, y = _operands(da)
    with da.errstate(all="raise"), pytest.raises(FloatingPointError):
        y /= x
    assert y.tolist() == [1.0, 2.0, 3.0]


def test_receivers() -> None:
    x, _ = _operands(da)
    told: list[tuple[str, int]] = []
    with da.errstate(divide="call", call=lambda kind, flag: told.append((kind, flag))):
        1 / x
    assert told == [("divide by zero", 1)]
    text = io.StringIO()
    with da.errstate(invalid="log", call=text):
        da.sqrt(x - 1)
    assert text.getvalue() == "Warning: invalid value encountered in sqrt\n"
    with da.errstate(divide="call"), pytest.raises(NameError, match="seterrcall"):
        1 / x


def test_seterr_and_its_undoing() -> None:
    x, _ = _operands(da)
    before = da.seterr(divide="raise")
    try:
        assert before == np.geterr() | {"divide": "warn"}
        with pytest.raises(FloatingPointError):
            1 / x
        answers: list[object] = []
        other = threading.Thread(target=lambda: answers.append((1 / x).tolist()))  # with settings of its own
        other.start()
        other.join()
        assert answers == [[np.inf, 1.0, 0.5]]
    finally:
        assert da.seterr(**before) == before | {"divide": "raise"}
    assert da._core.count_float_watchers() == 0
    assert (1 / x).tolist() == [np.inf, 1.0, 0.5]


def _least(m: Any) -> Any:
    return m.asarray(np.array([np.iinfo(np.int32).min, 5, 7], np.int32))


METHODS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "least integer by minus one": lambda m, x, y: _least(m) // -1,
    "the same in place": lambda m, x, y: _least(m).__ifloordiv__(m.asarray(np.array([1, 2, -1], np.int32))),
    "least integer's parts": lambda m, x, y: m.divmod(_least(m), m.asarray(np.array([-1, 1, 1], np.int32))),
    "parts by nought": lambda m, x, y: m.divmod(y, x),
    "parts of infinities": lambda m, x, y: m.divmod(y + np.inf, y),
    "reduce by nought": lambda m, x, y: m.floor_divide.reduce(m.arange(-3, 4)),
    "reduce of the least integer": lambda m, x, y: m.floor_divide.reduce(-_least(m)[::-1] * 0 + _least(m)[0]),
    "quotients": lambda m, x, y: m.divide.accumulate(y - 1),
    "sum of infinities": lambda m, x, y: m.add.reduce(m.asarray([np.inf, 0, -np.inf])),
    "sums up to each": lambda m, x, y: m.add.accumulate(m.asarray([np.inf, 0, -np.inf])),
    "sums of parts": lambda m, x, y: m.add.reduceat(m.asarray([np.inf, 0, -np.inf]), [0]),
    "power of an array": lambda m, x, y: (x - 1) ** (y / 2),
    "square": lambda m, x, y: (y * 1e200) ** 2,
    "square by a fraction": lambda m, x, y: (y * 1e200) ** 2.0,
    "square in place": lambda m, x, y: _squared(y * 1e200),
    "root": lambda m, x, y: (x - 1) ** 0.5,
    "root by NumPy's number": lambda m, x, y: (x - 1) ** np.float64(0.5),
    "root of integers": lambda m, x, y: (x - 1).astype(int) ** 0.5,
    "inverse": lambda m, x, y: x**-1,
    "inverse by a fraction": lambda m, x, y: x**-1.0,
    "square of complex numbers": lambda m, x, y: (y * (1e300 + 0j)) ** 2,
    "powers by the function": lambda m, x, y: (m.power(y * 1e200, 2), m.power(x, -1.0), np.power(x - 1, 0.5)),
    "product": lambda m, x, y: np.multiply.reduce(y * 1e200),
    "sum along an axis": lambda m, x, y: m.add.reduce(m.asarray([[1e308, 1], [1e308, 2]]), axis=0),
    "sum of what is infinite": lambda m, x, y: m.add.reduce(y + np.inf),
    "sum of NaN": lambda m, x, y: m.add.reduce(y * np.nan, keepdims=True),
}


@pytest.mark.parametrize("name", METHODS)
def test_what_numpy_finds_in_methods_is_found(name: str) -> None:
    found = []
    for m in (np, da):
        y, x = m.asarray([1.0, 2.0, 3.0]), m.asarray([0.0, 4.0, 5.0])
        with warnings.catch_warnings(record=True) as caught, da.errstate(all="warn", under="ignore"):
            warnings.simplefilter("always")
            METHODS[name](m, x, y)
        found.append({str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)})
    assert found[1] == found[0]
