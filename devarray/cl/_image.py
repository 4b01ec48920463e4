"""Images from arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _core
from .._runtime.arguments import expect
from ._constants import channel_order, channel_type, mem_flags

__all__ = ["DTYPE_TO_CHANNEL_TYPE", "DTYPE_TO_CHANNEL_TYPE_NORM", "create_image", "image_from_array"]

DTYPE_TO_CHANNEL_TYPE = {
    np.dtype(np.float32): channel_type.FLOAT,
    np.dtype(np.float16): channel_type.HALF_FLOAT,
    np.dtype(np.int16): channel_type.SIGNED_INT16,
    np.dtype(np.int32): channel_type.SIGNED_INT32,
    np.dtype(np.int8): channel_type.SIGNED_INT8,
    np.dtype(np.uint16): channel_type.UNSIGNED_INT16,
    np.dtype(np.uint32): channel_type.UNSIGNED_INT32,
    np.dtype(np.uint8): channel_type.UNSIGNED_INT8,
}
DTYPE_TO_CHANNEL_TYPE_NORM = {
    np.dtype(np.int16): channel_type.SNORM_INT16,
    np.dtype(np.int8): channel_type.SNORM_INT8,
    np.dtype(np.uint16): channel_type.UNORM_INT16,
    np.dtype(np.uint8): channel_type.UNORM_INT8,
}
_ORDERS = {1: channel_order.R, 2: channel_order.RG, 3: channel_order.RGB, 4: channel_order.RGBA}


def create_image(
    context: _core.cl.Context,
    flags: int,
    format: _core.cl.ImageFormat,
    shape: Sequence[int] | None = None,
    pitches: Sequence[int] | None = None,
    hostbuf: object = None,
    is_array: bool = False,
    buffer: _core.cl.Buffer | None = None,
) -> _core.cl.Image:
    """Make an `Image` by a function; the arguments are its constructor's.

    Parameters
    ----------
    context : Context
        As for `Image`.
    flags : int
        As for `Image`.
    format : ImageFormat
        As for `Image`.
    shape : sequence of int, optional
        As for `Image`.
    pitches : sequence of int, optional
        As for `Image`.
    hostbuf : object with the buffer protocol, optional
        As for `Image`.
    is_array : bool, default False
        As for `Image`.
    buffer : Buffer, optional
        As for `Image`.

    Returns
    -------
    Image
        A new one.

    Notes
    -----
    PyOpenCL's function of that name; calls ``clCreateImage``.

    Examples
    --------
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    >>> cl.create_image(ctx, cl.mem_flags.READ_WRITE, format, shape=(8, 4)).shape
    (8, 4)
    """
    return _core.cl.Image(context, flags, format, shape, pitches, hostbuf, is_array, buffer)


def image_from_array(
    ctx: _core.cl.Context, ary: np.ndarray, num_channels: int | None = None, mode: str = "r", norm_int: bool = False
) -> _core.cl.Image:
    """Make an image with the contents of a C-contiguous array of two or three axes.

    Parameters
    ----------
    ctx : Context
        Where the image is.
    ary : numpy.ndarray
        Its axes become the image's in reverse order: the last one is the width.
    num_channels : int, optional
        1 to 4; 1 by default. Above 1, the array's last axis counts the channels.
    mode : {'r', 'w'}, default 'r'
        Whether kernels read or write it. A written image starts with undefined contents.
    norm_int : bool, default False
        Whether kernels see integers as numbers from 0 (or -1) to 1.

    Returns
    -------
    Image
        Of as many pixels.

    Raises
    ------
    ValueError
        If the array is not C-contiguous, or does not fit `num_channels`.
    TypeError
        If no channel type holds the array's dtype.

    Notes
    -----
    PyOpenCL's function of that name; calls ``clCreateImage``.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> cl.image_from_array(ctx, np.ones((4, 8), np.float32)).shape
    (8, 4)
    """
    expect("image_from_array", "ary", ary, np.ndarray)
    if not ary.flags.c_contiguous:
        raise ValueError("image_from_array needs a C-contiguous array")
    if num_channels is None:
        num_channels = 1
        shape = ary.shape
    else:
        if num_channels not in _ORDERS:
            raise ValueError(f"num_channels must be 1 to 4; got {num_channels}")
        if num_channels > 1 and ary.shape[-1] != num_channels:
            raise ValueError(f"the last axis must count {num_channels} channels; the shape is {ary.shape}")
        shape = ary.shape[:-1] if num_channels > 1 else ary.shape
    if mode not in ("r", "w"):
        raise ValueError(f"mode must be 'r' or 'w'; got {mode!r}")
    types = DTYPE_TO_CHANNEL_TYPE_NORM if norm_int else DTYPE_TO_CHANNEL_TYPE
    if ary.dtype not in types:
        raise TypeError(f"no channel type holds dtype {ary.dtype}; there are {[str(dtype) for dtype in types]}")
    flags = mem_flags.READ_ONLY | mem_flags.COPY_HOST_PTR if mode == "r" else mem_flags.WRITE_ONLY
    return _core.cl.Image(
        ctx,
        flags,
        _core.cl.ImageFormat(_ORDERS[num_channels], types[ary.dtype]),
        shape=shape[::-1],
        hostbuf=ary if mode == "r" else None,
    )
