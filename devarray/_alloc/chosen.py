"""Which default allocators of devices programs chose themselves, by function or by `DEVARRAY_MEMORY`."""

from __future__ import annotations

from weakref import WeakSet

from devarray import _core

__all__ = ["chosen_defaults"]

chosen_defaults: WeakSet[_core.MemoryResource] = WeakSet()
