"""Programs of dask.array that its results over our chunks are compared by: on one device, and on a cluster."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

dsk = pytest.importorskip("dask.array")

X = np.random.default_rng(1).normal(size=(12, 8))
V = np.random.default_rng(2).integers(0, 9, 40)
HOLED = np.where(X > 1, np.nan, X)
SQUARE = X[:8] @ X[:8].T + 8 * np.eye(8)


BODIES: dict[str, Callable[..., Any]] = {
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
    "where of a condition": lambda x, v, h, s: dsk.where(x > 1)[1],
    "index by a Dask array": lambda x, v, h, s: x[v[:4]],
    # sets, counts and searches
    "unique": lambda x, v, h, s: dsk.unique(v),
    "unique, counts": lambda x, v, h, s: dsk.unique(v, return_counts=True)[1],
    "unique, indices": lambda x, v, h, s: dsk.unique((x * 2).round().astype("float32"), return_index=True)[1],
    "unique, inverse": lambda x, v, h, s: dsk.unique(v, return_inverse=True)[1],
    "bincount": lambda x, v, h, s: dsk.bincount(v, minlength=12),
    "bincount, weighted": lambda x, v, h, s: dsk.bincount(v, weights=v * 0.5, minlength=9),
    "histogram": lambda x, v, h, s: dsk.histogram(x, bins=5, range=(-2, 2))[0],
    "histogram of edges": lambda x, v, h, s: dsk.histogram(x, bins=np.array([-1, 0, 0.5, 2]))[0],
    "histogramdd": lambda x, v, h, s: dsk.histogramdd(x[:, :2].rechunk({1: 2}), bins=(3, 4), range=((-2, 2),) * 2)[0],
    "histogramdd of columns": lambda x, v, h, s: dsk.histogramdd(
        (x[:, 0], x[:, 1]), bins=[np.linspace(-2, 2, 5)] * 2, weights=x[:, 2]
    )[0],
    "histogram2d": lambda x, v, h, s: dsk.histogram2d(x[:, 0], x[:, 1], bins=3, range=((-2, 2),) * 2, density=True)[0],
    "isnull": lambda x, v, h, s: dsk.isnull(h),
    "notnull of integers": lambda x, v, h, s: dsk.notnull(v),
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
    "solve_triangular": lambda x, v, h, s: dsk.linalg.solve_triangular(s.rechunk(4), x[:8].rechunk(4), lower=True),
    "solve_triangular, upper": lambda x, v, h, s: dsk.linalg.solve_triangular(s.rechunk(4), x[0].rechunk(4)),
    "solve, positive": lambda x, v, h, s: dsk.linalg.solve(s.rechunk(4), x[0].rechunk(4), assume_a="pos"),
    **{
        f"lstsq, {i}": lambda x, v, h, s, i=i: dsk.linalg.lstsq(x.rechunk((4, 8)), x.rechunk((4, 8))[:, :2] ** 2)[i]
        for i in range(4)
    },
    "lu": lambda x, v, h, s: dsk.linalg.lu(s.rechunk(4))[1],
    "solve": lambda x, v, h, s: dsk.linalg.solve(s.rechunk(4), x[0].rechunk(4)),
    "inv": lambda x, v, h, s: dsk.linalg.inv(s.rechunk(4)),
}  # fmt: skip

OVER_THE_HOST = ("lu", "solve", "inv")
"""What Dask does with SciPy's `lu`, whatever the chunks."""


def results(name: str, chunk: Callable[[Any], Any], chunks: tuple[Any, ...] = ((5, 3), 11, (5, 3), 4)) -> Any:
    """What a program makes of the arrays: not computed yet."""
    given = zip((X, V, HOLED, SQUARE), chunks, strict=True)
    return BODIES[name](*(dsk.from_array(chunk(host), chunks=size) for host, size in given))
