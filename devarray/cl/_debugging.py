"""Debugging of kernels by a platform's own means, under PyOpenCL's name."""

from __future__ import annotations

import os
import warnings

from .. import _core
from .._runtime.arguments import expect

__all__ = ["enable_debugging"]


def enable_debugging(platform_or_context: _core.cl.Platform | _core.cl.Context) -> None:
    """Have a platform compile what is built from now on for a debugger.

    AMD's platform is told by its environment variables ``AMD_OCL_BUILD_OPTIONS_APPEND`` (``-g -O0``) and
    ``CPU_MAX_COMPUTE_UNITS`` (1); versions that read them where they are loaded heed them in child processes only.

    Parameters
    ----------
    platform_or_context : Platform or Context
        A context stands for the platform of its devices.

    Warns
    -----
    UserWarning
        For another platform than AMD's, where nothing is done. Give ``"-g"`` to `Program.build` there, or see
        ``DEVARRAY_CHECK_BOUNDS``.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> import warnings
    >>> from devarray import cl
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     cl.enable_debugging(cl.create_some_context(answers=["0"]))
    >>> len(caught)
    1
    """
    platform = platform_or_context
    if isinstance(platform, _core.cl.Context):
        platform = platform.devices[0].platform
    expect("enable_debugging", "platform_or_context", platform, _core.cl.Platform)
    if "AMD Accelerated" not in platform.name:
        warnings.warn(f"how to enable debugging on '{platform.name}' is not known", stacklevel=2)
        return
    os.environ.update(AMD_OCL_BUILD_OPTIONS_APPEND="-g -O0", CPU_MAX_COMPUTE_UNITS="1")
