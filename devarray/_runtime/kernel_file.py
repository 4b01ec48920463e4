"""A file of kernels that is shipped with a program: sources with what names them, and compiled programs beside them.

One line with the format's number and a checksum, then JSON that is deflated. Kernels run as this process, whoever wrote
them, so the file must belong to this user or to root, and nobody else may write it, as with the folder of compiled
kernels (cache_folder.py). The checksum finds broken copies; it proves nothing of who wrote them.
"""

from __future__ import annotations

import base64
import builtins
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from devarray._runtime.cache_folder import require_trust
from devarray.errors import Error, ValueError

__all__ = ["StoredKernel", "read", "write"]

_HEAD = "devarray-kernels 1"


@dataclass(frozen=True, slots=True)
class StoredKernel:
    """A kernel of a file.

    Attributes
    ----------
    driver, strategy : str
        Of the device that it was made for; other kinds of devices have other sources.
    name : str
        Of the kernel in its source.
    options : str or None
        The compiler's; None for those that kernels of its device have.
    source : str
    identity : str
        The name of its cache file: a hash of everything that decides the binary.
    binary : bytes or None
        The program, compiled.
    """

    driver: str
    strategy: str
    name: str
    options: str | None
    source: str
    identity: str
    binary: bytes | None


def write(path: str, kernels: Iterable[StoredKernel]) -> None:
    """Publish a file by rename, whole or not at all.

    Examples
    --------
    >>> import os, tempfile
    >>> from devarray._runtime import kernel_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "no.kernels")
    ...     kernel_file.write(path, [])
    ...     kernel_file.read(path)
    []
    """
    rows = [asdict(k) | {"binary": None if k.binary is None else base64.b64encode(k.binary).decode()} for k in kernels]
    data = zlib.compress(json.dumps({"kernels": rows}).encode())
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, os.fstat(descriptor).st_mode & ~0o022)  # or it could not be read again
            file.write(f"{_HEAD} {hashlib.sha256(data).hexdigest()}\n".encode() + data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def read(path: str) -> list[StoredKernel]:
    """The kernels of a file.

    Raises
    ------
    OSError
        If it cannot be read.
    Error
        If somebody else owns it or may write it.
    ValueError
        If it is no such file, or not whole.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _bad(path, "it is no regular file")
        try:
            require_trust(status, "it", f"chmod go-w '{path}'")
        except PermissionError as problem:
            raise Error(f"the kernels in '{path}' are not loaded, since kernels run as this user: {problem}") from None
        head, _, data = file.read().partition(b"\n")
    if not head.startswith(b"devarray-kernels "):
        raise _bad(path, "it does not begin as such files do")
    if head != f"{_HEAD} {hashlib.sha256(data).hexdigest()}".encode():
        raise _bad(path, "it is of another version, or not whole")
    try:
        return [_kernel(row) for row in json.loads(zlib.decompress(data))["kernels"]]
    except (zlib.error, builtins.ValueError, KeyError, TypeError) as problem:
        raise _bad(path, f"its content is not what it should be ({problem})") from None


def _kernel(row: dict[str, Any]) -> StoredKernel:
    row = dict(row)
    binary = row.pop("binary")
    texts = [row[name] for name in ("driver", "strategy", "name", "source", "identity")]
    if not all(isinstance(text, str) for text in texts) or not isinstance(row["options"], str | None):
        raise TypeError("a name or a source is no text")
    return StoredKernel(**row, binary=None if binary is None else base64.b64decode(binary, validate=True))


def _bad(path: str, why: str) -> ValueError:
    return ValueError(
        f"'{path}' is no file of kernels that can be loaded: {why}; "
        "`python -m devarray warmup SCRIPT` writes one, and so does devarray.compiler.save_kernels"
    )
