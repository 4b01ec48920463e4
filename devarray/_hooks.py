"""What lower modules call in higher ones, in one place: the core's hooks, the arrays' protocols, their routines.

Each module is imported when one of its functions is first called, which then stands in the place of what imported it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from devarray import _core
from devarray._array.methods import FUNCTIONS
from devarray._array.protocols import PROTOCOLS
from devarray._array.ufunc_call import of_scalars
from devarray._namespace import HOME
from devarray._primitives.convert import as_operand, as_value
from devarray._primitives.host_arrays import cast_on_host
from devarray._runtime.devices import default_place
from devarray.array import Array

__all__ = ["install"]

_OF_CORE = {
    "advanced_getitem": ("_primitives.gather", "advanced_getitem"),
    "advanced_setitem": ("_primitives.gather", "advanced_setitem"),
    "build_elementwise": ("_runtime.build_hooks", "build_elementwise"),
    "build_reduction": ("_runtime.build_hooks", "build_reduction"),
    "build_rows": ("_runtime.build_hooks", "build_rows"),
    "build_stencil_chain": ("_runtime.build_hooks", "build_stencil_chain"),
    "explain_access": ("_runtime.build_hooks", "explain_access"),
    "tall_product": ("linalg.tall_products", "tall_product"),
    "row_product": ("linalg.tall_products", "row_product"),
    "refused": ("_primitives.host_calls", "refused"),
    "warn_of_parts": ("_runtime.lines", "warn_of_parts"),
}
_OF_PROTOCOLS = {
    "float_errors": ("_array.float_errors", "check"),
    "float_errors_of_method": ("_array.float_errors", "check_method"),
    "host_masked": ("_primitives.host_masked", "host_masked"),
    "on_host_alone": ("_primitives.host_calls", "on_host_alone"),
    "__array_function__": ("interop.numpy_functions", "array_function"),
    "__array_namespace__": ("interop.namespace", "array_namespace"),
    "__array_ufunc__": ("interop.ufuncs", "array_ufunc"),
    "__cuda_array_interface__": ("_primitives.cuda_interface", "cuda_array_interface"),
    "__dask_tokenize__": ("dask.tokens", "token"),
    "__dlpack__": ("interop.dlpack", "export"),
    "export_bfloat16": ("interop.dlpack", "export_bfloat16"),
    "__dlpack_device__": ("interop.dlpack", "own_device"),
    "explain": ("_profiling.explain", "explain"),
    "flat": ("_primitives.flat", "flat_of"),
    "flat_of_opaque": ("_primitives.flat", "flat_of_opaque"),
    "write_flat": ("_primitives.flat", "write_flat"),
    "cast_to_opaque": ("_primitives.opaque", "cast_to_opaque"),
    "of_dates": ("_primitives.date_functions", "called"),
    "on_host": ("_primitives.host_calls", "on_host"),
    "function_of_dates": ("_primitives.date_functions", "function_of_dates"),
    "ufunc_of_dates": ("_primitives.dates", "ufunc_call"),
    "dates_of_array": ("_primitives.dates", "of_array"),
    "dates_of_counts": ("_primitives.dates", "of_counts"),
    "uninitialised_dates": ("_primitives.dates", "uninitialised"),
    "arange_of_dates": ("_primitives.date_ranges", "arange"),
    "of_records": ("_primitives.record_functions", "of_records"),
    "records_moved": ("_primitives.record_functions", "moved"),
    "computed_in": ("_primitives.opaque_numbers", "computed_in"),
    "rounded": ("_primitives.opaque_numbers", "rounded"),
    "view_of_records": ("_primitives.opaque", "view_of_array"),
    "as_arrays": ("_primitives.operands", "operands_on_device"),
    "are_asked": ("_primitives.operands", "are_asked"),
    "ufunc_of_objects": ("_primitives.operands", "ufunc_of_objects"),
    "asarray_like": ("_primitives.operands", "asarray_like"),
    "hosted": ("_primitives.host_arrays", "hosted"),
    "over_buffer": ("_primitives.host_arrays", "over_buffer"),
}
_OF_METHODS = """argpartition argsort choose compress cumprod cumsum diagonal dot nonzero partition put repeat
    searchsorted sort take matmul"""

Table = dict[str, Callable[..., Any]]


def load(module: str) -> Any:
    """A module below ``devarray``, its packages first, so that two threads take the import locks in one order."""
    path = "devarray"
    for part in module.split("."):
        path += f".{part}"
        loaded = import_module(path)
    return loaded


def _later(module: str, name: str, put: Callable[[Callable[..., Any]], None]) -> Callable[..., Any]:
    """A function that imports its module when it is first called, and puts the module's in its own place."""

    def call(*args: object, **kwargs: object) -> Any:
        function = getattr(load(module), name)
        put(function)
        return function(*args, **kwargs)

    return call


def _into(table: Table, key: str) -> Callable[[Callable[..., Any]], None]:
    return lambda function: table.__setitem__(key, function)


def _into_methods(name: str) -> Callable[[Callable[..., Any]], None]:
    return lambda function: FUNCTIONS.__setitem__(name, load("_primitives.small").small_first(function))


def _into_core(key: str) -> Callable[[Callable[..., Any]], None]:
    return lambda function: _core.set_hooks({key: function})


def install() -> None:
    """Fill all of them, and say whose lines are no user's."""
    _core.profile_package(os.path.dirname(os.path.abspath(__file__)) + os.sep)
    _core.set_hooks({
        "array_class": Array,
        "default_place": default_place,
        "of_scalars": of_scalars,
        "to_array": as_value,
        "to_operand": as_operand,
        **{key: _later(*home, _into_core(key)) for key, home in _OF_CORE.items()},
    })  # fmt: skip
    PROTOCOLS["cast_on_host"] = cast_on_host
    for key, home in _OF_PROTOCOLS.items():
        PROTOCOLS[key] = _later(*home, _into(PROTOCOLS, key))
    for name in _OF_METHODS.split():
        FUNCTIONS[name] = _later(HOME[name], name, _into_methods(name))
    Array.mean(_core.probe_array())  # measures the references that a temporary has inside a reduction
