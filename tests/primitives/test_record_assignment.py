"""What is assigned to records: by the fields' positions, and to the fields that are named alone."""

import operator

import numpy as np
import pytest

import devarray as da

DTYPES = {
    "packed": np.dtype("i4,i4,f8"),
    "aligned": np.dtype("i1,i4,f8", align=True),
    "unaligned": np.dtype("i1,i4,f8"),
    "small arrays": np.dtype([("f0", "i4", (2,)), ("f1", "u1"), ("f2", "f4", (2, 1))]),
    "records": np.dtype([("f0", "i4,f4"), ("f1", "i2"), ("f2", [("y", "i8")])]),
}


def _records(m, dtype, start=1):
    host = np.zeros(3, dtype)
    host.view(np.uint8)[:] = (np.arange(host.nbytes) * 7 + start) % 50
    return m.asarray(host)


def _picked(a, b):
    a[["f0", "f2"]] = b[["f0", "f2"]]


def _of_host(a, b):
    a[["f0", "f1"]] = np.asarray(b.copy_to_host() if hasattr(b, "copy_to_host") else b)[["f0", "f1"]]


def _number(a, b):
    a[["f2", "f0"]] = 3


def _one_element(a, b):
    a[["f0", "f2"]][1] = b[0][["f0", "f2"]]


def _by_mask(a, b):
    a[["f1"]][np.array([True, False, True])] = b[["f1"]][:2]


def _whole(a, b):
    a[...] = b


def _swapped_whole(a, b):
    a[1:] = a[:-1]


ASSIGNMENTS = (_picked, _of_host, _number, _one_element, _by_mask, _whole, _swapped_whole)


@pytest.mark.parametrize("assign", ASSIGNMENTS)
@pytest.mark.parametrize("name", DTYPES)
def test_fields_that_are_not_named_stay(name, assign):
    kept = []
    for m in (np, da):
        a, b = _records(m, DTYPES[name]), _records(m, DTYPES[name], 9)
        assign(a, b)
        kept.append([a[field] for field in ("f0", "f1", "f2")])
    for theirs, ours in zip(*kept, strict=True):
        np.testing.assert_array_equal(ours.copy_to_host(), theirs)


@pytest.mark.parametrize("name", DTYPES)
def test_fields_that_are_not_named_stay_at_places(name):
    """NumPy itself copies whole records there, so that its fields one by one are the oracle."""
    a, b = _records(da, DTYPES[name]), _records(da, DTYPES[name], 9)
    wanted, theirs = _records(np, DTYPES[name]), _records(np, DTYPES[name], 9)
    a[["f1", "f2"]][[2, 0]] = b[["f1", "f2"]][:2]
    for field in ("f1", "f2"):
        wanted[field][[2, 0]] = theirs[field][:2]
    for field in ("f0", "f1", "f2"):
        np.testing.assert_array_equal(a[field].copy_to_host(), wanted[field])


def _by_position(a, b):
    a[["f0", "f1"]] = b[["f2", "f0"]]


def _onto_itself(a, b):
    a[["f0", "f1"]] = a[["f1", "f0"]]


def _reversed(a, b):
    a[[0, 2]] = b[["f2", "f1", "f0"]][1:]


def _reversed_by_slice(a, b):
    a[1:] = b[["f2", "f1", "f0"]][:2]


def _other_dtype(a, b):
    a[...] = b.astype("f8,i2,f4")


