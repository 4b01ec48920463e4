"""``__array_interface__``: of a copy, for Python code that names it, where the setting allows copies."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da


class _Reader:
    """What reads an array by the interface alone."""

    def __init__(self, x: object) -> None:
        self.__array_interface__ = x.__array_interface__


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("view", [np.s_[...], np.s_[::-1, 1:], np.s_[0], np.s_[:0], np.s_[1, 2, ...]])
def test_readers_get_a_copy_where_that_is_allowed(dtype: str, view: object) -> None:
    host = np.arange(12).reshape(3, 4).astype(dtype)
    x = da.asarray(host)
    with da.use(fallback="allow"):
        read = np.asarray(_Reader(x[view]))
    np.testing.assert_array_equal(read, host[view], strict=True)
    if read.size:
        read[...] = 0
        np.testing.assert_array_equal(x.copy_to_host(), host)


def test_there_is_none_where_copies_are_not_allowed() -> None:
    x = da.ones(3)
    with da.use(fallback="raise"):
        assert not hasattr(x, "__array_interface__")
        with pytest.raises(AttributeError, match="as_host_view"):
            _Reader(x)


def test_numpy_asks_for_the_array() -> None:
    x = da.ones((2, 3))
    with da.use(fallback="allow"):
        taken = np.asarray(x)
    assert taken.flags.owndata or isinstance(taken.base, np.ndarray)


def test_pictures_of_arrays() -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    with da.use(fallback="allow"):
        for key in (np.s_[...], np.s_[:, ::-1], np.s_[..., 0]):
            np.testing.assert_array_equal(np.asarray(image.fromarray(da.asarray(pixels)[key])), pixels[key])
        np.testing.assert_array_equal(np.asarray(image.fromarray(da.asarray(pixels[..., 1]) > 5)), pixels[..., 1] > 5)
