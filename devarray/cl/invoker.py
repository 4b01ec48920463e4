"""What generated code calls to set a kernel's arguments: loopy writes such code, with these names of PyOpenCL's."""

from __future__ import annotations

import struct
from typing import Any

from devarray import _core

__all__ = ["BUF_PACK_TYPECHARS"]

BUF_PACK_TYPECHARS = ["c", "b", "B", "h", "H", "i", "I", "l", "L", "f", "d"]
"""The types of numbers, by `struct`'s letters, that ``Kernel._set_arg_buf_pack_multi`` puts into bytes itself."""


def _set_arg_multi(kernel: _core.cl.Kernel, indices_and_values: tuple[Any, ...]) -> None:
    """Set arguments, given as (index, value, index, value, ...)."""
    pairs = iter(indices_and_values)
    for index, value in zip(pairs, pairs, strict=True):
        kernel.set_arg(index, value)


def _set_arg_buf_pack_multi(kernel: _core.cl.Kernel, indices_and_numbers: tuple[Any, ...]) -> None:
    """Set numbers, given as (index, b"i", number, index, b"f", number, ...)."""
    parts = iter(indices_and_numbers)
    for index, letter, number in zip(parts, parts, parts, strict=True):
        kernel.set_arg(index, struct.pack(letter, number))


for _name, _function in (
    ("_set_arg_multi", _set_arg_multi),
    ("_set_arg_buf_multi", _set_arg_multi),
    ("_set_arg_buf_pack_multi", _set_arg_buf_pack_multi),
):
    setattr(_core.cl.Kernel, _name, _function)
