"""The implementation of the public functions: checks, four transforms along axes, and where each one runs."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import prod, sqrt
from typing import get_args

import numpy as np

from devarray import _core
from devarray._array.order import along_memory
from devarray._array.out import write_out
from devarray._primitives.host import through_host
from devarray.array import Array, normalize_axis
from devarray.errors import AxisError, DTypeError, ShapeError, ValueError
from devarray.fft.host import host_transform
from devarray.fft.kinds import Norm, Transform

__all__ = ["one_axis", "several_axes"]

_NORMS: tuple[Norm, ...] = get_args(Norm)


def one_axis(
    name: str,
    x: object,
    kind: Transform,
    n: int | None,
    axis: int,
    norm: str | None,
    conjugate: bool = False,
    out: Array | None = None,
) -> Array:
    """Transform along one axis, of the conjugate of `x` where that is wanted."""
    if n is not None and operator.index(n) < 1:
        raise ValueError(
            f"{name}: Invalid number of FFT data points ({n}) specified: there is at least one along each axis"
        )
    x = _checked(name, x)
    lengths = None if n is None else (operator.index(n),)
    given = _prepared(name, x.shape, x.dtype, kind, lengths, (operator.index(axis),), _known_norm(name, norm))
    return _computed(name, x, kind, given, conjugate, out)


def several_axes(
    name: str,
    x: object,
    kind: Transform,
    s: Sequence[int | None] | None,
    axes: Sequence[int] | None,
    norm: str | None,
    conjugate: bool = False,
    out: Array | None = None,
) -> Array:
    """Checks the parameters as NumPy does, and transforms."""
    x = _checked(name, x)
    if s is not None:
        _announce("`axes` should not be `None` if `s` is not `None`", axes is None)
        _announce("Passing an array containing `None` values to `s` is deprecated", None in s)
    given = _prepare(name, x.shape, x.dtype, kind, s, axes, _known_norm(name, norm))
    return _computed(name, x, kind, given, conjugate, out)


def _checked(name: str, x: object) -> Array:
    if not isinstance(x, Array):
        raise DTypeError(f"{name} takes device arrays, not {type(x).__name__}; use asarray() first")
    return x


def _computed(name: str, x: Array, kind: Transform, given: _Prepared, conjugate: bool, out: Array | None) -> Array:
    chosen, sizes, divided, dtype = given
    if x.dtype is not dtype:
        x = x.astype(dtype, copy=False)
    if conjugate:
        x = x.conj()
    if not chosen:
        return write_out(name, x.copy(), out)

    def by_rows(x: Array, *axes: int) -> Array:
        made = _transform(name, x, kind, sizes, axes, divided)
        return made if _lies_by_rows(made) else made.copy(order="C")

    if kind is Transform.TO_REAL and len(chosen) > 1 and _lies_by_rows(x):
        # Without a question for strides, which would evaluate it: cuFFT wants a copy, which may be computed directly
        return write_out(name, by_rows(x, *chosen), out)
    return write_out(name, along_memory(by_rows, x, *chosen), out)


def _lies_by_rows(x: Array) -> bool:
    """Whether it is in C order, or will be. By the strategy of GPUs what is pending may stay so."""
    if x.device.strategy == "gpu" and _core.waits_by_rows(x):
        return True
    return _core.is_contiguous(x, "C")


_Prepared = tuple[tuple[int, ...], tuple[int, ...], Norm, np.dtype]
"""Axes, their lengths, the norm, and the dtype to compute in."""


def _prepare(
    name: str,
    shape: tuple[int, ...],
    dtype: np.dtype,
    kind: Transform,
    s: Sequence[int | None] | None,
    axes: Sequence[int] | None,
    norm: Norm,
) -> _Prepared:
    """What the checked parameters of a public function say of an array of a shape and dtype."""
    if axes is None:
        chosen = list(range(len(shape) - (len(shape) if s is None else len(s)), len(shape)))
    else:
        given_axes = [axes] if hasattr(axes, "__index__") else list(axes)
        # an axis may come twice, as NumPy has it
        chosen = [normalize_axis(operator.index(axis), len(shape)) for axis in given_axes]
    if s is not None and (len(s) != len(chosen) or (chosen and chosen[0] < 0)):
        raise ShapeError(
            f"{name}: Shape and axes have different lengths: {len(s)} lengths do not fit "
            f"{len(shape) if axes is None else len(chosen)} axes"
        )
    if not chosen and kind in (Transform.FROM_REAL, Transform.TO_REAL):
        raise AxisError(f"{name}: at least one axis is needed, and there is none to transform")
    sizes = [shape[axis] for axis in chosen]
    if kind is Transform.TO_REAL:
        sizes[-1] = 2 * (sizes[-1] - 1)
    if s is not None:
        given = [None if size is None else operator.index(size) for size in s]
        whole = [shape[axis] if size == -1 else size for size, axis in zip(given, chosen, strict=True)]
        sizes = [usual if size is None else size for size, usual in zip(whole, sizes, strict=True)]
    for size in sizes:
        if size < 1:
            raise ValueError(
                f"{name}: Invalid number of FFT data points ({size}) specified: there is at least one along each axis"
            )
    return tuple(chosen), tuple(sizes), norm, _typed(name, dtype, kind)


def _announce(what: str, given: bool) -> None:
    """NumPy's announcement since its 2.0, in its words, at the line that called the public function."""
    if given:
        text = f"{what} (since NumPy 2.0; it will be an error there): give axes and a length for each"
        warnings.warn(text, DeprecationWarning, stacklevel=4)


