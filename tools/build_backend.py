"""scikit-build-core as the build backend, behind a look at what building takes: what is missing is told in one line.

pip asks a backend for its requirements first; so CMake has neither been downloaded nor said anything then.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from typing import Any

import make_kernels
from scikit_build_core import build as backend
from scikit_build_core.build import *  # noqa: F403

COMPILERS = ("c++", "CC", "g++", "clang++", "icpx", "icpc", "nvc++", "xlC")
"""What CMake looks for where the variable CXX is not set, CMAKE_ARGS and a toolchain file apart."""


def what_is_missing() -> str | None:
    """The line to say, or None where building can begin."""
    elsewhere = " ".join(
        os.environ.get(name, "") for name in ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE")
    )
    if "CMAKE_CXX_COMPILER" in elsewhere or "TOOLCHAIN" in elsewhere or "CMAKE_TOOLCHAIN_FILE" in os.environ:
        return None
    given = shlex.split(os.environ.get("CXX", ""))
    if given and shutil.which(given[0]) is None:
        return f"devarray: the C++ compiler of CXX={os.environ['CXX']} was not found"
    if not given and not any(map(shutil.which, COMPILERS)):
        return (
            "devarray: no C++ compiler was found, which building from source takes (C++20: GCC 11, Clang 14 or newer). "
            "Install one (Debian, Ubuntu: apt-get install g++; Fedora: dnf install gcc-c++), or install a wheel"
        )
    headers = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.exists(headers):
        return (
            f"devarray: Python's headers were not found ({headers}), which building from source takes. Install them "
            "(Debian, Ubuntu: apt-get install python3-dev; Fedora: dnf install python3-devel), or install a wheel"
        )
    return None


def what_kernels_take() -> list[str]:
    """What compiling the kernels of common functions takes (tools/make_kernels.py): nothing where there is no GPU, and
    nobody asked for them, or somebody refused them. NVRTC is asked for where the system has none."""
    defines = dict(each.partition("=")[::2] for each in os.environ.get("SKBUILD_CMAKE_DEFINE", "").split(";"))
    architectures = defines.get("DEVARRAY_CUDA_KERNELS", "native")
    asked = architectures != "native"
    if not architectures or (not asked and not make_kernels.native()):
        return []
    if not asked and make_kernels.has_system_compiler():
        return ["numpy>=2.0"]
    old = not asked and make_kernels.driver_version() < 13000
    return ["numpy>=2.0", "nvidia-cuda-nvrtc-cu12" if old else "nvidia-cuda-nvrtc>=13"]


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """As scikit-build-core's; ends the process where building is not possible."""
    if line := what_is_missing():
        sys.exit(line)
    return [*backend.get_requires_for_build_wheel(config_settings), *what_kernels_take()]


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """As scikit-build-core's; ends the process where building is not possible."""
    if line := what_is_missing():
        sys.exit(line)
    return backend.get_requires_for_build_editable(config_settings)
