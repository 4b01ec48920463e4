"""ufuncs' keywords, attributes and methods, and where NumPy's parameters stand, on devarray's own functions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from agreement import agree
from oracle import skip_without

import devarray as da

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(0)
X = RNG.random((4, 6))
HOLES = X.copy()
HOLES[1, 2] = HOLES[0, 0] = np.nan
K = RNG.integers(-9, 9, (4, 6))


def test_bounds_by_both_names() -> None:
    agree(lambda xp, a: xp.clip(a, 0.2, 0.8), X)
    agree(lambda xp, a: xp.clip(a, min=0.2), X)
    agree(lambda xp, a: xp.clip(a, a_min=-3, a_max=3), K)
    agree(lambda xp, a: xp.clip(a, 0.2, 0.8, dtype=np.float32), X)
    agree(lambda xp, a: xp.clip(a, a_min=0.2, a_max=0.8, min=0.1), X)


@pytest.mark.parametrize(
    "keywords",
    [
        {"dtype": np.float32},
        {"dtype": np.float32, "casting": "no"},
        {"casting": "safe"},
        {"order": "F"},
        {"order": "X"},
        {"subok": False},
        {"signature": "dd->d"},
        {"signature": (np.float32,) * 3},
    ],
    ids=str,
)
def test_keywords_of_ufuncs(keywords: dict[str, Any]) -> None:
    one = {key: value for key, value in keywords.items() if key != "signature"}
    agree(lambda xp, a, b: xp.add(a, b, **keywords), X, X)
    agree(lambda xp, a: xp.sin(a, **one), X)
    agree(lambda xp, a, b: xp.divmod(a, b, **one), X, X + 1)
    agree(lambda xp, a: xp.modf(a, **one), 9 * X)


def test_order_of_results() -> None:
    skip_without(np.float64)
    x = da.asarray(X)
    for order, flag in (("F", "f_contiguous"), ("C", "c_contiguous")):
        assert getattr(da.add(x, x, order=order).flags, flag)
        assert getattr(da.sin(x.T, order=order).flags, flag)
        assert getattr(da.einsum("ij,kj->ik", x, x, order=order).flags, flag)
        assert getattr(da.matmul(x, x.T, order=order).flags, flag)


UFUNCS = [
    name for name in dir(da) if isinstance(getattr(np, name, None), np.ufunc) and hasattr(getattr(da, name), "nin")
]


def test_ufuncs_have_attributes() -> None:
    assert len(UFUNCS) >= 90
    for name in UFUNCS:
        ours, theirs = getattr(da, name), getattr(np, name)
        for attribute in ("nin", "nout", "nargs", "identity", "signature"):
            assert getattr(ours, attribute) == getattr(theirs, attribute), (name, attribute)
        assert set(ours.types) <= set(theirs.types) and ours.types


@pytest.mark.parametrize("name", ["subtract", "divide", "power", "hypot", "arctan2", "fmod", "floor_divide", "less"])
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_methods_of_functions_that_depend_on_order(name: str, method: str) -> None:
    # Along contiguous memory NumPy's loops of power and arctan2 forget what they combined so far.
    for axis in (0,) if name in ("power", "arctan2") else (0, 1, -1):
        agree(lambda xp, a, axis=axis: getattr(getattr(xp, name), method)(a, axis), X)
    if name in ("subtract", "floor_divide"):
        agree(lambda xp, a: getattr(getattr(xp, name), method)(a), K)
    if method == "reduce" and name in ("subtract", "divide", "hypot", "fmod"):
        agree(lambda xp, a: getattr(xp, name).reduce(a, 1, keepdims=True, initial=0.5), X)
    if method == "reduce" and name == "subtract":
        agree(lambda xp, a: xp.subtract.reduce(a, None), X)


def test_methods_of_functions_of_one_operand() -> None:
    def negated(xp: Any, a: Any) -> Any:
        xp.negative.at(a, [0, 2])
        return a

    def twice(xp: Any, a: Any) -> Any:
        xp.sqrt.at(a, ([0, 0, 1], [1, 1, 2]))
        return a

    agree(negated, X)
    agree(twice, X)
    agree(lambda xp, a: xp.negative.reduce(a), X)
    agree(lambda xp, a: xp.sin.outer(a, a), X)


def test_results_go_where_out_says() -> None:
    skip_without(np.float64)
    x = da.asarray(X)
    for name, more in (("fft", {}), ("ifft", {}), ("fft2", {}), ("fftn", {"axes": (0,)})):
        out = da.zeros(X.shape, da.complex128)
        assert getattr(da.fft, name)(x, out=out, **more) is out
        np.testing.assert_allclose(out.copy_to_host(), getattr(np.fft, name)(X, **more))
    out = da.zeros((4, 4))
    for function, wanted in (
        (lambda: da.linalg.multi_dot([x, x.T], out=out), X @ X.T),
        (lambda: da.dot(x, x.T, out), X @ X.T),
        (lambda: da.outer(x[0, :4], x[1, :4], out), np.outer(X[0, :4], X[1, :4])),
    ):
        assert function() is out
        np.testing.assert_allclose(out.copy_to_host(), wanted)


def test_positions_are_numpys() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(lambda xp, a: xp.nanmedian(a, 1, None, False, True), HOLES)
        agree(lambda xp, a: xp.median(a, 1, None, True, True), X)
        agree(lambda xp, a: xp.percentile(a, [10, 50], 0, None, False, "hazen", True), X)
        agree(lambda xp, a: xp.ptp(a, 0, None, True), K)
        agree(lambda xp, a: xp.sum(a, 0, None, None, True, 5, True), K)
        agree(lambda xp, a: xp.argmax(a, 0, None, keepdims=True), K)


@pytest.mark.parametrize("method", ["reduce", "accumulate", "outer", "reduceat"])
@pytest.mark.parametrize("name", ["add", "maximum", "hypot", "logaddexp"])
def test_methods_take_lists(name: str, method: str) -> None:
    if method == "reduceat" and name == "hypot":
        pytest.skip("it has no kernel")
    more = {"outer": ([1.0, 2.0],), "reduceat": ([0, 2],)}.get(method, ())
    agree(lambda xp: getattr(getattr(xp, name), method)([3.0, 1.0, 2.0, 5.0], *more))


def test_at_writes_to_arrays() -> None:
    with pytest.raises(da.errors.DTypeError, match="Array, not to list"):
        da.add.at([1, 2], [0], 1)


class Layer:
    activation, mean = da.tanh, da.mean


def test_a_class_s_ufunc_is_called_without_the_instance() -> None:
    layer = Layer()
    assert layer.activation(0.0).item() == 0.0
    assert layer.activation is da.tanh
    assert layer.mean.__self__ is layer


def test_ones_like_has_its_kernel() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = np._core.umath._ones_like(da.asarray([1.0, np.nan]))
    assert found.tolist() == [1, 1]


def test_out_by_name_and_position_in_c_and_beyond() -> None:
    """Calls with `out` alone are C's; those of other dtypes, shapes and operands are not."""
    host, other = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4), np.ones(4, np.float32)
    x, y = da.asarray(host), da.asarray(other)
    out = da.zeros((3, 4), dtype=da.float32)
    assert np.add(x, y, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), host + other)
    assert np.multiply(2, x, out) is out
    np.testing.assert_array_equal(out.copy_to_host(), host * 2)
    assert np.negative(x, out=x) is x
    np.testing.assert_array_equal(x.copy_to_host(), -host)
    view = out[:, ::2]
    np.subtract(x[:, :2], np.float32(1), out=view)
    expected = host * 2
    expected[:, ::2] = -host[:, :2] - np.float32(1)
    np.testing.assert_array_equal(out.copy_to_host(), expected)
    np.add(y, y, out=out)  # broadcast
    np.testing.assert_array_equal(out.copy_to_host(), np.broadcast_to(other * 2, (3, 4)))
    whole = da.zeros((3, 4), dtype=da.int64)
    with pytest.raises(TypeError, match="same_kind"):
        np.add(x, y, out=whole)
    with pytest.raises(ValueError, match="shape"):
        np.add(x, x, out=y)
    with pytest.raises(TypeError):
        np.add(x, "text", out=out)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        np.add(x, x, out=out)


