"""Device addresses owned by the user's own classes."""

from __future__ import annotations

from typing import Any

from .._core import cuda as _cuda

__all__ = ["PointerHolderBase"]


class PointerHolderBase:
    """Base of classes that own device memory made elsewhere and hand out its address.

    Notes
    -----
    pycuda.driver's class of that name.

    Examples
    --------
    >>> class Borrowed(cuda.PointerHolderBase):
    ...     def __init__(self, owner):
    ...         self.owner = owner
    ...     def get_pointer(self):
    ...         return int(self.owner)
    >>> doublify(Borrowed(cuda.to_device(np.ones(4, np.float32))), block=(4, 1, 1))
    """

    def get_pointer(self) -> int:
        """Return the device address; each subclass defines it.

        Returns
        -------
        int
            What kernels take.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.

        Examples
        --------
        >>> class Null(cuda.PointerHolderBase):
        ...     def get_pointer(self):
        ...         return 0
        >>> int(Null())
        0
        """
        raise NotImplementedError("a PointerHolderBase defines get_pointer() to return the device address")

    def as_buffer(self, size: int, offset: int = 0) -> Any:
        """Return a buffer object over an address range, for libraries that take buffers of device memory.

        Parameters
        ----------
        size : int
            Bytes.
        offset : int, default 0
            Bytes from the start.

        Returns
        -------
        memoryview
            Over the device addresses; the host cannot read device memory through it.

        Examples
        --------
        >>> class Borrowed(cuda.PointerHolderBase):
        ...     owner = cuda.mem_alloc(16)
        ...     def get_pointer(self):
        ...         return int(self.owner)
        >>> Borrowed().as_buffer(8).nbytes
        8
        """
        return _cuda.as_buffer(self.get_pointer() + offset, size)

    def __int__(self) -> int:
        return self.get_pointer()

    def __index__(self) -> int:
        return self.get_pointer()
