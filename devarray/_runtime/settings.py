"""Every setting: `SETTINGS` has a row for each environment variable, `config` holds the switches of this process.

All of devarray's own variables are read at import, so that a wrong value is an error there, and a name that is no
setting a logged warning. ``python -m devarray`` lists every row, and what is wrong.
"""

from __future__ import annotations

import builtins
import operator
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from devarray import _core
from devarray.errors import ValueError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SETTINGS", "Config", "Setting", "cache_bytes", "cache_dir", "config", "misspelt", "problems", "value_of"]

_FALLBACKS = ("raise", "warn", "allow")
_HOST_OPERANDS = ("move", "raise")
_REPR = ("device", "numpy")
_SWITCH = (False, True)
_KINDS = ("buffer", "svm_coarse", "svm_fine", "device", "managed", "pinned")
_LEVELS = 5  # of DEVARRAY_DEBUG
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
            _number(0, _LEVELS - 1)),
    Setting("DEVARRAY_FORBID_WAITS", "0", "0 or 1", "1: raise on anything that makes the host wait for the device",
            _one_of(_SWITCHES)),
    Setting("DEVARRAY_FALLBACK", "warn", ", ".join(_FALLBACKS), "what to do where no device kernel exists",
            _words(*_FALLBACKS)),
    Setting("DEVARRAY_HOST_OPERANDS", "move", ", ".join(_HOST_OPERANDS),
            "what to do with a NumPy array beside a device array: move it to the device, or raise",
            _words(*_HOST_OPERANDS)),
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
    Setting("DEVARRAY_DETERMINISTIC", "1", "0 or 1",
            "0: GPUs add up floats of bincount, histogram and add.at in any order: sooner, other last bits each time",
            _one_of(_SWITCHES)),
    Setting("DEVARRAY_STRATEGY", "(each device's)", "gpu",
            "gpu: CPU devices are worked on as GPUs are: kernels, transfers, host work", _words("gpu")),
    Setting("DEVARRAY_ROW_BYTES", "8388608", "a number",
            "bytes from which on reductions of rows wait on GPUs; 4 times that for all elements, on CPUs an eighth",
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


# --- the switches of this process --------------------------------------------------------------------------------


_scoped: ContextVar[tuple[str | None, str | None]] = ContextVar("_scoped", default=(None, None))
"""What ``use()`` has set for `fallback` and `host_operands` where it is asked, of a thread or a task of asyncio; None
where the process's switch counts."""


def _checked(name: str, value: Any, words: tuple[Any, ...]) -> Any:
    if value not in words:
        raise ValueError(f"{name} is one of {', '.join(map(str, words))}, not {value!r}")
    return value


class Config:
    """Switches of this process.

    Attributes
    ----------
    deferred : bool
        Whether element-wise work is recorded and fused. Turning it off evaluates what is pending.
    debug : int
        0 to 4, as ``DEVARRAY_DEBUG``.
    forbid_waits : bool
        Raise ``devarray.Error`` on anything that makes the host wait.
    check_bounds : bool
        Whether kernels check each access to memory. Read only: ``DEVARRAY_CHECK_BOUNDS`` decides at import.
    fallback : {"raise", "warn", "allow"}
        What to do where a function has no device kernel and would go through the host. Under "allow", ``np.asarray(x)``
        copies, too, and with it whatever turns its arguments into NumPy arrays: plots, SciPy's compiled functions.
        ``devarray.use(fallback=...)`` sets it for a block of one thread, or task.
    background : bool
        Whether, on CPU devices, the host does the work of a new kernel while that is compiled, where its own loops give
        the kernel's bits: a first call then waits for no compiler. False: it waits.
    deterministic : bool
        Whether results have the same bits each time. False: GPUs add up floats that go to the same place in any order,
        by atomic operations: the weights of ``bincount`` and of histograms with more bins than local memory holds, and
        the values of ``numpy.add.at`` and ``subtract.at``. That takes a fifth of the time or so, and waits for nothing.
    host_operands : {"move", "raise"}
        What to do with a NumPy array that is an operand beside device arrays: move it to the device and queue of the
        first of these, which ``devarray.stats()`` counts as ``moved_operands``, or raise DTypeError.
        ``devarray.use(host_operands=...)`` sets it for a block of one thread, or task.
    host_elements : int
        Elements times operations up to which work on CPU devices runs at once in the calling thread, without a launch,
        where nothing is under way on its queue; ``da.stats()`` counts it as ``host_runs``. 0 turns that off. The bits
        are the kernels'.
    repr : {"device", "numpy"}
        How ``repr()`` writes an array: with its device, or as NumPy writes its arrays and scalars, which
        ``python -m devarray run`` does for the program.
    kernels : int
        How many compiled kernels stay in memory, at least 1; heeded when the next one is made. One takes 0.4 MB on
        Intel's runtime, and 2 ms to come back from the disk.

    Examples
    --------
    >>> import devarray as da
    >>> da.config.deferred
    True
    """

    __slots__ = ("_deterministic", "_fallback", "_host_operands", "_kernels", "_repr")

    def __init__(self) -> None:
        self._deterministic = True
        self._fallback = "warn"
        self._host_operands = "move"
        self._kernels = 1024
        self._repr = "device"

    @property
    def deferred(self) -> bool:
        return _core.deferred()

    @deferred.setter
    def deferred(self, value: bool) -> None:
        _core.set_config("deferred", bool(_checked("deferred", value, _SWITCH)))

    @property
    def debug(self) -> int:
        return _core.get_config()["debug"]

    @debug.setter
    def debug(self, value: int) -> None:
        if value not in range(_LEVELS):
            raise ValueError(f"debug is a number from 0 to {_LEVELS - 1}, not {value!r}")
        _core.set_config("debug", int(value))

    @property
    def forbid_waits(self) -> bool:
        return _core.get_config()["forbid_waits"]

    @forbid_waits.setter
    def forbid_waits(self, value: bool) -> None:
        _core.set_config("forbid_waits", bool(_checked("forbid_waits", value, _SWITCH)))

    @property
    def check_bounds(self) -> bool:
        """Whether kernels check each access to memory (read only: kernels that were made stay as they are)."""
        return _core.get_config()["check_bounds"]

    @property
    def deterministic(self) -> bool:
        return self._deterministic

    @deterministic.setter
    def deterministic(self, value: bool) -> None:
        self._deterministic = bool(_checked("deterministic", value, _SWITCH))

    @property
    def fallback(self) -> str:
        return _scoped.get()[0] or self._fallback

    @fallback.setter
    def fallback(self, value: str) -> None:
        self._fallback = _checked("fallback", value, _FALLBACKS)

    @property
    def host_operands(self) -> str:
        return _scoped.get()[1] or self._host_operands

    @host_operands.setter
    def host_operands(self, value: str) -> None:
        self._host_operands = _checked("host_operands", value, _HOST_OPERANDS)

    @property
    def repr(self) -> str:
        return self._repr

    @repr.setter
    def repr(self, value: str) -> None:
        self._repr = _checked("repr", value, _REPR)

    @contextmanager
    def _scope(self, fallback: str | None, host_operands: str | None) -> Iterator[None]:
        """Inside the block, what is given holds for this thread, or task; None leaves a switch as it is."""
        before = _scoped.get()
        if fallback is not None:
            fallback = _checked("fallback", fallback, _FALLBACKS)
        if host_operands is not None:
            host_operands = _checked("host_operands", host_operands, _HOST_OPERANDS)
        _scoped.set((fallback or before[0], host_operands or before[1]))
        try:
            yield
        finally:
            _scoped.set(before)  # reset() would want the context in which it began

    @property
    def kernels(self) -> int:
        return self._kernels

    @kernels.setter
    def kernels(self, value: int) -> None:
        number = operator.index(value)
        if number < 1:
            raise ValueError(f"kernels is a number from 1 up, not {value!r}")
        self._kernels = number

    @property
    def host_elements(self) -> int:
        return _core.get_config()["host_elements"]

    @host_elements.setter
    def host_elements(self, value: int) -> None:
        number = operator.index(value)
        if number not in range(2**31):
            raise ValueError(f"host_elements is a number from 0 to 2**31 - 1, not {value!r}")
        _core.set_config("host_elements", number)

    @property
    def background(self) -> bool:
        return _core.get_config()["background"]

    @background.setter
    def background(self, value: bool) -> None:
        _core.set_config("background", bool(_checked("background", value, _SWITCH)))

    @property
    def limits(self) -> dict[str, int]:
        """The named limits of fusion (read only)."""
        return _core.limits()

    def __repr__(self) -> str:
        names = ["background", "deferred", "deterministic", "debug", "forbid_waits", "fallback"]
        names += ["host_operands", "host_elements", "kernels", "repr"]
        return "Config(" + ", ".join(f"{name}={getattr(self, name)!r}" for name in names) + ")"


def _lists_settings() -> bool:
    """Whether this is ``python -m devarray``, which says what is wrong and goes on."""
    line = sys.orig_argv
    return "-m" in line and line[line.index("-m") + 1 :][:1] == ["devarray"]


def _from_environment() -> Config:
    c = Config()
    wrong = problems()
    if wrong and _lists_settings():
        return c
    if wrong:
        raise ValueError("; ".join(wrong))
    c.deferred = not value_of("DEVARRAY_EAGER")
    c.forbid_waits = value_of("DEVARRAY_FORBID_WAITS")
    c.debug = value_of("DEVARRAY_DEBUG")
    c.fallback = value_of("DEVARRAY_FALLBACK")
    c.host_operands = value_of("DEVARRAY_HOST_OPERANDS")
    c.kernels = value_of("DEVARRAY_KERNELS")
    c.host_elements = value_of("DEVARRAY_HOST_ELEMENTS")
    c.background = value_of("DEVARRAY_BACKGROUND")
    c.deterministic = value_of("DEVARRAY_DETERMINISTIC")
    _core.set_config("row_bytes", value_of("DEVARRAY_ROW_BYTES"))
    _core.set_config("check_bounds", value_of("DEVARRAY_CHECK_BOUNDS"))
    if value_of("DEVARRAY_STRATEGY"):
        _core.take_cpus_for_gpus()
    for line in misspelt():
        import logging  # slow to import, and rarely needed

        logging.getLogger("devarray").warning("%s", line)
    return c


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


config = _from_environment()