@pytest.mark.parametrize("other", [np.arange(3, dtype=np.float32), [1, 2, 3], True, np.int8(3), 2.5])
@pytest.mark.parametrize("keywords", [{"casting": "unsafe"}, {"dtype": np.float64}])
def test_operands_of_the_host_beside_a_dtype(other: Any, keywords: dict[str, Any]) -> None:
    """NumPy's search for a loop ended the process where it was told the class of a list, an array or a number."""
    for x in (np.arange(3, dtype=np.int32), np.arange(3, dtype=np.float32)):
        agree(lambda xp, a: xp.add(a, other, **keywords), x)
        agree(lambda xp, a: xp.fmax(other, a, **keywords), x)


@pytest.mark.parametrize("call", ["multiply", "power", "add"])
def test_numbers_beside_bools_in_a_dtype(call: str) -> None:
    for number, dtype in ((2, "uint8"), (3, "float32"), (2, "int16")):
        agree(lambda xp, a, n=number, d=dtype: getattr(xp, call)(n, a, dtype=d), np.array([True, False]))


@pytest.mark.parametrize("casting", ["no", "equiv"])
def test_numbers_take_the_dtype_under_any_rule(casting: str) -> None:
    """NumPy refuses numbers under "equiv", which it takes under "no"."""
    x = np.arange(3, dtype=np.float32)
    for _ in range(100):
        found = da.add(da.asarray(x), 2.5, casting=casting)
    assert (found.dtype, found.tolist()) == (np.float32, [2.5, 3.5, 4.5])


