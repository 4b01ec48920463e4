"""``python -m devarray warmup`` and the files of kernels that it writes, as their users meet them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

import devarray as da
from devarray.__main__ import main

PROGRAM = """
import sys
import devarray as da
x = da.arange(200_000.0, dtype="float32")
print(int((da.exp(x * 0) * 3 + 1).sum()), da.sort(da.cumsum(x))[0], sys.argv[1:], __name__)
if "fail" in sys.argv:
    sys.exit(3)
"""
COUNTED = """
import runpy, sys, devarray as da
if len(sys.argv) > 2:
    print(da.compiler.load_kernels(sys.argv[2]))
sys.argv = [sys.argv[1]]
runpy.run_path(sys.argv[0], run_name="__main__")
da.synchronize()
da.compiler.wait_for_kernels()
print("compiled", da.stats()["compilations"])
"""
FUNCTIONS = """
import numpy as np
import devarray as da
host = np.random.default_rng(1).standard_normal((700, 400)).astype(np.float32)
x, y = da.asarray(host), da.asarray(host.copy())
line, whole = x.ravel(), da.asarray(np.arange(280_000) % 77)
rows = da.asarray(np.arange(700)[::-1].copy())
results = [
    x + y, x * 2 - y / 3, da.sqrt(y), da.exp(x), da.where(x > 0, x, y), da.clip(x, -1, 1), da.isnan(x),
    whole.astype("float32"), x - x.mean(axis=0), x.sum(), x.sum(axis=1), x.max(), x.std(), x.argmax(axis=1),
    (x > 3).any(), da.cumsum(line), da.sort(line), da.argsort(x, axis=1), da.unique(whole), da.median(line),
    da.histogram(line, bins=50)[0], da.bincount(whole), da.nonzero(line > 1)[0], x[x > 1], x[rows],
    da.concatenate([x, y], axis=1), da.pad(x, 2), da.roll(x, 1, axis=0), da.diff(x, axis=1), x[:200] @ x[:200].T,
]
assert len(results) == 30
for result in results:
    result.evaluate()
"""


@pytest.fixture
def environment(tmp_path: Path, device: da.Device) -> dict[str, str]:
    """The environment of a child process whose kernel cache is empty."""
    path = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry)
    cache = {"DEVARRAY_CACHE_DIR": str(tmp_path / "cache"), "DEVARRAY_DEVICE": f"{device.driver}:{device.index}"}
    return {**os.environ, "PYTHONPATH": path, **cache}


def call(environment: dict[str, str], *arguments: object, cwd: Path) -> tuple[int, str, str]:
    """(exit status, output, errors) of a Python."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=600, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def test_a_programs_kernels_are_recorded_and_loaded(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "counted.py").write_text(COUNTED)
    status, text, errors = call(environment, "-m", "devarray", "warmup", "program.py", "--save", "x", cwd=tmp_path)
    assert status == 0, errors
    ran, told, *_ = text.splitlines()
    assert ran == "800000 0.0 ['--save', 'x'] __main__", "what stands behind the program is its own"
    count = int(told.removeprefix("program.kernels: ").split(" ")[0])
    assert count > 3
    assert told == f"program.kernels: {count} kernels, {count} of them compiled for this machine"

    environment["DEVARRAY_CACHE_DIR"] = ""  # nothing but the file
    _, text, errors = call(environment, "counted.py", "program.py", "program.kernels", cwd=tmp_path)
    loaded, _, compiled = text.splitlines()
    assert loaded == str({"binaries": count, "compiled": 0, "skipped": 0})
    assert compiled == "compiled 0", errors

    environment["DEVARRAY_CACHE_DIR"] = str(tmp_path / "another")
    status, text, errors = call(environment, "-m", "devarray", "warmup", "--load", "program.kernels", cwd=tmp_path)
    assert f": {count} kernels loaded, 0 compiled, 0 skipped" in text, errors
    _, text, errors = call(environment, "counted.py", "program.py", cwd=tmp_path)
    assert text.splitlines()[-1] == "compiled 0", errors


def test_a_program_of_small_arrays_is_told_why_there_are_no_kernels(
    environment: dict[str, str], tmp_path: Path, device: da.Device
) -> None:
    if device.type != "cpu" or "DEVARRAY_STRATEGY" in environment:
        pytest.skip("the host takes no work of this device")
    (tmp_path / "small.py").write_text("import devarray as da\nprint((da.arange(10.0) * 2).sum())\n")
    environment["DEVARRAY_HOST_ELEMENTS"] = "1000"
    status, text, errors = call(environment, "-m", "devarray", "warmup", "small.py", cwd=tmp_path)
    assert status == 0, errors
    assert text.startswith("90.0\nsmall.kernels: 0 kernels, ")
    assert "config.host_elements, 1000 elements now" in text


