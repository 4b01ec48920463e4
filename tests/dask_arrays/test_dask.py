"""dask.array over device chunks: the same results as over NumPy's, and what comes to the host, counted."""

from __future__ import annotations

import gc
import operator
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da

dask = pytest.importorskip("dask")
dsk = pytest.importorskip("dask.array")

from dask.array.core import concatenate3  # noqa: E402
from dask.base import tokenize  # noqa: E402
from dask.sizeof import sizeof  # noqa: E402
from dask_programs import BODIES, HOLED, OVER_THE_HOST, SQUARE, V, X, results  # noqa: E402

import devarray.dask as devdask  # noqa: E402

# Where a device has no kernel for linear algebra it says so, and Dask's tests are not about that.
pytestmark = pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")


@pytest.fixture(autouse=True)
def sequential(device: da.Device) -> Iterator[None]:
    with dask.config.set(scheduler="sync"):
        yield


NUMPYS_META = frozenset(
    (
        *(
            "apply_along_axis",
            "coarsen",
            "cumsum, blelloch",
            "extract",
            "fft",
            "gradient",
            "histogram",
            "mask",
            "median",
        ),
        *(
            "histogram of edges",
            "histogram2d",
            "histogramdd",
            "histogramdd of columns",
            "lstsq, 2",
            "quantile",
            "reduction",
            "rfft2",
            "svd_compressed",
            "unknown sizes",
        ),
        *("unique", "unique, counts", "unique, indices", "unique, inverse"),
    )
)
"""What Dask says to be of NumPy's arrays until it is computed, whatever the chunks: it looks at no array, or at empty
ones that NumPy refuses as well."""


@pytest.mark.parametrize("name", OVER_THE_HOST)
def test_what_dask_does_on_the_host_wants_leave_for_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = ((5, 8), 11, 5, 4)
    with pytest.raises(da.errors.DTypeError, match=r"copy_to_host\(\)"):
        results(name, da.asarray, chunks).compute()
    monkeypatch.setattr(da.config, "fallback", "allow")
    wanted, got = results(name, lambda h: h, chunks).compute(), results(name, da.asarray, chunks).compute()
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in BODIES if name not in OVER_THE_HOST])
def test_results_are_those_over_numpys_chunks(name: str) -> None:
    wanted, found = results(name, lambda h: h).compute(), results(name, da.asarray)
    if name not in NUMPYS_META:
        assert isinstance(found._meta, da.Array), "what Dask derives beforehand"
    got = found.compute()
    assert isinstance(got, da.Array)
    assert got.dtype == found.dtype and got.shape == wanted.shape and got.dtype == wanted.dtype
    np.testing.assert_allclose(got.copy_to_host(), wanted, rtol=1e-9, atol=1e-12)


STAYS = ["expression", "where", "std(None)", "mean(0)", "matmul", "tensordot", "einsum", "nansum(1)", "concatenate",
         "map_overlap", "pad", "cumsum", "roll", "transpose", "argmax(0)", "topk", "histogram"]  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_nothing_comes_to_the_host(name: str) -> None:
    given = [dsk.from_array(da.asarray(h), chunks=4) for h in (X, V, HOLED, SQUARE)]
    lazy = BODIES[name](*given)
    da.reset_stats()
    lazy.compute()
    assert da.stats()["bytes_to_host"] == 0


DATED = {
    "percentile": lambda x: dsk.percentile(x, [10, 50], method="lower"),
    "unique": dsk.unique,
    "unique, counts": lambda x: dsk.unique(x, return_counts=True)[1],
    "isnull": dsk.isnull,
    "nonzero": lambda x: dsk.nonzero(x)[0],
    "concatenate": lambda x: dsk.concatenate([x, x[:3]]),
}  # fmt: skip


@pytest.mark.parametrize("name", DATED)
@pytest.mark.parametrize("dtype", ["datetime64[D]", "timedelta64[s]"])
def test_dates_are_chunks(name: str, dtype: str) -> None:
    host = np.array([4, 0, 7, 4, 2, 0, 9], np.int64).astype(dtype)
    if name == "percentile" and dtype[0] == "t":
        pytest.skip("Dask takes durations for numbers and cannot, whatever the chunks")
    wanted = DATED[name](dsk.from_array(host, chunks=3)).compute()
    got = DATED[name](dsk.from_array(da.asarray(host), chunks=3)).compute()
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got.copy_to_host(), wanted)


