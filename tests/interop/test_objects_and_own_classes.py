"""Decimals, fractions and texts given to functions, and classes that say themselves what functions give."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import devarray as da

D = Decimal
HALVES = [D("1.5"), D("-2.5")]
OBJECTS = {
    "abs": lambda xp: xp.abs(xp.array(HALVES)),
    "add": lambda xp: xp.add(xp.array(HALVES), 1),
    "multiply of single ones": lambda xp: xp.multiply(D("1.5"), 2),
    "fraction": lambda xp: xp.maximum(Fraction(1, 3), 0),
    "equal": lambda xp: xp.equal(D("1.5"), 1.5),
    "power": lambda xp: xp.power(xp.array(HALVES), 2),
    "dtype=": lambda xp: xp.add(D(1), 2, dtype=object),
    "texts added": lambda xp: xp.add(xp.array(["a", "b"]), "c"),
    "texts compared": lambda xp: xp.equal(["a", "b"], "a").tolist(),
    "sum": lambda xp: xp.sum(HALVES),
    "mean": lambda xp: xp.mean(xp.array(HALVES)),
    "cumsum": lambda xp: xp.cumsum(HALVES),
    "max": lambda xp: xp.max(HALVES),
    "sort": lambda xp: xp.sort(HALVES),
    "unique": lambda xp: xp.unique(HALVES),
    "dot": lambda xp: xp.dot(HALVES, [1, 2]),
    "where": lambda xp: xp.where([True, False], D(3), 0),
    "broadcast_arrays": lambda xp: xp.broadcast_arrays(D("1.5"), [1, 2])[0],
    "atleast_1d": lambda xp: xp.atleast_1d(D(1)),
    "tile": lambda xp: xp.tile(D(1), 2),
    "full": lambda xp: xp.full((2, 2), D(1)),
    "zeros_like": lambda xp: xp.zeros_like(xp.array([HALVES, HALVES])),
    "zeros_like of texts": lambda xp: xp.zeros_like(["a", "b"]),
    "ones_like": lambda xp: xp.ones_like(xp.array(HALVES)),
    "full_like": lambda xp: xp.full_like(xp.array(["x", "y"]), "z"),
    "empty_like": lambda xp: xp.empty_like(xp.array(HALVES)),
}


@pytest.mark.parametrize("case", OBJECTS)
def test_functions_of_objects_and_texts_are_numpys(case):
    expected, got = OBJECTS[case](np), OBJECTS[case](da)
    assert getattr(got, "dtype", type(got)) == getattr(expected, "dtype", type(expected))
    np.testing.assert_array_equal(got, expected)


def test_texts_in_a_list_beside_an_array_of_the_device():
    with da.use(fallback="allow"):
        assert da.hstack([da.arange(2), ["a", "b"]]).tolist() == ["0", "1", "a", "b"]


@pytest.mark.parametrize("call", [lambda: da.sqrt("x"), lambda: da.add(["a"], 1), lambda: da.sum(["a"])])
def test_texts_that_numpy_refuses_are_a_dtype_error(call):
    with pytest.raises(da.DTypeError):
        call()


class Metres:
    """A class with units that is no class of NumPy's."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return Metres(getattr(ufunc, method)(*(x.values if isinstance(x, Metres) else x for x in inputs), **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        return f"Metres: {function.__name__}"


class Tagged(np.ndarray):
    """A class of NumPy's arrays with units."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return f"Tagged: {ufunc.__name__}"

    def __array_function__(self, function, types, args, kwargs):
        return f"Tagged: {function.__name__}"


def test_classes_with_ufuncs_of_their_own_are_asked():
    assert isinstance(da.exp(Metres([1.0])), Metres)
    assert isinstance(da.maximum(Metres([1.0]), 2), Metres)
    assert isinstance(da.add(Metres([1.0]), 2, dtype=float), Metres)
    assert da.sqrt(np.ones(2).view(Tagged)) == "Tagged: sqrt"


class Noting:
    """A class that notes for which method of a ufunc, and with what besides, it was asked."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        self.asked = ufunc.__name__, method, len(inputs), sorted(kwargs.items())


