"""dtypes and their names in CUDA C++, and the arguments of generated kernels, under ``pycuda.tools``' names."""

from __future__ import annotations

from collections import ChainMap
from typing import Any, NamedTuple

import numpy as np

from devarray._kernels.pointers import arguments_of
from devarray._runtime.records import NUMBERS, RECORDS, declaration
from devarray.errors import ValueError

__all__ = [
    "CUDA_RECORDS",
    "VECTORS",
    "Argument",
    "ScalarArg",
    "VectorArg",
    "dtype_to_ctype",
    "get_arg_type",
    "get_or_register_dtype",
    "parse_c_arg",
    "register_dtype",
]

_C_TYPES = {
    np.dtype(name): c_type
    for name, c_type in (
        ("bool", "bool"), ("int8", "signed char"), ("uint8", "unsigned char"), ("int16", "short"),
        ("uint16", "unsigned short"), ("int32", "int"), ("uint32", "unsigned int"), ("int64", "long long"),
        ("uint64", "unsigned long long"), ("float16", "half"), ("float32", "float"), ("float64", "double"),
        ("complex64", "pycuda::complex<float>"), ("complex128", "pycuda::complex<double>"),
    )
}  # fmt: skip
_OF_TEXTURES = {"float64": "fp_tex_double", "complex64": "fp_tex_cfloat", "complex128": "fp_tex_cdouble"}
_DTYPES = {c_type: dtype for dtype, c_type in _C_TYPES.items()}

_BASES: dict[str, Any] = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "longlong": np.int64, "ulonglong": np.uint64, "float": np.float32,
    "double": np.float64,
}  # fmt: skip
VECTORS: dict[str, np.dtype] = {
    f"{base}{count}": np.dtype([(field, scalar) for field in "xyzw"[:count]])
    for base, scalar in _BASES.items()
    for count in range(1, (2 if base in ("longlong", "ulonglong", "double") else 4) + 1)
}
"""CUDA's vectors: structured dtypes with the components' names, three components side by side."""
CUDA_RECORDS = ChainMap(VECTORS, RECORDS)
"""All structures that have a name in CUDA C++."""


def _dtype_named(name: str) -> np.dtype | None:
    """What a C type is, None where nothing is known of it."""
    for table in (_DTYPES, CUDA_RECORDS):
        if name in table:
            return table[name]
    return np.dtype(NUMBERS[name]) if name in NUMBERS else None


def dtype_to_ctype(dtype: Any, with_fp_tex_hack: bool = False) -> str:
    """The name of a dtype in CUDA C++.

    Parameters
    ----------
    dtype : dtype
        A number's, or a structured one that `register_dtype` knows.
    with_fp_tex_hack : bool, default False
        Whether float64 is ``fp_tex_double``, as PyCUDA's helpers for textures call it.

    Returns
    -------
    str
        The first of its names.

    Raises
    ------
    ValueError
        If it has none.

    Examples
    --------
    >>> from devarray.cuda.tools import dtype_to_ctype
    >>> dtype_to_ctype("float32")
    'float'
    """
    given = np.dtype(dtype)
    if with_fp_tex_hack and given.name in _OF_TEXTURES:
        return _OF_TEXTURES[given.name]
    found = _C_TYPES.get(given) or next((name for name, known in CUDA_RECORDS.items() if known == given), None)
    if found is None:
        raise ValueError(f"dtype {given} has no name in CUDA C++; give it one with register_dtype")
    return found


def get_or_register_dtype(c_names: str | list[str], dtype: Any = None) -> np.dtype:
    """The dtype of a C type, or a dtype's names from now on.

    Parameters
    ----------
    c_names : str or list of str
        The first is the name that `dtype_to_ctype` gives.
    dtype : dtype, optional
        What the names stand for; a structured one, laid out as C does (``align=True``).

    Returns
    -------
    numpy.dtype
        What the names stand for.

    Raises
    ------
    ValueError
        If a name stands for another dtype already, or, without `dtype`, for none.

    Examples
    --------
    >>> from devarray.cuda.tools import get_or_register_dtype
    >>> get_or_register_dtype("unsigned int")
    dtype('uint32')
    """
    names = [c_names] if isinstance(c_names, str) else list(c_names)
    known = {name: _dtype_named(name) for name in names}
    if dtype is None:
        found = [given for given in known.values() if given is not None]
        if not found:
            raise ValueError(f"no dtype is registered for {names}")
        return found[0]
    given = np.dtype(dtype)
    for name, before in known.items():
        if before is not None and before != given:
            raise ValueError(f"the type '{name}' is registered as {before} already, not {given}")
    for name in names:
        if given.names is None:
            NUMBERS.setdefault(name, given.name)
        else:
            RECORDS.setdefault(name, given)
    _C_TYPES.setdefault(given, names[0])
    return given


