"""The fourteen dtypes that kernels compute with, in the order of `DType` in csrc/common/dtype.hpp."""

from __future__ import annotations

from typing import Any

__all__ = ["COMPLEX", "DTYPES", "FLOATS", "INTEGERS", "KIND", "REAL_OF", "SIGNED", "SIZE", "UNSIGNED", "on_no_device"]

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *FLOATS, *COMPLEX)

KIND: dict[str, str] = (
    {"bool": "b"}
    | dict.fromkeys(SIGNED, "i")
    | dict.fromkeys(UNSIGNED, "u")
    | dict.fromkeys(FLOATS, "f")
    | dict.fromkeys(COMPLEX, "c")
)
"""NumPy's kind letter of each dtype."""

SIZE: dict[str, int] = dict(zip(DTYPES, (1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16), strict=True))
"""Bytes of one element."""

REAL_OF: dict[str, str] = {"complex64": "float32", "complex128": "float64"}
"""Dtype of the components of a complex dtype."""


def on_no_device(dtype: Any) -> bool:
    """Whether NumPy alone has values of the dtype: objects, text, and floats of more than 64 bits."""
    return dtype.kind in "OSUT" or dtype.char in "gG"
