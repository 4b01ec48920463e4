"""What is missing for a build is told in one line, before CMake speaks."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("scikit_build_core.build", reason="it comes with pip's build, or for work on the C++")

PATH = Path(__file__).resolve().parents[2] / "tools" / "build_backend.py"


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for name in ("CXX", "CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE", "CMAKE_TOOLCHAIN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.syspath_prepend(str(PATH.parent))
    spec = importlib.util.spec_from_file_location("build_backend", PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_a_compiler(backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^devarray: no C\+\+ compiler was found.*apt-get install g\+\+.*$"):
        backend.get_requires_for_build_wheel()


def test_the_compiler_that_was_asked_for(backend: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    with pytest.raises(SystemExit, match="the C\\+\\+ compiler of CXX=no-such-compiler -m64 was not found"):
        backend.get_requires_for_build_editable()


def test_without_pythons_headers(backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert backend.what_is_missing().startswith(f"devarray: Python's headers were not found ({tmp_path}/Python.h)")


def test_what_cmake_is_told_counts(backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CMAKE_ARGS", "-DCMAKE_CXX_COMPILER=/opt/compiler")
    assert backend.what_is_missing() is None


def test_kernels_for_gpus_take_a_compiler_of_theirs(backend: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PATH.parents[1])
    kernels, usual = backend.make_kernels, set(sys.modules["scikit_build_core.build"].get_requires_for_build_wheel())
    numpy, old, new = "numpy>=2.0", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc>=13"

    def further(gpus: list[int], compiler: bool, driver: int) -> list[str]:
        monkeypatch.setattr(kernels, "native", lambda: gpus)
        monkeypatch.setattr(kernels, "has_system_compiler", lambda: compiler)
        monkeypatch.setattr(kernels, "driver_version", lambda: driver)
        return [name for name in backend.get_requires_for_build_wheel() if name not in usual]

    assert further([], False, 0) == []
    assert further([90], True, 13000) == [numpy]
    assert further([90], False, 13000) == [numpy, new]
    assert further([90], False, 12080) == [numpy, old]
    monkeypatch.setenv("SKBUILD_CMAKE_DEFINE", "DEVARRAY_TESTING=ON;DEVARRAY_CUDA_KERNELS=75,90")
    assert further([], True, 0) == [numpy, new]
    monkeypatch.setenv("SKBUILD_CMAKE_DEFINE", "DEVARRAY_CUDA_KERNELS=")
    assert further([90], False, 13000) == []


def test_it_is_a_backend(backend: ModuleType) -> None:
    assert {"build_wheel", "build_sdist", "build_editable", "prepare_metadata_for_build_wheel"} <= set(dir(backend))
    assert sys.modules["scikit_build_core.build"].build_wheel is backend.build_wheel
