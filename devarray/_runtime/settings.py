"""Every environment variable: `SETTINGS` has a row for each. The switches of this process are in config.py.

All of devarray's own variables are read at import, so that a wrong value is an error there, and a name that is no
setting a logged warning. ``python -m devarray`` lists every row, and what is wrong.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from devarray.errors import ValueError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "FALLBACKS",
    "HOST_OPERANDS",
    "LEVELS",
    "SETTINGS",
    "Setting",
    "cache_bytes",
    "cache_dir",
    "misspelt",
    "problems",
    "value_of",
]

FALLBACKS = ("raise", "warn", "allow")
HOST_OPERANDS = ("move", "raise")
_KINDS = ("buffer", "svm_coarse", "svm_fine", "device", "managed", "pinned")
LEVELS = 5  # of DEVARRAY_DEBUG
_SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}

# --- what a variable takes: each of these makes a value of a text, or raises the builtin ValueError -----------------


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise builtins.ValueError
        return int(text)

    return read


def _one_of(values: Mapping[str, Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text.lower() not in values:
            raise builtins.ValueError
        return values[text.lower()]

    return read


def _words(*words: str) -> Callable[[str], Any]:
    return _one_of({word: word for word in words})


def _bytes(text: str) -> int:
    text = text.upper().removesuffix("B")
    unit = _UNITS.get(text[-1:], 1)
    return _number(0, 2**63 // unit - 1)(text[:-1] if unit > 1 else text) * unit


def _seconds(text: str) -> float:
    if not text.isascii() or not 0 <= (seconds := float(text)) < float("inf"):
        raise builtins.ValueError
    return seconds


# --- the table ---------------------------------------------------------------------------------------------------


class Setting:
    """An environment variable.

    Parameters
    ----------
    name : str
        The variable.
    default : str
        What it is where it is not set: a text that it takes, or in parentheses what is done then.
    takes : str
        The texts that it takes, in words.
    help : str
        What it is for.
    read : callable, optional
        The value of a text; raises the builtin ValueError for a text that is not taken. The text itself by default.

    Examples
    --------
    >>> from devarray._runtime.settings import SETTINGS
    >>> SETTINGS["DEVARRAY_DEBUG"].default
    '0'
    """

    __slots__ = ("default", "help", "name", "read", "takes")

    def __init__(self, name: str, default: str, takes: str, help: str, read: Callable[[str], Any] = str) -> None:
        self.name, self.default, self.takes, self.help, self.read = name, default, takes, help, read


_ROWS = (
    Setting("DEVARRAY_DEVICE", "(the best)", "what devarray.device takes: cuda, opencl:1, gpu, cpu, intel ...",
            "device that new arrays live on"),
    Setting("DEVARRAY_MEMORY", "(the device's first)", ", ".join(_KINDS), "kind of memory that new arrays live in",
            _words(*_KINDS)),
    Setting("DEVARRAY_EAGER", "0", "0 or 1", "1: nothing is deferred, every operation is its own kernel",
            _one_of(_SWITCHES)),
    Setting("DEVARRAY_DEBUG", "0", "a number from 0 to 4",
            "1: device and runtime; 2: each kernel; 3: why a chain was cut; 4: kernel sources",
            _number(0, LEVELS - 1)),
    Setting("DEVARRAY_FORBID_WAITS", "0", "0 or 1", "1: raise on anything that makes the host wait for the device",
            _one_of(_SWITCHES)),
    Setting("DEVARRAY_FALLBACK", "warn", ", ".join(FALLBACKS), "what to do where no device kernel exists",
            _words(*FALLBACKS)),
    Setting("DEVARRAY_HOST_OPERANDS", "move", ", ".join(HOST_OPERANDS),
            "what to do with a NumPy array beside a device array: move it to the device, or raise",
            _words(*HOST_OPERANDS)),
    Setting("DEVARRAY_CACHE_DIR", "(the user's)", "a folder, or the empty text for no disk cache",
            "folder of compiled kernels"),
    Setting("DEVARRAY_CACHE_BYTES", "1G", "a number of bytes, with K, M or G for their multiples",
            "size to which the folder is trimmed, oldest first", _bytes),
    Setting("DEVARRAY_KERNELS", "1024", "a number from 1 up",
            "compiled kernels held in memory, those used least of late let go first", _number(1, 2**31 - 1)),
    Setting("DEVARRAY_HOST_ELEMENTS", "262144", "a number",
            "elements times operations up to which work on CPU devices runs without a launch; 0: never",
            _number(0, 2**31 - 1)),
    Setting("DEVARRAY_BACKGROUND", "1", "0 or 1",
            "1: on CPU devices the host does the work of kernels that are being compiled", _one_of(_SWITCHES)),
    Setting("DEVARRAY_COMPILER_NOTICE", "0.5", "a number of seconds, 0 for none",
            "wait for the compiler of kernels in first calls from which one line is logged", _seconds),
    Setting("DEVARRAY_CONTRACT", "0", "0 or 1",
            "1: GPUs round a product and the sum behind it once (fused multiply-add): sooner, other last bits",
            _one_of(_SWITCHES)),
    Setting("DEVARRAY_DETERMINISTIC", "1", "0 or 1",
            "0: GPUs add up floats of bincount, histogram and add.at in any order: sooner, other last bits each time",
            _one_of(_SWITCHES)),
    Setting("DEVARRAY_STRATEGY", "(each device's)", "gpu",
            "gpu: CPU devices are worked on as GPUs are: kernels, transfers, host work", _words("gpu")),
    Setting("DEVARRAY_ROW_BYTES", "524288", "a number",
            "bytes from which on reductions of rows wait on GPUs; 4 times that for all elements, on CPUs twice",
            _number(0, 2**62)),
    Setting("DEVARRAY_CHECK_BOUNDS", "0", "0 or 1",
            "1: kernels check each access against its memory, and a wrong one raises (slow)", _one_of(_SWITCHES)),
    Setting("DEVARRAY_COPY_THREADS", "(8, at most one a core)", "a number from 1 to 256",
            "threads that share a large copy in host memory", _number(1, 256)),
    Setting("DEVARRAY_CL_CTX", "(asked for, or the first)", "platform:device, by number or name",
            "what devarray.cl.create_some_context chooses; PYOPENCL_CTX where it is not set"),
    Setting("PYOPENCL_CTX", "(none)", "as DEVARRAY_CL_CTX", "the same, under PyOpenCL's name"),
    Setting("PYOPENCL_TEST", "(all)", "platform:device,device;platform ...", "devices of devarray.cl.tools' tests"),
    Setting("OCL_ICD_VENDORS", "(the system's)", "a folder, an .icd file or a library, as ICD loaders take it",
            "where OpenCL drivers are registered"),
    Setting("OCL_ICD_FILENAMES", "(none)", "libraries, separated by colons", "further OpenCL drivers"),
    Setting("CUDA_HOME", "(none)", "a folder", "where a CUDA toolkit lies, for NVRTC and the linker"),
    Setting("CUDA_PATH", "(none)", "a folder", "the same, after CUDA_HOME"),
    Setting("CUDA_DEVICE", "0", "a device's number", "device of devarray.cuda.autoprimaryctx", _number(0, 2**31 - 1)),
    Setting("PYCUDA_DEFAULT_NVCC_FLAGS", "(none)", "options, separated by blanks", "of devarray.cuda.compiler"),
    Setting("PYCUDA_CACHE_DIR", "(the user's)", "a folder", "where devarray.cuda.compiler keeps what it compiled"),
    Setting("PYCUDA_DISABLE_CACHE", "(none)", "any text", "devarray.cuda.compiler keeps nothing"),
    Setting("XDG_CACHE_HOME", "(~/.cache)", "a folder", "what the user's folders lie in"),
)  # fmt: skip
SETTINGS = {row.name: row for row in _ROWS}
"""Every environment variable that devarray reads, by its name: its own, and those that others gave a meaning."""

_OWN = "DEVARRAY_"


def value_of(name: str) -> Any:
    """Return what a variable is set to, as its row reads it.

    Parameters
    ----------
    name : str
        One of `SETTINGS`.

    Returns
    -------
    object
        None where a default in parentheses holds.

    Raises
    ------
    ValueError
        If it is set to something that it does not take.

    Examples
    --------
    >>> from devarray._runtime.settings import value_of
    >>> value_of("DEVARRAY_KERNELS") >= 1
    True
    """
    row = SETTINGS[name]
    given = os.environ.get(name, "").strip()
    text = given or row.default
    if not given and text.startswith("("):
        return None
    try:
        return row.read(text)
    except builtins.ValueError:
        raise ValueError(f"{name}={given}: it takes {row.takes}") from None


def problems() -> list[str]:
    """List what is wrong with the values of devarray's own variables.

    Returns
    -------
    list of str
        One line for each that is not taken.

    Examples
    --------
    >>> from devarray._runtime.settings import problems
    >>> problems()
    []
    """
    found = []
    for name in SETTINGS:
        if name.startswith(_OWN):
            try:
                value_of(name)
            except ValueError as error:
                found.append(str(error))
    return found


def misspelt() -> list[str]:
    """List the variables with devarray's prefix that are no setting.

    Returns
    -------
    list of str
        One line each, with the name that is closest.

    Examples
    --------
    >>> from devarray._runtime.settings import misspelt
    >>> [line for line in misspelt() if "DEVARRAY_DEBUG is no setting" in line]
    []
    """
    return [
        f"{name} is no setting; {_nearest(name)}"
        for name in os.environ
        if name.startswith(_OWN) and name not in SETTINGS
    ]


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    own = {row.removeprefix(_OWN): row for row in SETTINGS if row.startswith(_OWN)}
    near = get_close_matches(name.removeprefix(_OWN), own, 1)
    return f"is {own[near[0]]} meant?" if near else "python -m devarray lists all of them"


def cache_dir() -> Path | None:
    """Return the folder of compiled kernels.

    Returns
    -------
    pathlib.Path or None
        None where the disk cache is off.

    Examples
    --------
    >>> from pathlib import Path
    >>> from devarray._runtime.settings import cache_dir
    >>> isinstance(cache_dir(), (Path, type(None)))
    True
    """
    from pathlib import Path  # slow to import, and not needed before the first kernel

    given = os.environ.get("DEVARRAY_CACHE_DIR")
    if given is not None:
        return Path(given) if given else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "devarray" / "kernels"


def cache_bytes() -> int:
    """Return the bytes to which the folder of compiled kernels is trimmed.

    Returns
    -------
    int
        As DEVARRAY_CACHE_BYTES says.

    Examples
    --------
    >>> from devarray._runtime.settings import cache_bytes
    >>> cache_bytes() > 0
    True
    """
    return value_of("DEVARRAY_CACHE_BYTES")
