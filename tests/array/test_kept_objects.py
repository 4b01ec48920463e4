"""Python objects of arrays that are gone serve the next ones: nothing of the former array is left in them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def test_more_arrays_than_are_kept_come_and_go() -> None:
    for _ in range(3):
        arrays = [da.full(3, k, dtype=np.int32) for k in range(1000)]
        assert [int(x[0]) for x in arrays] == list(range(1000))
        del arrays
        gc.collect()


def test_collections_between_leave_kept_objects_alone() -> None:
    x = da.arange(5.0)
    for _ in range(50):
        y = x + 1
        del y
        gc.collect()
        assert (x * 2).tolist() == [0, 2, 4, 6, 8]


def test_weak_references_end_with_their_array() -> None:
    gone: list[int] = []
    for k in range(10):
        x = da.ones(2)
        reference = weakref.ref(x, lambda _, k=k: gone.append(k))
        assert reference() is x
        del x
        assert reference() is None
    assert gone == list(range(10))
    assert weakref.getweakrefcount(da.ones(2)) == 0


def test_a_callback_may_make_and_drop_arrays() -> None:
    made: list[float] = []
    x = da.ones(2)
    reference = weakref.ref(x, lambda _: made.append(float((da.ones(3) * 7).sum())))
    del x
    assert made == [21.0]
    assert reference() is None


def test_values_and_views_do_not_pass_to_the_next_array() -> None:
    value = da.arange(3.0)[1]
    assert not value.flags.writeable
    del value
    x = da.zeros(3)
    x[1] = 5
    assert x.flags.writeable
    assert x.tolist() == [0, 5, 0]


def test_objects_of_subclasses_end_as_ever() -> None:
    ended: list[int] = []

    class Named(da.Array):
        def __del__(self) -> None:
            ended.append(1)

    for _ in range(5):
        named = da.ones(3).view(Named)
        assert type(named) is Named
        del named
    gc.collect()
    assert ended == [1] * 5
    assert type(da.ones(3) + 1) is da.Array
