"""NumPy's abstract classes of scalars: a value of the device is an instance of those that its dtype lies below.

A program says ``isinstance(x[0], np.integer)`` of what NumPy gives as a scalar. The classes here lie below NumPy's of
the same names, which they answer for: what is an instance, or a class below one of them, is so of the other, too.
"""

from __future__ import annotations

import copyreg
from typing import Any

import numpy as np

from devarray import _core

__all__ = [
    "complexfloating",
    "floating",
    "generic",
    "inexact",
    "integer",
    "number",
    "signedinteger",
    "unsignedinteger",
]


class _Kind(type):
    """The class of the classes; the one below it in ``__mro__`` is NumPy's."""

    def __instancecheck__(cls, x: object) -> bool:
        if isinstance(x, _core.ArrayBase):
            return _core.is_value(x) and issubclass(x.dtype.type, cls.__mro__[1])
        return isinstance(x, cls.__mro__[1])

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, cls.__mro__[1])

    def __subclasses__(cls) -> list[type]:
        kinds: list[type] = type.__subclasses__(cls.__mro__[1])
        return [kind for kind in kinds if type(kind) is not _Kind]

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.__mro__[1]

    def __hash__(cls) -> int:
        return hash(cls.__mro__[1])

    def __repr__(cls) -> str:
        return repr(cls.__mro__[1])


def _numpys(name: str) -> Any:
    return getattr(np, name)


copyreg.pickle(_Kind, lambda kind: (_numpys, (kind.__name__,)))


def _kind(name: str) -> Any:
    theirs = getattr(np, name)
    return _Kind(name, (theirs,), {"__doc__": theirs.__doc__, "__module__": "numpy", "__slots__": ()})


generic = _kind("generic")
number = _kind("number")
integer = _kind("integer")
signedinteger = _kind("signedinteger")
unsignedinteger = _kind("unsignedinteger")
inexact = _kind("inexact")
floating = _kind("floating")
complexfloating = _kind("complexfloating")
