"""Calls of NumPy's functions beyond the standard: choices, sorting, bits, files and conversions."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from case_registry import SPOTS, B, Body, K, L, T, U, V, X, Y, after, cases, wrong
from oracle import moderate

# --- selecting -----------------------------------------------------------------------------------------------------

cases(
    "compress",
    (X, B),
    lambda xp, x, b: xp.compress(b[0], x),
    lambda xp, x, b: xp.compress(b[0], x, axis=1),
    lambda xp, x, b: xp.compress(b[0, :3], x[::-1], 0),
    lambda xp, x, b: xp.compress([0, 2, 0], x, 0),
    lambda xp, x, b: xp.compress([False, True, False, False, False, False], x, axis=0),
    lambda xp, x, b: xp.compress([], x, axis=0),
    lambda xp, x, b: xp.compress([True], x[0, 0]),
)
cases("extract", (X, B), lambda xp, x, b: xp.extract(b, x), lambda xp, x, b: xp.extract(b[0], x[:, ::-1]))
wrong(
    "compress",
    lambda xp, x: xp.compress([True] * 9, x, 0),
    lambda xp, x: xp.compress(x > 0, x),
    lambda xp, x: xp.compress([True], x, 2),
)
cases(
    "select",
    (X, K, Y),
    lambda xp, x, k, y: xp.select([x > 1, k < 0], [k, 2 * k]),
    lambda xp, x, k, y: xp.select([x > 1, x > 0, k < 0], [x, y, k], default=1.5),
    lambda xp, x, k, y: xp.select([x[0] > 1], [k], 7),
    lambda xp, x, k, y: xp.select([x > 1], [2], default=k[0]),
    lambda xp, x, k, y: xp.select([x > 1], [2.5], default=k.astype(np.int8)),
    lambda xp, x, k, y: xp.select([x[0, 0] > 1], [x[0, 1]]),
    lambda xp, x, k, y: xp.select([x > 0], [x > 1], False),
    lambda xp, x, k, y: xp.select([x > 0], [x], np.float64(1)),
)
wrong(
    "select",
    lambda xp, x: xp.select([x > 0], [x, x]),
    lambda xp, x: xp.select([x], [x]),
    lambda xp, x: xp.select([], []),
)
cases(
    "choose",
    (abs(K) % 3, X, Y, L),
    lambda xp, i, x, y, k: xp.choose(i, [x, y, k]),
    lambda xp, i, x, y, k: xp.choose(i[0], [x, 1, k]),
    lambda xp, i, x, y, k: xp.choose(i, (x[0], y, k[:, :1])),
    lambda xp, i, x, y, k: xp.choose(k, [x, y, k], mode="wrap"),
    lambda xp, i, x, y, k: xp.choose(k, [x, y], mode="clip"),
    lambda xp, i, x, y, k: xp.choose(k > 0, [x, y]),
    lambda xp, i, x, y, k: xp.choose(i, k[:3]),
    lambda xp, i, x, y, k: xp.choose(i * 0, [x]),
)
wrong(
    "choose",
    lambda xp, x: xp.choose(np.array([3]), [x, x]),
    lambda xp, x: xp.choose(x, [x]),
    lambda xp, x: xp.choose([0], [x], mode="z"),
)
cases(
    "copyto",
    (X, Y, B),
    after(lambda xp, x, y, b: xp.copyto(x, y)),
    after(lambda xp, x, y, b: xp.copyto(x, y[0], where=b)),
    after(lambda xp, x, y, b: xp.copyto(x[::-1], 3, where=b[0])),
    after(lambda xp, x, y, b: xp.copyto(x, [1, 2, 3, 4, 5, 6])),
    after(lambda xp, x, y, b: xp.copyto(x, x[::-1])),
    after(lambda xp, x, y, b: xp.copyto(x, np.float64(2), where=False)),
)
cases("copyto", (K, Y), after(lambda xp, k, y: xp.copyto(k, y, casting="unsafe")))
wrong("copyto", lambda xp, x: xp.copyto(xp.asarray([1, 2]), xp.asarray([1.5, 2])), lambda xp, x: xp.copyto(x, x[:2]))
wrong("copyto", lambda xp, x: xp.copyto(xp.asarray([1, 2]), [1.5, 2]), lambda xp, x: xp.copyto(x, x, where=x))
cases(
    "put",
    (K, SPOTS),
    after(lambda xp, k, i: xp.put(k, i, [7, 8, 9])),
    after(lambda xp, k, i: xp.put(k, [0, -1], 2.7)),
    after(lambda xp, k, i: xp.put(k.T, i, k[0])),
    after(lambda xp, k, i: xp.put(k[::-1], i[0], [])),
    after(lambda xp, k, i: xp.put(k, [30, -30], [5, 6], mode="wrap")),
    after(lambda xp, k, i: xp.put(k, [30, -30], [5, 6], mode="clip")),
    after(lambda xp, k, i: xp.put(k, 3, 9)),
    after(lambda xp, k, i: xp.put(k[1:, ::2], i[:, 1:] % 9, [4, 5])),
)
wrong("put", lambda xp, x: xp.put(x, [24], 1), lambda xp, x: xp.put(x[:0], [0], 1))
wrong("put", lambda xp, x: xp.put(x, [0], 1, mode="z"))
cases(
    "putmask",
    (X, B, V),
    after(lambda xp, x, b, v: xp.putmask(x, b, v)),
    after(lambda xp, x, b, v: xp.putmask(x[::-1], b, x)),
    after(lambda xp, x, b, v: xp.putmask(x.T, b.T, 3)),
    after(lambda xp, x, b, v: xp.putmask(x, b, v[:0])),
    after(lambda xp, x, b, v: xp.putmask(x, x > 0, np.arange(50, dtype=np.float32))),
    after(lambda xp, x, b, v: xp.putmask(x, [1, 0] * 12, v[0])),
)
wrong(
    "putmask",
    lambda xp, x: xp.putmask(x, x[0] > 0, 1),
    lambda xp, x: xp.putmask(xp.asarray([1]), xp.asarray([True]), np.array([0.5])),
)
for _name in ("putmask", "place"):
    cases(
        _name,
        (K, B, L),
        after(lambda xp, k, b, m, n=_name: getattr(xp, n)(k, b, [1.9, 2.9])),
        after(lambda xp, k, b, m, n=_name: getattr(xp, n)(k, b, np.int16(3))),
        after(lambda xp, k, b, m, n=_name: getattr(xp, n)(m, b, k)),
    )
    wrong(
        _name,
        lambda xp, x, n=_name: getattr(xp, n)(x, x > 0, 1j),
        lambda xp, x, n=_name: getattr(xp, n)(x, x > 0, x.astype(np.float64)),
    )
wrong("copyto", lambda xp, x: xp.copyto(xp.asarray([1, 2]), 1.5))
cases(
    "place",
    (X, B, V),
    after(lambda xp, x, b, v: xp.place(x, b, v)),
    after(lambda xp, x, b, v: xp.place(x[:, ::-1], b, [1, 2])),
    after(lambda xp, x, b, v: xp.place(x.T, b.T, 3)),
    after(lambda xp, x, b, v: xp.place(x, x > 99, v[:0])),
    after(lambda xp, x, b, v: xp.place(x, b * 1, v[:2])),
)
wrong("place", lambda xp, x: xp.place(x, x[0] > 0, 1), lambda xp, x: xp.place(x, x < 99, []))
cases(
    "piecewise",
    (X, K),
    lambda xp, x, k: xp.piecewise(x, [x < 0, x >= 0], [-1, 1]),
    lambda xp, x, k: xp.piecewise(x, [x < -1, x > 1], [lambda v: -v, lambda v: v * 2, lambda v: v.max()]),
    lambda xp, x, k: xp.piecewise(x[0], x[0] < 0, [7, lambda v, w, u: v * w + u], 2, u=3),
    lambda xp, x, k: xp.piecewise(k, [k > 0], [1.9]),
    lambda xp, x, k: xp.piecewise(k[0], [k[0] > 0, k[0] > 1], [1, 2]),
    lambda xp, x, k: xp.piecewise(k[0], k[0] > 0, [1, 2]),
    lambda xp, x, k: xp.piecewise(x[0, 0], [x[0, 0] < 0, x[0, 0] >= 0], [lambda v: -v, lambda v: v]),
    lambda xp, x, k: xp.piecewise(x, [x > 99], [lambda v: 1 / 0]),
)
wrong("piecewise", lambda xp, x: xp.piecewise(x, [x > 0], [1, 2, 3]))
cases(
    "apply_over_axes",
    (T, X),
    lambda xp, t, x: xp.apply_over_axes(xp.sum, t, (0, 2)),
    lambda xp, t, x: xp.apply_over_axes(xp.max, x, -1),
    lambda xp, t, x: xp.apply_over_axes(lambda v, a: v.sum(a, keepdims=True), t, [1]),
)
wrong("apply_over_axes", lambda xp, x: xp.apply_over_axes(lambda v, a: v[None], x, 0))

# --- sorting -------------------------------------------------------------------------------------------------------

for _axis in (-1, 0, None):
    for _name in ("partition", "argpartition"):

        def _divided(xp: Any, x: Any, y: Any, name: str = _name, axis: Any = _axis) -> Any:
            """What does not depend on the order of those that go before and behind."""
            parts = getattr(xp, name)(x, (2, -1), axis)
            if name == "argpartition":
                x = x.reshape(-1) if axis is None else x
                parts = xp.take_along_axis(x, parts, axis=-1 if axis is None else axis)
            along = 0 if axis is None else axis
            parts = parts.swapaxes(along, -1)
            return parts[..., 2], parts[..., -1], xp.sort(parts[..., :2]), xp.sort(parts[..., 2:])

        cases(_name, (X, Y), _divided)
        cases(_name, (K[:, ::-1].T, Y), _divided)
wrong(
    "partition",
    lambda xp, x: xp.partition(x, 6),
    lambda xp, x: xp.partition(x, [0, -7]),
    lambda xp, x: xp.argpartition(x, 4, 0),
)
wrong("partition", lambda xp, x: xp.partition(x, 0, 2), lambda xp, x: xp.partition(x, 0.5))
cases(
    "lexsort",
    (K, L, X),
    lambda xp, k, m, x: xp.lexsort((k, m)),
    lambda xp, k, m, x: xp.lexsort((x, k, m), axis=0),
    lambda xp, k, m, x: xp.lexsort(k),
    lambda xp, k, m, x: xp.lexsort((k[0],)),
    lambda xp, k, m, x: xp.lexsort((k[:, ::-1], m.astype(np.float32)), axis=-2),
)
wrong(
    "lexsort", lambda xp, x: xp.lexsort((x, x[:2])), lambda xp, x: xp.lexsort((x, x), 3), lambda xp, x: xp.lexsort(())
)
for _dtype in ("bool", "int8", "uint16", "int32", "float16", "float32", "complex64"):
    cases("sort_complex", (moderate(_dtype, (3, 8), 9),), lambda xp, x: xp.sort_complex(x))

# --- bits ----------------------------------------------------------------------------------------------------------

for _order in ("big", "little"):
    for _axis in (None, 0, -1):
        cases(
            "packbits",
            (B, K, moderate("bool", (3, 16), 11)),
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(b, a, o),
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(k[:, ::-1], axis=a, bitorder=o),
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(w, axis=a, bitorder=o),
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(w.reshape(-1)[5:45], bitorder=o),  # begins amid a word
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(w[1:, 3:11], axis=a, bitorder=o),
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(k > 1, axis=a, bitorder=o),
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(b[:, :0], axis=a, bitorder=o),
            lambda xp, b, k, w, o=_order, a=_axis: xp.packbits(b[:0], axis=a, bitorder=o),
        )
        cases(
            "unpackbits",
            (U,),
            *(
                lambda xp, u, o=_order, a=_axis, c=c: xp.unpackbits(u[::-1], axis=a, count=c, bitorder=o)
                for c in (None, 0, 5, 999, -3, -32)
            ),
            lambda xp, u, o=_order, a=_axis: xp.unpackbits(u[:0], a, bitorder=o),
        )
wrong("packbits", lambda xp, x: xp.packbits(x), lambda xp, x: xp.packbits(x > 0, bitorder="z"))
wrong("unpackbits", lambda xp, x: xp.unpackbits(x), lambda xp, x: xp.unpackbits(x.astype(np.uint8), count=-999))

# --- files and conversions -----------------------------------------------------------------------------------------


def _saved(xp: Any, x: Any, k: Any) -> Any:
    file = io.BytesIO()
    xp.save(file, x)
    return np.load(io.BytesIO(file.getvalue()))


def _archived(name: str) -> Body:
    def call(xp: Any, x: Any, k: Any) -> Any:
        file = io.BytesIO()
        getattr(xp, name)(file, x, other=k)
        with np.load(io.BytesIO(file.getvalue())) as found:
            return found["arr_0"], found["other"]

    return call


cases("save", (X[:, ::-1], K), _saved)
cases("savez", (X[:, ::-1], K), _archived("savez"))
cases("savez_compressed", (X[:, ::-1], K), _archived("savez_compressed"))
cases("fromiter", (), lambda xp: xp.fromiter(range(5), np.int32), lambda xp: xp.fromiter(iter([1.5, 2]), float, 1))
cases("frombuffer", (), lambda xp: xp.frombuffer(bytes(range(16))), lambda xp: xp.frombuffer(b"abcdef", "u2", 2, 1))
for _name in ("ascontiguousarray", "asfortranarray", "asanyarray", "asarray_chkfinite", "require"):
    cases(
        _name,
        (X, K),
        lambda xp, x, k, n=_name: getattr(xp, n)(x.T),
        lambda xp, x, k, n=_name: getattr(xp, n)(k[0, 0]),
        lambda xp, x, k, n=_name: getattr(xp, n)(k, np.float32),
        lambda xp, x, k, n=_name: getattr(xp, n)([[1, 2], [3, 4]]),
    )
wrong("asarray_chkfinite", lambda xp, x: xp.asarray_chkfinite([1.0, np.nan]))
