"""x[mask], x[index] and their assignments by the host's loops, which take eight elements of a mask at a time."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import launches, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("on_host", "deferred")


def masks(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    last = np.zeros(n, np.bool_)
    last[-1] = True
    return {
        "nothing": np.zeros(n, np.bool_),
        "all": np.ones(n, np.bool_),
        "half": rng.random(n) < 0.5,
        "few": rng.random(n) < 0.02,
        "most": rng.random(n) < 0.98,
        "runs": np.sin(np.arange(n) / 9) > 0,
        "the last": last,
    }


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 63, 64, 65, 127, 1000, 2047])
def test_masks_pick_and_place_as_numpys(n: int, dtype: str) -> None:
    skip_without(dtype)
    for name, mask in masks(n).items():
        host = (np.arange(n) % 100).astype(dtype)
        x, m = da.asarray(host), da.asarray(mask)
        picked = x[m]
        np.testing.assert_array_equal(picked.copy_to_host(), host[mask], strict=True, err_msg=name)
        host[mask] = host[mask][::-1]
        x[m] = da.asarray(np.ascontiguousarray(picked.copy_to_host()[::-1]))
        np.testing.assert_array_equal(x.copy_to_host(), host, strict=True, err_msg=name)
        for value in (1, True):
            host[mask] = value
            x[m] = value
            np.testing.assert_array_equal(x.copy_to_host(), host, strict=True, err_msg=name)


def test_bytes_other_than_one_are_truths() -> None:
    given = np.array([0, 2, 255, 1, 128, 0, 127, 3, 64] * 9, np.uint8)
    host, x = np.arange(81.0, dtype=np.float32), da.arange(81, dtype=da.float32)
    m = da.asarray(given).view(np.bool_)
    np.testing.assert_array_equal(x[m].copy_to_host(), host[given != 0])
    x[m] = -1.0
    host[given != 0] = -1
    np.testing.assert_array_equal(x.copy_to_host(), host)


@pytest.mark.parametrize("share", [0.001, 0.3])
def test_long_masks_that_pick_few_need_no_kernel(share: float) -> None:
    n = 3_000_017  # beyond what the host takes by its size
    host, mask = np.arange(n, dtype=np.float32), np.random.default_rng(5).random(n) < share
    x, m = da.asarray(host), da.asarray(mask)
    np.testing.assert_array_equal(x[m].copy_to_host(), host[mask])
    if share < 0.01:
        assert launches(lambda: x[m]) == 0


def test_few_at_the_end_of_what_seems_to_pick_nothing() -> None:
    mask = np.zeros(3_000_000, np.bool_)
    mask[300_000:500_000] = True
    mask[-1] = True
    host = np.arange(mask.size, dtype=np.float32)
    np.testing.assert_array_equal(da.asarray(host)[da.asarray(mask)].copy_to_host(), host[mask])


def test_values_that_a_kernel_still_computes_are_placed() -> None:
    host = np.linspace(0.5, 3, 100, dtype=np.float32)
    x = da.asarray(host)
    expected = x.copy()
    picked = da.exp(x[x > 1]).evaluate().copy_to_host()
    x[x > 1] = da.exp(x[x > 1])
    host[host > 1] = picked
    np.testing.assert_array_equal(x.copy_to_host(), host)
    assert float(expected[-1]) == 3.0


@pytest.mark.parametrize("index", ["int8", "int32", "int64", "uint32"])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128"])
def test_index_arrays_place_without_a_launch(index: str, dtype: str) -> None:
    skip_without(dtype)
    places = np.array([3, 0, 8, 3]) if index[0] == "u" else np.array([3, 0, -1, 3])
    for step in (1, -2):
        whole = np.arange(9 * abs(step)).astype(dtype)
        mine = da.asarray(whole)
        host, x = whole[::step], mine[::step]
        at = da.asarray(places.astype(index))
        values = da.asarray(np.array([1, 0, 1, 1]).astype(dtype))

        def place() -> None:
            x[at] = values  # noqa: B023

        def fill() -> None:
            x[at[:2]] = 1  # noqa: B023

        assert launches(place) == 0
        host[places] = np.array([1, 0, 1, 1]).astype(dtype)
        np.testing.assert_array_equal(x.copy_to_host(), host, strict=True)
        assert launches(fill) == 0
        host[places[:2]] = 1
        np.testing.assert_array_equal(mine.copy_to_host(), whole, strict=True)


def test_placing_by_index_keeps_readers_elements_and_refusals() -> None:
    host = np.arange(9, dtype=np.float32)
    x, at = da.asarray(host), da.asarray(np.array([1, 2]))
    element, reader = x[1], x + 1
    x[at] = 7.0
    assert float(element) == 1.0
    np.testing.assert_array_equal(reader.copy_to_host(), host + 1)
    host[[1, 2]] = 7
    np.testing.assert_array_equal(x.copy_to_host(), host)
    for value in (1j, "text"):
        with pytest.raises((TypeError, ValueError)):
            x[at] = value  # type: ignore[assignment]
    with pytest.raises(ValueError, match="shape"):
        x[at] = da.ones(3, dtype=da.float32)
    with pytest.raises(IndexError):
        x[da.asarray(np.array([0, 9]))] = 1.0
        x.copy_to_host()
    np.testing.assert_array_equal(da.asarray(host).copy_to_host()[:9], host)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[at] = 1.0


def test_indices_that_lie_in_what_they_write_to() -> None:
    host = np.arange(8)[::-1].copy()
    x = da.asarray(host)
    x[x] = 5
    host[host.copy()] = 5
    np.testing.assert_array_equal(x.copy_to_host(), host)
    y = da.asarray(np.arange(8))
    y[y[:4] * 2] = y[4:]
    host = np.arange(8)
    host[host[:4] * 2] = host[4:].copy()
    np.testing.assert_array_equal(y.copy_to_host(), host)
