"""``out=`` and ``output=`` of SciPy's functions: what their compiled code writes arrives on the device, or is "
"refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import moderate

import devarray as da

ndimage = pytest.importorskip("scipy.ndimage")
sparse = pytest.importorskip("scipy.sparse")

CALLS: dict[str, Any] = {
    "gaussian_filter": lambda x, out: ndimage.gaussian_filter(x, 1, output=out),
    "uniform_filter": lambda x, out: ndimage.uniform_filter(x, 3, output=out),
    "median_filter": lambda x, out: ndimage.median_filter(x, 3, output=out),
    "sobel": lambda x, out: ndimage.sobel(x, output=out),
    "convolve": lambda x, out: ndimage.convolve(x, np.ones((3, 3)), output=out),
    "minimum_filter1d": lambda x, out: ndimage.minimum_filter1d(x, 3, output=out),
    "shift": lambda x, out: ndimage.shift(x, 1.5, output=out),
    "grey_dilation": lambda x, out: ndimage.grey_dilation(x, 3, output=out),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("strided", [False, True])
def test_outputs_are_written(name: str, strided: bool) -> None:
    host = moderate("float64", (9, 8), 3)
    dtype = "float64"
    theirs, ours = np.zeros((9, 16), dtype), da.zeros((9, 16), dtype=dtype)
    part: Any = (slice(None), slice(None, None, 2)) if strided else (slice(None), slice(8))
    CALLS[name](host, theirs[part])
    pending = da.asarray(host) + 0
    with da.use(fallback="allow"):
        if ours.device.strategy == "gpu":
            with pytest.raises(TypeError, match="output="):
                CALLS[name](pending, ours[part])
            return
        CALLS[name](pending, ours[part])
    assert np.array_equal(ours.copy_to_host(), theirs)


def test_an_input_that_is_the_output() -> None:
    host = moderate("float64", (9, 8), 3)
    x = da.asarray(host)
    if x.device.strategy == "gpu":
        pytest.skip("outputs are refused there")
    with da.use(fallback="allow"):
        ndimage.gaussian_filter(x, 1, output=x)
        kept = np.asarray(x)
        x += 1
    ndimage.gaussian_filter(host, 1, output=host)
    assert np.array_equal(x.copy_to_host(), host + 1) and np.array_equal(kept, host)


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_sparse_matrices_are_written_out(kind: str, order: str) -> None:
    host = np.arange(20.0).reshape(4, 5) * (np.arange(20).reshape(4, 5) % 3 == 1)
    matrix = sparse.coo_array(host).asformat(kind)
    out = da.full((4, 5), 7.0, order=order)
    with da.use(fallback="allow"):
        if out.device.strategy == "gpu" and kind != "lil":  # which assigns the elements one by one
            with pytest.raises(TypeError, match="output"):
                matrix.toarray(out=out)
            return
        assert np.array_equal(np.asarray(matrix.toarray(out=out)), host)
    assert np.array_equal(out.copy_to_host(), host)


def test_what_only_has_the_name_of_an_output_is_copied() -> None:
    x = da.asarray([[1.0, 2.0], [3.0, 4.0]])
    with da.use(fallback="allow"):
        kept = sparse.coo_array(x).toarray()
        x += 1
    assert np.array_equal(np.asarray(kept), [[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like", "full_like"])
def test_scipy_makes_arrays_of_the_host_for_what_its_code_fills(name: str) -> None:
    x = da.asarray([[1.0, 2.0], [3.0, 4.0]])
    further = (5.0,) if name == "full_like" else ()
    asked = {asker: {"__name__": asker, "f": getattr(np, name)} for asker in ("scipy.made_up", "another.made_up")}
    for namespace in asked.values():
        exec("def make(x, further): return f(x, *further, dtype='float32')", namespace)
    with da.use(fallback="allow"):
        made = asked["scipy.made_up"]["make"](x, further)
        assert type(made) is np.ndarray and made.dtype == "float32" and made.shape == (2, 2)
        assert isinstance(asked["another.made_up"]["make"](x, further), da.Array)
    assert isinstance(asked["scipy.made_up"]["make"](x, further), da.Array)
