"""dtypes and their names in CUDA C++, and the arguments of generated kernels, under ``pycuda.tools``' names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from devarray._kernels.pointers import arguments_of
from devarray._runtime.records import RECORDS
from devarray.errors import ValueError

__all__ = [
    "Argument",
    "ScalarArg",
    "VectorArg",
    "dtype_to_ctype",
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
_DTYPES = {c_type: dtype for dtype, c_type in _C_TYPES.items()}


def name_vector(name: str, dtype: np.dtype) -> None:
    """The name of one of CUDA's vector types."""
    _C_TYPES.setdefault(dtype, name)
    _DTYPES[name] = dtype


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
    if with_fp_tex_hack and given in (np.dtype("float32"), np.dtype("float64"), np.dtype("complex64")):
        return {"float32": "float", "float64": "fp_tex_double", "complex64": "fp_tex_cfloat"}[given.name]
    found = _C_TYPES.get(given) or next((name for name, known in RECORDS.items() if known == given), None)
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
    if dtype is None:
        known = [found for name in names if (found := _DTYPES.get(name) or RECORDS.get(name)) is not None]
        if not known:
            raise ValueError(f"no dtype is registered for {names}")
        return known[0]
    given = np.dtype(dtype)
    for name in names:
        table = RECORDS if given.names is not None else _DTYPES
        if table.setdefault(name, given) != given:
            raise ValueError(f"the type '{name}' is registered as {table[name]} already, not {given}")
    if given.names is None:
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
        """Its letter in Python's ``struct``."""
        return self.dtype.char


def parse_c_arg(c_arg: str) -> Argument:
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
    (found,) = arguments_of(c_arg)
    return (VectorArg if found.vector else ScalarArg)(found.item, found.name)
