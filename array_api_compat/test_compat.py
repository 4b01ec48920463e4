"""The packages array-api-compat and array-api-extra take devarray's arrays as they are: results against NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_extra as xpx
import numpy as np
import pytest

import array_api_compat
import devarray as da

try:
    da.device()
except da.MissingDriverError:
    pytest.skip("no device", allow_module_level=True)

A = np.array([[3.0, -1.5, 2.0], [0.25, 4.0, -0.0]])
B = np.array([[1.0, 2.0, 2.0], [0.5, 4.0, 9.0]])
I = np.array([3, 1, 2, 3, 5])  # noqa: E741 (as in the matrices' names)


def check(ours: Any, wanted: Any) -> None:
    """Results of one call: arrays, tuples of them, or plain values."""
    if isinstance(wanted, tuple):
        assert len(ours) == len(wanted)
        for got, want in zip(ours, wanted, strict=True):
            check(got, want)
        return
    got = ours.copy_to_host() if isinstance(ours, da.Array) else np.asarray(ours)
    assert isinstance(ours, da.Array) or not isinstance(wanted, np.ndarray), f"a {type(ours).__name__}"
    assert got.dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def test_the_namespace_is_devarray_itself() -> None:
    x = da.asarray(A)
    assert array_api_compat.array_namespace(x, da.ones(2)) is da
    assert array_api_compat.array_namespace(x, 1.0, None) is da
    assert array_api_compat.is_array_api_obj(x)
    assert not array_api_compat.is_numpy_array(x)
    with pytest.raises(TypeError):
        array_api_compat.array_namespace(x, np.ones(2))


def test_helpers_on_devices_and_sizes() -> None:
    x = da.asarray(A)
    assert array_api_compat.device(x) is x.device
    assert array_api_compat.to_device(x, x.device) is x
    assert array_api_compat.size(x) == 6
    assert not array_api_compat.is_lazy_array(x)
    assert array_api_compat.is_writeable_array(x)


def test_the_inspection_of_the_namespace() -> None:
    info = array_api_compat.array_namespace(da.asarray(A)).__array_namespace_info__()
    assert da.device() in info.devices()
    assert info.dtypes(kind="integral")["int8"] == da.int8


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "angle": lambda xp, c: xpx.angle(c(A + 1j * B), xp=xp),
    "apply_where": lambda xp, c: xpx.apply_where(c(B) > 1, (c(A), c(B)), lambda a, b: a / b, lambda a, b: a + b, xp=xp),
    "apply_where fill": lambda xp, c: xpx.apply_where(c(B) > 1, c(A), lambda a: a * 2, fill_value=7.0, xp=xp),
    "argpartition": lambda xp, c: xp.take(c(I), xpx.argpartition(c(I), 4, xp=xp)[4:], axis=0),
    "at add": lambda xp, c: xpx.at(c(A), (slice(None), 1)).add(5.0, xp=xp),
    "at mask": lambda xp, c: xpx.at(c(A), c(A) < 0).set(0.0, xp=xp),
    "at multiply": lambda xp, c: xpx.at(c(A))[0, ::2].multiply(3.0, copy=True, xp=xp),
    "atleast_nd": lambda xp, c: xpx.atleast_nd(c(I), ndim=3, xp=xp),
    "cov": lambda xp, c: xpx.cov(c(A), xp=xp),
    "create_diagonal": lambda xp, c: xpx.create_diagonal(c(I), offset=-1, xp=xp),
    "deg2rad": lambda xp, c: xpx.deg2rad(c(A), xp=xp),
    "isclose": lambda xp, c: xpx.isclose(c(A), c(A + 1e-9), xp=xp),
    "isin": lambda xp, c: xpx.isin(c(I), c(I[:2]), xp=xp),
    "kron": lambda xp, c: xpx.kron(c(A), c(B), xp=xp),
    "nan_to_num": lambda xp, c: xpx.nan_to_num(c(np.array([1.0, np.nan, np.inf])), xp=xp),
    "nanmax": lambda xp, c: xpx.nanmax(c(np.array([1.0, np.nan, 3.0])), xp=xp),
    "nanmean": lambda xp, c: xpx.nanmean(c(np.array([1.0, np.nan, 3.0])), xp=xp),
    "nansum": lambda xp, c: xpx.nansum(c(np.array([1.0, np.nan, 3.0])), xp=xp),
    "nunique": lambda xp, c: xpx.nunique(c(I), xp=xp),
    "one_hot": lambda xp, c: xpx.one_hot(c(I), 6, xp=xp),
    "pad": lambda xp, c: xpx.pad(c(A), 2, xp=xp),
    "partition": lambda xp, c: xpx.partition(c(I), 2, xp=xp)[2],
    "rad2deg": lambda xp, c: xpx.rad2deg(c(A), xp=xp),
    "searchsorted": lambda xp, c: xpx.searchsorted(c(np.sort(I)), c(I), xp=xp),
    "setdiff1d": lambda xp, c: xpx.setdiff1d(c(I), c(I[:2]), xp=xp),
    "sinc": lambda xp, c: xpx.sinc(c(A), xp=xp),
    "tril_indices": lambda xp, c: xpx.tril_indices(3, xp=xp),
    "triu_indices": lambda xp, c: xpx.triu_indices(3, offset=1, xp=xp),
    "union1d": lambda xp, c: xpx.union1d(c(I), c(I + 1), xp=xp),
    "unravel_index": lambda xp, c: xpx.unravel_index(c(I), (2, 3), xp=xp),
}


@pytest.mark.parametrize("name", CALLS)
def test_array_api_extra(name: str) -> None:
    call = CALLS[name]
    check(call(da, da.asarray), call(np, np.asarray))
