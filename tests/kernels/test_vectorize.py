"""vectorize, frompyfunc and jit: NumPy's results, branches as `where`, one kernel, refusals by their line."""

from __future__ import annotations

import gc
import math
import warnings
import weakref
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle import moderate, same, skip_without

import devarray as da
from devarray import errors


def clipped(x, low, high):
    if x < low:
        return low
    elif x > high:
        return high
    return x


def chained(x, y):
    return x * 2 if 0 < x <= y or (y > 3 and x != 1) else -y


def assigned(x):
    y = x
    if x > 1:
        y = x * 10
        z = 1.0
    else:
        z = y - 3.0
    y += z
    return y


def guarded(x):
    if x < 0:
        return 0.0
    t = 1.0
    for k in range(1, 5):
        t = t * x / k
    if t > 2:
        t = 2.0 + t
    return max(t, 0.5)


def several(x, y):
    return (x + y, x) if x > y else (x - y, y)


def mathematical(x):
    """Of the math module."""
    return math.sqrt(abs(x)) + math.sin(x) * math.pi + float(int(x)) + math.floor(x)


CASES = [
    (clipped, 3),
    (chained, 2),
    (assigned, 1),
    (guarded, 1),
    (several, 2),
    (mathematical, 1),
    (lambda x, y: x if x > y else y, 2),
    (lambda x: (x > 1) + 0.5, 1),
    (lambda x, n=2: x**n, 1),
]


@pytest.mark.parametrize("function, count", CASES)
def test_against_numpys(device, function, count):
    skip_without("float64")
    args = [moderate("float64", shape, seed) for seed, shape in enumerate([(6, 7), (7,), (6, 1)][:count])]
    wanted = np.vectorize(function)(*args)
    found = da.vectorize(function)(*map(da.asarray, args))
    for ours, theirs in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, wanted)), strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours.copy_to_host(), theirs.astype(ours.dtype), rtol=1e-13)


@pytest.mark.usefixtures("kernels")
def test_it_is_one_kernel(device, deferred):
    function = da.vectorize(guarded)
    x = da.asarray(moderate("float32", 1000, 1))
    (function(x) + 1).evaluate()
    da.reset_stats()
    (function(x) + 1).evaluate()
    assert da.stats()["launches"] == 1


def test_scalars_lists_and_shapes(device):
    same(da.vectorize(lambda x, y: x + y)(da.asarray([1, 2]), 3), np.array([4, 5]))
    same(da.vectorize(lambda x, y: y)(da.zeros((2, 3)), da.asarray([1, 2, 3])), np.array([[1, 2, 3]] * 2))
    same(da.vectorize(lambda x: 7)(da.zeros((2, 3))), np.full((2, 3), 7))
    same(da.vectorize(lambda x: x + 1)([1, 2]), np.array([2, 3]))


