"""Launches whose plans are kept. What plans and compiles is imported for the first one: it takes long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from devarray import _core

if TYPE_CHECKING:
    from devarray.array import Array
    from devarray.codegen.kernels.launches import Plan

__all__ = ["run_planned"]


def run_planned(
    planner: Callable[..., Plan],
    roles: Sequence[str],
    arrays: Sequence[Array],
    *options: object,
    stand_in: Callable[..., bool] | None = None,
) -> None:
    """Enqueue what a planner makes of views of the arrays, the options and the dialect, given in this order.

    The core keeps it by all of these: to plan takes longer than to launch.

    Parameters
    ----------
    planner : callable
        What it plans follows from its arguments alone. A function of a module: plans are kept by which it is.
    roles : sequence of str
        Of the arrays.
    arrays : sequence of Array
        All of one device; the first one's queue and allocator serve.
    *options : None, bool, int, str or tuple of them
    stand_in : callable, optional
        Of the arrays and the options: does the work on the host, with the kernels' bits, while these are compiled in
        the background. False, and nothing done, where it may not.
    """
    if not _core.launch_again(planner, arrays, options):
        from devarray._primitives.launch import run_first

        run_first(planner, roles, arrays, options, stand_in)