@pytest.mark.parametrize("name", ["nonzero", "unique", "histogramdd", "isnull"])
def test_only_sizes_come_to_the_host(name: str) -> None:
    lazy = results(name, da.asarray)
    da.reset_stats()
    lazy.compute()
    assert da.stats()["bytes_to_host"] <= 16 * lazy.npartitions + 8 * 64, "a number a chunk, or two"


def test_a_system_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"solve_triangular\(\) is given \(4, 3\)"):
        dsk.linalg.solve_triangular_safe(da.ones((4, 3)), da.ones(4))


def test_functions_put_into_dask_travel_by_name() -> None:
    placed = dsk.linalg.solve_triangular_safe
    assert pickle.loads(pickle.dumps(placed)) is placed
    assert tokenize(placed) == tokenize(pickle.loads(pickle.dumps(placed)))


# --- how Dask knows device arrays -------------------------------------------------------------------------------------


def test_sizeof_is_what_the_device_holds() -> None:
    x = da.asarray(X)
    assert sizeof(x) == X.nbytes
    assert sizeof(x + 1) == X.nbytes, "pending"
    assert sizeof(da.broadcast_to(x[0], (1000, 8))) == 8 * 8
    assert sizeof(da.empty((0, 5))) == 0


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float32", "float64", "complex64", "complex128"])
@pytest.mark.heavy
def test_tokens_are_of_the_values(dtype: str) -> None:
    host = np.abs(X * 10).astype(int).astype(dtype)
    host[0, 0] = 0
    x = da.asarray(host)
    assert tokenize(x) == tokenize(da.asarray(host)) == tokenize(da.asarray(host.T.copy()).T)
    other = host.copy()
    other[3, 4] = host[3, 4] == 0
    others = [da.asarray(other), x.reshape(8, 12), x.ravel(), x[::-1].copy(), x.real.astype("float16")]
    assert len({tokenize(y) for y in (x, *others)}) == 6


def test_a_token_takes_sixteen_bytes_to_the_host() -> None:
    x = da.ones((1000, 100))
    da.reset_stats()
    tokenize(x)
    assert da.stats()["bytes_to_host"] == 16


def test_a_token_follows_what_was_written() -> None:
    x = da.zeros(5)
    before = tokenize(x)
    x[2] = 1
    assert tokenize(x) != before
    x[2] = 0
    assert tokenize(x) == before


def test_swapped_values_have_another_token() -> None:
    assert tokenize(da.asarray([1, 2, 3])) != tokenize(da.asarray([1, 3, 2]))
    assert tokenize(da.asarray([0, 0])) != tokenize(da.asarray([0, 0, 0]))


def test_dask_arrays_beside_device_arrays() -> None:
    x, lazy = da.asarray(X), dsk.from_array(da.asarray(X), chunks=5)
    for made in (x + lazy, lazy + x, np.add(x, lazy), np.add(lazy, x), x @ lazy.T, np.concatenate([x, lazy])):
        assert isinstance(made, dsk.Array)
    assert np.allclose(np.concatenate([x, lazy]).compute().copy_to_host(), np.concatenate([X, X]))
    assert np.allclose(np.multiply(x, lazy).compute().copy_to_host(), X * X)


@pytest.mark.usefixtures("deferred")
@pytest.mark.usefixtures("kernels")
def test_a_chunks_elementwise_work_is_one_kernel() -> None:
    lazy = dsk.from_array(da.asarray(X), chunks=(6, 8))
    lazy = (dsk.sqrt(lazy * lazy + 1) * 2 - lazy).map_blocks(lambda chunk: chunk.evaluate())
    da.reset_stats()
    lazy.persist()
    assert da.stats()["launches"] == 2


def test_metas_are_of_the_device_and_empty() -> None:
    lazy = dsk.from_array(da.asarray(X), chunks=4)
    assert isinstance(lazy._meta, da.Array) and lazy._meta.shape == (0, 0)
    assert lazy._meta.device == da.device()
    assert isinstance((lazy.astype("f4") @ lazy.T.astype("f4"))._meta, da.Array)


def test_assignment_by_indices_on_the_host_and_functions_of_delayed_values() -> None:
    """What docs/dask.md has for two things that Dask does to NumPy's arrays only."""
    lazy, indices = dsk.from_array(da.asarray(V), chunks=11), dsk.from_array(da.asarray([3, 30]), chunks=1)
    lazy[indices.to_backend("numpy")] = -1
    wanted = V.copy()
    wanted[[3, 30]] = -1
    assert np.array_equal(lazy.compute().copy_to_host(), wanted)
    got = lazy.map_blocks(operator.add, dask.delayed(5), meta=lazy._meta).compute()
    assert isinstance(got, da.Array) and np.array_equal(got.copy_to_host(), wanted + 5)


