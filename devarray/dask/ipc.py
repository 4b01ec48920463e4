"""Chunks between the processes of a machine without the host: CUDA's handles of memory and events.

A worker of ``distributed`` that preloads this module (as those of :class:`devarray.dask.LocalCluster` do) says in its
handshakes on which machine and GPU it is. What another such worker is asked for then travels as a header: the handle of
the allocation, the offset in it, and, where the array's work is under way, the handle of an event behind it. The
receiver opens them, and its queue copies from GPU to GPU; a thread ends the loan behind the copy, for which nobody else
waits, and the allocation stays open for a while (ipc_memory.py). Arrays for clients, other machines and other devices
go by frames of the host's memory.

A gigabyte is copied in less than three milliseconds, so that what is done before counts. A header is made by the
worker's event loop itself; ``distributed`` hands what is large to a thread, which is right for frames.

The sender keeps an array that it lent until the receiver has copied it. A file stands for each loan: the receiver takes
it by a new name, and removes it behind the copy. A loan that nobody takes for a minute ends when the sender removes its
file; of the two that want it at once, one finds it gone.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import queue
import tempfile
import threading
import time
import uuid
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from dask.sizeof import sizeof
from distributed.comm.core import CommClosedError
from distributed.protocol.serialize import Serialize, dask_deserialize, dask_serialize

from devarray import _core, cuda
from devarray._array.memory import over_memory
from devarray._routines.creation.filled import empty
from devarray._runtime.devices import Device, default_device, devices
from devarray._runtime.devices import device as current_device
from devarray.array import Array
from devarray.dask.ipc_memory import OPEN_SECONDS, Exports, Imports, current

__all__ = ["dask_setup", "dump", "here", "lent", "load"]

_KEPT_SECONDS = 60.0  # a header is on its way no longer than that
_ENDING_SECONDS = 5.0  # of a process, for the copies that it has not ended
_LEAST_BYTES = 1 << 16  # below, opening takes longer than the host's way
_MESSAGE_BYTES = 1 << 32  # of the chunks that one answer brings: their headers are short
_HEADER_BYTES = 1 << 10
_TAKEN = ".taken"
_FOLDER = Path("/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir())
_INTERPROCESS = cuda.event_flags.DISABLE_TIMING | cuda.event_flags.INTERPROCESS


@dataclass
class _Loan:
    array: Array
    event: Any
    memory: str  # the allocation's file
    file: str
    since: float


@dataclass
class _Copy:
    """What is given back behind a copy."""

    done: Any
    device: Device
    source: Any  # an array over the opened memory
    memory: str  # the allocation's file
    taken: str

    def end(self) -> None:
        try:
            with current(self.device):
                self.done.synchronize()
                self.source = None
            _imports.give_back(self.device, self.memory)
        finally:
            os.unlink(self.taken)


_copies: queue.SimpleQueue[_Copy | None] = queue.SimpleQueue()
_ender: list[threading.Thread] = []  # the thread that ends copies, once there was one
_loans: list[_Loan] = []
_reader: ContextVar[dict[str, str] | None] = ContextVar("reader", default=None)  # whom an answer of a worker goes to
_lock = threading.Lock()
_exports, _imports = Exports(_FOLDER), Imports()


def here(device: Device) -> dict[str, str]:
    """Where a process's arrays live, as its handshakes say it.

    Parameters
    ----------
    device : Device
        Of CUDA.

    Returns
    -------
    dict
        The machine, by what both ends of a loan must share, and the GPU.
    """
    folder = os.stat(_FOLDER)
    return {
        "machine": f"{_text('/proc/sys/kernel/random/boot_id')} {folder.st_dev} {folder.st_ino} {os.getuid()}",
        "gpu": cuda.Device(device.index).pci_bus_id(),
    }


def dask_setup(worker: Any) -> None:
    """What ``distributed`` calls in a worker that preloads this module: the worker's handshakes say where it is.

    It also asks another worker for more chunks at once: ``distributed``'s limit is made for bytes that go by the host,
    and asking takes about as long as the copy of a gigabyte.

    Parameters
    ----------
    worker : distributed.Worker
        The worker.
    """
    device = default_device()
    if device.driver == "cuda":
        worker.rpc.connection_args["handshake_overrides"] = {"devarray": here(device)}
        worker.state.transfer_message_bytes_limit = max(worker.state.transfer_message_bytes_limit, _MESSAGE_BYTES)
        worker.handlers["get_data"] = _knowing_the_reader(worker.handlers["get_data"])


def _knowing_the_reader(get_data: Any) -> Any:
    """A worker's answer to who asks for chunks, in which their sizes are those of what the reader is sent."""

    @functools.wraps(get_data)
    async def answered(comm: Any, *args: Any, **kwargs: Any) -> Any:
        before = _reader.set(comm.remote_info.get("devarray"))
        try:
            return await get_data(comm, *args, **kwargs)
        finally:
            _reader.reset(before)

    return answered


@sizeof.register(Serialize)
def _bytes_sent(wrapped: Serialize) -> int:
    """By which ``distributed`` decides whether a thread serializes a message: where there is work first, one does."""
    x, reader = wrapped.data, _reader.get()
    if reader is not None and isinstance(x, Array) and not x.pending and x.flags.c_contiguous and _is_lent(x, reader):
        return _HEADER_BYTES
    return int(sizeof(x))


