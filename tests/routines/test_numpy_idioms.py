"""What NumPy programs and other libraries' tests write: each line under NumPy and under devarray."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),  # decompositions of OpenCL GPUs
]

_COMPLEX = np.array([[1 + 2j, 3, 2, 4j], [1, 1 - 1j, -2, 5j]])
_GAPS = np.array([[1 + 2j, 3, complex("nan")], [5j, -1, 2]])
_NAN = np.array([np.nan, np.nan * 1j + 1])


def _out(dtype: Any, shape: Any = ()) -> Callable[[Any], Any]:
    return lambda xp: xp.zeros(shape, dtype=dtype)


VALUES: dict[str, Callable[[Any], Any]] = {
    "a loop's dtype beside a bool": lambda xp: xp.floor_divide(xp.asarray([True]), True, dtype=xp.float32),
    "remainder in a dtype of bools": lambda xp: xp.remainder(xp.asarray([True]), True, dtype=xp.float32),
    "tril of a row": lambda xp: xp.tril(xp.asarray([1, 2, 3]), -1),
    "triu of a row": lambda xp: xp.triu(xp.asarray([1, 2, 3])),
    "repeat by a list of one": lambda xp: xp.repeat(xp.asarray([1, 2]), [2]),
    "repeat of a number": lambda xp: xp.repeat(3, [2]),
    "squeeze of no axes": lambda xp: xp.squeeze(xp.asarray(3), 0),
    "squeeze of no axes, from the end": lambda xp: xp.squeeze(xp.asarray(3), -1),
    "lexsort of numbers": lambda xp: xp.lexsort(xp.asarray([1, 2])),
    "ravel_multi_index, order None": lambda xp: xp.ravel_multi_index(([0, 1], [1, 1]), (2, 2), order=None),
    "unravel_index, order None": lambda xp: xp.unravel_index(xp.asarray([1, 2]), (2, 2), order=None)[0],
    "median of complex numbers": lambda xp: xp.median(xp.asarray(_COMPLEX)),
    "median of complex rows": lambda xp: xp.median(xp.asarray(_COMPLEX), axis=1, keepdims=True),
    "median of three": lambda xp: xp.median(xp.asarray(_COMPLEX)[:, :3], axis=1),
    "median of complex NaN": lambda xp: xp.median(xp.asarray(_GAPS), axis=0),
    "nanmedian of complex numbers": lambda xp: xp.nanmedian(xp.asarray(_GAPS), axis=1),
    "nanmedian of all": lambda xp: xp.nanmedian(xp.asarray(_GAPS)),
    "bincount of nothing by weights": lambda xp: xp.bincount(xp.asarray([], dtype=int), xp.asarray([], dtype="f4")),
    "einsum of nothing": lambda xp: xp.einsum("ij,i", xp.ones((0, 1)), xp.ones(1)),
    "einsum beside an empty axis": lambda xp: xp.einsum("ij...,ji...->i...", xp.ones((1, 2, 0)), xp.ones((2, 1, 1))),
    "sum into unsigned": lambda xp: xp.sum(xp.asarray([1, 2]), out=_out("u8")(xp)),
    "sum into an integer": lambda xp: xp.sum(xp.asarray([1.5, 2.0]), out=_out("i4")(xp)),
    "prod into an integer": lambda xp: xp.prod(xp.asarray([1.5, 2.0]), out=_out("i4")(xp)),
    "max into an integer": lambda xp: xp.max(xp.asarray([1.5, 2.5]), out=_out("i4")(xp)),
    "mean into an integer": lambda xp: xp.mean(xp.asarray([1.0, 4.0]), out=_out("i4")(xp)),
    "var into an integer": lambda xp: xp.var(xp.asarray([1.0, 4.0]), out=_out("i4")(xp)),
    "cumsum into unsigned": lambda xp: xp.cumsum(xp.asarray([1, 2]), out=_out("u8", 2)(xp)),
    "cumprod into an integer": lambda xp: xp.cumprod(xp.asarray([1.5, 2.0]), out=_out("i4", 2)(xp)),
    "median into an integer": lambda xp: xp.median(xp.asarray([1.5, 2.0]), out=_out("i4")(xp)),
    "sum of complex into real": lambda xp: xp.sum(xp.asarray([1j, 2]), out=_out("f8")(xp)),
    "ravel K of a repeated row": lambda xp: xp.ravel(xp.broadcast_to(xp.asarray([1, 2]), (3, 2)), order="K"),
    "ravel K of a repeated middle": lambda xp: xp.ravel(
        xp.broadcast_to(xp.arange(6).reshape(2, 3).T[:, None], (3, 4, 2)), order="K"
    ),
    "flatten K of a transposed array": lambda xp: xp.arange(24).reshape(2, 3, 4).transpose(2, 0, 1).flatten("K"),
    "roots of complex coefficients": lambda xp: xp.roots(xp.asarray([5, 10], dtype="c8")),
    "polyfit of a whole degree": lambda xp: xp.polyfit(xp.asarray([0.0, 1, 2]), [1.0, 3, 5], 1.0).round(6) + 0,
    "numbers of a text": lambda xp: xp.fromstring("1 2 3", sep=" "),
    "integers of a text": lambda xp: xp.fromstring("1,2", dtype=int, sep=","),
    "correlate of a longer row": lambda xp: xp.correlate(xp.arange(3.0), xp.arange(4.0)),
    "edges by stone's rule": lambda xp: xp.histogram_bin_edges(xp.arange(20.0) ** 2, bins="stone"),
    "counts by stone's rule": lambda xp: xp.histogram(xp.arange(20.0) ** 2, bins="stone", range=(0, 300))[0],
    "bytes as they lie": lambda xp: list(xp.asarray([[1, 2], [3, 4]], order="F").tobytes("A")),
    "bytes of a transposed array": lambda xp: list(xp.arange(6).reshape(2, 3).T.tobytes("A")),
    "dot with a list": lambda xp: xp.asarray([1.0, 2.0]).dot([3, 4]),
    "dot with rows": lambda xp: xp.asarray([[1, 2], [3, 4]]).dot([[1, 0], [2, 1]]),
    "dot with a number": lambda xp: xp.asarray([1.0, 2.0]).dot(3),
    "mean where a list says": lambda xp: xp.asarray([1, 2, 3]).mean(where=[True, False, True]),
    "std where a list says": lambda xp: xp.asarray([[1.0, 2, 4], [2, 3, 5]]).std(axis=0, where=[[True], [True]]),
    "mean where a row of a list says": lambda xp: xp.asarray([[1, 2], [3, 4]]).mean(where=[True, False]),
    "cross of a mask and numbers": lambda xp: xp.linalg.cross(
        xp.asarray([True, False, True]), xp.asarray([1, 2, 3], dtype=xp.uint8)
    ),
    "sum of an array and a poly1d": lambda xp: xp.add(xp.asarray([1.0, 2.0]), xp.poly1d([3, 4])),
    "reshape by an array": lambda xp: xp.arange(6).reshape(xp.asarray([2, 3])),
    "reshape by an empty array": lambda xp: xp.ones(1).reshape(xp.asarray([], dtype=int)),
    "zeros by an array": lambda xp: xp.zeros(xp.asarray([2, 3])),
    "full by NumPy's array": lambda xp: xp.full(np.asarray([2]), 1),
    "broadcast_to by an array": lambda xp: xp.broadcast_to(xp.arange(3), xp.asarray([2, 3])),
    "resize by an array": lambda xp: xp.resize(xp.arange(3), xp.asarray([2, 2])),
    "windows of a value": lambda xp: xp.lib.stride_tricks.sliding_window_view(xp.arange(4), xp.asarray([2])[0]),
    "divmod by position": lambda xp: xp.divmod(xp.asarray([7]), 2, None, None)[1],
    "divmod into the first": lambda xp: xp.divmod(xp.asarray([7]), 2, xp.zeros(1, dtype=int))[1],
    "modf by position": lambda xp: xp.modf(xp.asarray([1.5]), None, xp.zeros(1))[1],
    "frexp by position": lambda xp: xp.frexp(xp.asarray([6.0]), xp.zeros(1), None)[0],
    "pad with numbers that wrap around": lambda xp: xp.pad(xp.arange(3, dtype="u1"), 1, constant_values=-1),
    "pad with pairs that wrap around": lambda xp: xp.pad(
        xp.arange(3, dtype="u1"), 1, constant_values=(300, np.int8(-2))
    ),
    "pad with fractions": lambda xp: xp.pad(xp.arange(3), (1, 2), constant_values=[1.5, 2.9]),
    "pad with complex numbers": lambda xp: xp.pad(xp.ones(2), 1, constant_values=2 + 1j),
    "order None of a ufunc": lambda xp: xp.sqrt(xp.asarray([4.0]), order=None),
    "order a of a ufunc": lambda xp: xp.add(xp.asarray([4.0]), 1, order="a"),
    "vector_norm of order None": lambda xp: xp.linalg.vector_norm(xp.asarray([3.0, 4.0]), ord=None),
    "repeat of no axes along one": lambda xp: xp.repeat(xp.asarray(3), 2, axis=0),
    "compress of no axes along one": lambda xp: xp.compress([True], xp.asarray(3), axis=-1),
    "packbits of no axes along one": lambda xp: xp.packbits(xp.asarray(3), axis=0),
    "unpackbits of no axes along one": lambda xp: xp.unpackbits(xp.asarray(3, dtype="u1"), axis=0),
    "sums of no axes over one": lambda xp: xp.apply_over_axes(xp.sum, xp.asarray(3.0), [0]),
    "nanmean of no axes over one": lambda xp: xp.nanmean(xp.asarray(3.0), axis=0),
    "nanvar of no axes over one": lambda xp: xp.nanvar(xp.asarray(3.0), axis=-1),
    "var in integers": lambda xp: xp.var(xp.asarray([1.5, -2.5, 4.0]), dtype=int),
    "var of rows in integers": lambda xp: xp.asarray([[1, -2, 4], [3, 0, 9]]).var(axis=1, dtype="i4", ddof=1),
    "var in integers where a mask says": lambda xp: xp.asarray([1, -2, 9]).var(dtype=int, where=[True, True, False]),
    "std in integers": lambda xp: xp.std(xp.asarray([1, -2, 9]), dtype=int),
    "nanstd in integers": lambda xp: xp.nanstd(xp.asarray([1, -2, 9]), dtype=int),
    "var in complex numbers": lambda xp: xp.var(xp.asarray([1.0, 2.0]), dtype="c16"),
    "nanstd in complex numbers": lambda xp: xp.nanstd(xp.asarray([1.0, np.nan, 4.0]), dtype="c16"),
    "mean of many halves where a mask says": lambda xp: xp.full(70000, 3, dtype="f2").mean(where=xp.arange(70000) > 2),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::numpy.exceptions.ComplexWarning")
def test_values(name: str) -> None:
    same(VALUES[name](da), VALUES[name](np))


ERRORS: dict[str, Callable[[Any], Any]] = {
    "int of many": lambda xp: int(xp.zeros(3)),
    "float of many": lambda xp: float(xp.zeros(2)),
    "complex of many": lambda xp: complex(xp.zeros(2)),
    "digitize of complex numbers": lambda xp: xp.digitize(xp.asarray([1 + 1j]), [1, 2]),
    "searchsorted by another sorter": lambda xp: xp.searchsorted(xp.asarray([1, 2, 3]), 2, sorter=xp.asarray([0, 1])),
    "cross of masks": lambda xp: xp.linalg.cross(xp.asarray([True] * 3), xp.asarray([True] * 3)),
    "shares of three axes": lambda xp: xp.quantile(xp.arange(3.0), xp.zeros((1, 2, 3))),
    "polyfit in float16": lambda xp: xp.polyfit([0.0, 1, 2], xp.ones(3, dtype=xp.float16), 1),
    "argsort of no axes along one": lambda xp: xp.argsort(xp.asarray(3), axis=2),
    "searchsorted by a sorter of floats": lambda xp: xp.searchsorted(xp.arange(3), 2, sorter=xp.zeros(2)),
    "polyfit of other points": lambda xp: xp.polyfit(xp.arange(3.0), xp.arange(2.0), 1),
    "polyfit of other weights": lambda xp: xp.polyfit(xp.arange(3.0), xp.arange(3.0), 1, w=xp.ones(2)),
    "std into an integer": lambda xp: xp.std(xp.asarray([1.5, 7]), out=xp.zeros((), dtype=int)),
    "std of rows in integers": lambda xp: xp.std(xp.asarray([[1, 2], [3, 5]]), axis=1, dtype=int),
    "max from a number out of range": lambda xp: xp.max(xp.arange(3, dtype="i1"), initial=np.uint8(200)),
    "min from a fraction out of range": lambda xp: xp.min(xp.arange(3, dtype="i1"), initial=np.float64(300)),
    "sum from a row": lambda xp: xp.sum(xp.arange(3), initial=np.array([1, 2])),
    "cov in integers": lambda xp: xp.cov(xp.eye(2), dtype=int),
    "corrcoef in bools": lambda xp: xp.corrcoef(xp.eye(2), dtype=bool),
    "matmul by no rule": lambda xp: xp.matmul(xp.eye(2), xp.eye(2), casting="x"),
    "vecdot by a rule that casts nothing": lambda xp: xp.vecdot(xp.arange(2), xp.ones(2), casting="no"),
    "matvec in no order": lambda xp: xp.matvec(xp.eye(2), xp.ones(2), order="x"),
    "too many axes in an array": lambda xp: xp.zeros(xp.ones(100, dtype=int)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_have_numpys_class(name: str) -> None:
    with pytest.raises(Exception) as theirs:
        ERRORS[name](np)
    wanted = next(kind for kind in theirs.type.__mro__ if kind.__module__ == "builtins")
    with pytest.raises(wanted):
        ERRORS[name](da)


def test_an_integer_value_repeats_lists() -> None:
    for xp in (np, da):
        n = xp.asarray([2, 3]).max()
        assert [0] * n == [0, 0, 0]
        assert n * (1, 2) == (1, 2, 1, 2, 1, 2)
        row = [1]
        row *= n
        assert row == [1, 1, 1]
    same([1, 2] * da.asarray(3), [1, 2] * np.asarray(3))  # an array multiplies


def test_the_rank_of_lstsq_is_numpys() -> None:
    a, b = np.array([[1.0, 2], [3, 4], [5, 6]]), np.ones(3)
    ours, theirs = (xp.linalg.lstsq(xp.asarray(a), xp.asarray(b), rcond=None)[2] for xp in (da, np))
    same(ours, theirs)


DELETED: dict[str, Callable[[Any, Any], Any]] = {
    "where": lambda xp, x: xp.delete(x, xp.where(x == 0)),
    "where, along an axis": lambda xp, x: xp.delete(x.reshape(-1, 4), xp.where(x[:4] == 0), axis=1),
    "argwhere": lambda xp, x: xp.delete(x, xp.argwhere(x > 3)),
    "lists of places": lambda xp, x: xp.delete(x, [[1, 2], [3, -4]]),
    "two places": lambda xp, x: xp.delete(x, [x.argmin(), x.argmax()]),
    "before places in a list": lambda xp, x: xp.insert(x, [x.argmax(), 0], 9),
}


@pytest.mark.parametrize("size", [12, 5000])
@pytest.mark.parametrize("name", DELETED)
def test_elements_are_deleted_where_a_condition_holds(name: str, size: int) -> None:
    x = np.arange(size) * 3 % 7
    same(DELETED[name](da, da.asarray(x)), DELETED[name](np, x))


@pytest.mark.parametrize("places", [[[1, 2]], (np.array([1, 2]),)])
def test_places_to_insert_before_have_one_dimension(places: Any) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError, match="must be one dimensional or scalar"):
            xp.insert(xp.arange(5), places, 0)


SCALARS: dict[str, Callable[[Any], Any]] = {
    "interp": lambda xp: xp.interp(2.5, [1, 2, 3], [10, 20, 30]),
    "interp of a value": lambda xp: xp.interp(xp.asarray([2.5])[0], xp.asarray([1.0, 3]), xp.asarray([1j, 2])),
    "max of nothing": lambda xp: xp.max(xp.asarray([]), initial=3),
    "median of one": lambda xp: xp.median([1, 2]),
    "the sum of no weights": lambda xp: xp.average([1, 2], returned=True)[1],
}


@pytest.mark.parametrize("name", SCALARS)
def test_results_of_numbers_are_values(name: str) -> None:
    ours, theirs = SCALARS[name](da), SCALARS[name](np)
    assert np.isscalar(theirs)
    assert da.isscalar(ours)
    same(ours, theirs)


def test_isscalar_tells_values_from_arrays() -> None:
    for xp in (np, da):
        x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
        found = [xp.isscalar(y) for y in (x[0, 0], x.sum(), x[0], xp.asarray(1.0), 3)]
        assert found == [True, True, False, False, True]


def test_the_class_takes_parameters_as_annotations_do() -> None:
    assert da.ndarray[Any, np.dtype[np.float64]].__origin__ is da.Array


def test_a_long_array_is_shown_as_print_options_say() -> None:
    x = da.arange(30)
    with np.printoptions(threshold=10, edgeitems=2):
        assert repr(x).startswith("Array([ 0,  1, ..., 28, 29], shape=(30,)")
    with np.printoptions(threshold=5000):
        assert "..." not in repr(da.arange(2000))


def test_dictionaries_are_compared() -> None:
    da.testing.assert_equal({"a": da.arange(2)}, {"a": np.arange(2)})
    with pytest.raises(AssertionError):
        da.testing.assert_equal({"a": da.arange(2)}, {"a": np.arange(1, 3)})


def test_masked_arrays_are_made_of_arrays_of_the_device() -> None:
    from devarray.ma import masked_invalid

    x = da.asarray([1.0, np.nan, 3.0])
    made = {
        "invalid": masked_invalid(x),
        "where": da.ma.masked_where(x > 1, x),
        "array": da.ma.masked_array(x, mask=da.asarray([True, False, False])),
    }
    host = x.copy_to_host()
    wanted = {
        "invalid": np.ma.masked_invalid(host),
        "where": np.ma.masked_where(host > 1, host),
        "array": np.ma.masked_array(host, mask=[True, False, False]),
    }
    for name, found in made.items():
        assert isinstance(found, da.ma.MaskedArray)
        np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(wanted[name]))
        np.testing.assert_array_equal(found.filled(-1), wanted[name].filled(-1))
    assert da.ma.mean(made["invalid"]) == 2
    with da.use(fallback="raise"), pytest.raises(da.Error, match=r"ma\.masked_invalid"):
        masked_invalid(x)


# --- records -------------------------------------------------------------------------------------------------------

RECORDS = np.array([(1, (2, 3.0), True), (4, (5, 6.0), False)], [("n", "i4"), ("xy", "f8", 2), ("on", "?")])


def test_a_record_is_its_fields() -> None:
    ours, theirs = da.asarray(RECORDS)[1], RECORDS[1]
    assert len(ours) == len(theirs)
    assert [x.tolist() for x in ours] == [np.asarray(x).tolist() for x in theirs]
    assert ours[1].tolist() == theirs[1].tolist()
    n, xy, on = ours
    assert (int(n), xy.tolist(), bool(on)) == (4, [5.0, 6.0], False)


def test_records_are_compared_by_their_fields() -> None:
    ours, other = da.asarray(RECORDS), RECORDS.copy()
    other["xy"][1, 0] = 9
    for theirs in (RECORDS, other):
        same(ours == da.asarray(theirs), theirs == RECORDS)
        same(ours != theirs, theirs != RECORDS)
    assert bool(ours[0] == ours[0])
    assert not bool(ours[0] == ours[1])


def test_records_are_joined() -> None:
    ours = da.asarray(RECORDS)
    for join in ("concatenate", "stack", "vstack", "hstack"):
        found = getattr(da, join)([ours, ours[::-1]])
        theirs = getattr(np, join)([RECORDS, RECORDS[::-1]])
        assert found.shape == theirs.shape
        assert found.copy_to_host().tobytes() == theirs.tobytes()
    with pytest.raises(TypeError, match="one dtype"):
        da.concatenate([ours, da.zeros(2, "i4,f4")])


# --- random order of what no device holds ----------------------------------------------------------------------------


def test_texts_are_chosen_and_permuted_on_the_host() -> None:
    words = ["a", "b", "c"]
    for rng in (da.random, da.random.default_rng(1)):
        assert rng.choice(words) in words
        assert set(rng.choice(words, 20).tolist()) <= set(words)
        assert sorted(rng.choice(words, 3, replace=False).tolist()) == words
        assert sorted(rng.permutation(words).tolist()) == words
        assert rng.choice(np.asarray(words), 2, p=[0, 1, 0]).tolist() == ["b", "b"]


def test_lists_are_shuffled_in_place() -> None:
    row: list[Any] = [1, "b", None, 4]
    before = list(row)
    da.random.default_rng(2).shuffle(row)
    assert sorted(map(str, row)) == sorted(map(str, before))


def test_permutation_takes_a_value() -> None:
    n = da.asarray([3, 4])[0]
    assert sorted(da.random.permutation(n).tolist()) == [0, 1, 2]
    assert sorted(da.random.choice(n, 3, replace=False).tolist()) == [0, 1, 2]


def test_a_table_of_text_and_numbers_is_read() -> None:
    text = "a,b\n1,2.5\n3,\n"
    for xp in (np, da):
        table = xp.genfromtxt(io.StringIO(text), delimiter=",", names=True)
        assert table.dtype.names == ("a", "b")
        assert np.isnan(float(table["b"][1]))


@pytest.mark.parametrize("cast", [lambda xp, x: x.astype("f4", order="F"), lambda xp, x: xp.asarray(x, dtype="f4")])
def test_dropped_imaginary_parts_are_told_at_the_line_of_the_program(cast: Callable[..., Any]) -> None:
    for xp in (np, da):
        x = xp.asarray([[1 + 2j, 3], [4, 5]], dtype="c8")
        with pytest.warns(np.exceptions.ComplexWarning) as told:
            same(cast(xp, x), np.array([[1, 3], [4, 5]], "f4"))
        assert [warning.filename for warning in told] == [__file__]
