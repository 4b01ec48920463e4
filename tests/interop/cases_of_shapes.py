"""Calls of NumPy's functions beyond the standard: shapes and memory, questions, matrices, grids."""

from __future__ import annotations

import numpy as np
from case_registry import EMPTY, SPOTS, B, K, T, V, X, Y, after, cases, wrong
from oracle import moderate

# --- joining and splitting -----------------------------------------------------------------------------------------

for _name in ("column_stack", "dstack"):
    cases(
        _name,
        (X, Y, K),
        lambda xp, x, y, k, n=_name: getattr(xp, n)([x, y]),
        lambda xp, x, y, k, n=_name: getattr(xp, n)((x[0, ::-2], k[1, ::2])),
        lambda xp, x, y, k, n=_name: getattr(xp, n)([x[0, 0], y[0, 0]]),
        lambda xp, x, y, k, n=_name: getattr(xp, n)([x.T[::-1], k.T]),
        lambda xp, x, y, k, n=_name: getattr(xp, n)([x[:4, 0], [1, 2, 3, 4]]),
    )
cases("column_stack", (X,), lambda xp, x: xp.column_stack([x[:, 0], x]), lambda xp, x: xp.column_stack([x[:, :0], x]))
cases("row_stack", (X, K), lambda xp, x, k: xp.vstack([x, k]) if xp is np else xp.row_stack([x, k]))
wrong("column_stack", lambda xp, x: xp.column_stack([x, x[:2]]), lambda xp, x: xp.column_stack([]))
cases(
    "block",
    (X, Y, K),
    lambda xp, x, y, k: xp.block([[x, y], [k, x]]),
    lambda xp, x, y, k: xp.block([x, k]),
    lambda xp, x, y, k: xp.block([[x[:, ::-1]], [k]]),
    lambda xp, x, y, k: xp.block([x[0, 0], k[0], y[0, 1]]),
    lambda xp, x, y, k: xp.block([[[x, y]], [[k, k]]]),
    lambda xp, x, y, k: xp.block([[x[0, 0], x[0, :2]], [x[:, 0:3]]]),
    lambda xp, x, y, k: xp.block([[x, 0 * k[:, :1]], [1] * 7]),
    lambda xp, x, y, k: xp.block(x),
    lambda xp, x, y, k: xp.block([[x[:0]], [x]]),
)
wrong(
    "block",
    lambda xp, x: xp.block([[x, x[:2]]]),
    lambda xp, x: xp.block([[x], x]),
    lambda xp, x: xp.block([[x], []]),
    lambda xp, x: xp.block((x, x)),
)
for _name in ("array_split", "split", "hsplit"):
    cases(
        _name,
        (X,),
        lambda xp, x, n=_name: getattr(xp, n)(x, 2),
        lambda xp, x, n=_name: getattr(xp, n)(x, [1, 3]),
        lambda xp, x, n=_name: getattr(xp, n)(x[::-1].T, np.int64(2)),
        lambda xp, x, n=_name: getattr(xp, n)(x[0], [-2, 9]),
        lambda xp, x, n=_name: getattr(xp, n)(x[0], xp.asarray([3, 1])),
    )
cases("array_split", (X,), lambda xp, x: xp.array_split(x, 5, 1), lambda xp, x: xp.array_split(x, 7, axis=-1))
cases("vsplit", (X,), lambda xp, x: xp.vsplit(x, 2), lambda xp, x: xp.vsplit(x, (1,)))
cases("dsplit", (T,), lambda xp, x: xp.dsplit(x, 3), lambda xp, x: xp.dsplit(x, [1]))
wrong("array_split", lambda xp, x: xp.array_split(x, 0), lambda xp, x: xp.array_split(x, 2, 5))
wrong("split", lambda xp, x: xp.split(x, 3), lambda xp, x: xp.split(x[0, 0], 1))
wrong("hsplit", lambda xp, x: xp.hsplit(x[0, 0], 1))
wrong("vsplit", lambda xp, x: xp.vsplit(x[0], 1), lambda xp, x: xp.dsplit(x, 1))

# --- turning -------------------------------------------------------------------------------------------------------

for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    cases(
        _name,
        (X, T),
        *(lambda xp, x, t, n=_name, i=i: getattr(xp, n)((x, x[0], x[0, 0], x[0, :0], t)[i]) for i in range(5)),
        lambda xp, x, t, n=_name: getattr(xp, n)(x, t[0, 0]),
    )