def test_objects_beside_a_dtype() -> None:
    for other in (None, "text", object()):
        with pytest.raises(TypeError, match="add"):
            da.add(da.arange(3), other, dtype=np.float64)


def test_methods_of_functions_that_depend_on_the_order() -> None:
    agree(lambda xp, a: xp.fmod.reduce(a), np.array(3))
    agree(lambda xp, a: xp.fmod.reduce(a, axis=None), np.array(3.5))
    agree(lambda xp, a: xp.fmod.accumulate(a), np.zeros((0,)))
    agree(lambda xp, a: xp.left_shift.accumulate(a, axis=1), np.zeros((3, 0), np.int8))
    agree(lambda xp, a: xp.bitwise_xor.reduce(a, initial=1), np.array([True, False]))
    agree(lambda xp, a: xp.bitwise_or.reduce(a, initial=1), np.array([4, 2], np.int8))
    with pytest.raises(ValueError, match="nothing to begin with"):
        da.fmod.reduce(da.zeros(0))


REDUCED = {
    "one negative number": lambda xp, a: (xp.gcd.reduce(a[:1]), xp.hypot.reduce(a[:1]), xp.lcm.reduce(a[:1])),
    "no axes": lambda xp, a: (xp.gcd.reduce(a, axis=()), xp.fmod.reduce(a, axis=(), initial=7)),
    "integers in floats": lambda xp, a: (xp.logaddexp.reduce(a), xp.hypot.reduceat(a, [0, 2])),
    "what it starts with": lambda xp, a: (xp.subtract.reduce(a, initial=2.5), xp.fmod.reduce(a[:0], initial=4)),
    "truths": lambda xp, a: (xp.logical_or.reduce(a, initial=0), xp.logical_and.reduce(a, initial=2.5)),
    "truths one after the other": lambda xp, a: xp.logical_xor.accumulate(a),
    "nothing of unsigned": lambda xp, a: xp.bitwise_and.reduce(a[:0].astype("uint8")),
    "bools where": lambda xp, a: xp.bitwise_xor.reduce(a, dtype=bool, where=a > 0),
    "extremes where": lambda xp, a: (xp.max(a, initial=2.5, where=a > 0), xp.min(a, initial=2.5, where=a > 0)),
    "what it starts with counts once": lambda xp, a: (
        xp.bitwise_xor.reduce(a, initial=1, where=a > 0),
        xp.hypot.reduce(a, initial=3, where=a > 0),
        xp.logaddexp.reduce(a, initial=1.5, where=a > 8),
        xp.lcm.reduce(a, initial=6, where=a > 0),
    ),
    "an element begins": lambda xp, a: (xp.hypot.reduce(a[:1], initial=None), xp.gcd.reduce(a, initial=None)),
    "steps of nothing": lambda xp, a: xp.divide.accumulate(a[:0]),
}


@pytest.mark.parametrize("name", REDUCED)
def test_reductions_of_rarer_functions(name: str) -> None:
    agree(REDUCED[name], np.array([-4, 6, 9, -2], np.int16))
