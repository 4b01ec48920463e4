"""Methods that change how an array's memory is read: its shape, strides and element type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.operations import normalize_axis, reduced_axes
from devarray._array.order import as_it_lies, is_fortran, order_of
from devarray._array.protocols import PROTOCOLS
from devarray._runtime.devices import Queue
from devarray.errors import DTypeError, ShapeError

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["ShapeMethods"]

_Axis = int | tuple[int, ...] | None
_DType = Any
_TYPE = type


def _told(kind: Any) -> Any:
    """The class of arrays for what stands for NumPy's in a program that runs unmodified, and is equal to that."""
    stands = isinstance(kind, type) and kind is not np.ndarray and kind == np.ndarray
    return _core.ArrayBase if stands else kind


def _as_class(kind: object, x: object, of: object) -> Any:
    """A view of an array of a class below Array."""
    made = _core.view_as(kind, x)
    finalize = getattr(kind, "__array_finalize__", None)
    if finalize is not None:
        finalize(made, of)
    return made


def no_whole_number(size: int, itemsize: int, wanted: int) -> str:
    """NumPy's words for a last axis whose bytes are no whole number of a view's elements."""
    rule = (
        "larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array"
        if wanted > itemsize
        else "smaller dtype, its size must be a divisor of the size of original dtype"
    )
    return f"When changing to a {rule}: {size} elements of {itemsize} bytes are no whole number of {wanted} bytes"


