"""A package ``cupy`` that leads to devarray, for CuPy's own tests, which run each test body under NumPy and CuPy.

``cupy.testing`` is CuPy's, from a checkout that the user has. A public name of ``cupy`` is devarray's of that name, or
NumPy's with ``FOREIGN_SIDE=numpy``, which tells what the tests make of NumPy itself. What is about CuPy alone (its
core, CUDA, ``cupyx``) is a module whose names are all there and do nothing: a test that needs it is not usable.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import math
import sys
import types
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import standin

PACKAGES = ("cupy", "cupyx", "cupy_backends")
OWN = ("_core", "_util", "_environment", "_sorting", "_manipulation", "cuda", "fft.config", "random._generator")
"""Places of ``cupy`` that are CuPy's own."""


GIVEN: dict[str, dict[str, Any]] = {
    "cupy._core.internal": {"prod": math.prod},
    "cupy.random._generator": {"reset_states": lambda: None, "_random_states": {}},
}
"""What ``cupy.testing`` needs of those."""


class Nothing(types.ModuleType):
    """A module, class and function in one, which has every name and is false."""

    def __init__(self, name: str = "nothing", *_: Any, **__: Any) -> None:
        super().__init__(str(name))
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        inner = f"{self.__name__}.{name}"
        if inner in GIVEN:
            return import_module(inner)
        return Exception if name.endswith(("Error", "Exception")) else Nothing(inner)

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self

    def __bool__(self) -> bool:
        return False

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,)


class Led(types.ModuleType):
    """A public module of CuPy's: devarray's names, or NumPy's."""

    def __init__(self, name: str, place: Any, checkout: Path) -> None:
        super().__init__(name)
        self._place, self._checkout = place, checkout
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "asnumpy":
            return lambda x: np.asarray(standin.to_host(x))
        if name == "get_array_module" and standin.SIDE == "numpy":
            return lambda *_: np
        inner = f"{self.__name__}.{name}"
        if inner.partition(".")[2] in OWN or (name.startswith("_") and not hasattr(self._place, name)):
            return import_module(inner)
        if name == "ndarray" and standin.SIDE == "devarray":
            return self._place.Array
        if name == "reset_states":
            return lambda: None
        if name in ("get_default_memory_pool", "get_default_pinned_memory_pool", "is_available"):
            return Nothing()
        found = getattr(self._place, name)
        return import_module(inner) if isinstance(found, types.ModuleType) else found


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds ``cupy`` and the packages beside it."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of a module: CuPy's for its testing package, otherwise one of ours."""
        if name.split(".")[0] not in PACKAGES:
            return None
        if name.startswith("cupy.testing"):
            where = self._checkout.joinpath(*name.split(".")[:-1])
            return importlib.machinery.PathFinder.find_spec(name, [str(where)])
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        """The module of a spec."""
        root, _, inner = spec.name.partition(".")
        if root == "cupy" and not any(inner == own or inner.startswith(f"{own}.") for own in OWN):
            place: Any = np if standin.SIDE == "numpy" else import_module("devarray")
            for part in filter(None, inner.split(".")):
                place = getattr(place, part, None)
            if place is not None:
                return Led(spec.name, place, self._checkout)
        module = Nothing(spec.name)
        module.__dict__.update(GIVEN.get(spec.name, {}))
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is to be run."""


def put_in_place(checkout: str) -> None:
    """Let ``import cupy`` find the package above."""
    sys.meta_path.insert(0, Finder(Path(checkout)))
