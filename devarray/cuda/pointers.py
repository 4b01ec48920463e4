"""Device addresses owned by the user's own classes."""

from __future__ import annotations

from typing import Any

from .._core import cuda as _cuda

__all__ = ["PointerHolderBase"]


class PointerHolderBase:
    """Base of classes that own device memory made elsewhere and hand out its address."""

    def get_pointer(self) -> int:
        """Return the device address as an int."""
        raise NotImplementedError("a PointerHolderBase defines get_pointer() to return the device address")

    def as_buffer(self, size: int, offset: int = 0) -> Any:
        """Return a buffer object over `size` bytes from `offset`, for libraries that take device buffers."""
        return _cuda.as_buffer(self.get_pointer() + offset, size)

    def __int__(self) -> int:
        return self.get_pointer()

    def __index__(self) -> int:
        return self.get_pointer()
