"""Kernels that are compiled when the package is built, on the stand-ins for NVIDIA's driver and compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from devarray import _core
from devarray._runtime import prebuilt

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_kernels.py"

COMMON = """
from devarray import _core
_core.cuda._use_library({library!r})
import devarray as da
from devarray._runtime import prebuilt
prebuilt.FOLDER = {folder!r}
with da.use(device="cuda:0"):
    x, y = da.ones((2, 600, 500), dtype="float32").evaluate()
    before = da.stats()["compilations"]
    for result in (x + y, da.exp(x), x.sum(), x.max(axis=1), da.sort(x.ravel())):
        result.evaluate()
    print(da.stats()["compilations"] - before)
    (da.exp(x + 1) * 2 - x).evaluate()
    print(da.stats()["compilations"] - before)
    da.compiler.save_kernels({saved!r})
"""


def made(
    folder: Path, compiler: str, *, architectures: str = "90", dtypes: str = "float32"
) -> subprocess.CompletedProcess[str]:
    """Runs the tool on a stand-in for NVRTC."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([compiler, *(p or "." for p in sys.path)])}
    arguments = [
        "--core",
        str(_core.__file__),
        "--out",
        str(folder),
        "--architectures",
        architectures,
        "--dtypes",
        dtypes,
    ]
    command = [sys.executable, str(TOOL), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, fake_compiler: str) -> Path:
    into = tmp_path_factory.mktemp("kernels")
    done = made(into, fake_compiler)
    assert done.returncode == 0, done.stdout + done.stderr
    return into


def compilations(library: str, compiler: str, folder: Path, capability: str, **more: str) -> list[int]:
    """How many kernels common functions compile, and then with a fused one of the program's own."""
    major, minor = capability.split(".")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([compiler, *(p or "." for p in sys.path)]),
        "DEVARRAY_CACHE_DIR": "",
        "DEVARRAY_EAGER": "0",
        "DEVARRAY_CHECK_BOUNDS": "0",
        "FAKE_CUDA_FILL": "0",
        "FAKE_CUDA_ATTRIBUTES": f"16=132,8=49152,75={major},76={minor}",
        **more,
    }
    code = COMMON.format(library=library, folder=str(folder), saved=str(folder / "saved"))
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [int(line) for line in done.stdout.split()]


@pytest.mark.stand_in
@pytest.mark.parametrize(("capability", "taken"), [("9.0", True), ("9.3", True), ("10.0", False)])
def test_common_functions_compile_nothing(
    folder: Path, fake_library: str, fake_compiler: str, capability: str, taken: bool
) -> None:
    common, all_of_them = compilations(fake_library, fake_compiler, folder, capability)
    assert (common == 0) is taken
    assert all_of_them == common + 1, "a program's own kernels are compiled"


@pytest.mark.stand_in
def test_a_program_that_is_shipped_has_them(folder: Path, fake_library: str, fake_compiler: str) -> None:
    from devarray._runtime import kernel_file

    compilations(fake_library, fake_compiler, folder, "9.0")
    saved = kernel_file.read(str(folder / "saved"))
    assert sum(kernel.binary is not None for kernel in saved) >= 5


@pytest.mark.stand_in
def test_another_compilers_are_left_alone(folder: Path, fake_library: str, fake_compiler: str, tmp_path: Path) -> None:
    (file,) = folder.glob("*.zip")
    version = file.stem.rpartition("-")[2]
    (tmp_path / file.name.replace(version, "99.1")).write_bytes(file.read_bytes())
    assert compilations(fake_library, fake_compiler, tmp_path, "9.0")[0] > 0


@pytest.mark.stand_in
def test_the_same_bytes_each_time(folder: Path, fake_compiler: str, tmp_path: Path) -> None:
    assert made(tmp_path, fake_compiler).returncode == 0
    (one,), (two,) = folder.glob("*.zip"), tmp_path.glob("*.zip")
    assert one.name == two.name and one.read_bytes() == two.read_bytes()
    assert len(zipfile.ZipFile(one).namelist()) > 50


