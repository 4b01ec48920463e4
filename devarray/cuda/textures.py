"""Host and device arrays to CUDA arrays, which textures and surfaces read. Follows PyCUDA's functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import errors as _errors
from .._core import cuda as _cuda
from .._runtime.arguments import attributes_of, takes
from .constants import address_mode, array3d_flags, array_format, filter_mode

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = [
    "bind_array_to_texref",
    "dtype_to_array_format",
    "gpuarray_to_array",
    "make_multichannel_2d_array",
    "matrix_to_array",
    "matrix_to_texref",
    "np_to_array",
]

_FORMATS = {
    "uint8": array_format.UNSIGNED_INT8,
    "uint16": array_format.UNSIGNED_INT16,
    "uint32": array_format.UNSIGNED_INT32,
    "int8": array_format.SIGNED_INT8,
    "int16": array_format.SIGNED_INT16,
    "int32": array_format.SIGNED_INT32,
    "float16": array_format.HALF,
    "float32": array_format.FLOAT,
}
# Types that no format has, as channels of 32-bit integers to be put together in the kernel.
_WIDE_CHANNELS = {"float64": 2, "complex64": 2, "complex128": 4}


def dtype_to_array_format(dtype: DTypeLike | None) -> array_format:
    """Return the format of array elements of a dtype.

    Parameters
    ----------
    dtype : dtype
        Of at most 32 bits.

    Returns
    -------
    array_format
        Of one channel.

    Raises
    ------
    DTypeError
        If no format is of that dtype.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.dtype_to_array_format(np.float32).name
    'FLOAT'
    """
    name = np.dtype(dtype).name
    if name not in _FORMATS:
        raise _errors.DTypeError(f"CUDA arrays have no elements of dtype {name}; they have {', '.join(_FORMATS)}")
    return _FORMATS[name]


def _format_and_channels(dtype: np.dtype) -> tuple[array_format, int]:
    if dtype.name in _WIDE_CHANNELS:
        return array_format.SIGNED_INT32, _WIDE_CHANNELS[dtype.name]
    return dtype_to_array_format(dtype), 1


def _extents(shape: tuple[int, ...], order: str, contiguous: bool) -> tuple[int, ...]:
    """Return (width, height[, depth]): x runs along the axis whose elements are neighbours."""
    if order not in ("C", "F"):
        raise _errors.ValueError(f"order is {order!r}; 'C' or 'F' is wanted")
    if not contiguous:
        raise _errors.ValueError(f"the array is not {order}-contiguous; copy it to that order first")
    return shape[::-1] if order == "C" else shape


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int, order: str) -> bool:
    if strides is None:
        return order == "C"
    step = itemsize
    for extent, stride in zip(*((shape[::-1], strides[::-1]) if order == "C" else (shape, strides)), strict=True):
        if stride != step:
            return False
        step *= extent
    return True


def _make_array(extents: tuple[int, ...], form: array_format, channels: int, surface: bool) -> _cuda.Array:
    if len(extents) == 2 and not surface:
        flat = _cuda.ArrayDescriptor()
        flat.width, flat.height = extents
        flat.format, flat.num_channels = form, channels
        return _cuda.Array(flat)
    solid = _cuda.ArrayDescriptor3D()
    solid.width, solid.height = extents[:2]
    # A two-dimensional surface is an array of one layer, which kernels access as a layered surface.
    solid.depth = extents[2] if len(extents) == 3 else 1
    solid.format, solid.num_channels = form, channels
    solid.flags = (array3d_flags.SURFACE_LDST if surface else 0) | (array3d_flags.LAYERED if len(extents) == 2 else 0)
    return _cuda.Array(solid)


def _fill(array: Any, extents: tuple[int, ...], itemsize: int, set_source: str, source: object) -> _cuda.Array:
    copy = _cuda.Memcpy3D()
    getattr(copy, set_source)(source)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = extents[0] * itemsize
    copy.height = copy.src_height = extents[1]
    copy.depth = extents[2] if len(extents) == 3 else 1
    copy()
    return array


@takes(nparray=np.ndarray)
def np_to_array(nparray: np.ndarray, order: str, allowSurfaceBind: bool = False) -> _cuda.Array:
    """Copy a host array of two or three dimensions into a new `Array`.

    Parameters
    ----------
    nparray : numpy.ndarray
        Contiguous in `order`. float64, complex64 and complex128 become channels of 32-bit integers.
    order : {"C", "F"}
        With "C", a texture's (x, y) reads ``nparray[y, x]``; with "F", ``nparray[x, y]``.
    allowSurfaceBind : bool, default False
        Whether surfaces may write it; a two-dimensional one is then layered, with one layer.

    Returns
    -------
    Array
        In the current context.

    Raises
    ------
    ShapeError
        If the array has another number of dimensions.
    ValueError
        If it is not contiguous in `order`.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.np_to_array(np.zeros((4, 8), np.float32), "C").get_descriptor().width
    8
    """
    if nparray.ndim not in (2, 3):
        raise _errors.ShapeError(f"np_to_array takes two or three dimensions, not {nparray.ndim}")
    contiguous = nparray.flags.c_contiguous if order == "C" else nparray.flags.f_contiguous
    extents = _extents(nparray.shape, order, contiguous)
    form, channels = _format_and_channels(nparray.dtype)
    array = _make_array(extents, form, channels, allowSurfaceBind)
    return _fill(array, extents, nparray.itemsize, "set_src_host", nparray)


def gpuarray_to_array(gpuarray: object, order: str, allowSurfaceBind: bool = False) -> _cuda.Array:
    """Copy a device array of two or three dimensions into a new `Array`.

    Parameters
    ----------
    gpuarray : object with __cuda_array_interface__
        devarray's array, or another library's.
    order : {"C", "F"}
        As for `np_to_array`.
    allowSurfaceBind : bool, default False
        As for `np_to_array`.

    Returns
    -------
    Array
        In the current context.

    Raises
    ------
    ShapeError
        If the array has another number of dimensions.
    ValueError
        If it is not contiguous in `order`.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros((4, 8), dtype=np.float32, device="cuda")
    >>> cuda.gpuarray_to_array(x, "C").get_descriptor().width
    8
    """
    (interface,) = attributes_of(
        "gpuarray_to_array", "gpuarray", gpuarray, "an array on the device", "__cuda_array_interface__"
    )
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if len(shape) not in (2, 3):
        raise _errors.ShapeError(f"gpuarray_to_array takes two or three dimensions, not {len(shape)}")
    contiguous = _is_contiguous(shape, interface.get("strides"), dtype.itemsize, order)
    extents = _extents(shape, order, contiguous)
    form, channels = _format_and_channels(dtype)
    array = _make_array(extents, form, channels, allowSurfaceBind)
    return _fill(array, extents, dtype.itemsize, "set_src_device", interface["data"][0])


@takes(matrix=np.ndarray)
def matrix_to_array(matrix: np.ndarray, order: str, allow_double_hack: bool = False) -> _cuda.Array:
    """Copy a two-dimensional host array into a new `Array`.

    Parameters
    ----------
    matrix : numpy.ndarray
        Copied to `order` first where it is not contiguous in it.
    order : {"C", "F"}
        With "C", a texture's (x, y) reads ``matrix[y, x]``; with "F", ``matrix[x, y]``.
    allow_double_hack : bool, default False
        Take float64, as two channels of 32-bit integers.

    Returns
    -------
    Array
        In the current context.

    Raises
    ------
    ShapeError
        If the array has another number of dimensions.
    DTypeError
        If no format is of its dtype.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.matrix_to_array(np.zeros((4, 8), np.float32), "F").get_descriptor().width
    4
    """
    if matrix.ndim != 2:
        raise _errors.ShapeError(f"matrix_to_array takes two dimensions, not {matrix.ndim}")
    if matrix.dtype.name in _WIDE_CHANNELS and not (allow_double_hack and matrix.dtype == np.float64):
        dtype_to_array_format(matrix.dtype)
    return np_to_array(np.asarray(matrix, order="F" if order == "F" else "C"), order)


@takes(matrix=np.ndarray)
def make_multichannel_2d_array(matrix: np.ndarray, order: str) -> _cuda.Array:
    """Copy a three-dimensional host array into a new two-dimensional `Array` of several channels.

    Parameters
    ----------
    matrix : numpy.ndarray
        Of shape (height, width, channels) for order "C", (channels, width, height) for "F", in that order in
        memory.
    order : {"C", "F"}
        As above.

    Returns
    -------
    Array
        In the current context.

    Raises
    ------
    ShapeError
        If the array has another number of dimensions.

    Notes
    -----
    pycuda.driver's function of that name.

    Examples
    --------
    >>> cuda.make_multichannel_2d_array(np.zeros((4, 8, 2), np.float32), "C").get_descriptor().num_channels
    2
    """
    if matrix.ndim != 3:
        raise _errors.ShapeError(f"make_multichannel_2d_array takes three dimensions, not {matrix.ndim}")
    contiguous = matrix.flags.c_contiguous if order == "C" else matrix.flags.f_contiguous
    channels, width, height = _extents(matrix.shape, order, contiguous)
    array = _make_array((width, height), dtype_to_array_format(matrix.dtype), channels, False)
    return _fill(array, (width, height), matrix.itemsize * channels, "set_src_host", matrix)


def bind_array_to_texref(ary: _cuda.Array, texref: _cuda.TextureReference) -> None:
    """Have a texture reference read an `Array`: the nearest element, at the border the last one.

    Parameters
    ----------
    ary : Array
        Kept alive by the reference.
    texref : TextureReference
        Its address modes of two dimensions and its filter are set.

    Notes
    -----
    pycuda.driver's function of that name. Since CUDA 12 NVRTC compiles no references: use `TextureObject`.

    Examples
    --------
    >>> array = cuda.np_to_array(np.zeros((4, 8), np.float32), "C")
    >>> try:
    ...     cuda.bind_array_to_texref(array, mod.get_texref("nothing"))
    ... except cuda.Error:
    ...     print("the module has no such reference")
    the module has no such reference
    """
    names = ("set_array", "set_address_mode", "set_filter_mode")
    set_array, set_address_mode, set_filter_mode = attributes_of(
        "bind_array_to_texref", "texref", texref, "a TextureReference", *names
    )
    set_array(ary)
    set_address_mode(0, address_mode.CLAMP)
    set_address_mode(1, address_mode.CLAMP)
    set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix: np.ndarray, texref: _cuda.TextureReference, order: str) -> None:
    """Have a texture reference read a copy of a matrix, by `matrix_to_array` and `bind_array_to_texref`.

    Parameters
    ----------
    matrix : numpy.ndarray
        Of two dimensions, contiguous in `order`.
    texref : TextureReference
        Of a module.
    order : {"C", "F"}
        As for `matrix_to_array`.

    Raises
    ------
    ShapeError
        If the matrix has not two dimensions.

    Notes
    -----
    pycuda.driver's function of that name. Since CUDA 12 NVRTC compiles no references: use `TextureObject`.

    Examples
    --------
    >>> try:
    ...     cuda.matrix_to_texref(np.zeros((4, 8), np.float32), mod.get_texref("nothing"), "C")
    ... except cuda.Error:
    ...     print("the module has no such reference")
    the module has no such reference
    """
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