def _known_norm(name: str, norm: str | None) -> Norm:
    if norm is None:
        return "backward"
    for known in _NORMS:
        if norm == known:
            return known
    raise ValueError(f'{name}: Invalid norm value {norm}; should be "backward","ortho" or "forward".')


_prepared = lru_cache(maxsize=256)(_prepare)


def _typed(name: str, dtype: np.dtype, kind: Transform) -> np.dtype:
    """The dtype that a transform of a dtype is computed in: complex, or real where real data is wanted."""
    if kind is Transform.FROM_REAL and dtype.kind == "c":
        raise DTypeError(
            f"ufunc '{name}' not supported for the input types: it takes real arrays, not {dtype}; use fft"
        )
    if dtype.kind in "biu":
        dtype = np.dtype(np.float64)
    elif dtype == np.float16:
        dtype = np.dtype(np.float32)
    return dtype if kind is Transform.FROM_REAL else np.result_type(dtype, np.complex64)


def _transform(name: str, x: Array, kind: Transform, sizes: Sequence[int], axes: Sequence[int], norm: Norm) -> Array:
    """Transform of logical `sizes` along `axes`; the last of them is the halved one of real data."""
    if len(axes) > 1 and len(set(axes)) < len(axes):
        return _one_by_one(name, x, kind, sizes, axes, norm)
    if x.device.strategy == "cpu":
        shape, dtype = result_of(x, kind, sizes, axes)

        def fill(given: np.ndarray, out: np.ndarray) -> None:
            host_transform(given, kind, sizes, axes, norm, out)

        def transformed(given: np.ndarray) -> np.ndarray:
            fill(given, out := np.empty(shape, dtype))
            return out

        quick = _core.on_host(transformed, x)
        return through_host(f"fft.{name}", fill, [x], shape, dtype) if quick is None else quick
    held = sizes if kind is not Transform.TO_REAL else (*sizes[:-1], sizes[-1] // 2 + 1)
    result = _of_devices()(_fitted(x, axes, held), kind, sizes, axes)
    scale = _scale(kind, prod(sizes), norm)
    return result if scale == 1 else result * scale


@cache
def _of_devices() -> Callable[..., Array]:
    """The transforms of devices that are not the CPU."""
    from devarray.fft.device import transform

    return transform


def _one_by_one(name: str, x: Array, kind: Transform, sizes: Sequence[int], axes: Sequence[int], norm: Norm) -> Array:
    """Transform along axes of which some come twice, in the order in which NumPy's functions take them."""
    kinds = [Transform.INVERSE if kind in (Transform.INVERSE, Transform.TO_REAL) else Transform.FORWARD] * len(axes)
    kinds[-1] = kind
    steps = list(zip(kinds, sizes, axes, strict=True))
    for step, size, axis in steps if kind is Transform.TO_REAL else reversed(steps):
        x = _transform(name, x, step, [size], [axis], norm)
    return x


def result_of(x: Array, kind: Transform, sizes: Sequence[int], axes: Sequence[int]) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and dtype of a transform's result."""
    shape = list(x.shape)
    for size, axis in zip(sizes, axes, strict=True):
        shape[axis] = size
    if kind is Transform.FROM_REAL:
        shape[axes[-1]] = sizes[-1] // 2 + 1
        return tuple(shape), np.result_type(x.dtype, np.complex64)
    if kind is Transform.TO_REAL:
        return tuple(shape), np.dtype(f"f{x.dtype.itemsize // 2}")
    return tuple(shape), x.dtype


def _scale(kind: Transform, count: int, norm: str) -> float:
    if norm == "ortho":
        return 1.0 / sqrt(count)
    inverse = kind in (Transform.INVERSE, Transform.TO_REAL)
    return 1.0 / count if inverse == (norm == "backward") else 1.0


def _fitted(x: Array, axes: Sequence[int], sizes: Sequence[int]) -> Array:
    """Cut along axes, or filled up with zeros."""
    shape = x.shape
    if all(shape[axis] == size for axis, size in zip(axes, sizes, strict=True)):
        return x
    wanted = list(shape)
    for axis, size in zip(axes, sizes, strict=True):
        wanted[axis] = size
    kept = tuple(slice(min(have, want)) for have, want in zip(x.shape, wanted, strict=True))
    if any(want > have for have, want in zip(x.shape, wanted, strict=True)):
        padded = _core.full(tuple(wanted), x.dtype, 0, x.queue, x.allocator)
        padded[kept] = x[kept]
        return padded
    return x[kept]