for _name in ("fliplr", "flipud", "rot90"):
    cases(_name, (T, EMPTY), lambda xp, t, e, n=_name: getattr(xp, n)(t), lambda xp, t, e, n=_name: getattr(xp, n)(e))
cases(
    "rot90",
    (T,),
    *(lambda xp, t, k=k, a=a: xp.rot90(t, k, a) for k in (-1, 0, 2, 3) for a in ((0, 1), (2, 0), (-1, 1))),
)
cases(
    "rollaxis",
    (T[:, :2, :1],),
    *(lambda xp, t, i=i, j=j: xp.rollaxis(t, i, j) for i in (0, 1, -1) for j in (-2, 0, 1, 3)),
)
wrong("fliplr", lambda xp, x: xp.fliplr(x[0]), lambda xp, x: xp.flipud(x[0, 0]))
wrong("rot90", lambda xp, x: xp.rot90(x, 1, (0, 0)), lambda xp, x: xp.rot90(x, 1, (0, 2)))
wrong("rot90", lambda xp, x: xp.rot90(x, 1, (0,)), lambda xp, x: xp.rollaxis(x, 2), lambda xp, x: xp.rollaxis(x, 0, 3))

# --- elements added and taken away ---------------------------------------------------------------------------------

cases(
    "append",
    (X, K),
    lambda xp, x, k: xp.append(x, k),
    lambda xp, x, k: xp.append(k, 1.5),
    lambda xp, x, k: xp.append(x, k[:, ::-1], 1),
    lambda xp, x, k: xp.append(x, x[:1], axis=0),
    lambda xp, x, k: xp.append(x[0, 0], [[1, 2]]),
    lambda xp, x, k: xp.append([1, 2], k),
)
wrong("append", lambda xp, x: xp.append(x, [1.0], 0), lambda xp, x: xp.append(x, x, 2))
for _axis in (None, 0, 1, -1):
    cases(
        "insert",
        (K,),
        lambda xp, k, a=_axis: xp.insert(k, 1, 9, a),
        lambda xp, k, a=_axis: xp.insert(k[::-1], -2, 9, axis=a),
        lambda xp, k, a=_axis: xp.insert(k, [1], 9, a),
        lambda xp, k, a=_axis: xp.insert(k, [3, 1, 1], -1.7, a),
        lambda xp, k, a=_axis: xp.insert(k, slice(0, 4, 2), 8, a),
        lambda xp, k, a=_axis: xp.insert(k, [], 8, a),
        lambda xp, k, a=_axis: xp.insert(k, np.array([True, False, True, True]), 8, a),
    )
    cases(
        "delete",
        (K,),
        lambda xp, k, a=_axis: xp.delete(k, 1, a),
        lambda xp, k, a=_axis: xp.delete(k.T, -1, axis=a),
        lambda xp, k, a=_axis: xp.delete(k, [0, 2, 2, -1], a),
        lambda xp, k, a=_axis: xp.delete(k, slice(None, None, 2), a),
        lambda xp, k, a=_axis: xp.delete(k, slice(3, 1, -1), a),
        lambda xp, k, a=_axis: xp.delete(k, slice(5, 5), a),
        lambda xp, k, a=_axis: xp.delete(k, [], a),
        lambda xp, k, a=_axis: xp.delete(k, np.s_[:], a),
        lambda xp, k, a=_axis: xp.delete(k, xp.asarray([2, 0]), a),
    )