@pytest.mark.stand_in
def test_an_earlier_builds_files_go(fake_compiler: str, tmp_path: Path) -> None:
    earlier = tmp_path / "cuda-sm_10-nvrtc-1.0.zip"
    earlier.write_bytes(b"")
    assert made(tmp_path, fake_compiler).returncode == 0
    assert not earlier.exists() and len(list(tmp_path.glob("*.zip"))) == 1


@pytest.mark.parametrize(("architectures", "status"), [("native", 0), ("90", 1)])
def test_only_what_was_asked_for_ends_a_build(architectures: str, status: int, tmp_path: Path) -> None:
    """A core that is none: with no GPU here, or by whatever goes wrong on a machine that has one."""
    core = tmp_path / "_core.so"
    core.write_bytes(b"no library")
    command = [sys.executable, str(TOOL), "--core", str(core), "--out", str(tmp_path), "--dtypes", "float32"]
    done = subprocess.run([*command, "--architectures", architectures], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.stand_in
def test_what_is_missing_is_said(fake_compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    done = made(tmp_path / "kernels", fake_compiler)
    assert done.returncode == 1, "they were asked for"
    assert done.stdout == "kernels of common functions are not compiled ahead of time: no C compiler was found\n"
    assert not (tmp_path / "kernels").exists()


def test_the_file_that_suits_best(tmp_path: Path) -> None:
    for name in (
        "cuda-sm_90-nvrtc-13.0.zip",
        "cuda-sm_100-nvrtc-13.0.zip",
        "cuda-sm_103-nvrtc-13.0.zip",
        "cuda-sm_90-nvrtc-12.9.zip",
        "cuda-sm_90-nvrtc-13.0.zip.tmp",
    ):
        with zipfile.ZipFile(tmp_path / name, "w") as file:
            file.writestr("name", name)

    def chosen(capability: tuple[int, int], compiler: str) -> str | None:
        archive = prebuilt._archive(str(tmp_path), capability, compiler)
        return None if archive is None else archive.read("name").decode()

    assert chosen((9, 0), "13.0") == "cuda-sm_90-nvrtc-13.0.zip"
    assert chosen((9, 0), "12.9") == "cuda-sm_90-nvrtc-12.9.zip"
    assert chosen((9, 0), "13.1") is None
    assert chosen((9, 0), "none") == "cuda-sm_90-nvrtc-13.0.zip"
    assert chosen((10, 0), "13.0") == chosen((10, 1), "13.0") == "cuda-sm_100-nvrtc-13.0.zip"
    assert chosen((10, 3), "13.0") == chosen((10, 9), "13.0") == "cuda-sm_103-nvrtc-13.0.zip"
    assert chosen((8, 9), "13.0") is None and chosen((12, 0), "13.0") is None
    assert prebuilt._archive(str(tmp_path / "none"), (9, 0), "13.0") is None
    assert prebuilt.binary("opencl", {}, "", "") is None


@pytest.mark.parametrize("damage", ["no archive", "a member"])
def test_a_damaged_file_is_as_none(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    path = tmp_path / prebuilt.file_name((9, 0), "13.0")
    name = prebuilt.member("", "source")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(name, b"a program")
    caps = {"compute_capability": (9, 0), "fingerprint": "sm_90, nvrtc 13.0"}
    monkeypatch.setattr(prebuilt, "FOLDER", str(tmp_path))
    prebuilt._archive.cache_clear()
    assert prebuilt.binary("cuda", caps, "", "source") == b"a program"
    prebuilt._archive.cache_clear()
    whole = path.read_bytes()
    path.write_bytes(b"no archive" if damage == "no archive" else whole.replace(b"a program", b"a problem"))
    with caplog.at_level("WARNING", logger="devarray"):
        assert prebuilt.binary("cuda", caps, "", "source") is None
    assert "is damaged" in caplog.text and str(tmp_path) in caplog.text
    prebuilt._archive.cache_clear()
