"""dtypes and their names in OpenCL C, under ``pyopencl.tools``' names."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from devarray import errors
from devarray._runtime.records import NUMBERS, RECORDS, VECTORS

if TYPE_CHECKING:
    from devarray._core import Device

__all__ = [
    "TypeNameNotKnown",
    "dtype_named",
    "dtype_to_c_struct",
    "dtype_to_ctype",
    "get_or_register_dtype",
    "match_dtype_to_c_struct",
    "names_of_dtypes",
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
_VECTORS = frozenset(VECTORS.values())


class TypeNameNotKnown(errors.ValueError, KeyError, RuntimeError):
    """No dtype is registered under a name in C: PyOpenCL's pages say RuntimeError, its code KeyError.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> tools.get_or_register_dtype("nonesuch")
    Traceback (most recent call last):
    ...
    devarray.cl._c_types.TypeNameNotKnown: no dtype is registered under the name 'nonesuch'
    """

    __str__ = Exception.__str__


class _RegisteredError(errors.ValueError, RuntimeError):
    """A name or a dtype is registered already."""


def dtype_named(name: str) -> np.dtype | None:
    """The dtype that a C type stands for."""
    if name in NUMBERS:
        return np.dtype(NUMBERS[name])
    return RECORDS.get(name)


def names_of_dtypes() -> Mapping[np.dtype, str]:
    """The first name of each dtype in C, which grows with what is registered."""
    return MappingProxyType(_C_TYPES)


def dtype_to_ctype(dtype: npt.DTypeLike) -> str:
    """Return the name of a dtype in OpenCL C.

    Parameters
    ----------
    dtype : dtype
        A number's, or one that `get_or_register_dtype` knows.

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
        raise errors.ValueError(f"dtype {given} has no name in OpenCL C; give it one with get_or_register_dtype")
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
        Fields of numbers, of arrays of numbers, and of structures that `get_or_register_dtype` knows.
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
        raise errors.ValueError(f"match_dtype_to_c_struct wants a dtype with fields, not {given}")
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


def dtype_to_c_struct(device: Device | None, dtype: npt.DTypeLike) -> str:
    """Return the C text of a structure that has a name already.

    Parameters
    ----------
    device : Device
        Taken for PyOpenCL's sake: the layout is C's on every device.
    dtype : dtype
        One that `get_or_register_dtype` knows, with C's offsets and size.

    Returns
    -------
    str
        A ``typedef``; nothing for numbers and vectors, which OpenCL C has.

    Raises
    ------
    ValueError
        For a dtype without a name, and for one that is not laid out as C does.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import tools
    >>> layout, _ = tools.match_dtype_to_c_struct(None, "sample", np.dtype([("key", "u1"), ("value", "f4")]))
    >>> sample = tools.get_or_register_dtype("sample", layout)
    >>> print(tools.dtype_to_c_struct(None, sample).strip())
    typedef struct {
      uchar key;
      float value;
    } sample;
    """
    given = np.dtype(dtype)
    if given.names is None or given in _VECTORS:
        return ""
    layout, text = match_dtype_to_c_struct(device, dtype_to_ctype(given), given)
    if layout != given:
        raise errors.ValueError(f"{given} is not laid out as C does; take what match_dtype_to_c_struct returns")
    return text


def get_or_register_dtype(c_names: str | Sequence[str], dtype: npt.DTypeLike | None = None) -> np.dtype:
    """Return the dtype of an OpenCL C type, or give a dtype its names.

    Parameters
    ----------
    c_names : str or sequence of str
        The first is the name that `dtype_to_ctype` gives a dtype that has none. All are understood in arguments of
        generated kernels.
    dtype : dtype, optional
        What the names stand for from now on; a structured one, say.

    Returns
    -------
    numpy.dtype
        What the names stand for.

    Raises
    ------
    TypeNameNotKnown
        Without `dtype`, if a name stands for none.
    ValueError
        If a name stands for another dtype already; without `dtype`, if the names stand for several. It is a
        RuntimeError as well, which PyOpenCL raises.

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
    known = {name: dtype_named(name) for name in names}
    if dtype is None:
        return _single(known)
    given = np.dtype(dtype)
    for name, found in known.items():
        if found is not None and found != given:
            raise _RegisteredError(f"the type '{name}' is registered as {found} already, not {given}")
    for name in names:
        if given.names is None:
            NUMBERS.setdefault(name, given.name)
        else:
            RECORDS.setdefault(name, given)
    _C_TYPES.setdefault(given, names[0])
    return given


def _single(known: dict[str, np.dtype | None]) -> np.dtype:
    """The dtype that all names stand for."""
    for name, found in known.items():
        if found is None:
            raise TypeNameNotKnown(f"no dtype is registered under the name '{name}'")
    dtypes = {found for found in known.values() if found is not None}
    if len(dtypes) != 1:
        raise errors.ValueError(f"the names {list(known)} stand for no one dtype")
    return dtypes.pop()


def register_dtype(dtype: npt.DTypeLike, c_names: str | Sequence[str], alias_ok: bool = False) -> None:
    """Give a dtype its names in OpenCL C, once: the older form of `get_or_register_dtype`.

    Parameters
    ----------
    dtype : dtype
        A structured one, say.
    c_names : str or sequence of str
        The first is the name that `dtype_to_ctype` gives a dtype that has none.
    alias_ok : bool, default False
        Whether the dtype may have a name already.

    Raises
    ------
    ValueError
        If the dtype has a name and `alias_ok` is not set, or a name stands for another dtype already. It is a
        RuntimeError as well, which PyOpenCL raises.

    Warns
    -----
    DeprecationWarning
        Always, as PyOpenCL's function of that name.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from devarray.cl import tools
    >>> pair = np.dtype([("first", np.float32), ("second", np.float32)])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tools.register_dtype(pair, "pair_t", alias_ok=True)
    >>> tools.dtype_to_ctype(pair)
    'pair_t'
    """
    warnings.warn("register_dtype is deprecated; use get_or_register_dtype", DeprecationWarning, stacklevel=2)
    given = np.dtype(dtype)
    if not alias_ok and given in _C_TYPES:
        raise _RegisteredError(f"{given} is registered already, as '{_C_TYPES[given]}', and alias_ok is not set")
    get_or_register_dtype(c_names, given)
