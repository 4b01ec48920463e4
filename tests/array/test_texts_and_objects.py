"""Texts and objects, which no device holds: NumPy's arrays on the host, and NumPy's functions of them."""

from __future__ import annotations

import copy
import importlib
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da

WORDS = ["pear", "fig", "plum", "fig"]

CALLS: dict[str, Callable[[Any], Any]] = {
    "array of texts": lambda xp: xp.array(WORDS),
    "array of bytes": lambda xp: xp.array([b"ab", b"c"], ndmin=2),
    "array of objects": lambda xp: xp.array([None, "a", 1.5], dtype=object),
    "array as texts": lambda xp: xp.array([1, 20], dtype="U3"),
    "asarray": lambda xp: xp.asarray(WORDS),
    "asarray of bytes": lambda xp: xp.asarray([1, 20], dtype="S3", order="F"),
    "asanyarray": lambda xp: xp.asanyarray(xp.array(WORDS)),
    "select": lambda xp: xp.select([[True, False], [True, True]], ["high", "low"], "none"),
    "upper": lambda xp: xp.char.upper(xp.array(WORDS)),
    "add": lambda xp: xp.strings.add(WORDS, "s"),
    "empty": lambda xp: xp.empty((2, 3), dtype=object),
    "zeros of texts": lambda xp: xp.zeros(2, dtype="U5"),
    "zeros of objects": lambda xp: xp.zeros((2, 2), object, "F"),
    "ones": lambda xp: xp.ones(2, dtype="S2"),
    "full": lambda xp: xp.full((2, 2), "."),
    "full of zeros": lambda xp: xp.full(2, 0, "U2"),
    "full of objects": lambda xp: xp.full(2, None, object),
    "unique": lambda xp: xp.unique(WORDS),
    "isin": lambda xp: xp.isin(["fig", "kiwi"], WORDS),
    "sort": lambda xp: xp.sort(xp.array(WORDS)),
    "searchsorted": lambda xp: xp.searchsorted(["a", "c"], "b"),
    "concatenate": lambda xp: xp.concatenate([xp.array(WORDS), ["kiwi"]]),
    "where": lambda xp: xp.where([True, False], "yes", "no"),
    "argsort": lambda xp: xp.argsort(WORDS, kind="stable"),
    "union1d": lambda xp: xp.union1d(WORDS, ["kiwi"]),
    "intersect1d": lambda xp: xp.intersect1d(xp.array(WORDS), ["fig", "kiwi"]),
    "setdiff1d": lambda xp: xp.setdiff1d(WORDS, ["fig"]),
    "setxor1d": lambda xp: xp.setxor1d(WORDS, ["fig", "kiwi"]),
    "fromiter": lambda xp: xp.fromiter(iter(WORDS), "U4"),
    "fromiter of objects": lambda xp: xp.fromiter(WORDS, object),
    "arange of objects": lambda xp: xp.arange(5, 0, -2, dtype=object),
    "sums of columns": lambda xp: xp.array([[1, "a"], [2, "b"]], dtype=object).T[:1].sum(axis=0),
    "products of all pairs": lambda xp: xp.multiply.outer(xp.array(["a", "b"], dtype=object), [1, 2]),
    "accumulated": lambda xp: xp.add.accumulate(xp.array(["a", "b"], dtype=object)),
}


@pytest.mark.parametrize("name", CALLS)
def test_texts_and_objects_are_numpys(name: str) -> None:
    with warnings.catch_warnings(), da.use(fallback="raise"):
        warnings.simplefilter("error")
        got = CALLS[name](da)
    wanted = CALLS[name](np)
    assert isinstance(got, np.ndarray | np.generic)
    np.testing.assert_array_equal(got, wanted, strict=True)


