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
import warnings
from collections.abc import Callable, Iterator
from functools import wraps
from types import CodeType, FunctionType
from typing import Any, TypeVar

import numpy as np

from .. import _core
from .._runtime.arguments import expect, takes
from ..alloc import (
    AllocatorBase,
    DeferredAllocator,
    ImmediateAllocator,
    MemoryPool,
    SVMAllocator,
    SVMPool,
)
from ..errors import DTypeError
from ._arguments import (
    Argument,
    DtypedArgument,
    OtherArg,
    ScalarArg,
    VectorArg,
    get_arg_list_arg_types,
    get_arg_list_scalar_arg_dtypes,
    get_arg_offset_adjuster_code,
    parse_arg_list,
    parse_c_arg,
)
from ._c_types import (
    TypeNameNotKnown,
    dtype_to_c_struct,
    dtype_to_ctype,
    get_or_register_dtype,
    match_dtype_to_c_struct,
    register_dtype,
)
from ._constants import context_properties

__all__ = [
    "AllocatorBase",
    "Argument",
    "DeferredAllocator",
    "DtypedArgument",
    "ImmediateAllocator",
    "MemoryPool",
    "OtherArg",
    "PooledBuffer",
    "PooledSVM",
    "SVMAllocator",
    "SVMPool",
    "ScalarArg",
    "TypeNameNotKnown",
    "VectorArg",
    "bitlog2",
    "clear_first_arg_caches",
    "context_dependent_memoize",
    "dtype_to_c_struct",
    "dtype_to_ctype",
    "first_arg_dependent_memoize",
    "first_arg_dependent_memoize_nested",
    "get_arg_list_arg_types",
    "get_arg_list_scalar_arg_dtypes",
    "get_arg_offset_adjuster_code",
    "get_gl_sharing_context_properties",
    "get_or_register_dtype",
    "get_pyopencl_fixture_arg_names",
    "get_pyopencl_fixture_arg_values",
    "get_test_platforms_and_devices",
    "is_spirv",
    "match_dtype_to_c_struct",
    "parse_arg_list",
    "parse_c_arg",
    "pytest_generate_tests_for_pyopencl",
    "register_dtype",
]

PooledBuffer = _core.PooledBuffer
PooledSVM = _core.PooledSVM

Result = TypeVar("Result")


# --- caches ------------------------------------------------------------------------------------------------------

_caches: list[dict[Any, dict[Any, Any]]] = []
_of_nested: dict[CodeType, dict[Any, dict[Any, Any]]] = {}
"""The results of nested functions: each call of what is around them makes a new function of the same code."""


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
    return _remembering(func, {})


context_dependent_memoize = first_arg_dependent_memoize
"""The same: the object that a function depends on is its first argument."""


def first_arg_dependent_memoize_nested(nested_func: Callable[..., Result]) -> Callable[..., Result]:
    """Remember the results of a function that is defined within another one, from call to call of that one.

    Parameters
    ----------
    nested_func : callable
        As `first_arg_dependent_memoize` takes it. What it uses of the function around it must be the same in each call.

    Returns
    -------
    callable
        Called as `nested_func` is.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray import cl
    >>> from devarray.cl.tools import first_arg_dependent_memoize_nested
    >>> def double(ctx):
    ...     @first_arg_dependent_memoize_nested
    ...     def program(ctx):
    ...         return cl.Program(ctx, "kernel void double_(global int* x) { *x *= 2; }").build()
    ...     return program(ctx)
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> double(ctx) is double(ctx)
    True
    """
    expect("first_arg_dependent_memoize_nested", "nested_func", nested_func, FunctionType)
    return _remembering(nested_func, _of_nested.setdefault(nested_func.__code__, {}))


def _remembering(func: Callable[..., Result], results: dict[Any, dict[Any, Result]]) -> Callable[..., Result]:
    """The function, which looks into `results` first."""
    if not any(known is results for known in _caches):
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
    names = get_pyopencl_fixture_arg_names(metafunc)
    if not names:
        return
    if "device" in names and "ctx_factory" in names:
        raise RuntimeError("a test takes `device` or `ctx_factory`, not both: the factory has its device")
    values, _ = get_pyopencl_fixture_arg_values()
    if names == ["platform"]:
        values = list({value["platform"]: value for value in values}.values())
    ids = [f"{v['platform'].name}" + f"-{v['device'].name}" * (names != ["platform"]) for v in values]
    metafunc.parametrize(names, [tuple(value[name] for name in names) for value in values], ids=ids)


