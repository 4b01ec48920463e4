"""Folders of compiled code: whose files are trusted, how they are written, and how large a folder may become.

Machine code that somebody else could write is somebody else's program, run as ours. So a folder and each file in it are
asked, as ssh asks of keys, before anything in them is used: they must belong to this user or to root, and nobody else
may write them. Whatever is wrong with a folder costs the cache and one message, never an operation.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count

__all__ = ["CacheFolder", "cache_folder", "require_trust"]

_NAME = re.compile(r"[0-9a-f]{40,64}\.(bin|src)|\..*\.tmp")
_numbers = count()


class CacheFolder:
    """A folder of cache files, which need not exist yet.

    Parameters
    ----------
    path : str
    setting : str
        The environment variable that names the folder, for messages.
    """

    # Writes after which the folder's size is looked at again, since other processes write, too.
    _LOOK_AFTER = 64
    # A full folder is trimmed to this part of its limit, so that not every write has to look at all of its files.
    _TRIM_TO = 0.9

    def __init__(self, path: str, setting: str) -> None:
        self.path, self.setting = path, setting
        self._lock = threading.Lock()
        self._told = False
        self._bytes = 0  # in the folder, as far as this process knows
        self._writes = 0

    def read(self, name: str) -> bytes | None:
        """What a file holds; None where there is none, or none that may be trusted."""
        try:
            with self._opened() as folder:
                return _content(name, folder)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as problem:  # ValueError: a null byte in the path
            self._tell("read", problem)
            return None

    def write(self, files: Mapping[str, bytes], limit: int | None = None) -> None:
        """Publish files by rename, each whole or not at all; then delete the oldest ones beyond `limit` bytes."""
        try:
            os.makedirs(self.path, 0o700, exist_ok=True)
            with self._opened() as folder:
                for name, data in files.items():
                    _publish(name, data, folder)
            if limit is not None:
                self._trim(sum(map(len, files.values())), limit)
        except (OSError, ValueError) as problem:
            self._tell("written", problem)

    def remove(self, name: str) -> None:
        """Delete a file, if that may be done."""
        with suppress(OSError, ValueError):
            os.unlink(os.path.join(self.path, name))

    def files(self) -> list[tuple[float, int, str]]:
        """(time of the last change, bytes, name) of the cache's own files; other files in the folder are left alone."""
        found = []
        try:
            with os.scandir(self.path) as entries:
                for entry in entries:
                    with suppress(OSError):  # another process trims or clears, too
                        if _NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                            status = entry.stat(follow_symlinks=False)
                            found.append((status.st_mtime, status.st_size, entry.name))
        except (OSError, ValueError):
            return []
        return found

    def _trim(self, added: int, limit: int) -> None:
        with self._lock:
            self._bytes += added
            self._writes += 1
            if self._bytes <= limit and self._writes % self._LOOK_AFTER != 1:
                return
            files = self.files()
            total = sum(size for _, size, _ in files)
            if total > limit:
                for _, size, name in sorted(files):
                    self.remove(name)
                    total -= size
                    if total <= limit * self._TRIM_TO:
                        break
            self._bytes = total

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The folder's descriptor, by which its files are opened: what was asked about is what is used."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            require_trust(os.fstat(descriptor), "the folder", f"chmod go-w '{self.path}'")
            yield descriptor
        finally:
            os.close(descriptor)

    def _tell(self, what: str, problem: Exception) -> None:
        if self._told:
            return
        self._told = True
        import logging

        logging.getLogger("devarray").warning(
            "the cache of compiled kernels in %r cannot be %s, so that kernels are compiled anew: %s. "
            "Mend that, or name another folder by %s",
            *(self.path, what, problem, self.setting),
        )


cache_folder = lru_cache(maxsize=8)(CacheFolder)
"""The one object for a folder, which says what is wrong with it once."""


def require_trust(status: os.stat_result, what: str, remedy: str) -> None:
    """Raise PermissionError for what another user owns or may write."""
    if status.st_uid not in (os.geteuid(), 0):
        raise PermissionError(f"{what} belongs to user {status.st_uid}, whose code must not run as user {os.geteuid()}")
    if status.st_mode & 0o022:
        raise PermissionError(f"{what} may be written by others (mode {stat.S_IMODE(status.st_mode):o}); {remedy}")


def _content(name: str, folder: int) -> bytes:
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a file", name)
        require_trust(status, f"the file {name}", "delete it")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def _publish(name: str, data: bytes, folder: int) -> None:
    temporary = f".{os.getpid()}-{next(_numbers)}.tmp"
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder
    )
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
