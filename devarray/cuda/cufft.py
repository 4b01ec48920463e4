"""cuFFT, as far as devarray calls it."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from .handles import HandleCache
from .libraries import available, load

__all__ = ["FORWARD", "INVERSE", "Plan", "available", "plan"]

FORWARD, INVERSE = -1, 1

_int, _long, _pointer = ctypes.c_int, ctypes.c_longlong, ctypes.c_void_p
_own = ctypes.c_uint  # the library's own numbers, ints whose range is not looked at with each call
_layout = [_pointer, _long, _long]
_SIGNATURES: dict[str, list[Any]] = {
    "cufftCreate": [_pointer],
    "cufftDestroy": [_int],
    "cufftSetAutoAllocation": [_int, _int],
    "cufftMakePlanMany64": [_int, _int, _pointer, *_layout, *_layout, _int, _long, _pointer],
    "cufftSetStream": [_own, _pointer],
    "cufftSetWorkArea": [_own, _pointer],
    "cufftExecC2C": [_own, _pointer, _pointer, _own],
    "cufftExecZ2Z": [_own, _pointer, _pointer, _own],
    "cufftExecR2C": [_own, _pointer, _pointer],
    "cufftExecD2Z": [_own, _pointer, _pointer],
    "cufftExecC2R": [_own, _pointer, _pointer],
    "cufftExecZ2D": [_own, _pointer, _pointer],
}
_TYPES = {"R2C": 0x2A, "C2R": 0x2C, "C2C": 0x29, "D2Z": 0x6A, "Z2D": 0x6C, "Z2Z": 0x69}  # cufftType


@cache
def function(name: str) -> Any:
    """A function of the library, typed and checked."""
    return load("cufft").function(name, _SIGNATURES[name])


class Plan:
    """A plan without memory of its own.

    Parameters
    ----------
    device : int
        Whose context is current.
    kind : {"C2C", "Z2Z", "R2C", "D2Z", "C2R", "Z2D"}
    sizes : tuple of int
        One to three, innermost last.
    source, target : tuple
        ``(embed, stride, dist)`` of the input and the output, in elements: sizes that the axes are embedded in,
        innermost last, and the steps from element to element of the innermost axis and from transform to transform.
    batch : int

    Attributes
    ----------
    work_bytes : int
        Of scratch memory, given to :meth:`execute`.
    """

    def __init__(
        self,
        device: int,
        kind: str,
        sizes: tuple[int, ...],
        source: tuple[Any, ...],
        target: tuple[Any, ...],
        batch: int,
    ) -> None:
        self.kind = kind
        number, work = ctypes.c_int(), ctypes.c_size_t()
        function("cufftCreate")(ctypes.addressof(number))
        self.number = number.value
        function("cufftSetAutoAllocation")(self.number, 0)
        rank = len(sizes)
        n, embeds = (_long * rank)(*sizes), [(_long * rank)(*side[0]) for side in (source, target)]
        function("cufftMakePlanMany64")(
            *(self.number, rank, ctypes.addressof(n)),
            *(ctypes.addressof(embeds[0]), source[1], source[2]),
            *(ctypes.addressof(embeds[1]), target[1], target[2]),
            *(_TYPES[kind], batch, ctypes.addressof(work)),
        )
        self.work_bytes = work.value
        self._run = function(f"cufftExec{kind}")
        self._stream: int | None = None

    def execute(self, stream: int, source: int, target: int, scratch: int, direction: int) -> None:
        """Enqueue the transform from one address to another."""
        if stream != self._stream:
            function("cufftSetStream")(self.number, stream)
            self._stream = stream
        if self.work_bytes:
            function("cufftSetWorkArea")(self.number, scratch)
        if self.kind in ("C2C", "Z2Z"):
            self._run(self.number, source, target, direction)
        else:
            self._run(self.number, source, target)

    def close(self) -> None:
        """Destroys the plan."""
        function("cufftDestroy")(self.number)


_plans = HandleCache(Plan, 32)


def plan(
    device: int, kind: str, sizes: tuple[int, ...], source: tuple[Any, ...], target: tuple[Any, ...], batch: int
) -> Plan:
    """This thread's plan, made at first use; the oldest of many is dropped."""
    return _plans.get(device, kind, sizes, source, target, batch)


kept = _plans.kept
"""This thread's plan for the same parameters, or None."""