def test_a_programs_exit_status_is_the_commands(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    arguments = ("warmup", "--save", "mine", "program.py", "fail")
    status, text, errors = call(environment, "-m", "devarray", *arguments, cwd=tmp_path)
    assert status == 3, errors
    assert "mine: " in text and (tmp_path / "mine").exists()


@pytest.mark.slow
def test_after_warmup_thirty_functions_compile_nothing(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "counted.py").write_text(COUNTED)
    assert call(environment, "-m", "devarray", "warmup", cwd=tmp_path)[0] == 0
    text, errors = call(environment, "counted.py", "functions.py", cwd=tmp_path)[1:]
    assert text.splitlines()[-1:] == ["compiled 0"], errors


# --- files that are not what they should be --------------------------------------------------------------------------


@pytest.fixture
def kernels(device: da.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the kernel of one expression, and not with those of earlier tests."""
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", str(tmp_path / "cache"))
    da.compiler.clear_cache()
    (da.exp(da.arange(100_000.0, dtype="float32", device=device)) - 3).evaluate()
    path = tmp_path / "some.kernels"
    assert da.compiler.save_kernels(path, device)["kernels"] > 0
    return path


def rewritten(path: Path, change: Any) -> None:
    """Puts other rows in the file, under a checksum that is right."""
    head, _, data = path.read_bytes().partition(b"\n")
    content = json.loads(zlib.decompress(data))
    change(content["kernels"])
    data = zlib.compress(json.dumps(content).encode())
    path.write_bytes(b" ".join([*head.split(b" ")[:2], hashlib.sha256(data).hexdigest().encode()]) + b"\n" + data)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda data: b"", "does not begin"),
        (lambda data: b"import os", "does not begin"),
        (lambda data: data[:-1], "not whole"),
        (lambda data: data.replace(b"devarray-kernels 1", b"devarray-kernels 9"), "another version"),
        (lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:], "not whole"),
    ],
)
def test_a_broken_file_is_an_error_by_name(kernels: Path, damage: Any, why: str) -> None:
    kernels.write_bytes(damage(kernels.read_bytes()))
    with pytest.raises(da.errors.ValueError, match=why) as caught:
        da.compiler.load_kernels(kernels)
    assert str(kernels) in str(caught.value)
    assert "warmup" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[0].pop("source"),
        lambda rows: rows[0].update(source=3),
        lambda rows: rows[0].update(binary="%"),
        lambda rows: rows[0].update(more=1),
        lambda rows: rows.append("kernel"),
    ],
)
def test_rows_are_looked_at(kernels: Path, change: Any) -> None:
    rewritten(kernels, change)
    with pytest.raises(da.errors.ValueError, match="its content is not what it should be"):
        da.compiler.load_kernels(kernels)


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_what_others_may_write_is_not_loaded(kernels: Path, mode: int) -> None:
    kernels.chmod(mode)
    with pytest.raises(da.Error, match="chmod go-w"):
        da.compiler.load_kernels(kernels)
    kernels.chmod(0o600)
    assert da.compiler.load_kernels(kernels)["binaries"] > 0


def test_another_owners_file_is_not_loaded(kernels: Path) -> None:
    if os.geteuid():
        pytest.skip("root alone gives files away")
    os.chown(kernels, 12345, -1)
    with pytest.raises(da.Error, match="belongs to user 12345"):
        da.compiler.load_kernels(kernels)


def test_a_folder_and_a_pipe_are_no_files_of_kernels(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        da.compiler.load_kernels(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(da.errors.ValueError, match="no regular file"):
        da.compiler.load_kernels(tmp_path / "pipe")


def test_a_binary_that_no_driver_takes_costs_itself_alone(kernels: Path, device: da.Device) -> None:
    def damage(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["binary"] = base64.b64encode(b"no program").decode()

    rewritten(kernels, damage)
    da.compiler.clear_cache()
    assert da.compiler.load_kernels(kernels)["binaries"] > 0
    x = da.exp(da.arange(100_000.0, dtype="float32", device=device) * 0) - 3
    assert x.copy_to_host().tolist() == [-2.0] * 100_000


def test_kernels_of_another_kind_of_device_are_left_out(kernels: Path) -> None:
    rewritten(kernels, lambda rows: [row.update(driver="abacus") for row in rows])
    counts = da.compiler.load_kernels(kernels)
    assert counts["binaries"] == counts["compiled"] == 0 < counts["skipped"]


def test_kernels_of_another_compiler_are_compiled_from_their_sources(kernels: Path, device: da.Device) -> None:
    rewritten(kernels, lambda rows: [row.update(identity="0" * 40) for row in rows])
    before = da.stats()["compilations"]
    counts = da.compiler.load_kernels(kernels, device)
    assert counts["binaries"] == 0 < counts["compiled"]
    assert da.stats()["compilations"] == before, "they are in memory already"


def test_the_command_names_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str], device: da.Device) -> None:
    path = tmp_path / "program.py"
    path.write_text("1")
    for file, why in ((path, "does not begin as such files do"), (tmp_path / "nothing", "No such file")):
        assert main(["warmup", "--device", f"{device.driver}:{device.index}", "--load", str(file)]) == 1
        said = capsys.readouterr().err
        assert why in said and str(file) in said and said.count("\n") == 1