NUMBERS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda xp: xp.array([Fraction(1, 2), Fraction(1, 3)]).sum(),
    "prod": lambda xp: xp.prod(xp.array([10**20, 10**20])),
    "max": lambda xp: xp.max(xp.array([Decimal("1.5"), Decimal(1)])),
    "mean": lambda xp: xp.array([1, 2], dtype=object).mean(),
    "all": lambda xp: xp.all(xp.array([1, None], dtype=object)),
    "product of rows": lambda xp: xp.array([2, 3], dtype=object) @ xp.array([2, 3], dtype=object),
    "add": lambda xp: xp.array(5, dtype=object) + 1,
    "reduce": lambda xp: xp.add.reduce(xp.array([2**70, 1])),
    "reduce of a list": lambda xp: xp.add.reduce([Fraction(1, 2), Fraction(1, 3)]),
    "logical": lambda xp: xp.logical_and.reduce(xp.array([1, 0], dtype=object)),
    "joined": lambda xp: xp.add.reduce(xp.array(WORDS, dtype=object)),
    "as floats": lambda xp: float(xp.array(["1.5", "2"]).astype(float).sum()),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_reduction_of_objects_is_the_object(name: str) -> None:
    got, wanted = NUMBERS[name](da), NUMBERS[name](np)
    assert type(got) is type(wanted)
    assert got == wanted


@pytest.mark.parametrize("function", [lambda row: "".join(map(str, row.tolist())), lambda row: {"all": row.tolist()}])
def test_slices_become_texts_or_objects(function: Callable[[Any], Any]) -> None:
    x = np.arange(24).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        got = da.apply_along_axis(function, axis, da.asarray(x))
        np.testing.assert_array_equal(got, np.apply_along_axis(function, axis, x), strict=True)
    with da.use(fallback="allow"):
        assert got[da.asarray([1, 0])].tolist() == got[::-1].tolist()


def test_a_condition_of_the_device_comes_to_the_texts_as_the_setting_says() -> None:
    mask = da.asarray([True, False])
    with da.use(fallback="allow"):
        assert da.where(mask, "yes", "no").tolist() == ["yes", "no"]
    with da.use(fallback="warn"), pytest.warns(da.errors.HiddenTransferWarning, match="where of texts") as seen:
        assert da.where(mask, np.array(["a", "b"]), "no").tolist() == ["a", "no"]
    assert seen[0].filename == __file__
    with da.use(fallback="raise"), pytest.raises(da.errors.Error, match="where of texts"):
        da.where(mask, "yes", "no")


def test_masks_of_texts_choose_on_the_device() -> None:
    words, numbers = da.array(WORDS), da.asarray([3, 1, 4, 2])
    assert numbers[words == "fig"].copy_to_host().tolist() == [1, 2]


@pytest.mark.parametrize("given", [["a", "b"], np.array(["a"]), [None]])
def test_what_asks_for_a_place_is_refused(given: object) -> None:
    with pytest.raises(da.DTypeError):
        da.array(given, device=da.ones(1).device)
    with pytest.raises(da.DTypeError):
        da.asarray(given, device=da.ones(1).device)


INDEXED: dict[str, Callable[[Any, Any], Any]] = {
    "places": lambda xp, i: xp.array(WORDS)[i],
    "a mask": lambda xp, i: xp.array(WORDS)[i > 1],
    "places of two axes": lambda xp, i: xp.asarray([WORDS, WORDS])[i % 2, i],
    "bytes": lambda xp, i: xp.array([b"a", b"b", b"c", b"d"])[i[1:]],
    "objects": lambda xp, i: xp.array([None, "a", 1.5, ()], dtype=object)[i],
    "a view": lambda xp, i: xp.array(WORDS)[::-1].reshape(2, 2)[i[i < 2]],
    "what differs": lambda xp, i: xp.unique(WORDS)[i % 3],
    "in order": lambda xp, i: xp.sort(WORDS)[i],
    "joined": lambda xp, i: xp.concatenate([xp.array(WORDS), ["kiwi"]])[i],
    "compared": lambda xp, i: (xp.array(WORDS) == "fig")[i],
    "filled": lambda xp, i: xp.full(4, "x")[i],
    "changed": lambda xp, i: xp.char.upper(xp.array(WORDS))[i],
    "of numbers": lambda xp, i: i.astype(str)[i],
    "chosen": lambda xp, i: xp.select([i > 2, i > 1], ["high", "mid"], "low"),
    "days of work": lambda xp, i: xp.is_busday(xp.asarray(["2024-02-01", "2024-02-03"], "datetime64[D]")),
    "days as texts": lambda xp, i: xp.datetime_as_string(xp.arange("2024-02-01", "2024-02-05", dtype="datetime64[D]"))[
        i
    ],
    "days between": lambda xp, i: xp.busday_count("2024-01-01", xp.asarray(["2024-02-01"], "datetime64[D]")),
    "days on": lambda xp, i: xp.busday_offset(xp.asarray(["2024-02-01"], "datetime64[D]"), 2),
    "columns": lambda xp, i: xp.rec.fromarrays([i, i / 2], names="n,x").x,
}


