"""C names of structured dtypes, structures of users and vectors: generated kernels take pointers to these."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray.errors import DTypeError

__all__ = ["RECORDS", "SCALARS", "VECTORS", "is_record", "record_name"]

SCALARS: dict[str, Any] = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32, "double": np.float64,
}  # fmt: skip
"""dtypes under OpenCL C's names."""
_COUNTS = (2, 3, 4, 8, 16)


def _vector(base: str, count: int) -> np.dtype:
    scalar = np.dtype(SCALARS[base])
    names = list("xyzw"[:count]) if count <= 4 else [f"s{'0123456789abcdef'[i]}" for i in range(count)]
    room = 4 if count == 3 else count
    fields: Any = {
        "names": names,
        "formats": [scalar] * count,
        "offsets": [i * scalar.itemsize for i in range(count)],
        "itemsize": room * scalar.itemsize,
    }
    if count <= 4:
        fields["titles"] = [f"s{'0123456789abcdef'[i]}" for i in range(count)]
    return np.dtype(fields)


VECTORS: dict[str, np.dtype] = {f"{base}{count}": _vector(base, count) for base in SCALARS for count in _COUNTS}
"""OpenCL C's vectors: structured dtypes with the components' names, three components in the room of four."""

RECORDS: dict[str, np.dtype] = dict(VECTORS)
"""All that have a name in C; `devarray.cl.tools` adds what users register."""


def is_record(dtype: Any) -> bool:
    """Whether a dtype has fields."""
    return np.dtype(dtype).names is not None


def record_name(kernel: str, dtype: np.dtype) -> str:
    """The C name of a structured dtype.

    Raises
    ------
    DTypeError
        Where it has none.
    """
    name = next((name for name, known in RECORDS.items() if known == dtype), None)
    if name is None:
        raise DTypeError(
            f"{kernel}: {dtype} has no name in C; lay it out with tools.match_dtype_to_c_struct and give it one with "
            "tools.get_or_register_dtype"
        )
    return name
