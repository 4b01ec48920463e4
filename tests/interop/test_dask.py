"""dask.array over device chunks: the same results as over NumPy's, and what comes to the host, counted."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da

dask = pytest.importorskip("dask")
dsk = pytest.importorskip("dask.array")

from dask.base import tokenize  # noqa: E402
from dask.sizeof import sizeof  # noqa: E402

import devarray.dask as devdask  # noqa: E402

# Where a device has no kernel for linear algebra it says so, and Dask's tests are not about that.
pytestmark = pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")

X = np.random.default_rng(1).normal(size=(12, 8))
V = np.random.default_rng(2).integers(0, 9, 40)
HOLED = np.where(X > 1, np.nan, X)
SQUARE = X[:8] @ X[:8].T + 8 * np.eye(8)


@pytest.fixture(autouse=True)
def sequential(device: da.Device) -> Iterator[None]:
    with dask.config.set(scheduler="sync"):
        yield


Body = Callable[..., Any]
BODIES: dict[str, Body] = {
    # element-wise work, and chunks beside host and device arrays
    "expression": lambda x, v, h, s: dsk.sqrt(x * x + 1) * 2 - x,
    "where": lambda x, v, h, s: dsk.where(x > 0, x, -1),
    "clip": lambda x, v, h, s: dsk.clip(x, -0.5, 0.5),
    "host operand": lambda x, v, h, s: x + X,
    "isin": lambda x, v, h, s: dsk.isin(v, [1, 3]),
    "select": lambda x, v, h, s: dsk.select([x > 1, x > 0], [x, -x], 0),
    "divmod": lambda x, v, h, s: divmod(v, 3)[1],
    # reductions
    **{
        f"{name}({axis})": lambda x, v, h, s, n=name, a=axis: getattr(dsk, n)(x, axis=a)
        for name in ("sum", "prod", "mean", "std", "var", "min", "max", "argmin", "argmax", "any", "all")
        for axis in (None, 0, 1)
    },
    **{
        f"{name}({axis})": lambda x, v, h, s, n=name, a=axis: getattr(dsk, n)(h, axis=a)
        for name in ("nansum", "nanmean", "nanstd", "nanmin", "nanmax", "nanprod")
        for axis in (None, 1)
    },
    "var, ddof": lambda x, v, h, s: x.var(axis=1, ddof=1, keepdims=True),
    "moment": lambda x, v, h, s: dsk.reductions.moment(x, 4, axis=0),
    "cumsum": lambda x, v, h, s: dsk.cumsum(x, axis=0),
    "cumsum, blelloch": lambda x, v, h, s: dsk.cumsum(x, axis=1, method="blelloch"),
    "cumprod": lambda x, v, h, s: dsk.cumprod(x, axis=1),
    "median": lambda x, v, h, s: dsk.median(x, axis=0),
    "nanmedian": lambda x, v, h, s: dsk.nanmedian(h, axis=1),
    "quantile": lambda x, v, h, s: dsk.quantile(x, 0.3, axis=1),
    "nanpercentile": lambda x, v, h, s: dsk.nanpercentile(h, 30, axis=0),
    "percentile": lambda x, v, h, s: dsk.percentile(v + 0.5, [10, 50, 90]),
    "percentile, lower": lambda x, v, h, s: dsk.percentile(v + 0.5, 30, method="lower"),
    "topk": lambda x, v, h, s: dsk.topk(x, 3, axis=1),
    "argtopk": lambda x, v, h, s: dsk.argtopk(x, -2, axis=0),
    "average": lambda x, v, h, s: dsk.average(x, axis=1, weights=x[0] * x[0]),
    "ptp": lambda x, v, h, s: dsk.ptp(x, axis=0),
    "count_nonzero": lambda x, v, h, s: dsk.count_nonzero(v),
    # products
    "matmul": lambda x, v, h, s: x @ x.T,
    "tensordot": lambda x, v, h, s: dsk.tensordot(x, x, axes=((0,), (0,))),
    "tensordot of none": lambda x, v, h, s: dsk.tensordot(x, x[:2], axes=0),
    "einsum": lambda x, v, h, s: dsk.einsum("ij,kj->ik", x, x),
    "einsum, traced": lambda x, v, h, s: dsk.einsum("ij,ij,j->i", x, x, x[0], casting="same_kind"),
    "dot": lambda x, v, h, s: dsk.dot(x, x[0]),
    "vdot": lambda x, v, h, s: dsk.vdot(x, x),
    "outer": lambda x, v, h, s: dsk.outer(x[0], v),
    "cov": lambda x, v, h, s: dsk.cov(x.rechunk((4, 8))),
    "corrcoef": lambda x, v, h, s: dsk.corrcoef(x.rechunk((4, 8))),
    # shapes
    "concatenate": lambda x, v, h, s: dsk.concatenate([x, h], axis=1)[:, 3:6],
    "stack": lambda x, v, h, s: dsk.stack([x, x + 1], axis=1),
    "block": lambda x, v, h, s: dsk.block([[x, x], [x, x]]),
    "transpose": lambda x, v, h, s: x.T.rechunk((3, 4)),
    "reshape": lambda x, v, h, s: x.reshape(3, 4, 8),
    "pad": lambda x, v, h, s: dsk.pad(x, ((1, 2), (0, 3)), constant_values=7),
    "pad, reflect": lambda x, v, h, s: dsk.pad(x, 2, mode="reflect"),
    "pad, mean": lambda x, v, h, s: dsk.pad(x, 1, mode="mean"),
    "roll": lambda x, v, h, s: dsk.roll(x, 3, axis=0),
    "flip": lambda x, v, h, s: dsk.flip(x, 1),
    "rot90": lambda x, v, h, s: dsk.rot90(x),
    "repeat": lambda x, v, h, s: dsk.repeat(x, 2, axis=1),
    "tile": lambda x, v, h, s: dsk.tile(x, (2, 1)),
    "broadcast_to": lambda x, v, h, s: dsk.broadcast_to(x[0], (3, 8)),
    "diag": lambda x, v, h, s: dsk.diag(v[:5]),
    "diagonal": lambda x, v, h, s: dsk.diagonal(x, 1),
    "tril": lambda x, v, h, s: dsk.tril(x, 1),
    "insert": lambda x, v, h, s: dsk.insert(x, 2, 9, axis=0),
    "delete": lambda x, v, h, s: dsk.delete(v, [1, 5], axis=0),
    "diff": lambda x, v, h, s: dsk.diff(x, axis=1),
    "gradient": lambda x, v, h, s: dsk.gradient(x, axis=0),
    "coarsen": lambda x, v, h, s: dsk.coarsen(np.sum, x, {0: 2, 1: 4}),
    # indexing, masks and sizes that are not known
    "slices": lambda x, v, h, s: x[::-2, 1:7:3],
    "fancy": lambda x, v, h, s: x[[5, 0, 11]],
    "vindex": lambda x, v, h, s: x.vindex[[0, 7], [2, 3]],
    "take": lambda x, v, h, s: dsk.take(x, [3, 1], axis=1),
    "mask": lambda x, v, h, s: x[x > 0.3],
    "mask of rows": lambda x, v, h, s: x[x[:, 0] > 0, 1:],
    "unknown sizes": lambda x, v, h, s: (v[v > 4] + 1).compute_chunk_sizes(),
    "compress": lambda x, v, h, s: dsk.compress([True, False, True], x[:3], axis=0),
    "nonzero": lambda x, v, h, s: dsk.nonzero(v)[0],
    "argwhere": lambda x, v, h, s: dsk.argwhere(x > 1),
    "flatnonzero": lambda x, v, h, s: dsk.flatnonzero(v),
    "extract": lambda x, v, h, s: dsk.extract(x > 0, x),
    "index by a Dask array": lambda x, v, h, s: x[v[:4]],
    # sets, counts and searches
    "unique": lambda x, v, h, s: dsk.unique(v),
    "bincount": lambda x, v, h, s: dsk.bincount(v, minlength=12),
    "bincount, weighted": lambda x, v, h, s: dsk.bincount(v, weights=v * 0.5, minlength=9),
    "histogram": lambda x, v, h, s: dsk.histogram(x, bins=5, range=(-2, 2))[0],
    "histogram of edges": lambda x, v, h, s: dsk.histogram(x, bins=np.array([-1, 0, 0.5, 2]))[0],
    "digitize": lambda x, v, h, s: dsk.digitize(x, np.array([-1.0, 0, 1])),
    "searchsorted": lambda x, v, h, s: dsk.searchsorted(dsk.cumsum(v + 1), v),
    # functions by chunk
    "map_blocks": lambda x, v, h, s: x.map_blocks(lambda b: b[:, ::-1] * 2),
    "map_overlap": lambda x, v, h, s: x.map_overlap(lambda b: b[:-2] + b[2:], depth={0: 1}, boundary=0, trim=False),
    "map_overlap, reflect": lambda x, v, h, s: x.map_overlap(lambda b: b * 3, depth=1, boundary="reflect"),
    "apply_along_axis": lambda x, v, h, s: dsk.apply_along_axis(np.sum, 1, x),
    "apply_gufunc": lambda x, v, h, s: dsk.apply_gufunc(
        lambda a: a.mean(axis=-1), "(i)->()", x, output_dtypes="f8", allow_rechunk=True
    ),
    "reduction": lambda x, v, h, s: dsk.reduction(
        x, chunk=lambda b, axis, keepdims: b.max(axis, keepdims=keepdims), aggregate=np.max, axis=0, dtype="f8"
    ),
    "fft": lambda x, v, h, s: dsk.fft.fft(x.rechunk((4, 8))),
    "rfft2": lambda x, v, h, s: dsk.fft.rfft2(x.rechunk((12, 8))),
    # linear algebra
    "norm": lambda x, v, h, s: dsk.linalg.norm(x),
    "norm of rows": lambda x, v, h, s: dsk.linalg.norm(x, ord=1, axis=1),
    "qr": lambda x, v, h, s: operator.matmul(*dsk.linalg.qr(x.rechunk((4, 8)))),
    "sfqr": lambda x, v, h, s: operator.matmul(*dsk.linalg.sfqr(x.T.rechunk((8, (8, 4))))),
    "tsqr": lambda x, v, h, s: operator.matmul(*dsk.linalg.tsqr(x.rechunk((6, 8)))),
    "svd": lambda x, v, h, s: dsk.linalg.svd(x.rechunk((4, 8)))[1],
    "svd_compressed": lambda x, v, h, s: dsk.linalg.svd_compressed(x, 8, n_power_iter=2)[1],
    "cholesky": lambda x, v, h, s: dsk.linalg.cholesky(s.rechunk(4), lower=True),
    "lstsq": lambda x, v, h, s: dsk.linalg.lstsq(x.rechunk((4, 8)), x.rechunk((4, 8))[:, 0])[0],
}  # fmt: skip


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
        *("histogram of edges", "quantile", "reduction", "rfft2", "svd_compressed", "unknown sizes"),
    )
)
"""What Dask says to be of NumPy's arrays until it is computed, whatever the chunks: it looks at no array, or at empty
ones that NumPy refuses as well."""

OVER_THE_HOST = ("nonzero", "argwhere", "flatnonzero", "cholesky", "lstsq")
"""What Dask does with NumPy's indices or SciPy's solvers, whatever the chunks."""


@pytest.mark.parametrize("name", OVER_THE_HOST)
def test_what_dask_does_on_the_host_wants_leave_for_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(chunk: Callable[[Any], Any]) -> Any:
        return BODIES[name](
            *(dsk.from_array(chunk(h), chunks=c) for h, c in ((X, (5, 8)), (V, 11), (X, 5), (SQUARE, 4)))
        )

    with pytest.raises(da.errors.DTypeError, match=r"copy_to_host\(\)"):
        run(da.asarray).compute()
    monkeypatch.setattr(da.config, "fallback", "allow")
    wanted, got = run(lambda h: h).compute(), run(da.asarray).compute()
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in BODIES if name not in OVER_THE_HOST])
def test_results_are_those_over_numpys_chunks(name: str) -> None:
    def run(chunk: Callable[[Any], Any]) -> Any:
        given = (dsk.from_array(chunk(h), chunks=c) for h, c in ((X, (5, 3)), (V, 11), (HOLED, (5, 3)), (SQUARE, 4)))
        return BODIES[name](*given)

    wanted, found = run(lambda h: h).compute(), run(da.asarray)
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


# --- how Dask knows device arrays -------------------------------------------------------------------------------------


def test_sizeof_is_what_the_device_holds() -> None:
    x = da.asarray(X)
    assert sizeof(x) == X.nbytes
    assert sizeof(x + 1) == X.nbytes, "pending"
    assert sizeof(da.broadcast_to(x[0], (1000, 8))) == 8 * 8
    assert sizeof(da.empty((0, 5))) == 0


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float32", "float64", "complex64", "complex128"])
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
def test_a_chunks_elementwise_work_is_one_kernel() -> None:
    lazy = dsk.from_array(da.asarray(X), chunks=(6, 8))
    lazy = (dsk.sqrt(lazy * lazy + 1) * 2 - lazy).map_blocks(lambda chunk: chunk.evaluate())
    da.reset_stats()
    lazy.persist()
    assert da.stats()["launches"] == 2


def test_metas_are_of_the_device_and_empty() -> None:
    lazy = dsk.from_array(da.asarray(X), chunks=4)
    assert isinstance(lazy._meta, da.Array) and lazy._meta.shape == (0, 0)
    assert isinstance((lazy.astype("f4") @ lazy.T.astype("f4"))._meta, da.Array)


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


@pytest.mark.parametrize("name", ["", ".backend", ".files", ".lookups", ".random", ".spill", ".cluster"])
def test_the_examples_of_the_docstrings_run(name: str) -> None:
    import doctest
    import importlib

    if name in (".spill", ".cluster"):
        pytest.importorskip("distributed")
    if name == ".files":
        pytest.importorskip("zarr")
    module = importlib.import_module(f"devarray.dask{name}")
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE, extraglobs={"devarray": da})
    assert tried > 0 and not failed
