"""array_api_compat, for a program that runs unmodified: arrays of the device are NumPy's to it, too."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray.array import Array

__all__ = ["teach"]


def teach() -> Callable[[], None]:
    """Let it take device arrays, and devarray as their namespace, for NumPy's; returns what undoes it.

    Programs ask it so before they call what knows NumPy's arrays and another library's.
    """
    places = [importlib.import_module(name) for name in ("array_api_compat", "array_api_compat.common._helpers")]
    taught = {"is_numpy_array": _is_array, "is_numpy_namespace": _is_namespace}
    taught |= dict.fromkeys(("array_namespace", "get_namespace"), _of_the_device)
    written = [(place, name, getattr(place, name)) for place in places for name in taught if hasattr(place, name)]
    for place, name, plain in written:
        setattr(place, name, functools.wraps(plain)(functools.partial(taught[name], plain)))

    def undo() -> None:
        for place, name, plain in written:
            setattr(place, name, plain)

    return undo


def _is_array(plain: Callable[..., bool], x: object) -> bool:
    return isinstance(x, Array) or plain(x)


def _is_namespace(plain: Callable[..., bool], xp: object) -> bool:
    return xp is sys.modules["devarray"] or plain(xp)


def _of_the_device(plain: Callable[..., Any], *arrays: object, **kwargs: Any) -> Any:
    """The namespace of arrays of which some are on the device: NumPy's own beside them have no say."""
    if any(isinstance(x, Array) for x in arrays):
        arrays = tuple(x for x in arrays if isinstance(x, Array) or not isinstance(x, np.ndarray | np.generic))
    return plain(*arrays, **kwargs)
