"""Values of an OpaqueArray as another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.opaque_dtypes import PLAIN, is_plain, storable, values_of
from devarray._primitives.opaque_texts import cast_texts, is_text
from devarray.array import Array
from devarray.errors import DTypeError

__all__ = ["OpaqueCasts"]


class OpaqueCasts:
    """The part of `OpaqueArray` (opaque.py) that converts its elements."""

    __slots__ = ()
    dtype: np.dtype[Any]

    def astype(
        self: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        """The values as another dtype, in fresh memory unless `copy` is false, on the device.

        Parameters
        ----------
        dtype : dtype
            A plain dtype, of a field that is not aligned or of ``ml_dtypes.bfloat16`` (rounded to nearest even in the
            other direction, by assignment); of records, a structured dtype with as many fields, taken in their order
            as by :meth:`numpy.ndarray.astype`, for example ``numpy.dtype(x.dtype.descr, align=True)``.
        order : {"K", "C", "F", "A"}
            Which axis is dense in memory: the first one for "F", else the last.
        casting : str
            NumPy's rule, by which the dtype must be one that this goes to.
        subok : bool
            For NumPy's sake.
        copy : bool
            Whether an array that has the dtype is copied. True by default.

        Returns
        -------
        Array or OpaqueArray
            A new array of the same shape.

        Raises
        ------
        DTypeError
            There is no such conversion.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> packed = da.to_device(np.array([(1, 2.5), (2, 3.5)], [("tag", "u1"), ("x", "f4")]))
        >>> (packed["x"].astype("f4") * 2).copy_to_host()
        array([5., 7.], dtype=float32)
        >>> aligned = packed.astype(np.dtype(packed.dtype.descr, align=True))
        >>> aligned["x"] *= 2
        >>> aligned.copy_to_host().tolist()
        [(1, 5.0), (2, 7.0)]
        """
        target: np.dtype = np.dtype(dtype)
        if target == self.dtype and not copy and order in ("K", "A"):
            return self
        if not np.can_cast(self.dtype, target, casting):
            raise DTypeError(f"Cannot cast array data from {self.dtype!r} to {target!r} by the rule {casting!r}")
        made = self._cast(target)
        return made.copy("F") if order == "F" else made

    def _uninitialised(self: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        """An array of the same class, where this one is. (Classes of drivers are called by other arguments.)"""
        sizes = (*shape, dtype.itemsize)
        return self._of(_core.empty(sizes, "uint8", self.bytes.queue, self.bytes.allocator), dtype)

    def _cast(self: Any, target: np.dtype) -> Any:
        if target in PLAIN and is_plain(self.dtype):
            return values_of(self.bytes, self.dtype).astype(target)
        if target == self.dtype:
            return self.copy()
        if self.dtype.kind in "mM":
            return self._numbers().astype(target)
        if is_text(self.dtype):
            return cast_texts(self, target)
        if target in PLAIN and self.dtype.name == "bfloat16":  # the upper half of a float32
            return (self.view("uint16").astype("uint32") << 16).view("float32").astype(target)
        mine, wanted = self.dtype.names or (), target.names or ()
        if not mine or len(mine) != len(wanted):
            raise DTypeError(f"Cannot cast array data from {self.dtype!r} to {target!r}: take a field of it, or a view")
        made = self._uninitialised(self.shape, storable(target))
        made.bytes[...] = 0  # what lies between the fields
        for of_mine, of_target in zip(mine, wanted, strict=True):
            field = self[of_mine]  # an Array is converted where it is assigned
            made[of_target] = field if isinstance(field, Array) else field.astype(target[of_target].base)
        return made
