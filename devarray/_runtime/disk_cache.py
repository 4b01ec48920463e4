"""The disk cache of compiled kernels (rule 16).

A file holds one compiled program. Its name is a hash of everything that decides the binary: the source, the options,
the device with its compiler and driver versions, and this module's schema. Files are written under another name and
renamed, so that processes share the folder; the source lies beside the binary. A program of several kernels lies in a
file for each of their sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devarray._runtime.settings import cache_bytes, cache_dir

if TYPE_CHECKING:
    from devarray import _core
    from devarray._runtime.cache_folder import CacheFolder

__all__ = ["SCHEMA", "cache_name", "folder", "identity", "publish", "read", "store"]

# cache_folder and hashlib are imported where a kernel is made: most of a program's time is not there.

SCHEMA = 1
"""Raised whenever cache files of earlier versions must not be used."""

_MAGIC = b"devarray"
_DIGEST = 32


def folder() -> CacheFolder | None:
    """The disk cache's folder, or None where it is off."""
    from devarray._runtime.cache_folder import cache_folder

    path = cache_dir()
    return None if path is None else cache_folder(str(path), "DEVARRAY_CACHE_DIR")


def cache_name(driver: str, fingerprint: str, options: str, source: str) -> str:
    """The name of a kernel's cache files, which stands for everything that decides the binary."""
    import hashlib

    parts = "\0".join((str(SCHEMA), driver, fingerprint, options, source))
    return hashlib.sha256(parts.encode()).hexdigest()[:40]


def identity(device: _core.Device, source: str, options: str) -> str:
    """`cache_name` on a device."""
    return cache_name(device.driver, device.caps["fingerprint"], options, source)


def store(device: _core.Device, source: str, options: str, binary: bytes) -> None:
    """Publish a program's binary for one of its sources, where the cache is on."""
    into = folder()
    if into is not None:
        publish(into, identity(device, source, options), source, binary)


def publish(into: CacheFolder, name: str, source: str, binary: bytes) -> None:
    import hashlib

    whole = _MAGIC + hashlib.sha256(binary).digest() + binary
    into.write({name + ".src": source.encode(), name + ".bin": whole}, cache_bytes())


def read(folder: CacheFolder, name: str) -> bytes | None:
    """A cache file's binary, or None where it is missing or broken."""
    import hashlib

    data = folder.read(name)
    if data is None:
        return None
    head, digest, binary = data[: len(_MAGIC)], data[len(_MAGIC) :][:_DIGEST], data[len(_MAGIC) + _DIGEST :]
    if head != _MAGIC or hashlib.sha256(binary).digest() != digest:
        folder.remove(name)
        return None
    return binary
