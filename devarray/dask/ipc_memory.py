"""Allocations that other processes of a machine have open, and those that this process has open of theirs.

To open a handle and close it again takes as long as copying half a gigabyte between two GPUs, so that an allocation
stays open for the next array that lies in it. Its owner must not free it before it is closed: it keeps the allocation
while another process has a shared lock on the allocation's file. The system takes such a lock from a process that ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
import uuid
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devarray import cuda
from devarray._runtime.devices import Device

__all__ = ["OPEN_SECONDS", "Exports", "Imports", "current"]

OPEN_SECONDS = 2.0  # that an allocation stays open behind the last copy


@contextlib.contextmanager
def current(device: Device) -> Iterator[None]:
    """The device's primary context, current for a block."""
    context = cuda.Device(device.index).retain_primary_context()
    context.push()
    try:
        yield
    finally:
        cuda.Context.pop()


@dataclass
class Export:
    """An allocation of this process that others may open."""

    memory: Any
    handle: bytes
    file: str

    def is_open(self) -> bool:
        """Whether another process has it open."""
        file = os.open(self.file, os.O_RDONLY)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False


class Exports:
    """What this process has given handles of.

    Parameters
    ----------
    folder : pathlib.Path
        Where the files of allocations lie; all processes of the machine see it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._known, self._lock = folder, dict[tuple[int, int], Export](), threading.Lock()

    def of(self, device: Device, memory: Any) -> Export:
        """What another process needs to open an allocation of a device, whose context is current.

        Parameters
        ----------
        device : Device
            The device.
        memory : devarray.cuda.DeviceAllocation
            The allocation.

        Returns
        -------
        Export
            The same one each time, until nobody needs it.
        """
        key = device.index, int(memory)
        with self._lock:
            found = self._known.get(key)
            if found is None:
                file = f"{self._folder}/devarray-{os.getpid()}-{uuid.uuid4().hex}.memory"
                found = Export(memory, cuda.mem_get_ipc_handle(memory), file)
                os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))
                self._known[key] = found
            return found

    def let_go(self, needed: Collection[str]) -> None:
        """Let go of allocations that nobody has open.

        Parameters
        ----------
        needed : collection of str
            Files of those that are still to be opened.
        """
        with self._lock:
            for key, one in list(self._known.items()):
                if one.file not in needed and not one.is_open():
                    os.unlink(one.file)
                    del self._known[key]

    def end(self) -> None:
        """Remove all files, at the end of the process."""
        for one in self._known.values():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(one.file)


@dataclass
class _Import:
    device: Device
    memory: Any
    lock: Any  # the open file
    users: int = 0
    since: float = field(default_factory=time.monotonic)

    def close(self) -> None:
        with current(self.device):
            self.memory.close()
        self.lock.close()


class Imports:
    """Allocations of other processes that this one has open."""

    def __init__(self) -> None:
        self._known, self._lock = dict[tuple[int, str], _Import](), threading.Lock()

    def open(self, device: Device, handle: bytes, file: str) -> Any:
        """An allocation's memory on a device, open until :meth:`give_back`, and for a while behind it.

        Parameters
        ----------
        device : Device
            That will read it.
        handle : bytes
            CUDA's.
        file : str
            The allocation's.

        Returns
        -------
        devarray.cuda.IPCMemoryHandle
            The memory.

        Raises
        ------
        FileNotFoundError
            Where its owner has let it go.
        """
        key = device.index, file
        with self._lock:
            found = self._known.get(key)
            if found is None:
                lock = open(file, "rb")  # noqa: SIM115 (as long as the memory)
                try:
                    fcntl.flock(lock, fcntl.LOCK_SH)
                    with current(device):
                        found = _Import(device, cuda.IPCMemoryHandle(handle), lock)
                except BaseException:
                    lock.close()
                    raise
                self._known[key] = found
            found.users += 1
            return found.memory

    def give_back(self, device: Device, file: str) -> None:
        """Say that a user of :meth:`open` has ended.

        Parameters
        ----------
        device : Device
            As it was given to :meth:`open`.
        file : str
            The allocation's.
        """
        with self._lock:
            one = self._known[device.index, file]
            one.users -= 1
            one.since = time.monotonic()

    def close(self, seconds: float = OPEN_SECONDS) -> bool:
        """Close what nobody used for a while.

        Parameters
        ----------
        seconds : float
            How long.

        Returns
        -------
        bool
            Whether others are still open.
        """
        now = time.monotonic()
        with self._lock:
            for key, one in list(self._known.items()):
                if not one.users and now - one.since >= seconds:
                    del self._known[key]
                    one.close()
            return bool(self._known)
