"""Where OpenCL libraries may be: the system's registry, its drivers, and the runtimes that pip installs."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator
from pathlib import Path

from devarray.cl._probe import examine

__all__ = ["candidates", "find"]

#: What Intel's runtime depends on, in order of need. It finds them itself where they lie in its own folder.
_INTEL_NEEDS = ("libtbb.so.12", "libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so", "libcommon_clang.so*")

Candidate = tuple[str, list[str], str]


def candidates() -> list[tuple[str, list[str], str, str]]:
    """What `find` finds, each with the reason for which it is not to be loaded; the empty text where there is none."""
    return examine(find())


def find() -> list[Candidate]:
    """Libraries to open, as ``(path or soname, what it needs, where it was found)``.

    Those of the system come first, so that an embedded runtime is left alone where the system has the same.
    The environment variables ``OCL_ICD_VENDORS`` and ``OCL_ICD_FILENAMES`` mean what they mean to ICD loaders.
    """
    return [*_registered(), *_system(), *_intel(), *_pocl()]


def _registered() -> Iterator[Candidate]:
    for library in filter(None, os.environ.get("OCL_ICD_FILENAMES", "").split(os.pathsep)):
        yield library, [], "OCL_ICD_FILENAMES"
    vendors = os.environ.get("OCL_ICD_VENDORS")
    if vendors and not Path(vendors).exists():
        return
    if vendors and not vendors.endswith(".icd") and Path(vendors).is_file():
        yield vendors, [], "OCL_ICD_VENDORS"
        return
    folders = [Path(vendors)] if vendors else [Path("/etc/OpenCL/vendors"), Path(sys.prefix) / "etc/OpenCL/vendors"]
    for folder in folders:
        for entry in [folder] if folder.is_file() else sorted(folder.glob("*.icd")):
            yield from _entry(entry)


def _entry(entry: Path) -> Iterator[Candidate]:
    """The library that a registration file names. Ones that point nowhere are left out: pip's Intel has such."""
    try:
        library = entry.read_text(encoding="utf-8", errors="replace").split("\n")[0].strip()
    except OSError:
        return
    beside = entry.parent / library
    if library and "/" not in library and beside.is_file():
        library = str(beside)
    if library and ("/" not in library or Path(library).is_file()):
        yield library, [], str(entry)


def _system() -> Iterator[Candidate]:
    yield "libnvidia-opencl.so.1", [], "NVIDIA's driver"
    yield "libOpenCL.so.1", [], "the system's ICD loader"


def _library_folders() -> list[Path]:
    """The lib folders of this environment: of the prefix, of the user's site, of ``pip install --target``."""
    folders = [Path(sys.prefix) / "lib", Path(sys.base_prefix) / "lib", Path(site.getuserbase()) / "lib"]
    for entry in map(Path, filter(None, sys.path)):
        folders.append(entry / "lib")
        if entry.name in ("site-packages", "dist-packages"):
            folders.append(entry.parent.parent)
    return list(dict.fromkeys(folders))


def _first(name: str, folders: list[Path]) -> str | None:
    for folder in folders:
        for match in sorted(folder.glob(name)):
            return str(match)
    return None


def _intel() -> Iterator[Candidate]:
    folders = _library_folders()
    library = _first("libintelocl.so", folders)
    if library:
        folders.insert(0, Path(library).parent)
        needs = [path for path in (_first(name, folders) for name in _INTEL_NEEDS) if path]
        yield library, needs, "intel-opencl-rt"


def _pocl() -> Iterator[Candidate]:
    for entry in map(Path, filter(None, sys.path)):
        for package in ("pocl_binary_distribution", "pyopencl"):
            for library in sorted((entry / package / ".libs").glob("libpocl*.so*")):
                yield str(library), [], "pocl-binary-distribution"
