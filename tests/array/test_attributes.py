"""Attributes that NumPy lets a program ask and set: shape, dtype and strides in place, base, flags, resize."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without

import devarray as da


def both(make: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The same array of NumPy's and of the device."""
    return make(np), make(da)


def set_to(attribute: str, value: Any) -> Callable[[Any], None]:
    return lambda x: setattr(x, attribute, value)


SET: dict[str, tuple[Callable[[Any], Any], Callable[[Any], None]]] = {
    "shape": (lambda xp: xp.arange(6), set_to("shape", (2, 3))),
    "shape, one unknown": (lambda xp: xp.arange(6), set_to("shape", (3, -1))),
    "shape, an int": (lambda xp: xp.arange(6).reshape(2, 3), set_to("shape", 6)),
    "shape of a strided view": (lambda xp: xp.arange(12).reshape(2, 6)[:, ::2], set_to("shape", (2, 3, 1))),
    "shape of an expression": (lambda xp: xp.arange(6) * 2 + 1, set_to("shape", (2, 3))),
    "shape of one without axes": (lambda xp: xp.array(3), set_to("shape", (1, 1))),
    "a smaller dtype": (lambda xp: xp.arange(6, dtype=xp.int64), set_to("dtype", np.int32)),
    "a greater dtype": (lambda xp: xp.arange(6, dtype=xp.int32), set_to("dtype", np.int64)),
    "a dtype of the same size": (lambda xp: xp.arange(6.0).reshape(2, 3), set_to("dtype", "int64")),
}


@pytest.mark.filterwarnings("ignore:Setting the (shape|dtype):DeprecationWarning")  # NumPy 2.5
@pytest.mark.parametrize("name", SET)
def test_set_in_place(name: str) -> None:
    make, change = SET[name]
    theirs, ours = both(make)
    change(theirs)
    change(ours)
    same(ours, theirs)
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.strides == theirs.strides
    ours[...] = 7
    theirs[...] = 7
    same(ours + 1, theirs + 1)


def test_strides_are_set_with_numpys_warning() -> None:
    theirs, ours = both(lambda xp: xp.arange(6)[::2])
    with pytest.warns(DeprecationWarning, match="strides"):
        ours.strides = (8,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.strides = (8,)
    same(ours, theirs)


REFUSED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "another size": (lambda xp: xp.arange(6), set_to("shape", (4, 3))),
    "no view": (lambda xp: xp.arange(6).reshape(2, 3).T, set_to("shape", 6)),
    "deleted shape": (lambda xp: xp.arange(6), lambda x: delattr(x, "shape")),
    "deleted dtype": (lambda xp: xp.arange(6), lambda x: delattr(x, "dtype")),
    "an element's shape": (lambda xp: xp.arange(6)[0], set_to("shape", (1,))),
    "strides out of memory": (lambda xp: xp.arange(6), set_to("strides", (16,))),
    "too many strides": (lambda xp: xp.arange(6), set_to("strides", (8, 8))),
    "a dtype that does not fit": (lambda xp: xp.arange(6).reshape(2, 3), set_to("dtype", "c16")),
    "a dtype of a transposed array": (lambda xp: xp.arange(6).reshape(2, 3).T, set_to("dtype", "i4")),
    "resize of a view": (lambda xp: xp.arange(6).reshape(2, 3), lambda x: x.resize(3, 3)),
    "resize of a strided view": (lambda xp: xp.eye(3)[:, ::2], lambda x: x.resize(6)),
    "resize to a negative size": (lambda xp: xp.arange(6), lambda x: x.resize(-1)),
    "resize to text": (lambda xp: xp.arange(6), lambda x: x.resize("a")),
    "an unknown flag": (lambda xp: xp.arange(6), lambda x: x.flags["zz"]),
    "an unknown flag, by attribute": (lambda xp: xp.arange(6), lambda x: x.flags.zz),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_numpy_refuses(name: str) -> None:
    make, change = REFUSED[name]
    theirs, ours = both(make)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as wanted:
            change(theirs)
        with pytest.raises(wanted.type):
            change(ours)
    same(ours, theirs)


def test_a_set_shape_leaves_views_and_names_as_they_are() -> None:
    x = da.arange(6)
    view, name = x[1:], x
    x.shape = 2, 3
    x[0, 1] = 50
    assert name.shape == (2, 3) and view.base is x
    same(view, np.asarray([50, 2, 3, 4, 5]))


# --- base ----------------------------------------------------------------------------------------------------------


def test_base_is_the_array_that_owns_the_memory() -> None:
    x = da.arange(6).copy()
    assert x.base is None and x.flags.owndata
    for view in (x[1:], x.reshape(2, 3), x.reshape(2, 3).T, x[1:][::2], da.broadcast_to(x, (2, 6)), x.view(da.float64)):
        assert view.base is x and not view.flags.owndata
    assert (x + 1).base is None and x[0].base is None and x.sum().base is None
    x += 1
    assert x.base is None


def test_base_of_a_view_whose_array_is_gone() -> None:
    view = da.arange(6).reshape(2, 3)[:, 1]
    gc.collect()
    base = view.base
    assert base is not None and base.base is None and view.base is base
    same(base, np.arange(6))
    base[1] = 10
    same(view, np.asarray([10, 4]))


# --- flags ---------------------------------------------------------------------------------------------------------


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "a row": lambda xp: xp.arange(6).copy(),
    "C": lambda xp: xp.ones((2, 3)),
    "F": lambda xp: xp.ones((2, 3), order="F"),
    "transposed": lambda xp: xp.ones((2, 3)).T,
    "strided": lambda xp: xp.ones((4, 4))[::2, ::2],
    "broadcast": lambda xp: xp.broadcast_to(xp.ones(3), (2, 3)),
    "an element": lambda xp: xp.ones(3)[0],
}
FLAGS = ("c_contiguous", "f_contiguous", "contiguous", "fortran", "owndata", "writeable", "aligned", "writebackifcopy")


