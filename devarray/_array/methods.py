"""Methods of arrays that are functions of a chapter, by NumPy's names; the chapter is imported when one is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from devarray import _core

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["FUNCTIONS", "RoutineMethods"]

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""The chapters' functions by name; devarray itself fills it."""


class RoutineMethods(_core.ArrayBase):
    """Methods that do what the function of the same name does. Those that return None write to the array."""

    __slots__ = ()

    def argpartition(self, kth: int | Sequence[int], axis: int | None = -1) -> Array:
        """Indices that :meth:`partition` the array: those that sort it."""
        return FUNCTIONS["argpartition"](self, kth, axis)

    def argsort(self, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
        """Indices that sort the array along an axis, int64; every sort is stable."""
        if axis is None:
            return _core.reshape(self, -1).argsort()
        return FUNCTIONS["argsort"](self, axis)

    def choose(self, choices: Any, out: Array | None = None, mode: str = "raise") -> Array:
        """Elements of the choices that the array numbers."""
        return FUNCTIONS["choose"](self, choices, mode, out=out)

    def compress(self, condition: Any, axis: int | None = None, out: Array | None = None) -> Array:
        """The slices along an axis for which a condition holds. Waits for their count."""
        return FUNCTIONS["compress"](condition, self, axis, out=out)

    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
        """Running products along an axis, or of the flattened array."""
        return FUNCTIONS["cumprod"](self, axis, dtype, out=out)

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Array | None = None) -> Array:
        """Running sums along an axis, or of the flattened array."""
        return FUNCTIONS["cumsum"](self, axis, dtype, out=out)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """Diagonals of the matrices that two axes make, as a last axis; a read-only view."""
        return FUNCTIONS["diagonal"](self, offset, axis1, axis2)

    def nonzero(self) -> tuple[Array, ...]:
        """Indices of the elements that are not zero. Waits for their count."""
        return FUNCTIONS["nonzero"](self)

    def partition(self, kth: int | Sequence[int], axis: int = -1) -> None:
        """Bring the k-th element along an axis where sorting puts it, by sorting."""
        self[...] = FUNCTIONS["partition"](self, kth, axis)

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write values at indices into the flattened array."""
        FUNCTIONS["put"](self, indices, values, mode)

    def repeat(self, repeats: Any, axis: int | None = None) -> Array:
        """Each element repeated, along an axis or of the flattened array."""
        return FUNCTIONS["repeat"](self, repeats, axis)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Array:
        """Positions in the sorted array where values belong."""
        return FUNCTIONS["searchsorted"](self, v, side, sorter)

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        """Sort the array along an axis; every sort is stable."""
        self[...] = FUNCTIONS["sort"](self, axis)

    def take(self, indices: Any, axis: int | None = None, out: Array | None = None) -> Array:
        """Elements at indices along an axis, or of the flattened array."""
        return FUNCTIONS["take"](self, indices, axis, out=out)

    def tobytes(self: Any, order: str = "C") -> bytes:
        """The bytes of the values. Waits for the device."""
        return self.copy_to_host().tobytes(order)

    def trace(
        self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Array | None = None
    ) -> Array:
        """Sums along the diagonals of the matrices that two axes make."""
        return self.diagonal(offset, axis1, axis2).sum(-1, dtype, out=out)

    def _matmul(self, other: Array) -> Array:
        """What the operator ``@`` does."""
        return FUNCTIONS["matmul"](self, other)
