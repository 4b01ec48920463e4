"""An OpenCL runtime is tried before it is loaded; one that compiles nothing is left out, and named with the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import devarray as da

LOADED = """
from devarray import _core
for library, origin, platforms, problem in _core.cl.libraries():
    print(library, origin, platforms, problem, sep="|")
print(*sorted({device.caps["platform"] for device in _core.cl.devices()}), sep="|")
"""

Run = Callable[..., tuple[dict[str, list[str]], list[str]]]


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PoCL by its name: builds of one vendor's library do not share a process."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to build the stand-in for a runtime")
    library = tmp_path_factory.mktemp("fake") / "libpocl-fake.so"
    source = Path(__file__).with_name("fake_opencl.c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-fvisibility=hidden", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    return library


@pytest.fixture
def run(fake_library: Path, tmp_path: Path) -> Run:
    """What a process with the stand-in loads: ({file name: fields}, platforms)."""

    def call(how: str, before: str = "", **settings: str) -> tuple[dict[str, list[str]], list[str]]:
        path = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry)
        environment = {
            "OCL_ICD_FILENAMES": str(fake_library),
            "FAKE_OPENCL": how,
            "DEVARRAY_CACHE_DIR": str(tmp_path),
            "PYTHONPATH": path,
        }
        done = subprocess.run(
            [sys.executable, "-P", "-c", before + LOADED], env={**os.environ, **environment, **settings},
            text=True, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        *rows, platforms = done.stdout.splitlines()
        fields = [row.split("|") for row in rows]
        return {Path(row[0]).name: row[1:] for row in fields}, platforms.split("|")

    return call


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("refuse", "1.2 stand-in compiles nothing for this CPU (error: unknown target CPU 'tomorrow'): install "),
        ("abort", "it ended the process by signal 6 when it built and ran one small kernel"),
    ],
)
@pytest.mark.parametrize("cached", [True, False])
def test_what_does_not_compile_is_left_out(run: Run, how: str, reason: str, cached: bool) -> None:
    for _ in range(2):  # the second time from the cache
        libraries, platforms = run(how, **({} if cached else {"DEVARRAY_CACHE_DIR": ""}))
        origin, count, problem = libraries["libpocl-fake.so"]
        assert (origin, count) == ("OCL_ICD_FILENAMES", "0")
        assert reason in problem
        assert "Stand-in" not in platforms


def test_what_hangs_is_left_out(run: Run, tmp_path: Path) -> None:
    libraries, platforms = run("hang", "from devarray.cl import _probe\n_probe.SECONDS = 3\n")
    assert libraries["libpocl-fake.so"][1:] == ["0", "it took more than 3 s to build and run one small kernel"]
    assert "Stand-in" not in platforms
    kept = tmp_path / "runtimes"
    assert not kept.exists() or "libpocl-fake" not in kept.read_text(), "a busy machine is no reason for ever"


def test_the_answer_is_kept_as_long_as_the_library_stays_the_same(run: Run, fake_library: Path) -> None:
    assert "compiles nothing" in run("refuse")[0]["libpocl-fake.so"][2]
    assert "compiles nothing" in run("abort")[0]["libpocl-fake.so"][2]
    os.utime(fake_library, (1, 1))
    assert "signal 6" in run("abort")[0]["libpocl-fake.so"][2]


def test_a_damaged_file_of_answers_costs_only_the_answers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "runtimes").write_bytes(b"\xff\x00a\tb\tc\n\t\t\n")
    assert "compiles nothing" in run("refuse")[0]["libpocl-fake.so"][2]
    assert "compiles nothing" in (tmp_path / "runtimes").read_text()


def test_another_build_of_the_same_vendor_is_taken_where_it_works(run: Run) -> None:
    """The loader takes the first library of a name that works, not the first."""
    libraries, platforms = run("refuse")
    others = [row for name, row in libraries.items() if name.startswith("libpocl") and name != "libpocl-fake.so"]
    if not others or "compiles nothing" in others[0][2]:
        pytest.skip("no other PoCL that works")
    assert others[0][1:] == ["1", ""]
    assert "Portable Computing Language" in platforms


def test_a_wish_for_what_was_left_out_is_answered_with_the_reason(device: da.Device, run: Run) -> None:
    program = """
import devarray as da
try:
    da.device("libpocl-fake")
except da.DeviceError as error:
    print("reason", error, "", "", sep="|")
"""
    (reason,) = run("refuse", program)[0]["reason"][:1]
    assert reason.startswith("no device answers to 'libpocl-fake'; there are ")
    assert "unknown target CPU 'tomorrow'" in reason


def test_without_any_other_the_error_says_why_it_was_left_out(run: Run, fake_library: Path) -> None:
    program = f"""
import devarray as da
from devarray.cl import _runtimes
_runtimes.find = lambda: [({str(fake_library)!r}, [], "a test")]
try:
    print("reason", da.devices()[0].driver, "", "", sep="|")
except da.MissingDriverError as error:
    print("reason", error, "", "", sep="|")
"""
    reason = run("refuse", program)[0]["reason"][0]
    if reason == "cuda":
        pytest.skip("there is a GPU")
    assert reason.startswith("no OpenCL or CUDA device was found. Install a CPU runtime")
    assert f"{fake_library} (a test): Stand-in OpenCL 1.2 stand-in compiles nothing for this CPU" in reason


@pytest.mark.parametrize("name", ["sys.executable = '/usr/sbin/httpd'", "sys.frozen = True", "sys.executable = None"])
def test_a_program_that_is_no_python_is_not_started_again(run: Run, name: str) -> None:
    libraries, platforms = run("refuse", f"import sys\n{name}\n")
    assert libraries["libpocl-fake.so"][1:] == ["1", ""], "untried, and taken as it is"
    assert "Stand-in" in platforms