class ShapeMethods(_core.ArrayBase):
    """Views of an array under other shapes, strides and element types, and copies where no view can be."""

    __slots__ = ()

    @property
    def T(self) -> Array:
        """The array with its axes reversed, a view."""
        return _core.permute(self, None)

    @property
    def mT(self) -> Array:
        """The array with its last two axes swapped, a view.

        Raises
        ------
        ShapeError
            Where the array has fewer than two axes.
        """
        if self.ndim < 2:
            raise ShapeError(
                "matrix transpose with ndim < 2 is undefined: mT swaps the last two axes. Input array must be at "
                f"least 2-dimensional, but it is {self.ndim}"
            )
        return _core.permute(self, (*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    @property
    def flat(self) -> Array:
        """The elements in C order, as one axis and as an iterator, as :class:`numpy.flatiter`. Can be assigned to."""
        return PROTOCOLS["flat"](self)

    @flat.setter
    def flat(self, value: object) -> None:
        """Write the elements in C order; what is too short starts again."""
        PROTOCOLS["write_flat"](self, ..., value)

    def reshape(self, /, *shape: int | Sequence[int], order: str = "C", copy: bool | None = None) -> Array:
        """The elements under another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            Sizes of the new axes. One of them may be -1, which stands for what is left.
        order : {"C", "F", "A"}
            Which axis runs fastest in both shapes: the last one (the default), the first one, or the first one where
            the array is dense in that order only.
        copy : bool, optional
            True: always copy. False: raise ValueError where a copy is needed. None: copy where it is needed.

        Returns
        -------
        Array
            A view where the strides allow it, else a new array.

        Raises
        ------
        ShapeError
            Where the shape does not have as many elements.
        ValueError
            Where `copy` is False and a copy is needed, or for another `order`.

        Examples
        --------
        >>> import devarray as da
        >>> da.arange(6).reshape(2, -1).copy_to_host()
        array([[0, 1, 2],
               [3, 4, 5]])
        """
        sizes: Any = shape[0] if len(shape) == 1 else shape
        if order != "C" and is_fortran(self, order or "C"):
            if hasattr(sizes, "__index__"):
                sizes = (sizes,)
            return _core.reshape(self.T, tuple(sizes)[::-1], copy).T
        return _core.reshape(self, sizes, copy)

    def ravel(self, /, order: str = "C", stream: Queue | None = None) -> Array:
        """The elements as one dense axis.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            Which axis runs fastest: the last one (the default), the first one, the first one where the array is dense
            in that order only, or as in memory.
        stream : Queue, optional
            numba's, not used.

        Returns
        -------
        Array
            A view where the elements are dense in this order, else a new array.

        Raises
        ------
        ValueError
            For another `order`.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((2, 3)).ravel().shape
        (6,)
        """
        letter = order if order == "C" else order_of(order or "C", name="ravel")
        flat = _core.reshape(as_it_lies(self), -1, None) if letter == "K" else self.reshape(-1, order=letter)
        return flat if _core.is_contiguous(flat, "C") else _core.contiguous(flat)

    def flatten(self, /, order: str = "C") -> Array:
        """The elements as one axis, always copied.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            Which axis runs fastest: the last one (the default), the first one, the first one where the array is dense
            in that order only, or as in memory.

        Returns
        -------
        Array
            A new array.

        Raises
        ------
        ValueError
            For another `order`.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([[1, 2], [3, 4]]).flatten("F").copy_to_host()
        array([1, 3, 2, 4])
        """
        letter = order_of(order or "C", name="flatten")
        return _core.reshape(as_it_lies(self), -1, True) if letter == "K" else self.reshape(-1, order=letter, copy=True)

    def transpose(self, /, *axes: int | Sequence[int] | None) -> Array:
        """The array with its axes permuted.

        Parameters
        ----------
        *axes : int or sequence of int
            For each axis of the result, that of the array; in reverse order by default.

        Returns
        -------
        Array
            A view.

        Raises
        ------
        ShapeError
            Where `axes` does not name every axis once.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((2, 3, 4)).transpose(2, 0, 1).shape
        (4, 2, 3)
        """
        if not axes or (len(axes) == 1 and axes[0] is None):
            return self.T
        first: Any = axes[0]
        one = hasattr(first, "__index__") and getattr(first, "ndim", 0) == 0
        return _core.permute(self, list(axes if one or len(axes) > 1 else first))

    def reduced_view(self, /) -> Array:
        """The array with as few axes as a view can have: neighbours without a gap become one, axes of size 1 go.

        Returns
        -------
        Array
            A view with the elements in the same order, as kernels with indices of their own are quickest with.

        Notes
        -----
        CuPy's method of that name.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((2, 3, 4)).reduced_view().shape, da.ones((2, 3, 4))[:, :, 1:].reduced_view().shape
        ((24,), (6, 3))
        """
        if self.ndim <= 1:
            return self[...]
        shape: list[int] = []
        strides: list[int] = []
        for size, stride in zip(self.shape, self.strides, strict=True):
            if shape and size != 1 and strides[-1] == size * stride:
                shape[-1], strides[-1] = shape[-1] * size, stride
            elif size != 1:
                shape.append(size)
                strides.append(stride)
        if self.size == 0 or not shape:
            shape, strides = [self.size], [self.itemsize]
        return self[...] if len(shape) == self.ndim else _core.view(self, shape, strides)

    def squeeze(self, /, axis: _Axis = None) -> Array:
        """The array without axes of size 1.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The axes to remove; all of size 1 by default.

        Returns
        -------
        Array
            A view.

        Raises
        ------
        ShapeError
            For an axis of another size than 1.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((1, 3, 1)).squeeze().shape
        (3,)
        """
        if axis is None:
            drop = {i for i, size in enumerate(self.shape) if size == 1}
        else:
            few = () if self.ndim == 0 and axis in (0, -1) else axis  # NumPy lets them pass
            drop = set(reduced_axes(few, self.ndim))
            for i in drop:
                if self.shape[i] != 1:
                    raise ShapeError(
                        f"cannot select an axis to squeeze out which has size not equal to one: axis {i} of shape "
                        f"{self.shape} has size {self.shape[i]}"
                    )
        keep = [i for i in range(self.ndim) if i not in drop]
        if drop and keep:
            return self[(*(0 if i in drop else slice(None) for i in range(self.ndim)), ...)]  # no memory is asked for
        strides = self.strides
        return _core.view(self, [self.shape[i] for i in keep], [strides[i] for i in keep])

    def swapaxes(self, axis1: int, axis2: int, /) -> Array:
        """The array with two axes swapped.

        Parameters
        ----------
        axis1, axis2 : int
            The axes.

        Returns
        -------
        Array
            A view.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((2, 3)).swapaxes(0, 1).shape
        (3, 2)
        """
        a, b = normalize_axis(axis1, self.ndim), normalize_axis(axis2, self.ndim)
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return _core.permute(self, order)

    def view(self, /, dtype: _DType = None, type: Any = None) -> Array:
        """The same memory as another array, possibly of another dtype.

        The last axis must be contiguous, or of one element, where the sizes of the two dtypes differ. Unlike NumPy's,
        no element may be elsewhere than at a multiple of its size: devices read numbers at such addresses only.

        Parameters
        ----------
        dtype : dtype, optional
            As which dtype the bytes are read; that of the array by default. The class `Array` stands for that, too.
            A structured or void one makes an :class:`~devarray.OpaqueArray`.
        type : type, optional
            The class of the view: `Array`, or a class below it, whose ``__array_finalize__`` is called as NumPy's is.
            A class below :class:`numpy.ndarray` takes the values to the host, as ``config.fallback`` says.

        Returns
        -------
        Array or OpaqueArray
            A view.

        Raises
        ------
        DTypeError
            For another class, and for NumPy's where ``config.fallback`` does not allow the way to the host.
        ShapeError
            Where the bytes of the last axis are not contiguous, or no whole number of elements.
        ValueError
            Where an element would not be at a multiple of its size.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1.0], dtype=da.float32).view(da.uint32).item() == 0x3F800000
        True
        """
        dtype, type = _told(dtype), _told(type)
        if isinstance(dtype, _TYPE) and issubclass(dtype, _core.ArrayBase | np.ndarray):
            dtype, type = None, dtype
        if type is not None and issubclass(type, np.ndarray):
            of_host: Any = np.asarray(self)  # which goes there as config.fallback says
            return of_host.view(type) if dtype is None else of_host.view(dtype, type)
        if type is not None and not issubclass(_core.ArrayBase, type) and not issubclass(type, _core.ArrayBase):
            raise DTypeError(f"view: a view is an Array, not a {type.__name__}")
        if type is not None:
            made = self.view(dtype)
            below = type is not _TYPE(made) and issubclass(type, _TYPE(made))
            return _as_class(type, made, self) if below else made
        if dtype is None:
            return self if _core.is_value(self) else self[...]  # type: ignore[return-value]
        target = np.dtype(dtype)
        if target.kind in "SU":  # on the host, as config.fallback says
            return PROTOCOLS["hosted"](np.asarray(self).view(target))
        if target.kind in "VmM" or not target.isnative:
            return PROTOCOLS["view_of_records"](self, target)
        shape, strides = list(self.shape), list(self.strides)
        if target.itemsize != self.itemsize:
            if not shape or (self.size and shape[-1] != 1 and strides[-1] != self.itemsize):
                raise ShapeError(
                    "To change to a dtype of a different size, the last axis must be contiguous: make a copy first"
                )
            if shape[-1] * self.itemsize % target.itemsize:
                raise ShapeError(no_whole_number(shape[-1], self.itemsize, target.itemsize))
            shape[-1] = shape[-1] * self.itemsize // target.itemsize
            strides[-1] = target.itemsize
        return _core.view(self, shape, strides, 0, target)

    def is_c_contiguous(self) -> bool:
        """Whether the elements are dense in memory, the last axis fastest.

        Returns
        -------
        bool
            On the host; no value is read.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((2, 3)).is_c_contiguous(), da.ones((2, 3)).T.is_c_contiguous()
        (True, False)
        """
        return _core.is_contiguous(self, "C")

    def is_f_contiguous(self) -> bool:
        """Whether the elements are dense in memory, the first axis fastest.

        Returns
        -------
        bool
            On the host; no value is read.

        Examples
        --------
        >>> import devarray as da
        >>> da.ones((2, 3)).is_f_contiguous(), da.ones((2, 3)).T.is_f_contiguous()
        (False, True)
        """
        return _core.is_contiguous(self, "F")
