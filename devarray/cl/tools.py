"""Pools, caches by OpenCL object, test parametrisation and kernel argument types, under ``pyopencl.tools``' names.

Examples
--------
>>> import numpy as np
>>> import devarray as da
>>> from devarray import cl
>>> from devarray.cl import tools
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> pool = tools.MemoryPool(tools.ImmediateAllocator(queue))
>>> x = da.arange(2000, dtype=np.float32, queue=queue, allocator=pool).evaluate()
>>> pool.active_bytes >= x.nbytes
True
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from .._runtime.arguments import takes
from ..alloc import (
    AllocatorBase,
    DeferredAllocator,
    ImmediateAllocator,
    MemoryPool,
    SVMAllocator,
    SVMPool,
)

__all__ = [
    "AllocatorBase",
    "Argument",
    "DeferredAllocator",
    "DtypedArgument",
    "ImmediateAllocator",
    "MemoryPool",
    "PooledBuffer",
    "PooledSVM",
    "SVMAllocator",
    "SVMPool",
    "ScalarArg",
    "VectorArg",
    "bitlog2",
    "clear_first_arg_caches",
    "dtype_to_ctype",
    "first_arg_dependent_memoize",
    "get_or_register_dtype",
    "get_test_platforms_and_devices",
    "match_dtype_to_c_struct",
    "pytest_generate_tests_for_pyopencl",
    "register_dtype",
]

PooledBuffer = _core.PooledBuffer
PooledSVM = _core.PooledSVM

Result = TypeVar("Result")


# --- caches ------------------------------------------------------------------------------------------------------

_caches: list[dict[Any, dict[Any, Any]]] = []


def first_arg_dependent_memoize(func: Callable[..., Result]) -> Callable[..., Result]:
    """Remember a function's results by its arguments, the first of which is an OpenCL object.

    For what is made once for each context or queue, such as a program. `clear_first_arg_caches` drops all of them, with
    the objects that they keep alive.

    Parameters
    ----------
    func : callable
        All its arguments are hashable.

    Returns
    -------
    callable
        Called as `func` is.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray import cl
    >>> from devarray.cl.tools import first_arg_dependent_memoize
    >>> @first_arg_dependent_memoize
    ... def program(ctx, type_name):
    ...     return cl.Program(ctx, f"kernel void one(global {type_name}* x) {{ *x = 1; }}").build()
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> program(ctx, "int") is program(ctx, "int")
    True
    """
    results: dict[Any, dict[Any, Result]] = {}
    _caches.append(results)

    @wraps(func)
    def remembered(cl_object: Any, *args: Any, **kwargs: Any) -> Result:
        of_object = results.setdefault(cl_object, {})
        key = (args, frozenset(kwargs.items()))
        if key not in of_object:
            of_object[key] = func(cl_object, *args, **kwargs)
        return of_object[key]

    return remembered


def clear_first_arg_caches() -> None:
    """Empty the caches of all functions that `first_arg_dependent_memoize` wraps.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> made = tools.first_arg_dependent_memoize(lambda ctx: object())
    >>> first = made("a context")
    >>> tools.clear_first_arg_caches()
    >>> made("a context") is first
    False
    """
    for results in _caches:
        results.clear()


# --- tests -------------------------------------------------------------------------------------------------------


def get_test_platforms_and_devices(plat_dev_string: str | None = None) -> list[tuple[Any, list[Any]]]:
    """List platforms and their devices that tests run on.

    Parameters
    ----------
    plat_dev_string : str, optional
        As ``PYOPENCL_TEST=0:0,1;intel=i5,i7``: platforms, separated by semicolons, each by its number or a part of
        its name and vendor, alone or followed by a colon (or an equals sign) and its devices, separated by commas.
        By default that environment variable, and everything where it is not set.

    Returns
    -------
    list of (Platform, list of Device)
        In the order of the text.

    Raises
    ------
    ValueError
        If nothing matches a part of it.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> [(platform, devices)] = tools.get_test_platforms_and_devices("0:0")
    >>> devices == platform.get_devices()[:1]
    True
    """
    text = os.environ.get("PYOPENCL_TEST") if plat_dev_string is None else plat_dev_string
    platforms = _core.cl.get_platforms()
    if not text:
        return [(platform, platform.get_devices()) for platform in platforms]
    return list(_matching(text, platforms))


def _matching(text: str, platforms: list[Any]) -> Iterator[tuple[Any, list[Any]]]:
    for part in text.split(";"):
        name, _, numbers = part.replace("=", ":").partition(":")
        for platform in _find(name, platforms, "platform"):
            devices = platform.get_devices()
            if numbers:
                devices = [device for entry in numbers.split(",") for device in _find(entry, devices, "device")]
            yield platform, devices


def _find(name: str, options: list[Any], what: str) -> list[Any]:
    name = name.strip()
    if name.isdecimal() and int(name) < len(options):
        return [options[int(name)]]
    found = [option for option in options if name.lower() in f"{option.name} {option.vendor}".lower()]
    if not name or not found:
        raise ValueError(f"PYOPENCL_TEST: no {what} matches '{name}'; there are {[option.name for option in options]}")
    return found


class _ContextFactory:
    """Makes a fresh context on one device."""

    def __init__(self, device: Any) -> None:
        self.device = device

    def __call__(self) -> Any:
        return _core.cl.Context([self.device])

    def __repr__(self) -> str:
        return f"<context factory for {self.device!r}>"


def pytest_generate_tests_for_pyopencl(metafunc: Any) -> None:
    """Run tests that take `ctx_factory`, `device` or `platform` for every device, device or platform there is.

    Imported into a test module under the name that pytest looks for::

        from devarray.cl.tools import pytest_generate_tests_for_pyopencl as pytest_generate_tests

    ``PYOPENCL_TEST`` in the environment chooses platforms and devices; see `get_test_platforms_and_devices`.

    Parameters
    ----------
    metafunc : pytest.Metafunc
        The test.

    Raises
    ------
    RuntimeError
        If a test takes both `device` and `ctx_factory`.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> class Metafunc:
    ...     fixturenames = ["platform"]
    ...     def parametrize(self, names, values, ids):
    ...         print(names, len(values) == len(ids) > 0)
    >>> tools.pytest_generate_tests_for_pyopencl(Metafunc())
    ['platform'] True
    """
    names = [name for name in ("platform", "device", "ctx_factory") if name in metafunc.fixturenames]
    if not names:
        return
    if "device" in names and "ctx_factory" in names:
        raise RuntimeError("a test takes `device` or `ctx_factory`, not both: the factory has its device")
    rows, ids = [], []
    for platform, devices in get_test_platforms_and_devices():
        for device in [None] if names == ["platform"] else devices:
            values = {"platform": platform, "device": device, "ctx_factory": device and _ContextFactory(device)}
            rows.append(tuple(values[name] for name in names))
            ids.append(f"{platform.name}-{device.name}" if device else platform.name)
    metafunc.parametrize(names, rows, ids=ids)


# --- kernel arguments --------------------------------------------------------------------------------------------

_C_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(name): c_type
    for name, c_type in (
        ("bool", "bool"), ("int8", "char"), ("uint8", "uchar"), ("int16", "short"), ("uint16", "ushort"),
        ("int32", "int"), ("uint32", "uint"), ("int64", "long"), ("uint64", "ulong"), ("float16", "half"),
        ("float32", "float"), ("float64", "double"), ("complex64", "cfloat_t"), ("complex128", "cdouble_t"),
    )
}  # fmt: skip
_DTYPES = {c_type: dtype for dtype, c_type in _C_TYPES.items()}


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
    device: Any, name: str, dtype: npt.DTypeLike, context: Any = None
) -> tuple[np.dtype[Any], str]:
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


def _alignment_of(dtype: np.dtype[Any]) -> int:
    """What C aligns a type at: its largest member, vectors at their size."""
    from .cltypes import vec_type_to_scalar_and_count

    if dtype in vec_type_to_scalar_and_count:
        return dtype.itemsize
    if dtype.fields is None:
        return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize
    parts = [kind for kind, *_ in dtype.fields.values()]
    return max((_alignment_of(kind.subdtype[0] if kind.subdtype else kind) for kind in parts), default=1)


def get_or_register_dtype(c_names: str | list[str], dtype: npt.DTypeLike | None = None) -> np.dtype[Any]:
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

    dtype: np.dtype[Any]
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


@takes(n=(int, np.integer))
def bitlog2(n: int) -> int:
    """Return the exponent of the greatest power of two that is not above a number.

    Parameters
    ----------
    n : int
        At least 1.

    Returns
    -------
    int
        9 for 1000.

    Examples
    --------
    >>> from devarray.cl.tools import bitlog2
    >>> bitlog2(1000)
    9
    """
    return int(n).bit_length() - 1