def register_dtype(dtype: object, name: str | list[str]) -> None:
    """Give a dtype its names in CUDA C++: arguments of generated kernels may then be pointers to it.

    Parameters
    ----------
    dtype : dtype
        A structured one, say.
    name : str or list of str
        The first is the name that `dtype_to_ctype` gives.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cuda import tools
    >>> weighted = np.dtype([("value", np.float32), ("weight", np.float32)])
    >>> tools.register_dtype(weighted, "weighted_t")
    >>> tools.dtype_to_ctype(weighted)
    'weighted_t'
    """
    get_or_register_dtype(name, dtype)


class Argument(NamedTuple("Argument", [("dtype", Any), ("name", str)])):
    """An argument of a generated kernel; `VectorArg` and `ScalarArg` are its kinds."""

    __slots__ = ()

    def __new__(cls, dtype: Any, name: str) -> Argument:
        return super().__new__(cls, np.dtype(dtype), name)

    def declarator(self) -> str:
        """The argument as a kernel's list of parameters has it.

        Returns
        -------
        str
            CUDA C++.
        """
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


class VectorArg(Argument):
    """A pointer to elements of a dtype.

    Parameters
    ----------
    dtype : dtype
        Of the elements.
    name : str
        Of the parameter.

    Examples
    --------
    >>> from devarray.cuda.tools import VectorArg
    >>> VectorArg("float32", "x").declarator()
    'float *x'
    """

    __slots__ = ()
    struct_char = "P"

    def declarator(self) -> str:
        """The argument as a kernel's list of parameters has it.

        Returns
        -------
        str
            CUDA C++.
        """
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A number.

    Parameters
    ----------
    dtype : dtype
        Of the number.
    name : str
        Of the parameter.

    Examples
    --------
    >>> from devarray.cuda.tools import ScalarArg
    >>> ScalarArg("int32", "n").declarator()
    'int n'
    """

    __slots__ = ()

    @property
    def struct_char(self) -> str:
        """Its letter in Python's ``struct``; of a structure its bytes."""
        return f"{self.dtype.itemsize}s" if self.dtype.char == "V" else self.dtype.char


def parse_c_arg(c_arg: str) -> VectorArg | ScalarArg:
    """An argument out of its C text.

    Parameters
    ----------
    c_arg : str
        A type and a name.

    Returns
    -------
    Argument
        A `VectorArg` or a `ScalarArg`.

    Examples
    --------
    >>> from devarray.cuda.tools import parse_c_arg
    >>> parse_c_arg("const float *x")
    VectorArg(dtype=dtype('float32'), name='x')
    """
    kind, name, pointer, _ = declaration(c_arg)
    if (
        not pointer and kind in CUDA_RECORDS
    ):  # a kernel of a program takes structures by value, a generated one does not
        return ScalarArg(CUDA_RECORDS[kind], name)
    (found,) = arguments_of(c_arg, CUDA_RECORDS)
    return (VectorArg if found.vector else ScalarArg)(found.item, found.name)


def get_arg_type(c_arg: str) -> str:
    """The letter of an argument in Python's ``struct``, out of the argument's C text.

    Parameters
    ----------
    c_arg : str
        A type and a name.

    Returns
    -------
    str
        As ``Function.prepare`` takes it: "P" for a pointer.

    Raises
    ------
    DTypeError
        For a type that no dtype is known for.

    Notes
    -----
    pycuda.tools' function of that name.

    Examples
    --------
    >>> from devarray.cuda.tools import get_arg_type
    >>> [get_arg_type(text) for text in ("float *x", "float a", "int n", "float3 v")]
    ['P', 'f', 'i', '12s']
    """
    return parse_c_arg(c_arg).struct_char