@pytest.mark.parametrize("name", INDEXED)
def test_arrays_on_the_host_take_indices_of_the_device(name: str) -> None:
    places = [2, 0, 1, 3]
    wanted = INDEXED[name](np, np.array(places))
    with da.use(fallback="warn"), pytest.warns(da.HiddenTransferWarning, match="goes through the host"):
        got = INDEXED[name](da, da.asarray(places))
    np.testing.assert_array_equal(got, wanted, strict=True)
    assert repr(got) == repr(wanted)


def test_arrays_on_the_host_take_values_of_the_device() -> None:
    i = da.asarray([1, 0])
    with (
        da.use(fallback="warn"),
        pytest.warns(da.HiddenTransferWarning, match="indexing of an array on the host") as seen,
    ):
        words, things, board = da.array(WORDS), da.empty(3, dtype=object), da.full((2, 2), ".")
        words[i] = "x"
        things[0] = i
        things[i + 1] = i
        board[da.asarray([[True, False], [False, True]])] = "#"
    assert {warning.filename for warning in seen} == {__file__}
    assert words.tolist() == ["x", "x", "plum", "fig"]
    assert things[0] is i
    assert things[1:].tolist() == [0, 1]
    assert board.tolist() == [["#", "."], [".", "#"]]


def test_numbers_become_texts_on_the_host_and_a_warning_names_the_line() -> None:
    x = da.asarray([1, 20])
    with da.use(fallback="warn"), pytest.warns(da.HiddenTransferWarning, match="astype") as seen:
        texts = [x.astype(str), x.astype("U2"), x.astype(object)]
    assert {warning.filename for warning in seen} == {__file__}
    assert [text.tolist() for text in texts] == [["1", "20"], ["1", "20"], [1, 20]]
    assert [text.dtype for text in texts] == [np.dtype("U21"), np.dtype("U2"), np.dtype(object)]


VALUES: dict[str, Callable[[Any, Any], Any]] = {
    "records": lambda xp, x: xp.array(list(zip(["a", "b"], x, strict=True)), dtype=[("name", "U5"), ("n", "f4")]),
    "records of lists": lambda xp, x: xp.array([(x[0], [x[0], x[1]])], dtype=[("n", "i4"), ("v", "f8", 2)]),
    "texts": lambda xp, x: xp.array(["a", x[0]]),
    "rows of texts": lambda xp, x: xp.asarray([["a", x[0]], [x[1], "b"]]),
    "objects": lambda xp, x: xp.array([x[0], None, x[1]], dtype=object),
}


@pytest.mark.parametrize("name", VALUES)
def test_lists_with_values_of_the_device_become_texts_objects_and_records(name: str) -> None:
    got, wanted = VALUES[name](da, da.asarray([1.5, 20.0])), VALUES[name](np, np.array([1.5, 20.0]))
    np.testing.assert_array_equal(got if isinstance(got, np.ndarray) else got.copy_to_host(), wanted, strict=True)


ROWS: dict[str, Callable[[Any, Any], Any]] = {
    "of two lengths": lambda xp, x: xp.array([x, x[:1]], dtype=object),
    "of one length": lambda xp, x: xp.array([x, x + 1], dtype=object),
    "beside a text": lambda xp, x: xp.array(["a", x, None], dtype=object),
    "beside a list": lambda xp, x: xp.asarray([[1], (x, 2)], dtype=object),
    "further down": lambda xp, x: xp.asarray([[1, 2], [x[0], 3]], dtype=object),
    "as texts": lambda xp, x: xp.array([x, x], dtype="U4"),
}


@pytest.mark.parametrize("name", ROWS)
def test_lists_with_arrays_of_the_device_become_objects_and_a_warning_names_the_line(name: str) -> None:
    x = np.array([1.5, 20.0])
    with da.use(fallback="warn"), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        got = ROWS[name](da, da.asarray(x))
    wanted = ROWS[name](np, x)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    assert repr(got.tolist()) == repr(wanted.tolist())
    assert {warning.filename for warning in seen} == ({__file__} if name != "further down" else set())
    with pytest.raises(da.DTypeError):
        da.asarray([da.asarray(x)], dtype=object, device=da.device())