def get_pyopencl_fixture_arg_names(metafunc: Any, extra_arg_names: list[str] | None = None) -> list[str]:
    """Return those arguments of a test that stand for platforms, devices and contexts.

    Parameters
    ----------
    metafunc : pytest.Metafunc
        The test.
    extra_arg_names : list of str, optional
        More arguments to look for.

    Returns
    -------
    list of str
        Of ``platform``, ``device``, ``ctx_factory``, its old name ``ctx_getter``, and `extra_arg_names`.

    Warns
    -----
    DeprecationWarning
        If the test takes ``ctx_getter``.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from devarray.cl import tools
    >>> tools.get_pyopencl_fixture_arg_names(SimpleNamespace(fixturenames=["ctx_factory", "tmp_path"]))
    ['ctx_factory']
    """
    if not hasattr(metafunc, "fixturenames"):
        raise DTypeError(f"get_pyopencl_fixture_arg_names takes pytest's metafunc, not {type(metafunc).__name__}")
    known = ("platform", "device", "ctx_factory", "ctx_getter", *(extra_arg_names or ()))
    names = [name for name in known if name in metafunc.fixturenames]
    if "ctx_getter" in names:
        warnings.warn("'ctx_getter' is the old name of 'ctx_factory'", DeprecationWarning, stacklevel=2)
    return names


def get_pyopencl_fixture_arg_values() -> tuple[list[dict[str, Any]], Callable[[Any], str]]:
    """Return what tests run on, for a test module's own ``pytest_generate_tests``.

    Returns
    -------
    (list of dict, callable)
        ``platform``, ``device``, ``ctx_factory`` and ``ctx_getter`` of each device that ``PYOPENCL_TEST`` chooses, and
        the function for ``ids`` of `pytest.Metafunc.parametrize`.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> values, idfn = tools.get_pyopencl_fixture_arg_values()
    >>> values[0]["ctx_factory"]().devices == [values[0]["device"]]
    True
    """
    values = []
    for platform, devices in get_test_platforms_and_devices():
        for device in devices:
            factory = _ContextFactory(device)
            values.append({"platform": platform, "device": device, "ctx_factory": factory, "ctx_getter": factory})
    return values, lambda value: getattr(value, "name", str(value))


def get_gl_sharing_context_properties() -> list[tuple[int, Any]]:
    """Return the properties of a context that shares with the thread's current OpenGL context.

    Returns
    -------
    list of tuple
        For the parameter ``properties`` of `Context`: ``GL_CONTEXT_KHR`` and ``GLX_DISPLAY_KHR``.

    Raises
    ------
    ImportError
        If PyOpenGL is not installed, or finds no GLX.

    Notes
    -----
    PyOpenCL's function of that name, on Linux. `have_gl` says that there are no classes for what is shared.

    Examples
    --------
    >>> from devarray import cl
    >>> from devarray.cl import tools
    >>> properties = tools.get_gl_sharing_context_properties()  # doctest: +SKIP
    >>> ctx = cl.Context(properties=properties)  # doctest: +SKIP
    """
    from OpenGL import GLX  # type: ignore[import-not-found]

    current = GLX.glXGetCurrentContext(), GLX.glXGetCurrentDisplay()
    return list(zip((context_properties.GL_CONTEXT_KHR, context_properties.GLX_DISPLAY_KHR), current, strict=True))


# --- numbers and bytes -------------------------------------------------------------------------------------------


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


def is_spirv(s: str | bytes) -> bool:
    """Return whether a program's source is SPIR-V.

    Parameters
    ----------
    s : str or bytes
        What `Program` takes for a source.

    Returns
    -------
    bool
        Whether these are bytes that begin with SPIR-V's magic number, in either byte order.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl.tools import is_spirv
    >>> is_spirv(b"\\x03\\x02\\x23\\x07\\x00\\x00"), is_spirv("kernel void f() {}")
    (True, False)
    """
    magic = b"\x03\x02\x23\x07"
    return isinstance(s, bytes) and s[:4] in (magic, magic[::-1])