@pytest.mark.parametrize("assign", [_by_position, _onto_itself, _reversed, _reversed_by_slice, _other_dtype])
@pytest.mark.parametrize("name", ["packed", "aligned", "unaligned"])
def test_fields_go_by_position_and_are_cast(name, assign):
    found = []
    for m in (np, da):
        host = np.array([(1, 2, 3.5), (4, 5, 6.25), (7, 8, -9.0)], DTYPES[name])
        a, b = m.asarray(host), m.asarray(np.array([(x * 10, y * 3, z) for x, y, z in host], DTYPES[name]))
        assign(a, b)
        found.append(a.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("m", [np, da])
def test_an_array_goes_into_each_field(m):
    a = m.zeros(3, DTYPES["small arrays"])
    a[...] = m.arange(3)
    assert a["f0"].tolist() == [[0, 0], [1, 1], [2, 2]]
    assert a["f1"].tolist() == [0, 1, 2]
    assert a["f2"].tolist() == [[[0], [0]], [[1], [1]], [[2], [2]]]


@pytest.mark.parametrize("m", [np, da])
def test_copyto_by_a_mask_leaves_other_fields(m):
    a, b = m.asarray(np.array([(1, 2), (3, 4)], "i4,i4")), m.asarray(np.array([(10, 20), (30, 40)], "i4,i4"))
    m.copyto(a[["f1"]], b[["f0"]], where=m.asarray([True, False]))
    assert a.tolist() == [(1, 10), (3, 4)]


@pytest.mark.parametrize("m", [np, da])
def test_other_byte_orders_and_bytes(m):
    a = m.asarray(np.array([(1, 2)], "i4,i4")).astype([("x", "f8"), ("y", ">i2")])
    assert a.tolist() == [(1.0, 2)]
    assert m.zeros(2, "V3").tolist() == [b"\0\0\0"] * 2
    assert m.ones(2, "V3").tolist() == [b"\1\0\0"] * 2
    x, y = (m.asarray(np.array(texts, "V4")) for texts in ([b"1234", b"3456"], [b"1234", b"345_"]))
    assert (x == y).tolist() == [True, False] and (x != y).tolist() == [False, True]
    with pytest.raises(TypeError):
        operator.eq(m.asarray(np.zeros(2, "i4,f4")), m.asarray(np.zeros(2, "i4,f4"))[["f1", "f0"]])


@pytest.mark.parametrize("m", [np, da])
def test_dtypes_of_small_arrays_add_axes(m):
    for make in (m.zeros, m.ones, m.empty, lambda shape, dtype: m.full(shape, 2, dtype)):
        for shape in (3, (), (0, 2), [2]):
            made = make(shape, "(2,4)i4")
            assert made.shape == np.empty(shape, "(2,4)i4").shape and made.dtype == np.int32
    assert m.ones(2, "(2,)f4").tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("m", [np, da])
def test_zeros_of_dates_without_a_unit(m):
    assert m.zeros(2, "M8").dtype == np.dtype("M8")
    assert m.zeros(2, "M8[s]").tolist() == np.zeros(2, "M8[s]").tolist()


@pytest.mark.parametrize("m", [np, da])
def test_resize_of_no_records_gives_zeros(m):
    assert m.resize(m.zeros(0, "i4,f4"), (2,)).tolist() == [(0, 0.0)] * 2


@pytest.mark.parametrize("m", [np, da])
def test_partition_of_records(m):
    host = np.array([(2, 1), (1, 2), (0, 3), (5, 0)], "i4,f4")
    a = m.asarray(host)
    assert m.partition(a, 1, order="f0")[1].tolist() == (1, 2.0)
    assert m.partition(a, -1, order="f1")[-1].tolist() == (0, 3.0)
    assert a[m.argpartition(a, 2, order=["f0"])[2]].tolist() == (2, 1.0)
    a.partition(0, order="f1")
    assert a[0].tolist() == (5, 0.0)
    with pytest.raises(ValueError):
        m.partition(a, 4, order="f0")


def _written_by(m, write):
    a = m.asarray(np.array([(1, 2.5, 3), (4, 5.5, 6), (7, 8.5, 9)], "i4,f4,i2"))
    write(m, a, m.asarray(np.array([(10, 20.5, 30), (40, 50.5, 60)], "i4,f4,i2")))
    return a.tolist()


WRITES = {
    "put": lambda m, a, b: m.put(a, [2, 0], b),
    "putmask": lambda m, a, b: m.putmask(a, m.asarray([True, False, True]), b),
    "place": lambda m, a, b: m.place(a, m.asarray([False, True, True]), b),
    "values of the host": lambda m, a, b: m.put(a, [1], [(5, 6.0, 7)]),
}


@pytest.mark.parametrize("name", WRITES)
def test_functions_that_write(name):
    assert _written_by(da, WRITES[name]) == _written_by(np, WRITES[name])


def _placed(m):
    a = m.asarray(np.array([(1, 2, 3), (4, 5, 6)], "i4,i4,f4"))
    named = a[["f0", "f2"]]
    values = np.zeros(2, named.dtype)
    values["f0"], values["f2"] = [7, 8], [9, 10]
    if m is da:
        named.copy_to_device(values)
    else:
        for field in named.dtype.names:
            a[field] = values[field]
    return a.tolist()


def test_copy_to_device_leaves_other_fields():
    assert _placed(da) == _placed(np)
    with pytest.raises(ValueError):
        da.zeros(3, "i4,f4").copy_to_device(da.zeros(1, "i4,f4"))


@pytest.mark.parametrize("m", [np, da])
def test_records_that_are_not_zero(m):
    dtype = [("a", "i4"), ("b", "u1", (2,)), ("c", "i2,f4")]
    a = m.asarray(np.array([(0, [0, 0], (0, 0)), (0, [0, 1], (0, 0)), (0, [0, 0], (0, 2))], dtype))
    assert m.count_nonzero(a) == 2
    assert [x.tolist() for x in m.nonzero(a)] == [[1, 2]]
    assert m.flatnonzero(a).tolist() == [1, 2] and m.argwhere(a).tolist() == [[1], [2]]


@pytest.mark.parametrize("m", [np, da])
def test_at_no_places(m):
    for key in ([], ([],), ([], []), (slice(None), [])):
        x = m.ones((2, 3))
        m.add.at(x, key, 1)
        assert (x == 1).all()