def test_numpys_parameters(device):
    skip_without("float64")
    x = da.asarray([1.5, 2.5])
    same(da.vectorize(lambda v: v * 2, otypes=["int32"])(x), np.array([3, 5], "int32"))
    same(da.vectorize(lambda v: (v, v), otypes="fd")(x)[0], np.array([1.5, 2.5], "f"))
    power = da.vectorize(lambda v, coefficients: sum(c * v**k for k, c in enumerate(coefficients)), excluded={1})
    same(power(x, [1, 2, 3]), 1 + 2 * np.array([1.5, 2.5]) + 3 * np.array([1.5, 2.5]) ** 2)

    @da.vectorize(otypes=[float], doc="Documented.")
    def decorated(v):
        """Not this."""
        return v + 1

    same(decorated(x), np.array([2.5, 3.5]))
    assert decorated.__doc__ == "Documented." and da.vectorize(mathematical).__doc__ == "Of the math module."


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def test_what_cannot_be_followed_goes_through_the_host(device, monkeypatch):
    n = np.arange(1, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        monkeypatch.setattr(da.config, "fallback", "allow")
        same(da.vectorize(collatz)(da.asarray(n)), np.vectorize(collatz)(n))
        rows = moderate("float64", (5, 4), 1)
        dots = da.vectorize(np.dot, signature="(n),(n)->()")
        np.testing.assert_allclose(dots(da.asarray(rows), da.asarray(rows)).copy_to_host(), (rows * rows).sum(1))
    monkeypatch.setattr(da.config, "fallback", "raise")
    with pytest.raises(errors.Error, match=r"collatz, line \d+: `while n != 1:`: how often it runs depends on values"):
        da.vectorize(collatz)(da.asarray(n))


def test_jit_names_what_it_refuses(device):
    with pytest.raises(TypeError, match=r"collatz, line \d+: `while n != 1:`"):
        da.jit(collatz)(da.asarray([3, 4]))

    @da.jit
    def searching(x):
        for k in range(3):
            if x > k:
                break
        return k

    with pytest.raises(TypeError, match=r"searching, line .*break"):
        searching(da.asarray([1, 2]))

    @da.jit
    def nothing(x):
        if x > 0:
            return x

    with pytest.raises(TypeError, match="without a return"):
        nothing(da.asarray([1, 2]))


def helper(x):
    if x > 0:
        return x
    return -x / 2


def test_jit_follows_functions_that_are_called(device):
    @da.jit
    def outer(x, scale=3.0):
        total = x.sum()
        return helper(x) * scale + total

    a = moderate("float64", 50, 1)
    np.testing.assert_allclose(
        outer(da.asarray(a)).copy_to_host(), np.where(a > 0, a, -a / 2) * 3 + a.sum(), rtol=1e-12
    )


def test_frompyfunc(device):
    made = da.frompyfunc(several, 2, 2)
    a, b = moderate("int64", 9, 1), moderate("int64", 9, 2)
    first, second = made(da.asarray(a), da.asarray(b))
    same(first, np.where(a > b, a + b, a - b))
    same(second, np.maximum(a, b))
    with pytest.raises(TypeError, match="takes 2 arguments"):
        made(da.asarray(a))
    with pytest.raises(TypeError, match="gives 2 results, not 1"):
        da.frompyfunc(several, 2, 1)(da.asarray(a), da.asarray(b))


FUNCTIONS = {
    "texts": (bin, 1, 1, ([3, 1, 2],)),
    "texts and none": (lambda v: None if v else "zero", 1, 1, ([0, 1],)),
    "lists": (lambda v: [int(v)] * 2, 1, 1, ([0, 1],)),
    "fractions": (Fraction, 2, 1, ([1, 2], 3)),
    "of texts": (lambda a, b: a + b, 2, 1, (["a", "bc"], "d")),
    "a number": (lambda v: v * 2, 1, 1, (5,)),
    "two numbers": (divmod, 2, 2, (7, 2)),
    "nothing": (bin, 1, 1, (np.empty(0, int),)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_are_no_arrays_of_numbers_is_numpys(name: str) -> None:
    function, nin, nout, args = FUNCTIONS[name]
    wanted = np.frompyfunc(function, nin, nout)(*args)
    with da.use(fallback="allow"):
        got = da.frompyfunc(function, nin, nout)(*args)
        if isinstance(wanted, np.ndarray):
            np.testing.assert_array_equal(got, wanted, strict=True)
            assert got[da.arange(got.size)[::-1]].tolist() == wanted[::-1].tolist()
        else:
            assert (type(got), got) == (type(wanted), wanted)


def test_ufunc_methods_of_frompyfunc_are_numpys() -> None:
    def both(a, b):
        return a * 2 + b

    made, theirs = da.frompyfunc(both, 2, 1, identity=0), np.frompyfunc(both, 2, 1, identity=0)
    x = np.arange(4)
    assert (made.nin, made.nout, made.identity) == (theirs.nin, theirs.nout, theirs.identity)
    with da.use(fallback="allow"):
        for given in (da.asarray(x), x.tolist()):
            assert made.reduce(given) == theirs.reduce(x)
            same(made.accumulate(given, dtype=object), theirs.accumulate(x, dtype=object))
            same(made.outer(given, given), theirs.outer(x, x))
    with pytest.raises(AttributeError, match="no_method"):
        _ = made.no_method


def test_a_function_with_attributes_stays_apart_from_vectorizes_own() -> None:
    def total(row):
        return row.sum()

    total._on_host = total.pyfunc = total.signature = "the function's own"
    made = da.vectorize(total, signature="(n)->()")
    assert (made.signature, made.pyfunc) == ("(n)->()", total)
    with da.use(fallback="allow"):
        same(made(da.asarray(np.eye(3))), np.ones(3))


def test_a_function_is_not_kept() -> None:
    def half(a):
        return a / 2

    assert da.vectorize(half)(da.asarray([3.0])).item() == 1.5
    seen = weakref.ref(half)
    del half
    gc.collect()
    assert seen() is None, "nor what its globals hold"


def test_what_cannot_be_followed_is_called_for_each_element() -> None:
    """Loops over a range of values, dictionaries, texts: on the host, with the results of NumPy's."""
    names = {1: "one", 2: "two"}
    functions = {
        "range": lambda a: sum(range(int(a) + 1)),
        "dictionary": lambda a: {1: 10, 2: 20}[a],
        "text": lambda a: str(a),
        "formatted": lambda a: f"<{a}>",
        "chosen text": lambda a: "high" if a > 1 else "low",
        "constant text": lambda a: "x",
        "looked up text": lambda a: names[a],
        "method": lambda a: (a * 1.0).is_integer(),
    }
    x = np.array([1, 2, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.HiddenTransferWarning)
        for name, function in functions.items():
            same(da.vectorize(function)(da.asarray(x)), np.vectorize(function)(x), name)


def test_numbers_beside_arrays_have_numpys_dtypes() -> None:
    skip_without("float64")
    x = np.array([1, 2], np.float32)
    same(da.vectorize(lambda a, b: a + b)(da.asarray(x), 0.5), np.vectorize(lambda a, b: a + b)(x, 0.5))


def test_the_error_of_the_function_is_its_own() -> None:
    with warnings.catch_warnings(), pytest.raises(KeyError):
        warnings.simplefilter("ignore", da.HiddenTransferWarning)
        da.vectorize(lambda a: {1: 10}[a])(da.asarray([1, 7]))


def test_texts_go_through_numpys() -> None:
    lengths = da.vectorize(len)(["ab", "c"])
    assert isinstance(lengths, da.Array)
    np.testing.assert_array_equal(lengths.copy_to_host(), [2, 1])
    assert da.vectorize(str.upper)(np.array(["a", "b"])).tolist() == ["A", "B"]
    with da.use(fallback="allow"):
        made = da.vectorize(lambda text, n: len(text) + n)(np.array(["ab", "c"]), da.arange(2))
    np.testing.assert_array_equal(made.copy_to_host(), [2, 2])
    with da.use(fallback="raise"), pytest.raises(da.Error, match="texts or objects"):
        da.vectorize(lambda text, n: len(text) + n)(np.array(["ab", "c"]), da.arange(2))


@pytest.mark.usefixtures("device")
def test_arguments_that_the_function_does_not_take():
    function = da.vectorize(lambda x, y: x + y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing goes to the host on the way
        with pytest.raises(errors.DTypeError, match=r"\(x, y\): missing a required argument: 'y'"):
            function(da.arange(3))
        with pytest.raises(errors.DTypeError, match="too many positional arguments"):
            function(da.arange(3), 1, 2)
    assert function(da.arange(3), y=1).sum() == 6


@pytest.mark.usefixtures("device")
def test_functions_without_source():
    same(da.vectorize(max)(da.asarray([1, 5]), 3), np.array([3, 5]))
    made: dict[str, Any] = {}
    exec("def f(x): return len(str(x))", made)
    with pytest.warns(errors.HiddenTransferWarning, match="its source is not known"):
        same(da.vectorize(made["f"])(da.asarray([1, 10, 100])), np.array([1, 2, 3]))


_ROW = np.array([1, 2, 3])
_COUNT = iter(range(1000))


class _Total:
    def __init__(self) -> None:
        self.total = 0

    def __call__(self, x: int) -> int:
        self.total += int(x)
        return self.total


def _held() -> Any:
    held: list[Any] = []

    def count(x: Any) -> int:
        held.append(x)
        return len(held)

    return count


NOT_OF_ARRAYS: dict[str, Callable[[], Any]] = {
    "the nearest of a row": lambda: lambda x: np.abs(_ROW - x).argmin(),
    "a reduction": lambda: lambda x: (x * np.arange(3.0)).sum(),
    "a reduction of other arrays": lambda: lambda x: np.sum(x < _ROW),
    "a product of rows": lambda: lambda x: _ROW @ (_ROW * x),
    "a list": lambda: lambda x: np.max([x, 2]),
    "what is drawn": lambda: lambda x: x + next(_COUNT) * 0 + len({next(_COUNT) for _ in range(3)}),
    "an object": lambda: _Total(),
    "what is changed": _held,
    "texts": lambda: lambda x: len(str(x)),
    "a class": lambda: lambda x: 1 if isinstance(x, (int, np.integer)) else 2,
    "a scalar": lambda: lambda x: np.isscalar(x),
    "great integers": lambda: lambda x: 2 ** int(x + 60) % 1000,
    "the size": lambda: lambda x: np.size(x),
    "an element of a list": lambda: lambda x: [5, 6, 7, 8][int(x)],
    "an error": lambda: lambda x: float(np.linalg.norm([x, 3])),
}


@pytest.mark.parametrize("name", NOT_OF_ARRAYS)
def test_what_is_no_function_of_arrays_runs_for_each_element(name: str) -> None:
    values = np.array([0, 2, 3])
    expected = np.vectorize(NOT_OF_ARRAYS[name](), otypes=[float])(values)
    with da.use(fallback="allow"):
        same(da.vectorize(NOT_OF_ARRAYS[name](), otypes=[float])(da.asarray(values)), expected)


def test_what_is_drawn_is_drawn_for_each_element() -> None:
    draw = np.random.default_rng(3)
    with da.use(fallback="allow"):
        made = da.vectorize(lambda p: draw.random() < p)(da.asarray(np.full(64, 0.5))).copy_to_host()
    assert made.any() and not made.all()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x**2 + 3 * x - 1,
        lambda x: max(x, 1) * min(x, 2, 1.5),
        lambda x: math.sin(x) if x > 1 else math.cos(x),
        lambda x: np.sqrt(x) + abs(x - 2),
        lambda x: np.where(x > 1, x, -x),
        lambda x: sum(c * x**k for k, c in enumerate([1.0, 2.0, 3.0])),
        lambda x: x.real + float(x),
        lambda x: _twice(x) + max([x, 2.0]),
    ],
)
def test_functions_of_elements_stay_on_the_device(function: Any) -> None:
    values = np.array([0.0, 2.0, 3.5])
    with da.use(fallback="raise"):
        made = da.vectorize(function)(da.asarray(values))
    np.testing.assert_allclose(made.copy_to_host(), np.vectorize(function)(values), rtol=1e-14)


def _twice(x: float) -> float:
    return x * 2 if x > 2 else x


def test_signatures_of_numbas():
    with pytest.raises(errors.DTypeError, match="signatures of types, as numba's, are not needed"):
        da.vectorize(["float64(float64)"])


@pytest.mark.parametrize("otypes", [None, "f", ["i8"], "fd", [np.float32, "i2"], "O", float], ids=str)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)], ids=str)
@pytest.mark.parametrize("function", [lambda x: x + 1, lambda x: 1 / 0, lambda x: (x, x), lambda x: 1 if x else 2])
def test_of_nothing_the_dtypes_must_be_known(function: Any, shape: tuple[int, ...], otypes: Any) -> None:
    try:
        expected = np.vectorize(function, otypes=otypes)(np.zeros(shape))
    except ValueError as error:
        with pytest.raises(ValueError, match="size 0|otypes" if "size 0" in str(error) else "otypes"):
            da.vectorize(function, otypes=otypes)(da.zeros(shape))
        return
    found = da.vectorize(function, otypes=otypes)(da.zeros(shape))
    assert isinstance(found, tuple) == isinstance(expected, tuple)
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for ours, theirs in pairs:
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)


