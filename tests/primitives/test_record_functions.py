"""Functions that move elements, on arrays of records, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

RECORDS = np.array([(3.0, 1), (1.0, 2), (2.0, 3)], [("x", "f8"), ("n", "i8")])
PROGRAMS = {
    "tile": lambda np, z: np.tile(z, 2),
    "tile of rows": lambda np, z: np.tile(z, (2, 2)),
    "where": lambda np, z: np.where(z["x"] > 1, z, z[0]),
    "append": lambda np, z: np.append(z, z[:1]),
    "roll": lambda np, z: np.roll(z, 1),
    "flip": lambda np, z: np.flip(z),
    "delete": lambda np, z: np.delete(z, 0),
    "insert": lambda np, z: np.insert(z, 0, z[1]),
    "insert a tuple": lambda np, z: np.insert(z, 1, (4.0, 5)),
    "vstack": lambda np, z: np.vstack([z, z[::-1]]),
    "hstack": lambda np, z: np.hstack((z, z)),
    "column_stack": lambda np, z: np.column_stack((z, z)),
    "split": lambda np, z: np.split(z, 3),
    "array_split": lambda np, z: np.array_split(z, 2),
    "expand_dims": lambda np, z: np.expand_dims(z, 0),
    "atleast_2d": lambda np, z: np.atleast_2d(z),
    "broadcast_to": lambda np, z: np.broadcast_to(z, (2, 3)),
    "compress": lambda np, z: np.compress([1, 0, 1], z),
    "extract": lambda np, z: np.extract([True, False, True], z),
    "resize": lambda np, z: np.resize(z, (2, 4)),
    "rot90": lambda np, z: np.rot90(z[None]),
    "pad": lambda np, z: np.pad(z, (1, 2)),
    "pad of rows": lambda np, z: np.pad(z[None], ((1, 0), (2, 1))),
    "pad with a record": lambda np, z: np.pad(z, 1, constant_values=z[1]),
    "pad, edge": lambda np, z: np.pad(z, 2, "edge"),
    "pad, reflect": lambda np, z: np.pad(z, (1, 2), mode="reflect"),
    "pad, wrap": lambda np, z: np.pad(z, 4, mode="wrap"),
    "sort of rows": lambda np, z: np.sort(np.stack([z, z[::-1]]), order="n"),
    "sort of columns": lambda np, z: np.sort(np.stack([z[::-1], z, z[[2, 0, 1]]]), axis=0, order=["n", "x"]),
    "array of elements": lambda np, z: np.array([z[0], z[1]]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_numpy(name):
    theirs, ours = PROGRAMS[name](np, RECORDS.copy()), PROGRAMS[name](da, da.asarray(RECORDS))
    for one, other in zip(ours, theirs, strict=True) if isinstance(theirs, list) else [(ours, theirs)]:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one.copy_to_host(), other)


METHODS = {
    "compress": lambda z: z.compress([True, False, True]),
    "compress of rows": lambda z: z.reshape(3, 1).compress([False, True, True], axis=0),
    "compress into": lambda z: z.compress([True, False, True], out=z[1:].copy()),
    "diagonal": lambda z: z.repeat(3).reshape(3, 3).diagonal(),
    "diagonal above": lambda z: z.repeat(6).reshape(3, 3, 2).diagonal(-1, 2, -3),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_as_numpy(name):
    ours, theirs = METHODS[name](da.asarray(RECORDS)), METHODS[name](RECORDS.copy())
    assert isinstance(ours, da.OpaqueArray) and ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.copy_to_host(), theirs)


def test_a_diagonal_is_a_view():
    x = da.asarray(np.zeros((2, 2), RECORDS.dtype))
    diagonal = x.diagonal()
    x["n"][1, 1] = 7
    assert diagonal["n"].copy_to_host().tolist() == [0, 7]


def test_array_equal():
    x = da.asarray(RECORDS)
    assert da.array_equal(x, x.copy()) is True
    assert da.array_equal(x, x[::-1]) is False
    assert da.array_equal(x, x[:2]) is False


def test_records_are_no_conditions():
    x = da.asarray(RECORDS)
    for program in (lambda: da.where(x, x, x), lambda: da.insert(x, x, x)):
        with pytest.raises(TypeError, match="OpaqueArray"):
            program()


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "array of elements"])
def test_numpys_functions_are_ours(name):
    theirs, ours = PROGRAMS[name](np, RECORDS.copy()), PROGRAMS[name](np, da.asarray(RECORDS))
    for one, other in zip(ours, theirs, strict=True) if isinstance(theirs, list) else [(ours, theirs)]:
        assert isinstance(one, da.OpaqueArray)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one.copy_to_host(), other)


def test_functions_of_numpys_that_read_no_element_of_records():
    host = np.zeros((2, 3), [("n", "i4"), ("x", "f4")])
    x = da.to_device(host)
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)
    assert np.result_type(x, host.dtype) == host.dtype
    assert np.can_cast(x.dtype, "f4") == np.can_cast(host.dtype, "f4")
    assert np.may_share_memory(x, x[1]) and np.shares_memory(x, x[1])
    assert not np.may_share_memory(x, da.to_device(host))
    assert not np.shares_memory(x[0], x[1])
    assert not np.shares_memory(x["n"], x["x"])


def test_records_are_copied_to_records():
    host = np.array([(1, 2.5), (3, 4.5)], [("n", "i4"), ("x", "f4")])
    x, y = da.to_device(host), da.to_device(host[::-1].copy())
    np.copyto(x, y, where=[True, False])
    assert x.tolist() == [(3, 4.5), (3, 4.5)]
    da.copyto(x, host, where=da.asarray([False, True]))
    assert x.tolist() == [(3, 4.5), (3, 4.5)]
    da.copyto(x, host)
    assert x.tolist() == host.tolist()


@pytest.mark.parametrize(
    "arguments", [(1, "mean"), (1, "reflect", {"reflect_type": "odd"}), (1, {"constant_values": 3})]
)
def test_pad_computes_no_records(arguments):
    *args, kwargs = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
    with pytest.raises(da.errors.DTypeError, match="pad: "):
        da.pad(da.asarray(RECORDS), *args, **kwargs)


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("function", ["sort", "argsort"])
def test_records_of_several_axes_are_sorted_along_one(function, axis):
    dtype = [("n", "i4"), ("x", "f8"), ("in", [("k", "u1", (2,))])]  # packed, and within each other
    host = np.zeros((4, 5), dtype)
    rng = np.random.default_rng(0)
    host["n"], host["x"] = rng.integers(0, 3, (2, 4, 5))
    host["in"]["k"] = rng.integers(0, 9, (4, 5, 2))
    x = da.asarray(host)
    for order in (None, "x", ["in", "n"]):
        theirs = getattr(np, function)(host, axis=axis, order=order, kind="stable")
        ours = getattr(da, function)(x, axis=axis, order=order)
        np.testing.assert_array_equal(ours.copy_to_host(), theirs)
    y, copied = x.copy(), host.copy()
    if axis is not None:
        y.sort(axis, order="n"), copied.sort(axis, order="n", kind="stable")
        np.testing.assert_array_equal(y.copy_to_host(), copied)


def test_what_is_not_of_records_goes_to_the_host_where_it_may():
    x = da.to_device(np.array([(1, 2.5), (3, 4.5)], [("n", "i4"), ("x", "f4")]))
    with pytest.raises(da.errors.DTypeError):
        np.isin(x, x)
    with da.use(fallback="allow"):
        assert np.isin(x, x[:1]).tolist() == [True, False]
