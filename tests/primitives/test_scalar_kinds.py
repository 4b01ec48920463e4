"""NumPy's abstract classes of scalars, of which values of the device are instances."""

import copy
import pickle

import numpy as np
import pytest

import devarray as da

KINDS = (
    *("generic", "number", "integer", "signedinteger", "unsignedinteger"),
    *("inexact", "floating", "complexfloating"),
)
DTYPES = ("bool", "int8", "int64", "uint8", "uint64", "float16", "float32", "complex64")


def _instances(m, dtype):
    x = m.asarray([1, 2]).astype(dtype)
    values = (x[0], x[:1], x, x.max(), x.sum(), x[0] == x[1], next(iter(x)), x[1, ...], m.zeros((), dtype), 3, 2.5)
    values += (np.int8(3), np.float32(1.5), None, "a")
    return [[isinstance(v, getattr(m, kind)) for kind in KINDS] for v in values]


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_of_arrays_are_instances_as_numpys_scalars_are(dtype):
    assert _instances(da, dtype) == _instances(np, dtype)


def _below(m):
    types = [np.bool_, np.int8, np.uint16, np.float32, np.complex128, np.str_, int, float, np.integer, np.number]
    return [[issubclass(t, getattr(m, kind)) for kind in KINDS] for t in types]


def test_classes_lie_below_them_as_below_numpys():
    assert _below(da) == _below(np)
    for kind in KINDS:
        ours, theirs = getattr(da, kind), getattr(np, kind)
        assert issubclass(ours, theirs) and issubclass(theirs, ours)
        assert ours == theirs and hash(ours) == hash(theirs) and repr(ours) == repr(theirs)
        assert ours.__subclasses__() == [t for t in theirs.__subclasses__() if t is not ours]
        assert pickle.loads(pickle.dumps(ours)) is theirs and copy.copy(ours) == theirs


def _subdtypes(m):
    dtypes = ("i1", "u4", "f2", "c8", "?", "S3", "M8[s]")
    return [[m.issubdtype(np.dtype(dtype), getattr(m, kind)) for kind in KINDS] for dtype in dtypes]


def test_issubdtype_takes_them():
    assert _subdtypes(da) == _subdtypes(np)
    assert np.issubdtype(np.int32, da.integer) and np.issubdtype(da.floating, np.inexact)


@pytest.mark.parametrize("m", [np, da])
def test_unions_tuples_and_patterns_take_them(m):
    v = m.asarray([3, 4])[0]
    assert isinstance(v, int | m.integer)
    assert isinstance(v, (float, m.number))
    match v:
        case m.floating():
            found = "float"
        case m.integer():
            found = "int"
    assert found == "int"