def test_of_nothing_shapes_are_broadcast() -> None:
    plus = da.vectorize(lambda x, y: x + y, otypes="d")
    assert plus(da.zeros((0, 1)), da.zeros(3)).shape == (0, 3)
    assert plus(da.zeros((0, 1)), y=3).shape == (0, 1)
    with pytest.raises(ValueError, match="size 0"):
        da.vectorize(lambda x, y: x + y)(da.zeros((0, 1)), da.zeros(3))


def factorial(n: Any) -> Any:
    return 1 if n <= 1 else n * factorial(n - 1)


PYTHONS: dict[str, tuple[Callable[..., Any], np.ndarray]] = {
    "distances of bytes": (lambda p: abs(p - 10), np.array([200, 0, 3], "u1")),
    "truths as numbers": (lambda v: int(v > 0) + int(v > 1), np.array([-1.0, 0.5, 2])),
    "sums of truths": (lambda v: (v > 0) + (v > 1), np.array([-1.0, 0.5, 2])),
    "a byte's root": (math.sqrt, np.array([200, 3], "u1")),
    "a whole number's remainder": (lambda v: math.fmod(v, 2), np.array([5, -3])),
    "floor of bytes": (lambda v: math.floor(v), np.array([5, 3], "u1")),
    "the larger one beside NaN": (lambda v: max(0.0, v), np.array([np.nan, -1.0, 2])),
    "the smaller one beside NaN": (lambda v: min(v, 1.0), np.array([np.nan, -1.0, 2])),
    "rounded to digits": (lambda v: round(v, 2), np.array([1.115, 2.675])),
}


