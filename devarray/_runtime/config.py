"""The switches of this process: `config`, set from the environment at import."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from devarray import _core
from devarray._runtime.settings import FALLBACKS, HOST_OPERANDS, LEVELS, misspelt, problems, value_of
from devarray.errors import ValueError

__all__ = ["Config", "config"]

_REPRS = ("device", "numpy")
_SWITCH = (False, True)

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
        the values of ``numpy.add.at`` and ``subtract.at``, which then wait for nothing. That takes a fifth of the time
        or so.
    contract : bool
        Whether kernels of GPUs round a product and the sum or difference behind it once, by a fused multiply-add. Long
        expressions of float32 and float64 take less time then; results are not NumPy's to the last bit, nor the same
        however an expression is cut into kernels. False: each operation rounds. Setting it forgets the kernels of this
        process.
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

    __slots__ = (
        "_contract",
        "_debug",
        "_deterministic",
        "_fallback",
        "_forbid_waits",
        "_host_operands",
        "_kernels",
        "_repr",
    )

    def __init__(self) -> None:
        self._contract = False
        self._debug = 0
        self._deterministic = True
        self._fallback = "warn"
        self._forbid_waits = False
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
        return self._debug  # the core's, of which get_config() makes a dictionary

    @debug.setter
    def debug(self, value: int) -> None:
        if value not in range(LEVELS):
            raise ValueError(f"debug is a number from 0 to {LEVELS - 1}, not {value!r}")
        self._debug = int(value)
        _core.set_config("debug", self._debug)

    @property
    def forbid_waits(self) -> bool:
        return self._forbid_waits

    @forbid_waits.setter
    def forbid_waits(self, value: bool) -> None:
        self._forbid_waits = bool(_checked("forbid_waits", value, _SWITCH))
        _core.set_config("forbid_waits", self._forbid_waits)

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
    def contract(self) -> bool:
        return self._contract

    @contract.setter
    def contract(self, value: bool) -> None:
        wanted = bool(_checked("contract", value, _SWITCH))
        if wanted != self._contract:
            self._contract = wanted
            _core.clear_kernel_cache()

    @property
    def fallback(self) -> str:
        return _scoped.get()[0] or self._fallback

    @fallback.setter
    def fallback(self, value: str) -> None:
        self._fallback = _checked("fallback", value, FALLBACKS)

    @property
    def host_operands(self) -> str:
        return _scoped.get()[1] or self._host_operands

    @host_operands.setter
    def host_operands(self, value: str) -> None:
        self._host_operands = _checked("host_operands", value, HOST_OPERANDS)

    @property
    def repr(self) -> str:
        return self._repr

    @repr.setter
    def repr(self, value: str) -> None:
        self._repr = _checked("repr", value, _REPRS)

    @contextmanager
    def _scope(self, fallback: str | None, host_operands: str | None) -> Iterator[None]:
        """Inside the block, what is given holds for this thread, or task; None leaves a switch as it is."""
        before = _scoped.get()
        if fallback is not None:
            fallback = _checked("fallback", fallback, FALLBACKS)
        if host_operands is not None:
            host_operands = _checked("host_operands", host_operands, HOST_OPERANDS)
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
        names = ["background", "contract", "deferred", "deterministic", "debug", "forbid_waits", "fallback"]
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
    c.contract = value_of("DEVARRAY_CONTRACT")
    c.deterministic = value_of("DEVARRAY_DETERMINISTIC")
    _core.set_config("row_bytes", value_of("DEVARRAY_ROW_BYTES"))
    _core.set_config("check_bounds", value_of("DEVARRAY_CHECK_BOUNDS"))
    if value_of("DEVARRAY_STRATEGY"):
        _core.take_cpus_for_gpus()
    for line in misspelt():
        import logging  # slow to import, and rarely needed

        logging.getLogger("devarray").warning("%s", line)
    return c


config = _from_environment()
