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
from functools import wraps
from typing import Any, TypeVar

import numpy as np

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
from ._c_types import (
    Argument,
    DtypedArgument,
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
    get_or_register_dtype,
    match_dtype_to_c_struct,
    register_dtype,
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
    "context_dependent_memoize",
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


context_dependent_memoize = first_arg_dependent_memoize
"""The same: the object that a function depends on is its first argument."""


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


# --- numbers -----------------------------------------------------------------------------------------------------


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
