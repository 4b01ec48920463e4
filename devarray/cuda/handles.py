"""Handles of NVIDIA's libraries: one a thread, device and stream, because none may be used from two threads at once."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable
from typing import Any

from devarray.errors import Error

__all__ = ["HandleCache"]


class _Kept(dict[tuple[Any, ...], Any]):
    """A thread's handles, given back when it ends, in the context that is current then."""

    def __del__(self) -> None:
        if not sys.is_finalizing():
            for made in self.values():
                with contextlib.suppress(Error):
                    made.close()


class HandleCache:
    """Keeps what `make` made for a key, a few for each thread; the oldest goes first.

    Parameters
    ----------
    make : callable
        ``make(*key)``; what it returns has a method ``close()``.
    size : int
    """

    def __init__(self, make: Callable[..., Any], size: int) -> None:
        self._make, self._size = make, size
        self._local = threading.local()

    def kept(self, *key: object) -> Any:
        """What was made for the key in this thread; None where nothing was. Needs no current context."""
        kept: dict[tuple[Any, ...], Any] = self._local.__dict__.get("kept", {})
        return kept.get(key)

    def get(self, *key: object) -> Any:
        """What was made for the key, or is made now."""
        try:
            return self._local.kept[key]
        except (AttributeError, KeyError):
            return self._fresh(key)

    def _fresh(self, key: tuple[Any, ...]) -> Any:
        kept: dict[tuple[Any, ...], Any] = self._local.__dict__.setdefault("kept", _Kept())
        while len(kept) >= self._size:
            kept.pop(next(iter(kept))).close()
        made = kept[key] = self._make(*key)
        return made