cases(
    "insert",
    (X, K),
    lambda xp, x, k: xp.insert(x, 1, k[0], 0),
    lambda xp, x, k: xp.insert(x, 2, k[:, 0], axis=1),
    lambda xp, x, k: xp.insert(x, [1], k[:, :3], axis=1),
    lambda xp, x, k: xp.insert(x, [0, 3], k[:2], axis=0),
    lambda xp, x, k: xp.insert(x[0], [0, 3, 6], [1, 2, 3]),
    lambda xp, x, k: xp.insert(x[0], 2, [1, 2, 3]),
    lambda xp, x, k: xp.insert(x[0], xp.asarray([5, 2]), k[0, :2]),
    lambda xp, x, k: xp.insert(x, 1, [[1], [2], [3], [4]], axis=1),
    lambda xp, x, k: xp.insert(x[:0], 0, 1.0),
)
cases(
    "delete",
    (X,),
    lambda xp, x: xp.delete(x, [True, False, False, True], 0),
    lambda xp, x: xp.delete(x[0], x[0] > 0),
    lambda xp, x: xp.delete(x, x[0] > 0, 1),
    lambda xp, x: xp.delete(x, np.int64(0), 0),
)
wrong("insert", lambda xp, x: xp.insert(x, 9, 1, 0), lambda xp, x: xp.insert(x, [0, 1], [1, 2, 3], 0))
wrong("insert", lambda xp, x: xp.insert(x, 0, 1, 2), lambda xp, x: xp.insert(x, [[0, 1]], 1, 0))
wrong("delete", lambda xp, x: xp.delete(x, 4, 0), lambda xp, x: xp.delete(x, [0, -5], 0))
wrong("delete", lambda xp, x: xp.delete(x, [True, False], 0), lambda xp, x: xp.delete(x, [0.5], 0))
cases(
    "resize",
    (X, EMPTY),
    lambda xp, x, e: xp.resize(x, (3, 4)),
    lambda xp, x, e: xp.resize(x.T, (7, 11)),
    lambda xp, x, e: xp.resize(x[0, 0], 3),
    lambda xp, x, e: xp.resize(x, ()),
    lambda xp, x, e: xp.resize(x, (0, 2)),
    lambda xp, x, e: xp.resize(e, (2, 2)),
)
wrong("resize", lambda xp, x: xp.resize(x, (-1, 2)))
HOLED = np.zeros((5, 6), np.int32)
HOLED[1:3, 2:4] = [[0, 1], [2, 0]]
cases(
    "trim_zeros",
    (HOLED, np.array([0.0, 0, 1, 0, np.nan, 0])),
    lambda xp, h, v: xp.trim_zeros(v),
    *(lambda xp, h, v, t=t: xp.trim_zeros(v, t) for t in ("f", "B", "bf")),
    *(lambda xp, h, v, a=a: xp.trim_zeros(h, "fb", a) for a in (None, 0, -1, (0, 1), ())),
    lambda xp, h, v: xp.trim_zeros(h[:1]),
    lambda xp, h, v: xp.trim_zeros(v[:2], "f"),
    lambda xp, h, v: xp.trim_zeros(v[:0]),
)
wrong("trim_zeros", lambda xp, x: xp.trim_zeros(x, "x"), lambda xp, x: xp.trim_zeros(x, axis=3))

# --- questions -----------------------------------------------------------------------------------------------------

cases("shape", (X,), lambda xp, x: xp.shape(x), lambda xp, x: xp.shape(x[0, 0]))
cases("ndim", (X,), lambda xp, x: xp.ndim(x), lambda xp, x: xp.ndim(x[0, 0]))
cases("size", (X,), lambda xp, x: xp.size(x), lambda xp, x: xp.size(x, 1), lambda xp, x: xp.size(x, -2))
cases("isscalar", (X,), lambda xp, x: xp.isscalar(x), lambda xp, x: xp.isscalar(3), lambda xp, x: xp.isscalar("a"))
cases("iterable", (X,), lambda xp, x: xp.iterable(x), lambda xp, x: xp.iterable([1]), lambda xp, x: xp.iterable(1))
for _name in ("shares_memory", "may_share_memory"):
    cases(
        _name,
        (X, Y),
        lambda xp, x, y, n=_name: getattr(xp, n)(x, y),
        lambda xp, x, y, n=_name: getattr(xp, n)(x[::2], x[1::2]),
        lambda xp, x, y, n=_name: getattr(xp, n)(x[:, ::-2], x[1:, 1:]),
        lambda xp, x, y, n=_name: getattr(xp, n)(x[:2], x[2:]),
        lambda xp, x, y, n=_name: getattr(xp, n)(x, x.copy()),
    )
cases("array_str", (X,), lambda xp, x: xp.array_str(x, precision=2))
cases("array_repr", (K,), lambda xp, x: xp.array_repr(x))
cases("array2string", (X,), lambda xp, x: xp.array2string(x, precision=3, separator=",", threshold=5))

# --- matrices ------------------------------------------------------------------------------------------------------