METHODS_OF_OWN_CLASSES = {
    "reduce": lambda xp, x: xp.add.reduce(x),
    "reduce along an axis": lambda xp, x: xp.add.reduce(x, axis=1, keepdims=True),
    "accumulate": lambda xp, x: xp.maximum.accumulate(x, axis=-1, dtype=float),
    "reduceat": lambda xp, x: xp.add.reduceat(x, [0, 2]),
    "outer": lambda xp, x: xp.multiply.outer([1.0, 2.0], x),
    "at": lambda xp, x: xp.add.at(x, [0], 1),
    "out": lambda xp, x: xp.add.reduce([1.0], out=x),
}


@pytest.mark.parametrize("case", METHODS_OF_OWN_CLASSES)
def test_classes_with_ufuncs_of_their_own_are_asked_for_methods(case):
    theirs, ours = Noting(), Noting()
    METHODS_OF_OWN_CLASSES[case](np, theirs)
    METHODS_OF_OWN_CLASSES[case](da, ours)
    assert ours.asked[:3] == theirs.asked[:3]
    assert [key for key, _ in ours.asked[3]] == [key for key, _ in theirs.asked[3]]


def test_a_method_of_a_class_with_units_works_on_the_device():
    length = da.add.reduce(Metres(da.arange(4)))
    assert isinstance(length, Metres)
    assert isinstance(length.values, da.Array)
    assert length.values.item() == 6


def test_classes_with_functions_of_their_own_are_asked():
    assert da.mean(Metres([1.0])) == "Metres: mean"
    assert da.mean(np.ones(2).view(Tagged)) == "Tagged: mean"
    assert da.stack([np.ones(2).view(Tagged)] * 2) == "Tagged: stack"
    assert da.concatenate([Metres([1.0]), da.ones(2)]) == "Metres: concatenate"


METHODS_OF_COLUMNS = {
    "cumsum": lambda xp, x: xp.cumsum(x),
    "around": lambda xp, x: xp.around(x, 1),
    "argsort": lambda xp, x: xp.argsort(x),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "transpose": lambda xp, x: xp.transpose(x),
    "cumprod": lambda xp, x: xp.cumprod(x),
}


@pytest.mark.parametrize("case", METHODS_OF_COLUMNS)
def test_functions_of_columns_are_their_methods(case):
    column = pytest.importorskip("pandas").Series([3.25, 1, 2], index=["a", "b", "c"])
    assert METHODS_OF_COLUMNS[case](da, column).equals(METHODS_OF_COLUMNS[case](np, column))


def test_sums_of_tables_keep_their_columns():
    table = pytest.importorskip("pandas").DataFrame({"x": [1.0, 2], "y": [3.0, 4]})
    for name in ("sum", "mean", "max", "std", "any"):
        assert getattr(da, name)(table, axis=0).equals(getattr(np, name)(table, axis=0))
    assert da.sum(table["x"]) == np.sum(table["x"])


def test_columns_of_pandas_stay_columns():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([1.0, 4.0], index=["a", "b"])
    assert da.sqrt(column).equals(np.sqrt(column))
    assert da.maximum(column, 2).equals(np.maximum(column, 2))
    assert da.sqrt(pandas.DataFrame({"x": column})).equals(np.sqrt(pandas.DataFrame({"x": column})))


class OfAnotherDevice:
    """An array that does not turn into one of NumPy's."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("implicit conversion is not allowed")


@pytest.mark.parametrize("name", ["exp", "maximum", "sum", "sort", "concatenate"])
def test_what_makes_no_array_is_named_with_the_function(name):
    given = OfAnotherDevice()
    operands = {"maximum": (given, given), "concatenate": ([given, given],)}.get(name, (given,))
    with pytest.raises(da.DTypeError, match=r"OfAnotherDevice \(implicit conversion is not allowed"):
        getattr(da, name)(*operands)


def test_clip_and_round_of_columns_keep_their_labels() -> None:
    pd = pytest.importorskip("pandas")
    column = pd.Series([1.25, 5.75, -2.5], index=["a", "b", "c"])
    for made, expected in (
        (da.clip(column, 1, 2), np.clip(column, 1, 2)),
        (da.clip(column, 0, None), np.clip(column, 0, None)),
        (da.round(column), np.round(column)),
        (da.round(column, 1), np.round(column, 1)),
        (da.around(pd.DataFrame({"x": column})), np.around(pd.DataFrame({"x": column}))),
    ):
        assert made.equals(expected)
        assert list(made.index) == ["a", "b", "c"]
