"""NVTX ranges of a profile: one around it, and one around each launch."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import devarray as da
from devarray._profiling import ranges
from devarray.cuda.libraries import nvtx_candidates


class Gpu:
    driver = "cuda"


@pytest.fixture
def nvtx(tmp_path, monkeypatch):
    """A stand-in for NVTX, in a process that seems to have a GPU."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to build the stand-in")
    library = tmp_path / "libnvToolsExt.so.1"
    subprocess.run(
        [compiler, "-shared", "-fPIC", str(Path(__file__).parent / "fake_nvtx.c"), "-o", str(library)], check=True
    )
    monkeypatch.setattr(ranges, "devices", lambda: [Gpu()])
    monkeypatch.setattr(ranges, "_loaded", [])
    monkeypatch.setattr(ranges, "nvtx_candidates", lambda: [str(tmp_path / "none.so"), str(library)])
    loaded = ctypes.CDLL(str(library))
    loaded.noted.restype = ctypes.c_char_p
    return loaded


def test_each_launch_is_a_range(device, nvtx, kernels):
    x = da.arange(5000, dtype="float32").evaluate()
    with da.profile() as p:
        y = (x * 2 + 1).evaluate()
        total = y.sum().evaluate()
        da.sort(y).evaluate()
    first, *launches = nvtx.noted().decode().splitlines()
    assert first == "0 devarray.profile"
    names = [line.removeprefix("1 ") for line in launches]
    assert all(line.startswith("1 ") for line in launches)
    assert [name for name in names if name != "compile"] == [a.name for a in p.kernels]
    assert nvtx.open_ranges() == 0
    (x + total).evaluate()
    assert nvtx.noted().decode().splitlines() == [first, *launches]


def test_a_profile_that_fails_closes_its_range(device, nvtx):
    with pytest.raises(ZeroDivisionError), da.profile():
        1 / 0  # noqa: B018
    assert nvtx.open_ranges() == 0


def test_there_is_no_range_without_a_library_or_a_gpu(device, nvtx, monkeypatch):
    monkeypatch.setattr(ranges, "devices", lambda: [device])
    if device.driver != "cuda":
        assert not ranges.begin()
    monkeypatch.setattr(ranges, "devices", lambda: [Gpu()])
    monkeypatch.setattr(ranges, "_loaded", [])
    monkeypatch.setattr(ranges, "nvtx_candidates", lambda: ["/nowhere/libnvToolsExt.so.1"])
    assert not ranges.begin()
    assert nvtx.noted() == b""


def test_libraries_are_looked_for_in_wheels_and_by_the_loader(tmp_path, monkeypatch):
    folder = tmp_path / "nvidia" / "nvtx" / "lib"
    folder.mkdir(parents=True)
    (folder / "libnvToolsExt.so.1").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    found = nvtx_candidates()
    assert str(folder / "libnvToolsExt.so.1") in found
    assert found.index(str(folder / "libnvToolsExt.so.1")) < found.index("libnvToolsExt.so.1")
