"""What ``numpy.load`` gives, on the device: arrays, archives of them, and maps of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from devarray._primitives.convert import asarray_or_texts
from devarray._primitives.host_arrays import memmap
from devarray.array import Array

__all__ = ["on_device", "opened"]


class _Archive(Mapping[str, Array]):
    """An open .npz file: a mapping of names to arrays, each of which is copied to the device when it is asked for."""

    def __init__(self, opened: Any, where: dict[str, Any]) -> None:
        self._opened, self._where = opened, where
        self.files = list(opened.files)

    def __getitem__(self, name: str) -> Array:
        found = self._opened[name]
        return asarray_or_texts(found, **self._where) if isinstance(found, np.ndarray) else found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"an archive has no attribute {name!r}")
        return getattr(self._opened, name)

    def __repr__(self) -> str:
        return repr(self._opened)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    def __enter__(self) -> _Archive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def on_device(found: Any, **where: Any) -> Any:
    """What NumPy has read, or a map of a file that may be written to as it is."""
    if hasattr(found, "files"):
        return _Archive(found, where)
    writes = isinstance(found, np.memmap) and found.mode != "c" and found.flags.writeable
    if writes:
        return found.view(memmap)
    made = asarray_or_texts(found, **where)
    if isinstance(found, np.memmap) and found.mode == "r" and isinstance(made, Array):
        made.flags.writeable = False
    return made


def opened(*args: Any, **kwargs: Any) -> Any:
    """``numpy.load``, whose archives and maps give arrays of the device; other arrays are NumPy's."""
    found: Any = np.load(*args, **kwargs)
    return on_device(found) if hasattr(found, "files") or isinstance(found, np.memmap) else found
