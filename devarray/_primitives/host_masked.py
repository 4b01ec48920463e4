"""NumPy's masked arrays, which stay on the host: indices, values and operands may lie on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray._primitives.host_arrays import OnHost, brought

__all__ = ["HostMasked", "host_masked"]


def _operator(name: str) -> Callable[..., Any]:
    """NumPy's operator, of a second operand that may lie on the device."""
    theirs = getattr(np.ma.MaskedArray, name)

    def apply(self: Any, other: Any) -> Any:
        return theirs(self, brought(other))

    apply.__name__ = name
    return apply


class HostMasked(OnHost, np.ma.MaskedArray):
    """NumPy's masked array as ``devarray.ma`` makes it, and what NumPy makes of it."""

    __add__, __radd__, __iadd__ = map(_operator, ("__add__", "__radd__", "__iadd__"))
    __sub__, __rsub__, __isub__ = map(_operator, ("__sub__", "__rsub__", "__isub__"))
    __mul__, __rmul__, __imul__ = map(_operator, ("__mul__", "__rmul__", "__imul__"))
    __truediv__, __rtruediv__, __itruediv__ = map(_operator, ("__truediv__", "__rtruediv__", "__itruediv__"))
    __floordiv__, __rfloordiv__ = map(_operator, ("__floordiv__", "__rfloordiv__"))
    __pow__, __rpow__, __ipow__ = map(_operator, ("__pow__", "__rpow__", "__ipow__"))
    __mod__, __rmod__ = map(_operator, ("__mod__", "__rmod__"))
    __eq__, __ne__ = map(_operator, ("__eq__", "__ne__"))
    __lt__, __le__, __gt__, __ge__ = map(_operator, ("__lt__", "__le__", "__gt__", "__ge__"))
    __hash__ = None  # type: ignore[assignment]


def host_masked(x: Any) -> HostMasked:
    """A masked array of NumPy's, over the same memory."""
    return x.view(HostMasked)
