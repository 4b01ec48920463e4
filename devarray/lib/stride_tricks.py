"""Views made by their strides. None of them reaches outside the array's memory: such strides are an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devarray import _core
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.operands import namespace as _namespace
from devarray._routines.manipulation.shapes import broadcast_arrays, broadcast_shapes, broadcast_to
from devarray._runtime.arguments import number_of
from devarray.array import Array, normalize_axis
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]


def as_strided(
    x: Array,
    shape: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
    *,
    offset: int = 0,
) -> Array:
    """A view of any shape and strides that stays inside the array's memory.

    Parameters
    ----------
    x : array_like
        The array.
    shape : sequence of int, optional
        Those of `x` by default.
    strides : sequence of int, optional
        Bytes from element to element along each axis, multiples of the itemsize; those of `x` by default.
    subok : bool
        NumPy's, not used: there are no subclasses.
    writeable : bool
        Whether the view may be written to, where `x` may. True by default.
    offset : int
        Bytes from the first element of `x` to that of the view.

    Returns
    -------
    Array
        A view, over the same memory.

    Raises
    ------
    ShapeError
        Where the view would reach outside of the memory, or `shape` and `strides` differ in length.
    ValueError
        Where the strides or the offset are no multiples of the itemsize (of half of it for complex dtypes): devices
        read numbers at such addresses only.
    DTypeError
        Where `x` is no array.

    Notes
    -----
    Elements may lie in several places of the view. Writing those leaves it open which value stays.

    Examples
    --------
    >>> import devarray as da
    >>> da.lib.stride_tricks.as_strided(da.arange(5), (3, 3), (8, 8)).copy_to_host()
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    _require_array("as_strided", x)
    sizes = x.shape if shape is None else tuple(shape)
    steps = x.strides if strides is None else tuple(strides)
    if len(sizes) != len(steps):
        raise ShapeError(
            f"as_strided: mismatch in length of strides and shape: {len(sizes)} sizes, {len(steps)} strides"
        )
    return _view(x, sizes, steps, offset, not writeable)


def sliding_window_view(
    x: Array,
    window_shape: int | Sequence[int],
    axis: int | Sequence[int] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """Every window of a size that lies in an array, as a view whose last axes are the windows'.

    Parameters
    ----------
    x : array_like
        The array.
    window_shape : int or sequence of int
        The windows' size along each of the axes.
    axis : int or sequence of int, optional
        The axes; all by default. One may be given more than once.
    subok : bool
        NumPy's, not used: there are no subclasses.
    writeable : bool
        Whether the view may be written to, where `x` may. False by default.

    Returns
    -------
    Array
        A view: of the shape of `x`, less by the window's size less 1 along the axes, and then `window_shape`.

    Raises
    ------
    ValueError
        Where a window is negative, or greater than the axis.
    ShapeError
        Where there is not one window size for each axis.
    DTypeError
        Where `x` is no array.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> windows = da.lib.stride_tricks.sliding_window_view(da.arange(6), 3)
    >>> windows.copy_to_host()
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4],
           [3, 4, 5]])
    >>> windows.sum(axis=1).copy_to_host()  # reads x, not the windows
    array([ 3,  6,  9, 12])
    """
    _require_array("sliding_window_view", x)
    window_shape = number_of(window_shape)
    windows = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    given = range(x.ndim) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    axes = [normalize_axis(a, x.ndim) for a in given]
    if len(axes) != len(windows):
        raise ShapeError(
            "sliding_window_view: Since axis is `None`, must provide window_shape for all dimensions of `x`; got "
            f"{len(windows)} window_shape elements and `x.ndim` is {x.ndim}"
            if axis is None
            else "sliding_window_view: Must provide matching length window_shape and axis; "
            f"got {len(windows)} window_shape elements and {len(axes)} axes elements"
        )
    sizes = list(x.shape)
    for a, window in zip(axes, windows, strict=True):
        if window < 0:
            raise ValueError(f"sliding_window_view: `window_shape` cannot contain negative values, {window} is one")
        if window > sizes[a]:
            raise ValueError(
                f"sliding_window_view: window shape cannot be larger than input array shape: a window of {window} is "
                f"greater than axis {a}, which has {sizes[a]}"
            )
        sizes[a] -= window - 1
    return _view(x, (*sizes, *windows), (*x.strides, *(x.strides[a] for a in axes)), 0, not writeable)


def _require_array(name: str, x: object) -> None:
    records = isinstance(x, OpaqueArray) and x.dtype.kind == "V"
    if not records and not isinstance(x, Array):
        raise DTypeError(f"{name} takes a device array, not {type(x).__name__}; make one with asarray()")


def _view(x: Any, sizes: Sequence[int], steps: Sequence[int], offset: int, read_only: bool) -> Any:
    """Of records the same view of their bytes, which lie along one more axis."""
    if isinstance(x, Array):
        return _core.view(x, sizes, steps, offset, read_only=read_only)
    memory = _core.view(x.bytes, (*sizes, x.dtype.itemsize), (*steps, 1), offset, read_only=read_only)
    return x._of(memory, x.dtype)


_namespace(globals(), __all__)
