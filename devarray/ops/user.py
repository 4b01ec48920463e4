"""Ops that a program makes: rows beside the table's, recorded and fused as those are.

The core numbers them behind its own. A row is never taken out, because kernels are known by the numbers; so their
number is bounded, and a text that comes again gets the row that it had.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from devarray import _core
from devarray.ops.dtypes import DTYPES
from devarray.ops.table import HEAVY, INDEXED, OPS

__all__ = ["LIMIT", "USER_OPS", "UserOp", "flags_of", "op_numbered", "place_of", "register"]

LIMIT = 4096
"""The most rows; kernels beyond it are launched on their own."""


@dataclass(frozen=True, slots=True)
class UserOp:
    """An element-wise operation of the user's: a C function of one element.

    Attributes
    ----------
    name : str
        Unique: "user:<number>".
    parameters : tuple of str
        Dtype of each input.
    result : str
        Dtype of the result.
    indexed : bool
        Whether the function takes the element's number in C order, too.
    function : callable
        (dialect) -> (name of the C function, its text with what it needs).
    """

    name: str
    parameters: tuple[str, ...]
    result: str
    indexed: bool
    function: Callable[..., tuple[str, str]]


USER_OPS: dict[str, UserOp] = {}
_numbers: dict[object, int] = {}
_lock = threading.Lock()


def register(
    key: object, parameters: tuple[str, ...], result: str, indexed: bool, function: Callable[..., tuple[str, str]]
) -> int | None:
    """The number of the op of a key, for ``_core.apply``; None where there are too many.

    Parameters
    ----------
    key : hashable
        All that the function's text depends on.
    parameters, result, indexed, function
        As in :class:`UserOp`.
    """
    with _lock:
        known = _numbers.get(key)
        if known is None and len(USER_OPS) < LIMIT:
            known = len(OPS) + len(USER_OPS)
            op = UserOp(f"user:{len(USER_OPS)}", parameters, result, indexed, function)
            number = DTYPES.index(result)
            # Whatever the inputs promote to, the renderer casts each to its parameter's dtype.
            rule = [number] * len(DTYPES)
            USER_OPS[op.name] = op
            _core.register_ops([(op.name, len(parameters), rule, rule, (INDEXED if indexed else 0) | HEAVY, "")])
            _numbers[key] = known
        return known


def op_numbered(number: int) -> UserOp:
    """The op with one of the core's numbers."""
    return USER_OPS[f"user:{number - len(OPS)}"]


def place_of(key: object) -> int:
    """Which of the users' ops a key's is."""
    return _numbers[key] - len(OPS)


def flags_of(name: str) -> int:
    """The flags of an op, of the table or the user's."""
    user = USER_OPS.get(name)
    return OPS[name].flags if user is None else INDEXED if user.indexed else 0