def test_a_meta_holds_no_memory() -> None:
    """It is a view of the array that it was made of, without elements."""
    seen = da.alloc.StatisticsResourceAdaptor(da.alloc.DeviceMemoryResource(da.device()))
    x = da.ones((100, 100), allocator=seen).evaluate()
    lazy = dsk.from_array(x, chunks=50)
    meta, other = lazy._meta, x[3:3]
    x.queue.finish()
    del x, lazy
    gc.collect()
    assert seen.allocation_counts.current_bytes < 1000
    assert meta.shape == (0, 0) and other.shape == (0, 100) and other.allocator is meta.allocator


def test_numpys_like_makes_arrays_where_the_array_is() -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(da.device()))
    x = da.empty(3, allocator=pool)
    made = [
        (np.asarray([1, 2], like=x), [1, 2]),
        (np.array([[1.5]], dtype="f4", like=x), [[1.5]]),
        (np.arange(2, 8, 3, like=x), [2, 5]),
        (np.ones((2,), like=x), [1, 1]),
        (np.zeros(2, dtype="i4", like=x), [0, 0]),
        (np.full(2, 7, like=x), [7, 7]),
        (np.eye(2, like=x), [[1, 0], [0, 1]]),
    ]
    for got, wanted in made:
        assert isinstance(got, da.Array) and got.allocator is pool and got.tolist() == wanted
    assert np.empty((2, 3), like=x).shape == (2, 3)


# --- the backend ------------------------------------------------------------------------------------------------------


@pytest.fixture
def backend() -> Iterator[None]:
    dsk.backends.array_creation_dispatch.register_backend("devarray", devdask.Backend())
    with dask.config.set({"array.backend": "devarray"}):
        yield


def test_entry_points_name_what_is_there() -> None:
    import importlib
    import tomllib

    entries = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"]
    points = entries["entry-points"]
    assert set(points) >= {"dask.array.backends", "dask.sizeof"}
    for group in ("dask.array.backends", "dask.sizeof"):
        module, name = points[group]["devarray"].split(":")
        assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.usefixtures("backend")
def test_what_the_backend_makes() -> None:
    made = [
        (dsk.ones((5, 4), chunks=2), np.ones((5, 4))),
        (dsk.zeros(5, chunks=2, dtype="i4"), np.zeros(5, "i4")),
        (dsk.full((3, 3), 2.5, chunks=2), np.full((3, 3), 2.5)),
        (dsk.arange(2, 17, 3, chunks=2), np.arange(2, 17, 3)),
    ]
    for lazy, wanted in made:
        got = lazy.compute()
        assert isinstance(got, da.Array) and got.dtype == wanted.dtype
        assert np.array_equal(got.copy_to_host(), wanted)
    assert isinstance(dsk.empty((2, 3)).compute(), da.Array)
    assert dsk.ones(3, name="mine").name == "mine"


@pytest.mark.usefixtures("backend")
def test_what_the_backend_makes_has_a_name_of_its_own() -> None:
    """The meta array that it is made like has no values to name it by."""
    names = set()
    for i in range(5):
        block = da.full((), float(i)).evaluate()
        block.queue.finish()
        del block  # which the next array without values gets
        names.add(dsk.ones(10, chunks=4).name)
    assert len(names) == 1 and dsk.ones(10, dtype="i4", chunks=4).name not in names


def test_dask_draws_by_our_generators() -> None:
    first, second = (dsk.random.default_rng(da.random.default_rng(3)).normal(size=6, chunks=3) for _ in range(2))
    assert isinstance(first._meta, da.Array)
    assert np.array_equal(first.compute().copy_to_host(), second.compute().copy_to_host())


@pytest.mark.usefixtures("backend")
def test_dasks_own_random_numbers_are_of_the_device() -> None:
    for lazy in (
        dsk.random.default_rng(1).normal(size=(6, 4), chunks=3),
        dsk.random.default_rng(1).integers(0, 5, size=7, chunks=3),
        dsk.random.RandomState(1).normal(size=7, chunks=3),
        dsk.random.random(7, chunks=3),
    ):
        first, second = lazy.compute(), lazy.compute()
        assert isinstance(first, da.Array) and bool((first == second).all())