@dask_serialize.register(Array)
def dump(x: Array, context: dict[str, Any] | None = None) -> tuple[dict[str, Any], list[Any]]:
    """A header by which another process of the machine copies an array.

    Parameters
    ----------
    x : Array
        Of any layout; what is not dense is copied on the device.
    context : dict
        What ``distributed`` knows of the two ends.

    Returns
    -------
    header : dict
        Handles, offset, shape, dtype and the loan's file.
    frames : list
        None.

    Raises
    ------
    NotImplementedError
        Where the receiver cannot reach the array's memory: ``distributed`` then takes the next way, by the host.
    """
    _end_loans()
    reader = ((context or {}).get("recipient") or {}).get("devarray")
    if reader is None or not _is_lent(x, reader):
        raise NotImplementedError("the receiver does not reach this memory")
    dense = x.evaluate().ravel()
    memory, offset = _core.raw_memory(dense)
    if not isinstance(memory, cuda.DeviceAllocation):  # of a kind that has no handle
        raise NotImplementedError(f"memory of a {type(memory).__name__} has no handle for other processes")
    with _lock, current(x.device):
        event = None if dense.queue.idle else cuda.Event(_INTERPROCESS).record(dense.queue)
        export = _exports.of(x.device, memory)
        file = f"{_FOLDER}/devarray-{os.getpid()}-{uuid.uuid4().hex}"
        os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))
        _loans.append(_Loan(dense, event, export.file, file, time.monotonic()))
    handles = export.handle, None if event is None else event.ipc_handle()
    header = {"handles": handles, "memory": export.file, "offset": offset}
    return {**header, "shape": x.shape, "dtype": x.dtype.str, "file": file}, []


@dask_deserialize.register(Array)
def load(header: dict[str, Any], frames: list[Any]) -> Array:
    """A copy of what another process lent, on the current device.

    Parameters
    ----------
    header : dict
        Of :func:`dump`.
    frames : list
        None.

    Returns
    -------
    Array
        In memory of this process; its queue copies.

    Raises
    ------
    CommClosedError
        Where the sender has taken its memory back. ``distributed`` asks it, or another worker, again.
    """
    device, taken = current_device(), header["file"] + _TAKEN
    try:
        os.rename(header["file"], taken)
    except FileNotFoundError:
        raise CommClosedError("the process that sent an array has taken its memory back; ask it again") from None
    try:
        opened = _imports.open(device, header["handles"][0], header["memory"])
    except BaseException:
        os.unlink(taken)
        raise
    try:
        dtype, shape = np.dtype(header["dtype"]), tuple(header["shape"])
        target: Any = empty(shape, dtype)
        source = over_memory(opened, shape, dtype, offset=header["offset"], queue=target.queue)
        if (behind := header["handles"][1]) is not None:
            with current(device):
                target.queue.wait_for_event(cuda.Event.from_ipc_handle(behind))
        _core.copy_across(target, source)
        with current(device):
            done = cuda.Event(cuda.event_flags.DISABLE_TIMING).record(target.queue)
    except BaseException:
        _imports.give_back(device, header["memory"])
        os.unlink(taken)
        raise
    _end_later(_Copy(done, device, source, header["memory"], taken))
    return target


def _end_later(copy: _Copy) -> None:
    with _lock:
        if not _ender:
            _ender.append(threading.Thread(target=_end_copies, name="devarray ipc", daemon=True))
            _ender[0].start()
    _copies.put(copy)


def _end_copies() -> None:
    """Ends copies as they come, and closes allocations that no further one reads."""
    some_open = False
    while True:
        try:
            copy = _copies.get(timeout=OPEN_SECONDS / 2 if some_open else None)
        except queue.Empty:
            some_open = _imports.close()
            continue
        if copy is None:
            break
        copy.end()
        some_open = True
    _imports.close(0)


def lent() -> int:
    """How many arrays this process keeps for others.

    Returns
    -------
    int
        Their number, without those that were copied.
    """
    _end_loans()
    with _lock:
        return len(_loans)


def _end_loans() -> None:
    """Let go of what was copied, and take back what nobody came for."""
    now = time.monotonic()
    with _lock:
        for loan in _loans:
            if now - loan.since > _KEPT_SECONDS:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(loan.file)
        _loans[:] = [loan for loan in _loans if os.path.exists(loan.file) or os.path.exists(loan.file + _TAKEN)]
        _exports.let_go({loan.memory for loan in _loans})


@atexit.register
def _end_all() -> None:
    if _ender:
        _copies.put(None)
        _ender[0].join(_ENDING_SECONDS)
    for loan in _loans:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(loan.file)
    _exports.end()


def _is_lent(x: Array, reader: dict[str, str]) -> bool:
    """Whether an array is worth a loan, and within the reader's reach."""
    return x.nbytes >= _LEAST_BYTES and _reaches(reader["machine"], reader["gpu"], x.device)


@functools.lru_cache(maxsize=256)
def _reaches(machine: str, gpu: str, device: Device) -> bool:
    """Whether a process opens memory of this device: on the same machine, by the same GPU or a peer of it."""
    if device.driver != "cuda" or machine != here(device)["machine"]:
        return False
    mine = cuda.Device(device.index)
    if gpu == mine.pci_bus_id():
        return True
    theirs = [cuda.Device(d.index) for d in devices() if d.driver == "cuda"]
    return any(d.pci_bus_id() == gpu and d.can_access_peer(mine) for d in theirs)


def _text(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
