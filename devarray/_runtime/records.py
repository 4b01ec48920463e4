"""C names of dtypes, of numbers, vectors and structures of users, and the declarators of kernel arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from devarray.errors import DTypeError, ValueError

__all__ = ["NUMBERS", "RECORDS", "SCALARS", "VECTORS", "declaration", "is_record", "record_name"]

SCALARS: dict[str, Any] = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32, "double": np.float64,
}  # fmt: skip
"""dtypes under OpenCL C's names."""
_COUNTS = (2, 3, 4, 8, 16)

NUMBERS: dict[str, str] = {
    "bool": "bool", "char": "int8", "signed char": "int8", "unsigned char": "uint8", "uchar": "uint8",
    "ushort": "uint16", "int": "int32", "signed": "int32", "signed int": "int32", "unsigned": "uint32",
    "unsigned int": "uint32", "uint": "uint32", "ulong": "uint64", "long long": "int64", "unsigned long long": "uint64",
    "size_t": "uint64", "ptrdiff_t": "int64", "intptr_t": "int64", "uintptr_t": "uint64",
    "half": "float16", "float": "float32", "double": "float64", "cfloat_t": "complex64", "cdouble_t": "complex128",
    "pycuda::complex<float>": "complex64", "pycuda::complex<double>": "complex128",
}  # fmt: skip
"""dtypes of numbers under their names in arguments of kernels; `devarray.cl.tools` adds what users register."""
NUMBERS |= {f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
NUMBERS |= {
    text.format(size=size, sign=sign): f"{'u' * (sign == 'unsigned')}{dtype}"
    for size, dtype in (("short", "int16"), ("long", "int64"))
    for sign in ("signed", "unsigned")
    for text in ("{sign} {size}", "{sign} {size} int", "{size} {sign}", "{size} {sign} int")
}
NUMBERS |= {text: dtype for size, dtype in (("short", "int16"), ("long", "int64")) for text in (size, f"{size} int")}


def _vector(base: str, count: int) -> np.dtype:
    scalar = np.dtype(SCALARS[base])
    room = 4 if count == 3 else count
    fields: Any = {
        "names": [f"s{i}" for i in range(count)],
        "formats": [scalar] * count,
        "offsets": [i * scalar.itemsize for i in range(count)],
        "itemsize": room * scalar.itemsize,
    }
    fields["titles"] = [*"xyzw"[:count], *[None] * (count - 4)]
    return np.dtype(fields)


VECTORS: dict[str, np.dtype] = {f"{base}{count}": _vector(base, count) for base in SCALARS for count in _COUNTS}
"""OpenCL C's vectors: structured dtypes with the components' names, three components in the room of four."""

RECORDS: dict[str, np.dtype] = dict(VECTORS)
"""All that have a name in C; `devarray.cl.tools` adds what users register."""

_WORDS = {"const", "volatile", "restrict", "__restrict__", "__global", "global", "__constant"}


def is_record(dtype: Any) -> bool:
    """Whether a dtype has fields."""
    return np.dtype(dtype).names is not None


def record_name(kernel: str, dtype: np.dtype, records: Mapping[str, np.dtype] = RECORDS) -> str:
    """The C name of a structured dtype.

    Raises
    ------
    DTypeError
        Where it has none.
    """
    name = next((name for name, known in records.items() if known == dtype), None)
    if name is None:
        raise DTypeError(
            f"{kernel}: {dtype} has no name in C; lay it out with tools.match_dtype_to_c_struct and give it one with "
            "tools.get_or_register_dtype"
        )
    return name


def declaration(text: str) -> tuple[str, str, bool, bool]:
    """The type and the name that a C declarator gives, whether it is a pointer or an array, and whether of const.

    Raises
    ------
    ValueError
        For what has not both, a type and a name.
    """
    words = re.findall(r"[\w:]+(?:<\w+>)?", re.sub(r"\[[^\]]*\]", "*", text))
    if len(words) < 2:
        raise ValueError(f"{text.strip()!r} is no argument: wanted is a type and a name such as 'float *x'")
    kind = " ".join(word for word in words[:-1] if word not in _WORDS)
    return kind, words[-1], "*" in text or "[" in text, "const" in words