def test_chunks_move_between_backends(backend: None) -> None:
    lazy = dsk.from_array(X, chunks=5)
    there = lazy.to_backend("devarray")
    back = there.to_backend("numpy")
    assert isinstance(there.compute(), da.Array) and there.to_backend() is there
    assert type(back.compute()) is np.ndarray and np.array_equal(back.compute(), X)


def test_like_makes_device_chunks() -> None:
    lazy = dsk.from_array(da.asarray(X), chunks=5)
    for made in (
        dsk.ones_like(lazy),
        dsk.zeros_like(lazy),
        dsk.full_like(lazy, 3),
        dsk.empty_like(lazy),
        dsk.arange(5, like=da.empty(())),
        dsk.asarray([1, 2], like=lazy),
    ):
        assert isinstance(made.compute(), da.Array)


# --- files ------------------------------------------------------------------------------------------------------------


def test_zarr_to_and_from_chunks(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    devdask.to_zarr(dsk.from_array(da.asarray(X), chunks=5), tmp_path / "x")
    assert np.array_equal(dsk.from_zarr(tmp_path / "x").compute(), X)
    back = devdask.from_zarr(tmp_path / "x")
    assert back.chunks == ((5, 5, 2), (5, 3))
    assert isinstance(back._meta, da.Array) and np.array_equal(back.compute().copy_to_host(), X)


def test_zarr_writes_device_arrays_by_a_buffer_of_ours(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    pytest.importorskip("devarray.dask.zarr_buffer")
    with zarr.config.set({"ndbuffer": "devarray.dask.zarr_buffer.NDBuffer"}):
        dsk.from_array(da.asarray(X), chunks=5).to_zarr(tmp_path / "x")
        stored = zarr.open(tmp_path / "x")
        stored[2, 1:3] = da.asarray([7.0, 8.0])
        stored[3] = X[0]
    wanted = X.copy()
    wanted[2, 1:3], wanted[3] = [7, 8], X[0]
    assert np.array_equal(dsk.from_zarr(tmp_path / "x").compute(), wanted)


def test_numpy_files_to_and_from_chunks(tmp_path: Path) -> None:
    devdask.to_npy_stack(str(tmp_path), dsk.from_array(da.asarray(X), chunks=5))
    back = devdask.from_npy_stack(str(tmp_path))
    assert isinstance(back._meta, da.Array) and np.array_equal(back.compute().copy_to_host(), X)


def test_store_into_host_arrays(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "x", X.dtype, "w+", shape=X.shape)
    other = np.zeros(X.shape)
    lazy = dsk.from_array(da.asarray(X), chunks=5)
    devdask.store(lazy, mapped)
    devdask.store([lazy, lazy + 1], [mapped, other])
    assert np.array_equal(mapped, X) and np.array_equal(other, X + 1)


# --- xarray -----------------------------------------------------------------------------------------------------------


def test_xarray_on_top() -> None:
    xarray = pytest.importorskip("xarray")

    def run(chunk: Callable[[Any], Any]) -> Any:
        labelled = xarray.DataArray(
            dsk.from_array(chunk(X), chunks=5), dims=("t", "x"), coords={"t": np.arange(12) // 4, "x": np.arange(8)}
        )
        climate = labelled.groupby("t").mean()
        return (labelled.groupby("t") - climate).std("t"), labelled.sel(x=slice(2, 5)).sum("x"), labelled.diff("t")

    for got, wanted in zip(run(da.asarray), run(lambda h: h), strict=True):
        assert isinstance(got.data.compute(), da.Array)
        np.testing.assert_allclose(got.data.compute().copy_to_host(), wanted.values, rtol=1e-12, atol=1e-14)


MODULES = ["", ".backend", ".files", ".lookups", ".random", ".spill", ".cluster", ".zarr_buffer"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_docstrings_run(name: str) -> None:
    import doctest
    import importlib

    if name in (".spill", ".cluster"):
        pytest.importorskip("distributed")
    if name in (".files", ".zarr_buffer"):
        pytest.importorskip("zarr")
    module = importlib.import_module(f"devarray.dask{name}")
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE, extraglobs={"devarray": da})
    assert tried > 0 and not failed


def test_a_block_that_is_joined_with_none_is_not_copied() -> None:
    """Dask joins along one axis after the other: most of these joins have one block."""
    x = da.asarray(X)
    assert concatenate3([[x]]) is x
    before = da.stats()["bytes_moved"]
    got = concatenate3([[x], [x]]).evaluate()
    assert da.stats()["bytes_moved"] - before <= 2 * got.nbytes
    assert np.array_equal(got.copy_to_host(), np.concatenate([X, X]))
