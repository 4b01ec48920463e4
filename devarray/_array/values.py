"""Methods that give an array of other values: casts, copies, parts of complex numbers, rounding, bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.operations import OP
from devarray._array.order import is_fortran, laid_out, lies, made_in_order, order_of
from devarray._array.out import checked_cast, write_out
from devarray._array.protocols import PROTOCOLS
from devarray._array.ufunc_call import call, targets_of
from devarray._runtime.config import config
from devarray._runtime.lines import warn_of_parts
from devarray.errors import DTypeError
from devarray.ops.dtypes import on_no_device

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["ValueMethods"]

_DType = Any
_MOST_DECIMALS = 308
"""Powers of ten from the next one on are infinite."""


class ValueMethods(_core.ArrayBase):
    """Casts, copies, parts of complex numbers, rounding and bounds."""

    __slots__ = ()

    @property
    def real(self) -> Array:
        """The real part; of a complex array a view, of others the array itself."""
        return self._component(0)

    @real.setter
    def real(self, value: object) -> None:
        """The real part; of a complex array a view, of others the array itself."""
        self._component(0)[...] = value

    @property
    def imag(self) -> Array:
        """The imaginary part; of a complex array a view, of others zeros that cannot be written."""
        if self.dtype.kind != "c":
            zeros = _core.apply(OP["imag"], self)
            _core.set_writable(zeros, False)
            return zeros
        return self._component(1)

    @imag.setter
    def imag(self, value: object) -> None:
        """The imaginary part; of a complex array a view, of others zeros that cannot be written.

        Raises
        ------
        DTypeError
            Where it is set for an array that is not complex.
        """
        if self.dtype.kind != "c":
            raise DTypeError(f"array does not have imaginary part to set: its dtype is {self.dtype}")
        self._component(1)[...] = value

    def _component(self: Any, which: int) -> Array:
        if self.dtype.kind != "c":
            return self
        half = self.itemsize // 2
        return _core.view(self, self.shape, self.strides, which * half, np.dtype(f"f{half}"))

    def _with_parts(self: Any, change: Callable[[Array], Array]) -> Array:
        """Complex numbers whose real and imaginary parts are changed apart."""
        made = made_in_order(lambda dims: _core.empty_at(self, dims, self.dtype), self.shape, "K", self)
        for which in (0, 1):
            made._component(which)[...] = change(self._component(which))
        return _core.as_value(made) if _core.is_value(self) else made

    @_core.QuickFunction
    def astype(
        self: Any, /, dtype: _DType, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Array:
        """The values in another dtype, as NumPy casts them.

        Parameters
        ----------
        dtype : dtype
            Of the result.
        order : {"K", "A", "C", "F"}
            Memory order of the result: as the array ("K", the default), Fortran's where the array has only that ("A"),
            C, or Fortran's.
        casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
            NumPy's rule for what may be cast. "unsafe" by default.
        subok : bool
            NumPy's, not used: arrays have no subclasses to pass on.
        copy : bool
            Whether to copy where the array has dtype and order already. True by default.

        Returns
        -------
        Array
            Of the same shape: a new array, or with ``copy=False`` possibly the array itself. Where
            no device holds the dtype (text, objects, floats of more than 64 bits) and ``config.fallback`` is not
            "raise", NumPy's array; of another order of bytes, too, where it is "allow".

        Raises
        ------
        DTypeError
            Where the rule does not allow the cast, or no device computes with the dtype.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1.7, -1.7]).astype(da.int32).copy_to_host()
        array([ 1, -1], dtype=int32)
        """
        target = np.dtype(dtype)
        if casting != "unsafe" and not np.can_cast(self.dtype, target, casting):
            raise DTypeError(
                f"astype: Cannot cast array data from {self.dtype!r} to {target!r} according to the rule {casting!r}"
            )
        if config.fallback == "allow" and (on_no_device(target) or not target.isnative):
            return self.copy_to_host().astype(target, order, casting, copy=False)
        if config.fallback == "warn" and on_no_device(target):
            return PROTOCOLS["cast_on_host"](self, target, order, casting)
        if self.dtype.kind == "c" and target.kind not in "bc":
            warn_of_parts("astype")
        if order != "K":
            letter = order_of(order, name="astype")
            if letter == "A":
                letter = "F" if is_fortran(self, "A") else "C"
            if letter != "K" and (self.ndim > 1 or not copy) and not lies(self, letter):
                return laid_out(self, letter, target)
        if target == self.dtype:
            return _core.apply(OP["copy"], self) if copy else self
        try:
            return _core.astype(self, target)
        except DTypeError:
            if target.kind not in "VmM":
                raise
        return PROTOCOLS["cast_to_opaque"](self, target)

    @_core.QuickFunction
    def copy(self, /, order: str = "C") -> Array:
        """The values in a new array.

        Parameters
        ----------
        order : {"C", "F", "A", "K"}
            Memory order of the result: C (the default), Fortran's, Fortran's where the array has only that, or as the
            array.

        Returns
        -------
        Array
            A new dense array of the same shape and dtype.

        Raises
        ------
        ValueError
            For another `order`.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.zeros(2)
        >>> y = x.copy()
        >>> y[0] = 1
        >>> x.copy_to_host()
        array([0., 0.])
        """
        if order != "C" and (order := order_of(order or "C", name="copy")) == "K":
            return _core.apply(OP["copy"], self)
        turned = order != "C" and is_fortran(self, order)
        wanted = "F" if turned else "C"
        if self.pending or (self.device.strategy != "cpu" and _core.is_contiguous(self, wanted)):
            made = _core.apply(OP["copy"], self)  # which waits, as other operations do
            if _core.is_contiguous(made, wanted):
                return made
        source = _core.permute(self, None) if turned else self
        made = _core.reshape(source, source.shape, True)
        return _core.as_owner(_core.permute(made, None)) if turned else made

    def fill(self, /, value: Any) -> None:
        """Set every element to one value.

        Parameters
        ----------
        value : scalar or array_like
            The value, cast to the dtype; arrays are broadcast.

        Raises
        ------
        ShapeError
            Where an array does not broadcast to the shape.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.zeros(3)
        >>> x.fill(7)
        >>> x.copy_to_host()
        array([7., 7., 7.])
        """
        self[...] = value

    @_core.QuickFunction
    def tolist(self: Any, /) -> Any:
        """The values as nested lists of Python scalars. Waits for the device.

        Returns
        -------
        list or scalar
            Nested lists of Python scalars; a scalar for an array without axes.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return self.copy_to_host().tolist()

    def conj(self: Any, /, out: Array | None = None) -> Array:
        """Complex conjugates.

        Parameters
        ----------
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

        Returns
        -------
        Array
            A new array, or `out`; the array itself where it is real.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1 + 2j]).conj().copy_to_host()
        array([1.-2.j])
        """
        made = _core.apply(OP["conj"], self) if self.dtype.kind == "c" else self
        return made if out is None else write_out("conj", made, out)

    conjugate = conj

    def round(self, /, decimals: int = 0, out: Array | None = None) -> Array:
        """The values rounded to a number of decimal places, ties to even.

        Parameters
        ----------
        decimals : int
            Decimal places; negative ones are before the point. 0 by default.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

        Returns
        -------
        Array
            A new array of the same shape and dtype, or `out`.

        Raises
        ------
        DTypeError
            For decimal places of bools, whose values without them are float16, as NumPy's.
        TypeError
            Where `decimals` is no integer.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1.25, 2.375]).round(1).copy_to_host()
        array([1.2, 2.4])
        """
        if out is not None:
            target = (
                out.dtype if isinstance(out, _core.ArrayBase) and out.dtype.kind == self.dtype.kind == "f" else None
            )
            return write_out("round", self._rounded(decimals, target), out)
        return self._rounded(decimals)

    def _rounded(self: Any, decimals: int, target: np.dtype | None = None) -> Any:
        """Rounded; what is scaled for it becomes `target` first, as in NumPy's, who scales into `out`."""
        if self.dtype.kind == "b":
            if decimals:
                raise DTypeError("round: bools have no decimal places; cast them to a number with astype")
            return _core.astype(self, np.dtype(np.float16))  # NumPy's
        decimals = operator.index(decimals)
        if decimals == 0:
            return _core.apply(OP["round"], self)
        if self.dtype.kind in "iu" and decimals > 0:
            return self.copy()
        if self.dtype.kind == "c":  # a product of complex numbers makes NaN of an infinite part
            return self._with_parts(lambda part: part.round(decimals))
        scale = 10.0 ** abs(decimals) if abs(decimals) <= _MOST_DECIMALS else np.inf
        scaled = self * scale if decimals > 0 else self / scale
        scaled = _core.apply(OP["round"], scaled if target is None else scaled.astype(target, copy=False))
        if decimals > 0:
            return scaled / scale
        return (scaled * scale).astype(target or self.dtype, copy=False)

    def clip(self: Any, /, min: object = None, max: object = None, out: Array | None = None, **kwargs: object) -> Array:
        """The values, kept between two bounds.

        Parameters
        ----------
        min, max : array_like, optional
            The bounds, which broadcast; there is none by default.
        out : Array, optional
            Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
        **kwargs
            `where`, `dtype`, `casting` and `order`, as of element-wise functions.

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        ShapeError
            Where the shapes do not broadcast.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 5, 9]).clip(2, 6).copy_to_host()
        array([2, 5, 6])
        """
        if kwargs:
            return self._clip_as_ufunc(min, max, out, **kwargs)
        if out is not None:
            return write_out("clip", self.clip(min, max), out, spread=True)
        if self.dtype.kind in "iu":  # a Python int beyond the dtype is no bound
            limits = np.iinfo(self.dtype)
            min = None if type(min) is int and min <= limits.min else min
            max = None if type(max) is int and max >= limits.max else max
        if min is None and max is None:
            return self.copy()
        if min is None:
            return _core.apply(OP["minimum"], self, max)
        if max is None:
            return _core.apply(OP["maximum"], self, min)
        return _core.apply(OP["clip"], self, min, max)

    def _clip_as_ufunc(
        self: Any, min: Any, max: Any, out: object, *, dtype: Any = None, subok: bool = True, **kwargs: Any
    ) -> Array:
        """Bounds with the keywords of element-wise functions."""
        x = self if dtype is None else checked_cast("clip", self, np.dtype(dtype), kwargs.get("casting", "same_kind"))

        def bounded(x: Any) -> tuple[Array]:
            return (x.clip(min, max),)

        return call(None, "clip", (x,), targets_of("clip", out), kwargs, bounded)
