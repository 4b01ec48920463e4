"""Every setting and environment variable, with its default.

======================== ========= =================================================================================
Environment variable     Default   Meaning
======================== ========= =================================================================================
``DEVARRAY_DEVICE``      (best)    Default device, as ``devarray.device`` takes it: ``cuda``, ``opencl:1``, ``cpu``...
``DEVARRAY_EAGER``       ``0``     ``1``: nothing is deferred, every operation is its own kernel
``DEVARRAY_DEBUG``       ``0``     1: device and runtime; 2: each kernel; 3: why a chain was cut; 4: kernel sources
``DEVARRAY_FORBID_WAITS````0``     ``1``: raise on anything that makes the host wait for the device
``DEVARRAY_FALLBACK``    ``warn``  What to do where no device kernel exists: ``raise``, ``warn`` or ``allow``
``DEVARRAY_CACHE_DIR``   (user's)  Folder of compiled kernels; empty string: no disk cache
``DEVARRAY_CACHE_BYTES`` ``1G``    Size to which the folder is trimmed, oldest first; takes K, M, G
``DEVARRAY_MEMORY``      (best)    Default memory kind: ``buffer``, ``svm_coarse``, ``svm_fine``, ``device``, ...
``DEVARRAY_COPY_THREADS````8``     Threads that share a large copy in host memory, at most as many as there are cores
``DEVARRAY_CHECK_BOUNDS````0``     ``1``: kernels check each access against its memory, and a wrong one raises (slow)
``OCL_ICD_VENDORS``      (system)  Where OpenCL drivers are registered, as the Khronos loader takes it
======================== ========= =================================================================================

The first five are also attributes of the object ``devarray.config``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from devarray import _core
from devarray.errors import ValueError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Config", "cache_bytes", "cache_dir", "config"]

_FALLBACKS = ("raise", "warn", "allow")
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


class Config:
    """Switches of this process.

    Attributes
    ----------
    deferred : bool
        Whether element-wise work is recorded and fused. Turning it off evaluates what is pending.
    debug : int
        0 to 4, see the table of environment variables.
    forbid_waits : bool
        Raise ``devarray.Error`` on anything that makes the host wait.
    check_bounds : bool
        Whether kernels check each access to memory. Read only: ``DEVARRAY_CHECK_BOUNDS`` decides at import.
    fallback : {"raise", "warn", "allow"}
        What to do where a function has no device kernel and would go through the host. Under "allow", ``np.asarray(x)``
        copies, too, and with it whatever turns its arguments into NumPy arrays: plots, SciPy's compiled functions.

    Examples
    --------
    >>> import devarray as da
    >>> da.config.deferred
    True
    """

    __slots__ = ("_fallback",)

    def __init__(self) -> None:
        self._fallback = "warn"

    @property
    def deferred(self) -> bool:
        return _core.get_config()["deferred"]

    @deferred.setter
    def deferred(self, value: bool) -> None:
        _core.set_config("deferred", bool(value))

    @property
    def debug(self) -> int:
        return _core.get_config()["debug"]

    @debug.setter
    def debug(self, value: int) -> None:
        _core.set_config("debug", int(value))

    @property
    def forbid_waits(self) -> bool:
        return _core.get_config()["forbid_waits"]

    @forbid_waits.setter
    def forbid_waits(self, value: bool) -> None:
        _core.set_config("forbid_waits", bool(value))

    @property
    def check_bounds(self) -> bool:
        """Whether kernels check each access to memory (read only: kernels that were made stay as they are)."""
        return _core.get_config()["check_bounds"]

    @property
    def fallback(self) -> str:
        return self._fallback

    @fallback.setter
    def fallback(self, value: str) -> None:
        if value not in _FALLBACKS:
            raise ValueError(f"fallback is one of {', '.join(_FALLBACKS)}, not {value!r}")
        self._fallback = value

    @property
    def limits(self) -> dict[str, int]:
        """The named limits of fusion (read only)."""
        return _core.limits()

    def __repr__(self) -> str:
        names = ("deferred", "debug", "forbid_waits", "fallback")
        return "Config(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in names) + ")"


def _flag(name: str) -> bool:
    return os.environ.get(name, "0").strip().lower() not in ("", "0", "false", "no", "off")


def _from_environment() -> Config:
    c = Config()
    if _flag("DEVARRAY_EAGER"):
        c.deferred = False
    if _flag("DEVARRAY_FORBID_WAITS"):
        c.forbid_waits = True
    if _flag("DEVARRAY_CHECK_BOUNDS"):
        _core.set_config("check_bounds", True)
    debug = os.environ.get("DEVARRAY_DEBUG", "").strip()
    if debug:
        if not debug.isdigit():
            raise ValueError(f"DEVARRAY_DEBUG is a number from 0 to 4, not {debug!r}")
        c.debug = int(debug)
    if os.environ.get("DEVARRAY_FALLBACK"):
        c.fallback = os.environ["DEVARRAY_FALLBACK"]
    return c


def cache_dir() -> Path | None:
    """Folder of compiled kernels, or None where the disk cache is off."""
    from pathlib import Path  # slow to import, and not needed before the first kernel

    given = os.environ.get("DEVARRAY_CACHE_DIR")
    if given is not None:
        return Path(given) if given else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "devarray" / "kernels"


def cache_bytes() -> int:
    """Bytes to which the folder of compiled kernels is trimmed."""
    given = os.environ.get("DEVARRAY_CACHE_BYTES", "1G")
    text = given.strip().upper().removesuffix("B")
    unit = _UNITS.get(text[-1:], 1)
    number = text[:-1] if unit > 1 else text
    if not number.isdigit():
        raise ValueError(f"DEVARRAY_CACHE_BYTES is a number with K, M or G, not {given!r}")
    return int(number) * unit


config = _from_environment()