for _k in (-5, -1, 0, 2, 7):
    cases("diag", (K, V), lambda xp, m, v, k=_k: xp.diag(m, k), lambda xp, m, v, k=_k: xp.diag(v[::-1], k))
    cases("diagflat", (X,), lambda xp, x, k=_k: xp.diagflat(x[:2, ::3], k))
    cases(
        "diagonal", (T, K), lambda xp, t, m, k=_k: xp.diagonal(t, k, 1, 2), lambda xp, t, m, k=_k: xp.diagonal(m.T, k)
    )
    for _shape in ((3,), (3, 5), (5, 3), (0,), (0, 4)):
        cases(
            "tri",
            (),
            lambda xp, s=_shape, k=_k: xp.tri(*s, k=k),
            lambda xp, s=_shape, k=_k: xp.tri(*s, k=k, dtype="i4"),
        )
        for _name in ("tril_indices", "triu_indices"):
            cases(_name, (), lambda xp, n=_name, s=_shape, k=_k: getattr(xp, n)(s[0], k, *s[1:]))
    for _name in ("tril_indices_from", "triu_indices_from"):
        cases(_name, (K,), lambda xp, m, n=_name, k=_k: getattr(xp, n)(m, k))
    cases(
        "mask_indices",
        (),
        lambda xp, k=_k: xp.mask_indices(4, xp.triu, k),
        lambda xp, k=_k: xp.mask_indices(3, xp.tril, k),
    )
cases("tri", (), lambda xp: xp.tri(2, dtype=bool), lambda xp: xp.tri(2, 3, 1, "c8"))
cases("diag", (), lambda xp: xp.diag([1, 2, 3]), lambda xp: xp.diag([True, False]), lambda xp: xp.diag([[1, 2]]))
cases("diagflat", (X,), lambda xp, x: xp.diagflat(x[0, 0]), lambda xp, x: xp.diagflat(x[:0]))
cases("diagonal", (T[:, :, :0],), lambda xp, t: xp.diagonal(t), lambda xp, t: xp.diagonal(t, 1, -1, 0))
cases(
    "diag_indices", (), lambda xp: xp.diag_indices(3), lambda xp: xp.diag_indices(2, 3), lambda xp: xp.diag_indices(0)
)
cases("diag_indices_from", (T,), lambda xp, t: xp.diag_indices_from(t))
wrong("diag", lambda xp, x: xp.diag(x[None]), lambda xp, x: xp.diag(x[0, 0]), lambda xp, x: xp.diagonal(x[0]))
wrong("diagonal", lambda xp, x: xp.diagonal(x, 0, 1, 1), lambda xp, x: xp.diag_indices_from(x))
wrong("tril_indices_from", lambda xp, x: xp.tril_indices_from(x[0]), lambda xp, x: xp.triu_indices_from(x[0]))
for _wrap in (False, True):
    for _value in (7, 1.9, [1, 2], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]):
        for _shape in ((4, 4), (3, 7), (9, 3), (11, 2), (3, 3, 3), (1, 1), (0, 3)):
            cases(
                "fill_diagonal",
                (np.zeros(_shape, np.int32),),
                after(lambda xp, x, v=_value, w=_wrap: xp.fill_diagonal(x, v, wrap=w)),
            )
cases("fill_diagonal", (X, V), after(lambda xp, x, v: xp.fill_diagonal(x[::-1, ::2], v)))
cases("fill_diagonal", (X, V), after(lambda xp, x, v: xp.fill_diagonal(x.T, v, True)))
wrong("fill_diagonal", lambda xp, x: xp.fill_diagonal(x[0], 1), lambda xp, x: xp.fill_diagonal(x[None], 1))
for _dtype in ("bool", "int8", "uint16", "int64", "float16", "float32", "complex64"):
    cases(
        "vander",
        (moderate(_dtype, 5, 8),),
        lambda xp, x: xp.vander(x),
        lambda xp, x: xp.vander(x[::-2], 4, increasing=True),
        lambda xp, x: xp.vander(x, 0),
        lambda xp, x: xp.vander(x[:0], 3),
    )
wrong("vander", lambda xp, x: xp.vander(x), lambda xp, x: xp.vander(x[0], -1))

# --- grids ---------------------------------------------------------------------------------------------------------

