"""Kernels that were compiled when the package was built: those of common functions, for CUDA devices (rule 16).

`kernels/cuda-sm_90-nvrtc-13.0.zip` holds those for devices of compute capability 9.0 and above within 9, by NVRTC 13.0;
tools/make_kernels.py writes it. They are taken where NVRTC is of that version, since another one may round its
functions otherwise than those that are compiled here, and where there is none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from devarray._runtime.disk_cache import cache_name

if TYPE_CHECKING:
    from zipfile import ZipFile

__all__ = ["FOLDER", "binary", "compiler_of", "file_name", "member"]

FOLDER = os.path.join(os.path.dirname(__file__), "kernels")
"""Where the package keeps them."""

_NAME = re.compile(r"cuda-sm_(\d+)(\d)-nvrtc-(\d+\.\d+)\.zip")


def file_name(capability: tuple[int, int], compiler: str) -> str:
    """The file for devices of a compute capability, by a version of NVRTC such as "13.0"."""
    return f"cuda-sm_{capability[0]}{capability[1]}-nvrtc-{compiler}.zip"


def compiler_of(caps: Mapping[str, Any]) -> str:
    """The version of NVRTC that compiles for a CUDA device, "none" where it is missing."""
    return caps["fingerprint"].rpartition("nvrtc ")[2]


def member(options: str, source: str) -> str:
    """A kernel's name in a file."""
    return cache_name("cuda", "prebuilt", options, source)


def binary(driver: str, caps: Mapping[str, Any], options: str, source: str) -> bytes | None:
    """The compiled program of a source for a device, or None where the package has none.

    Parameters
    ----------
    driver : str
    caps : mapping
        `Device.caps`.
    options, source : str
        The compiler's, and what it is given.
    """
    if driver != "cuda":
        return None
    archive = _archive(FOLDER, tuple(caps["compute_capability"]), compiler_of(caps))
    if archive is None:
        return None
    import zlib
    from zipfile import BadZipFile

    try:
        return archive.read(member(options, source))
    except KeyError:
        return None
    except (BadZipFile, zlib.error, EOFError) as error:
        _say_broken(FOLDER, error)
        return None


@cache
def _archive(folder: str, capability: tuple[int, int], compiler: str) -> ZipFile | None:
    """The file that suits best, whole in memory: processes that fork would share its place in an open file."""
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    suitable = []
    for found in filter(None, map(_NAME.fullmatch, names)):
        major, minor, version = int(found[1]), int(found[2]), found[3]
        if major == capability[0] and minor <= capability[1] and compiler in (version, "none"):
            suitable.append((minor, version, found[0]))
    if not suitable:
        return None
    import io
    from zipfile import BadZipFile, ZipFile

    path = os.path.join(folder, max(suitable)[2])
    try:
        with open(path, "rb") as file:
            return ZipFile(io.BytesIO(file.read()))
    except (OSError, BadZipFile) as error:
        _say_broken(path, error)
        return None


def _say_broken(path: str, error: Exception) -> None:
    """The kernels are compiled as if there were no file."""
    import logging

    logging.getLogger("devarray").warning("%s is damaged (%s); install devarray again", path, error)
