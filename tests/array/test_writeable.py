"""Arrays and views that cannot be written: NumPy's flags.writeable, by which every write is checked."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

sliding = {np: np.lib.stride_tricks.sliding_window_view, da: da.lib.stride_tricks.sliding_window_view}

WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "an element": lambda xp, x: x.__setitem__(0, 1),
    "a slice": lambda xp, x: x.__setitem__(slice(None), 1),
    "everything": lambda xp, x: x.__setitem__(..., x + 1),
    "a mask": lambda xp, x: x.__setitem__(x > 1, 5),
    "a mask with values": lambda xp, x: x.__setitem__(x > 1, xp.asarray([7.0, 8.0, 9.0])),
    "indices": lambda xp, x: x.__setitem__(xp.asarray([0, 1]), 5),
    "in place": lambda xp, x: x.__iadd__(1),
    "in place, a power": lambda xp, x: x.__ipow__(3),
    "out=": lambda xp, x: xp.add(x, 1, out=x),
    "out= of a reduction": lambda xp, x: xp.cumsum(xp.ones(5), out=x),
    "fill": lambda xp, x: x.fill(3),
    "sort": lambda xp, x: x.sort(),
    "put": lambda xp, x: xp.put(x, [1], [2.0]),
    "copyto": lambda xp, x: xp.copyto(x, 1),
    "place": lambda xp, x: xp.place(x, x > 1, [1.0]),
    "putmask": lambda xp, x: xp.putmask(x, x > 1, 1.0),
    "real": lambda xp, x: setattr(x, "real", 1),
    "flat": lambda xp, x: setattr(x, "flat", 1),
    "a view's element": lambda xp, x: x[1:].__setitem__(0, 1),
    "a reshaped view": lambda xp, x: x.reshape(5, 1).__setitem__(0, 1),
    "another dtype's view": lambda xp, x: x.view("i8").__setitem__(0, 1),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("xp", [np, da])
def test_what_is_read_only_keeps_its_values(xp: Any, write: str) -> None:
    x = xp.asarray([0.0, 1.0, 2.0, 3.0, 4.0])
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        WRITES[write](xp, x)
    same(x if xp is da else np.asarray(x), np.arange(5.0))


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("xp", [np, da])
def test_it_can_be_written_again(xp: Any, write: str) -> None:
    x = xp.asarray([0.0, 1.0, 2.0, 3.0, 4.0])
    x.setflags(write=False)
    x.setflags(write=True)
    WRITES[write](xp, x)
    assert x.flags.writeable is True


def test_transfers_do_not_write_it_either() -> None:
    x = da.zeros(3)
    x.flags.writeable = False
    for write in (lambda: x.copy_to_device(np.ones(3)), lambda: da.to_device(np.ones(3), to=x)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    with pytest.raises(ValueError, match="read-only"), x.map("rw"):
        pass
    same(x, np.zeros(3))


VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "slice": lambda xp, x: x[1:],
    "reverse": lambda xp, x: x[::-1],
    "ellipsis": lambda xp, x: x[...],
    "new axis": lambda xp, x: x[None],
    "transpose": lambda xp, x: x.T,
    "reshape": lambda xp, x: x.reshape(4, 1),
    "ravel": lambda xp, x: x.ravel(),
    "squeeze": lambda xp, x: x.squeeze(),
    "view": lambda xp, x: x.view("i8"),
    "real": lambda xp, x: x.real,
    "asarray": lambda xp, x: xp.asarray(x),
    "astype without a copy": lambda xp, x: x.astype("f8", copy=False),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 0),
    "flip": lambda xp, x: xp.flip(x),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (3, 4)),
    "broadcast_to its own shape": lambda xp, x: xp.broadcast_to(x, (4,)),
    "windows": lambda xp, x: sliding[xp](x, 2),
    "diagonal": lambda xp, x: xp.diagonal(x.reshape(2, 2)),
    "the method diagonal": lambda xp, x: x.reshape(2, 2).diagonal(),
    "diag": lambda xp, x: xp.diag(x.reshape(2, 2)),
    "imag": lambda xp, x: x.imag,
    "the function imag": lambda xp, x: xp.imag(x),
    "imag of complex": lambda xp, x: x.astype("c16").imag,
    "a copy": lambda xp, x: x.copy(),
    "flatten": lambda xp, x: x.flatten(),
    "a result": lambda xp, x: x + 1,
    "copy.copy": lambda xp, x: copy.copy(x),
    "copy.deepcopy": lambda xp, x: copy.deepcopy(x),
    "a pickle": lambda xp, x: pickle.loads(pickle.dumps(x)),
    "indexed by an array": lambda xp, x: x[xp.asarray([0, 1])],
}


@pytest.mark.parametrize("writeable", [True, False])
@pytest.mark.parametrize("view", VIEWS)
def test_views_are_as_writeable_as_numpys(view: str, writeable: bool) -> None:
    flags = []
    for xp in (np, da):
        x = xp.asarray([0.0, 1.0, 2.0, 3.0])
        x.flags.writeable = writeable
        flags.append(VIEWS[view](xp, x).flags.writeable)
    assert flags[1] == flags[0]


@pytest.mark.parametrize("xp", [np, da])
def test_a_view_becomes_writeable_where_its_base_is(xp: Any) -> None:
    x = xp.zeros(4)
    early = x[1:]
    x.flags.writeable = False
    late = x[1:]
    assert (early.flags.writeable, late.flags.writeable) == (True, False)
    early[0] = 7  # as NumPy has it: a view made before
    with pytest.raises(ValueError, match="WRITEABLE"):
        late.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        late[0] = 1
    x.flags.writeable = True
    late.flags.writeable = True
    late[1] = 5
    same(x if xp is da else np.asarray(x), np.array([0.0, 7.0, 5.0, 0.0]))


@pytest.mark.parametrize("xp", [np, da])
def test_a_broadcast_view_can_be_made_writeable(xp: Any) -> None:
    x = xp.zeros(3)
    view = xp.broadcast_to(x, (1, 3))
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1
    view.flags["WRITEABLE"] = True
    view[0, 1] = 4
    same(x if xp is da else np.asarray(x), np.array([0.0, 4.0, 0.0]))


def test_imported_read_only_memory_stays_read_only() -> None:
    host = np.arange(3.0)
    host.flags.writeable = False
    x = da.from_dlpack(host, device=da.device(), copy=False) if da.device().type == "cpu" else None
    if x is None:
        pytest.skip("the device does not see the host's memory")
    assert not x.flags.writeable
    for array in (x, x[1:]):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    same(x + 1, host + 1)


def test_dlpack_says_what_is_read_only() -> None:
    x = da.zeros(3)
    x.flags.writeable = False
    if da.device().strategy == "cpu":  # elsewhere NumPy gets a copy
        assert np.from_dlpack(x).flags.writeable is False
    assert da.from_dlpack(x).flags.writeable is False


def test_flags_that_cannot_be_set_say_so() -> None:
    flags = da.zeros(3).flags
    with pytest.raises(ValueError, match="WRITEABLE"):
        flags["C_CONTIGUOUS"] = False
    with pytest.raises(AttributeError, match="aligned"):
        flags.aligned = True
    with pytest.raises(ValueError, match="align"):
        da.zeros(3).setflags(align=False)


def test_a_pending_array_is_set_and_read() -> None:
    x = da.arange(3) * 2
    assert x.flags.writeable
    x.flags.writeable = False
    y = x + 1
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    same(y, np.arange(3) * 2 + 1)


@pytest.mark.parametrize("xp", [np, da])
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_must_be_written_is_copied_where_it_cannot_be(xp: Any, order: str) -> None:
    x = xp.ones((2, 3), order=order)
    assert xp.require(x, None, "W") is x
    x.flags.writeable = False
    found = xp.require(x, None, "W")
    assert found.flags.writeable and found.strides == x.strides
    assert xp.require(x, None, ["C", "F"][order == "C"]).flags.writeable
    assert xp.require(xp.broadcast_to(xp.ones(3), (2, 3)), None, "W").flags.writeable