cases(
    "indices",
    (),
    lambda xp: xp.indices((2, 3)),
    lambda xp: xp.indices((2, 3, 1), dtype=np.float32),
    lambda xp: xp.indices((2, 3), sparse=True),
    lambda xp: xp.indices((2, 0)),
    lambda xp: xp.indices(()),
)
cases(
    "fromfunction",
    (),
    lambda xp: xp.fromfunction(lambda i, j: i * 2 + j, (3, 4)),
    lambda xp: xp.fromfunction(lambda i, j, k: i == k * j, (3, 4), dtype=int, k=2),
)
cases(
    "ix_",
    (K, B),
    lambda xp, k, b: xp.ix_(k[0], b[0], k[:0, 0]),
    lambda xp, k, b: k[xp.ix_([0, 2], b[0])],
    lambda xp, k, b: xp.ix_([], k[0]),
)
wrong("ix_", lambda xp, x: xp.ix_(x))
cases(
    "unravel_index",
    (SPOTS,),
    lambda xp, i: xp.unravel_index(i, (4, 6)),
    lambda xp, i: xp.unravel_index(i[:, ::-1], (2, 3, 4), order="F"),
    lambda xp, i: xp.unravel_index(i.astype(np.int8), 24),
    lambda xp, i: xp.unravel_index(i[0, 1], (4, 6)),
    lambda xp, i: xp.unravel_index(i[:, :0], (4, 0)),
)
cases(
    "ravel_multi_index",
    (SPOTS,),
    lambda xp, i: xp.ravel_multi_index((i % 4, i % 6), (4, 6)),
    lambda xp, i: xp.ravel_multi_index((i % 4, 3), (4, 6), order="F"),
    lambda xp, i: xp.ravel_multi_index((i, -i), (4, 6), mode="wrap"),
    lambda xp, i: xp.ravel_multi_index((i, -i), (4, 6), mode=("clip", "wrap")),
    lambda xp, i: xp.ravel_multi_index(i % 2, (4, 6)),
)
wrong(
    "ravel_multi_index",
    lambda xp, x: xp.ravel_multi_index(([5], [0]), (4, 6)),
    lambda xp, x: xp.ravel_multi_index(([-1], [0]), (4, 6)),
    lambda xp, x: xp.ravel_multi_index(([1], [0]), (4, 6, 2)),
    lambda xp, x: xp.ravel_multi_index(([1.5], [0]), (4, 6)),
    lambda xp, x: xp.ravel_multi_index(([1], [0]), (4, 6), mode="other"),
    lambda xp, x: xp.unravel_index([24], (4, 6)),
    lambda xp, x: xp.unravel_index([-1], (4, 6)),
    lambda xp, x: xp.unravel_index([0], (4, 6), order="X"),
    lambda xp, x: xp.unravel_index(x, (4, 6)),
)
for _more in ({}, {"sparse": True}, {"copy": False}, {"indexing": "ij"}, {"indexing": "ij", "sparse": True}):
    cases(
        "meshgrid",
        (X, K),
        lambda xp, x, k, m=_more: xp.meshgrid(x[0], k[0, ::2], k[1, :3], **m),
        lambda xp, x, k, m=_more: xp.meshgrid(x[0], **m),
        lambda xp, x, k, m=_more: xp.meshgrid(x[0], k[0, 0], x[0, :0], **m),
    )
wrong("meshgrid", lambda xp, x: xp.meshgrid(x[0], x[0], indexing="z"))
ENDS = np.array([[0.5, 2.0], [3.0, 1.0]])
for _num, _end in ((0, True), (1, True), (1, False), (9, True), (9, False)):
    cases(
        "logspace",
        (ENDS,),
        lambda xp, e, n=_num, p=_end: xp.logspace(0, 2.5, n, p),
        lambda xp, e, n=_num, p=_end: xp.logspace(0, e, n, p, base=2.0, axis=1),
        lambda xp, e, n=_num, p=_end: xp.logspace(e.astype(np.float32), 1, n, endpoint=p, dtype=np.float32),
        lambda xp, e, n=_num, p=_end: xp.logspace(1, 2, n, p, base=e[0], axis=-1),
    )
    cases(
        "geomspace",
        (ENDS,),
        lambda xp, e, n=_num, p=_end: xp.geomspace(1, 1000, n, p),
        lambda xp, e, n=_num, p=_end: xp.geomspace(-1, -3, n, p),
        lambda xp, e, n=_num, p=_end: xp.geomspace(e, 9, n, p, axis=-1),
        lambda xp, e, n=_num, p=_end: xp.geomspace(1j, 4j, n, p),
        lambda xp, e, n=_num, p=_end: xp.geomspace(e.astype(np.float32), e[::-1], n, p, dtype=np.float32),
    )
wrong(
    "geomspace",
    lambda xp, x: xp.geomspace(0, 1),
    lambda xp, x: xp.geomspace(1, 2, -1),
    lambda xp, x: xp.logspace(0, 1, -1),
)