@pytest.mark.parametrize("name", PYTHONS)
@pytest.mark.filterwarnings("ignore::devarray.errors.HiddenTransferWarning")
def test_elements_are_pythons_numbers(name: str) -> None:
    function, h = PYTHONS[name]
    with np.errstate(invalid="ignore"):
        same(da.vectorize(function)(da.asarray(h)), np.vectorize(function)(h))


TYPED: dict[str, tuple[Callable[..., Any], np.ndarray]] = {
    "bytes that are negated": (lambda p: math.exp(-p), np.array([200, 0, 3], "u1")),
    "differences of bytes": (lambda p: p - 10, np.array([200, 0, 3], "u1")),
    "products of 32 bits": (lambda p: p * 100000, np.array([100000, 2], "i4")),
    "a truth negated": (lambda v: -(v > 0), np.array([-1.0, 0.5, 2])),
    "sums of truths": (lambda v: (v > 0) + (v > 1), np.array([-1.0, 0.5, 2])),
}


@pytest.mark.parametrize("name", TYPED)
def test_elements_of_functions_whose_results_have_dtypes(name: str) -> None:
    function, h = TYPED[name]
    same(da.vectorize(function, otypes=[float])(da.asarray(h)), np.vectorize(function, otypes=[float])(h))


@pytest.mark.filterwarnings("ignore::devarray.errors.HiddenTransferWarning")
def test_functions_that_call_themselves() -> None:
    h = np.array([1, 2, 5])
    same(da.vectorize(factorial)(da.asarray(h)), np.vectorize(factorial)(h))
