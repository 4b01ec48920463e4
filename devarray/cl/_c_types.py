"""Types of kernel parameters: dtypes and their names in OpenCL C, and `pyopencl.tools`' argument classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from devarray._runtime.records import RECORDS, VECTORS

if TYPE_CHECKING:
    from devarray._core import Device

__all__ = [
    "Argument",
    "DtypedArgument",
    "ScalarArg",
    "VectorArg",
    "dtype_to_ctype",
    "get_or_register_dtype",
    "match_dtype_to_c_struct",
    "register_dtype",
]

_C_TYPES: dict[np.dtype, str] = {
    np.dtype(name): c_type
    for name, c_type in (
        ("bool", "bool"), ("int8", "char"), ("uint8", "uchar"), ("int16", "short"), ("uint16", "ushort"),
        ("int32", "int"), ("uint32", "uint"), ("int64", "long"), ("uint64", "ulong"), ("float16", "half"),
        ("float32", "float"), ("float64", "double"), ("complex64", "cfloat_t"), ("complex128", "cdouble_t"),
    )
}  # fmt: skip
_C_TYPES |= {dtype: c_type for c_type, dtype in VECTORS.items()}
_DTYPES = {c_type: dtype for dtype, c_type in _C_TYPES.items()}
_VECTORS = frozenset(VECTORS.values())


def dtype_to_ctype(dtype: npt.DTypeLike) -> str:
    """Return the name of a dtype in OpenCL C.

    Parameters
    ----------
    dtype : dtype
        A number's, or one that `register_dtype` knows.

    Returns
    -------
    str
        The first of its names.

    Raises
    ------
    ValueError
        If it has none.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl.tools import dtype_to_ctype
    >>> dtype_to_ctype("uint64")
    'ulong'
    """
    given = np.dtype(dtype)
    if given not in _C_TYPES:
        raise ValueError(f"dtype {given} has no name in OpenCL C; give it one with register_dtype")
    return _C_TYPES[given]


def match_dtype_to_c_struct(
    device: Device | None, name: str, dtype: npt.DTypeLike, context: object = None
) -> tuple[np.dtype, str]:
    """Return a structured dtype as OpenCL C lays it out, and the C text of the structure.

    Parameters
    ----------
    device : Device
        Taken for PyOpenCL's sake: the layout is C's on every device, and its text says so.
    name : str
        Of the structure in C.
    dtype : dtype
        Fields of numbers, of arrays of numbers, and of structures that `register_dtype` knows.
    context : Context, optional
        Taken for PyOpenCL's sake.

    Returns
    -------
    (numpy.dtype, str)
        The dtype with C's offsets and size, and a ``typedef``.

    Raises
    ------
    ValueError
        For a dtype without fields, and for fields without a name in C.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import tools
    >>> dtype, text = tools.match_dtype_to_c_struct(None, "pair", np.dtype([("a", "i1"), ("b", "f4")]))
    >>> dtype.fields["b"][1]
    4
    >>> print(text.strip())
    typedef struct {
      char a;
      float b;
    } pair;
    """
    given = np.dtype(dtype)
    if given.names is None:
        raise ValueError(f"match_dtype_to_c_struct wants a dtype with fields, not {given}")
    fields = [(field, given.fields[field][0]) for field in given.names] if given.fields else []
    offsets, lines, end, alignment = [], [], 0, 1
    for field, kind in fields:
        base, shape = kind.subdtype or (kind, ())
        own = _alignment_of(base)
        end = -(-end // own) * own
        offsets.append(end)
        end, alignment = end + kind.itemsize, max(alignment, own)
        lines.append(f"  {dtype_to_ctype(base)} {field}{''.join(f'[{size}]' for size in shape)};")
    layout: Any = {
        "names": [field for field, _ in fields],
        "formats": [kind for _, kind in fields],
        "offsets": offsets,
        "itemsize": -(-end // alignment) * alignment,
    }
    return np.dtype(layout), "typedef struct {\n" + "\n".join(lines) + f"\n}} {name};\n\n"


def _alignment_of(dtype: np.dtype) -> int:
    """What C aligns a type at: its largest member, vectors at their size."""
    if dtype in _VECTORS:
        return dtype.itemsize
    if dtype.fields is None:
        return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    parts = [kind for kind, *_ in dtype.fields.values()]
    return max((_alignment_of(kind.subdtype[0] if kind.subdtype else kind) for kind in parts), default=1)


def get_or_register_dtype(c_names: str | list[str], dtype: npt.DTypeLike | None = None) -> np.dtype:
    """Return the dtype of an OpenCL C type, or give a dtype its names.

    Parameters
    ----------
    c_names : str or list of str
        The first is the name that `dtype_to_ctype` gives.
    dtype : dtype, optional
        What the names stand for from now on; a structured one, say.

    Returns
    -------
    numpy.dtype
        What the names stand for.

    Raises
    ------
    ValueError
        If a name stands for another dtype already, or, without `dtype`, for none.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import tools
    >>> tools.get_or_register_dtype(["uint", "unsigned"], np.uint32)
    dtype('uint32')
    >>> tools.get_or_register_dtype("unsigned")
    dtype('uint32')
    """
    names = [c_names] if isinstance(c_names, str) else list(c_names)
    if dtype is None:
        known = [_DTYPES[name] for name in names if name in _DTYPES]
        if not known:
            raise ValueError(f"no dtype is registered for {names}")
        return known[0]
    given = np.dtype(dtype)
    for name in names:
        if _DTYPES.setdefault(name, given) != given:
            raise ValueError(f"the type '{name}' is registered as {_DTYPES[name]} already, not {given}")
        if given.names is not None:
            RECORDS[name] = given
    _C_TYPES.setdefault(given, names[0])
    return given


def register_dtype(dtype: npt.DTypeLike, name: str | list[str]) -> None:
    """Give a dtype its names in OpenCL C.

    Parameters
    ----------
    dtype : dtype
        A structured one, say.
    name : str or list of str
        The first is the name that `dtype_to_ctype` gives.

    Raises
    ------
    ValueError
        If a name stands for another dtype already.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import tools
    >>> pair = np.dtype([("first", np.float32), ("second", np.float32)])
    >>> tools.register_dtype(pair, "pair_t")
    >>> tools.dtype_to_ctype(pair)
    'pair_t'
    """
    get_or_register_dtype(name, dtype)


class Argument:
    """Base of the arguments of generated kernels.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> isinstance(tools.ScalarArg("int32", "n"), tools.Argument)
    True
    """

    def declarator(self) -> str:
        """Return the argument as the kernel's parameter list has it.

        Returns
        -------
        str
            OpenCL C.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.

        Examples
        --------
        >>> from devarray.cl.tools import ScalarArg
        >>> ScalarArg("int32", "n").declarator()
        'int n'
        """
        raise NotImplementedError


@dataclass(frozen=True, init=False)
class DtypedArgument(Argument):
    """An argument of a generated kernel with a dtype; base of `VectorArg` and `ScalarArg`.

    Parameters
    ----------
    dtype : dtype
        Of the argument, or of what it points to.
    name : str
        Of the parameter.

    Examples
    --------
    >>> from devarray.cl.tools import ScalarArg
    >>> ScalarArg("int32", "n").dtype
    dtype('int32')
    """

    dtype: np.dtype
    name: str

    def __init__(self, dtype: npt.DTypeLike, name: str) -> None:
        object.__setattr__(self, "dtype", np.dtype(dtype))
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, init=False)
class VectorArg(DtypedArgument):
    """A pointer into global memory; with an offset, a base pointer and a number of bytes.

    Parameters
    ----------
    dtype : dtype
        Of what it points to.
    name : str
        Of the parameter.
    with_offset : bool, default False
        Whether it is two parameters.

    Examples
    --------
    >>> from devarray.cl.tools import VectorArg
    >>> VectorArg("float32", "x").declarator()
    '__global float *x'
    >>> VectorArg("float32", "x", with_offset=True).declarator()
    '__global float *x__base, long x__offset'
    """

    with_offset: bool

    def __init__(self, dtype: npt.DTypeLike, name: str, with_offset: bool = False) -> None:
        super().__init__(dtype, name)
        object.__setattr__(self, "with_offset", with_offset)

    def declarator(self) -> str:
        """Return the argument as the kernel's parameter list has it.

        Returns
        -------
        str
            OpenCL C.

        Examples
        --------
        >>> from devarray.cl.tools import VectorArg
        >>> VectorArg("float32", "x").declarator()
        '__global float *x'
        """
        c_type = dtype_to_ctype(self.dtype)
        if self.with_offset:
            return f"__global {c_type} *{self.name}__base, long {self.name}__offset"
        return f"__global {c_type} *{self.name}"


@dataclass(frozen=True, init=False)
class ScalarArg(DtypedArgument):
    """A number by value.

    Parameters
    ----------
    dtype : dtype
        Of the number.
    name : str
        Of the parameter.

    Examples
    --------
    >>> from devarray.cl.tools import ScalarArg
    >>> ScalarArg("int32", "n").declarator()
    'int n'
    """

    def declarator(self) -> str:
        """Return the argument as the kernel's parameter list has it.

        Returns
        -------
        str
            OpenCL C.

        Examples
        --------
        >>> from devarray.cl.tools import ScalarArg
        >>> ScalarArg("int32", "n").declarator()
        'int n'
        """
        return f"{dtype_to_ctype(self.dtype)} {self.name}"