@pytest.mark.parametrize("name", LAYOUTS)
def test_flags(name: str) -> None:
    theirs, ours = (x.flags for x in both(LAYOUTS[name]))
    for flag in (*FLAGS, "behaved", "carray", "farray", "fnc", "forc", "num"):
        if (name, flag) not in (("an element", "owndata"), ("an element", "num")):
            assert getattr(ours, flag) == getattr(theirs, flag), flag
    for key in ("C", "F", "W", "A", "X", "B", "CA", "FA", "FNC", "FORC", "CONTIGUOUS", "FORTRAN", "ALIGNED"):
        assert ours[key] == theirs[key], key
    if name != "an element":
        assert repr(ours) == repr(theirs)


# --- resize ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 4), (2, 2), (9,), (0,), (3, 2), (6,)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_resize(shape: tuple[int, ...], order: str) -> None:
    def make(xp: Any) -> Any:
        return xp.asarray(np.arange(1.0, 7).reshape(2, 3)).copy(order=order)

    theirs, ours = both(make)
    theirs.resize(shape)
    ours.resize(shape)
    same(ours, theirs)
    ours += 1
    same(ours, theirs + 1)
    assert ours.flags.owndata


def test_resize_forms() -> None:
    x = da.arange(6).copy()
    x.resize()
    x.resize(None)
    x.resize(2, 3)
    same(x, np.arange(6).reshape(2, 3))


def test_resize_with_references() -> None:
    x = da.arange(6).copy()
    view = x[1:]
    with pytest.raises(ValueError, match="views"):
        x.resize(9)
    x.resize(9, refcheck=False)
    same(view, np.arange(1, 6))
    same(x, np.asarray([0, 1, 2, 3, 4, 5, 0, 0, 0]))
    y = x
    with pytest.raises(ValueError, match="referenced"):
        x.resize(3)
    del view, y
    x.resize(3)
    same(x, np.arange(3))


def test_resize_keeps_pending_readers() -> None:
    x = da.arange(4.0).copy()
    later = x + 1
    x.resize(8)
    same(later, np.arange(4.0) + 1)


# --- sequences, and what arrays of others have -----------------------------------------------------------------------


def test_reversed() -> None:
    host = np.arange(6).reshape(3, 2)
    for ours, theirs in zip(reversed(da.asarray(host)), reversed(host), strict=True):
        same(ours, theirs)
    with pytest.raises(TypeError):
        reversed(da.asarray(1)).__next__()


@pytest.mark.parametrize("name", ["cpu", "numpy", "cuda"])
def test_attributes_of_other_libraries_say_ours(name: str) -> None:
    x = da.ones(2)
    assert not hasattr(x, name)
    with pytest.raises(AttributeError, match=r"x\.(copy_to_host|to_device)"):
        getattr(x, name)


def test_names_of_cupy() -> None:
    host = np.arange(6.0).reshape(2, 3)
    x = da.asarray(host)
    same(da.asarray(x.get()), host)
    assert x.get(order="F").flags.f_contiguous and da.asnumpy(x.T, order="A").flags.f_contiguous
    out = np.empty((2, 3))
    assert da.asnumpy(x, out=out) is out and (out == host).all()
    assert (da.asnumpy([1, 2]) == [1, 2]).all()
    x.set(host + 1)
    same(x, host + 1)
    assert da.get_array_module(1, x) is da and da.get_array_module(host) is np


def test_a_class_below_array() -> None:
    class Named(da.Array):
        name: str

        def __array_finalize__(self, of: Any) -> None:
            self.name = getattr(of, "name", "nobody")

    x = da.arange(3).view(Named)
    assert type(x) is Named and x.name == "nobody"
    x.name = "somebody"
    assert x.view(Named).name == x.view(type=Named).name == "somebody" and type(x.view(da.Array)) is da.Array
    same(x + 1, np.arange(3) + 1)


PARTS = [complex(np.inf, 1.26), complex(np.nan, 2.55), complex(1.234, -np.inf), 1.255 + 2.345j, 15.5 - 25j]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("decimals", [2, 1, 0, -1])
def test_complex_numbers_are_rounded_in_parts(dtype: str, decimals: int) -> None:
    skip_without(dtype)
    host = np.array([PARTS, PARTS[::-1]], dtype)
    ours = da.asarray(host)
    for key in (np.s_[:], np.s_[:, ::2], np.s_[:0], np.s_[1, 3]):
        found, wanted = ours[key].round(decimals), np.round(host[key], decimals)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.copy_to_host(), wanted)
    assert ours.T.round(decimals).strides == np.round(host.T, decimals).strides
    value = ours[0, 3].round(decimals)
    kept = value
    value += 1
    assert kept.item() == np.round(host[0, 3], decimals)
