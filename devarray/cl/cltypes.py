"""dtypes under OpenCL C's names, as ``pyopencl.cltypes`` has them: scalars, and vectors as structured dtypes.

Examples
--------
>>> from devarray.cl import cltypes
>>> cltypes.make_float3(1, 2, 3)["z"].item(), cltypes.float3.itemsize
(3.0, 16)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._runtime.records import VECTORS as _VECTORS

if TYPE_CHECKING:
    from devarray._typing import ScalarLike

char, short, int, long = np.int8, np.int16, np.int32, np.int64
uchar, ushort, uint, ulong = np.uint8, np.uint16, np.uint32, np.uint64
half, float, double = np.float16, np.float32, np.float64

vec_types: dict[tuple[Any, Any], np.dtype] = {}
"""The vector dtype of a scalar dtype and a number of components."""
vec_type_to_scalar_and_count: dict[np.dtype, tuple[np.dtype, Any]] = {}
"""The inverse."""

for _dtype in _VECTORS.values():
    _count = len(_dtype.names or ())
    vec_types[_dtype[0], _count] = _dtype
    vec_type_to_scalar_and_count[_dtype] = _dtype[0], _count


def _maker(name: str) -> Any:
    dtype = _VECTORS[name]
    names = dtype.names or ()

    def make(*components: object, default: object = 0) -> Any:
        vector = np.zeros((), dtype)
        for i, field in enumerate(names):
            vector[field] = components[i] if i < len(components) else default
        return vector

    make.__name__ = f"make_{name}"
    make.__doc__ = f"A {name} of its components; those left out are `default`."
    return make


def _filler(name: str) -> Any:
    maker, count = _maker(name), len(_VECTORS[name].names or ())

    def filled(val: ScalarLike) -> Any:
        return maker(*[val] * count)

    filled.__name__ = f"filled_{name}"
    filled.__doc__ = f"A {name} of one value."
    return filled


def _constant(name: str, prefix: str, value: ScalarLike) -> Any:
    filler = _filler(name)

    def made() -> Any:
        return filler(value)

    made.__name__ = f"{prefix}{name}"
    made.__doc__ = f"A {name} of components {value}."
    return made


def __getattr__(name: str) -> Any:
    """The vector types, and the functions that make them."""
    if name in _VECTORS:
        return _VECTORS[name]
    for prefix, made in (("make_", _maker), ("filled_", _filler)):
        if name.startswith(prefix) and name.removeprefix(prefix) in _VECTORS:
            return made(name.removeprefix(prefix))
    for prefix, value in (("zeros_", 0), ("ones_", 1)):
        if name.startswith(prefix) and name.removeprefix(prefix) in _VECTORS:
            return _constant(name.removeprefix(prefix), prefix, value)
    raise AttributeError(f"module 'devarray.cl.cltypes' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_VECTORS, *(f"{p}_{n}" for p in ("make", "filled", "zeros", "ones") for n in _VECTORS)]


__all__ = [
    "char", "double", "float", "half", "int", "long", "short", "uchar", "uint", "ulong", "ushort",
    "vec_type_to_scalar_and_count", "vec_types",
]  # fmt: skip
