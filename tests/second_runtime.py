"""Whether there is a second OpenCL runtime that works, for the tests of what must hold on more than one."""

from __future__ import annotations

from functools import cache

from devarray import MissingDriverError, _core


@cache
def lacking() -> str:
    """Why there is no second one; the empty text where there is."""
    try:
        platforms = {device.caps["platform"] for device in _core.cl.devices()}
        libraries = _core.cl.libraries()
    except MissingDriverError as error:
        return str(error)
    if len(platforms) > 1:
        return ""
    there = ", ".join(platforms) or "none"
    tried = [f"{row[0]}: {row[3]}" for row in libraries if row[3] and "No such file" not in row[3]]
    return "; ".join([f"no second OpenCL runtime that works, only {there}", *tried])