def test_indices_of_the_device_are_refused_where_the_setting_says_so() -> None:
    words, i = da.array(WORDS), da.asarray([1, 0])
    with da.use(fallback="raise"):
        assert words[i[0]] == "fig"
        with pytest.raises(da.errors.Error, match="indexing of an array on the host"):
            words[i]
        with pytest.raises(da.errors.Error, match="indexing of an array on the host"):
            words[i] = "x"
        with pytest.raises(da.DTypeError, match="not supported"):
            i.astype(str)


def test_a_program_without_changed_import_sees_numpys_class(tmp_path: Path) -> None:
    path = tmp_path / "words.py"
    path.write_text(
        "import numpy as np\n"
        "words = np.array(['b', 'a'])\n"
        "print(type(words), type(np.unique(words)), words[np.argsort(np.array([2.0, 1.0]))])\n"
        "print(np.asarray(words) is words)\n"
    )
    command = [sys.executable, "-P", "-m", "devarray", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "<class 'numpy.ndarray'> <class 'numpy.ndarray'> ['a' 'b']\nTrue\n"


def test_copies_and_pickles_of_texts_are_numpys() -> None:
    words = da.array(WORDS)
    assert type(pickle.loads(pickle.dumps(words))) is np.ndarray
    assert copy.deepcopy(words).tolist() == WORDS
    assert da.asarray(words) is words


def test_files_as_memory_are_written_from_the_device(tmp_path: Path) -> None:
    mapped = da.memmap(tmp_path / "m", "float32", "w+", shape=(2, 3))
    with da.use(fallback="warn"), pytest.warns(da.HiddenTransferWarning, match="indexing of an array on the host"):
        mapped[:] = da.arange(6).reshape(2, 3)
    mapped[1] *= 2
    mapped.flush()
    again = da.memmap(tmp_path / "m", "float32", "r", shape=(2, 3))
    assert isinstance(again, np.memmap)
    assert again.tolist() == [[0, 1, 2], [6, 8, 10]]
    assert (da.ones(3) + again[1]).copy_to_host().tolist() == [7, 9, 11]
    total, twice = again.sum(), again[1] * 2
    assert (type(total), total) == (np.float32, 27)
    assert not isinstance(twice, np.memmap)
    assert twice.tolist() == [12, 16, 20]
    pages = da.lib.format.open_memmap(tmp_path / "p.npy", "w+", np.int64, (3,))
    pages[:] = 7
    pages.flush()
    assert da.load(tmp_path / "p.npy").tolist() == [7, 7, 7]


@pytest.mark.filterwarnings("ignore:The chararray class is deprecated:DeprecationWarning")
def test_numpys_modules_of_the_host() -> None:
    of_lib = ("array_utils", "format", "introspect", "mixins", "npyio", "recfunctions", "scimath")
    for name in ("char", "ctypeslib", "dtypes", "exceptions", "rec", "strings", *(f"lib.{part}" for part in of_lib)):
        ours, theirs = da, np
        for part in name.split("."):
            ours, theirs = getattr(ours, part), importlib.import_module(f"{theirs.__name__}.{part}")
        assert importlib.import_module(f"devarray.{name}") is ours
        assert set(ours.__all__) >= set(getattr(theirs, "__all__", ()))
        assert all(callable(getattr(ours, key)) == callable(getattr(theirs, key)) for key in ours.__all__)
        with pytest.raises(AttributeError, match=f"devarray.{name}"):
            assert ours.missing
    assert da.rec.recarray is np.rec.recarray
    assert da.recarray is np.recarray
    for name in np.lib.__all__:
        assert hasattr(da.lib, name), name


def test_annotations_are_imported_as_numpys() -> None:
    import devarray.typing as npt

    assert da.typing is npt
    assert npt.NDArray[np.float64] == np.typing.NDArray[np.float64]
    assert set(npt.__all__) <= set(np.typing.__all__)
    with pytest.raises(AttributeError, match="missing"):
        assert npt.missing
