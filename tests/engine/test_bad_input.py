"""Bad input: memory that is not there, broken cache files, missing drivers, memory that must not be written."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

Run = Callable[..., subprocess.CompletedProcess]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a program in a process of its own, away from the checkout."""

    def call(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments],
            cwd=tmp_path, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip

    return call


# --- memory ----------------------------------------------------------------------------------------------------------


def test_a_size_past_memory_is_an_error_and_everything_goes_on(device: da.Device) -> None:
    x = da.arange(1000)
    total = device.memory_info()[1]
    with pytest.raises(da.OutOfMemoryError, match=str(4 * total)) as caught:
        da.empty(4 * total, da.uint8)
    assert caught.value.asked == 4 * total
    assert isinstance(caught.value, MemoryError)
    with pytest.raises(da.OutOfMemoryError):
        (da.zeros((1 << 20, 1), da.int8) + da.zeros((1, total >> 18), da.int8)).evaluate()
    same(x * 2, np.arange(1000) * 2)


def test_a_limited_allocator_says_what_is_held_and_recovers(device: da.Device) -> None:
    limited = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), 1_300_000)
    pool = da.alloc.PoolMemoryResource(limited)
    with da.use(allocator=pool):
        x = da.zeros(100_000, da.int32).evaluate()
        y = x + 1
        z = y * 2
        with pytest.raises(da.OutOfMemoryError) as caught:
            kept = [(x + i).evaluate() for i in range(10)]
        assert caught.value.asked == 400_000
        assert caught.value.active >= 400_000
        kept = None  # noqa: F841
        del caught
        gc.collect()
        same(z, np.full(100_000, 2, np.int32))
        same(y, np.full(100_000, 1, np.int32))
    del x, y, z
    gc.collect()
    assert pool.active_bytes == 0, "nothing leaked"


def test_an_allocators_own_error_passes_through(device: da.Device) -> None:
    def broken(nbytes: int) -> Any:
        raise RuntimeError(f"no {nbytes} bytes today")

    with pytest.raises(RuntimeError, match=r"no \d+ bytes today"):
        da.zeros(3, allocator=broken).evaluate()
    same(da.zeros(3), np.zeros(3))


def test_what_shares_its_elements_is_not_written() -> None:
    x = da.arange(3)
    for view in (da.broadcast_to(x, (4, 3)), da.lib.stride_tricks.as_strided(x, (4, 3), (0, 8))):
        with pytest.raises(ValueError, match="broadcast"):
            view[...] = 1
        with pytest.raises(ValueError, match="broadcast"):
            view += 1
    view[:1][...] = 5
    same(view, np.full((4, 3), 5))


# --- the kernel cache ------------------------------------------------------------------------------------------------

PROGRAM = """
    import sys
    import numpy as np
    import devarray as da
    x = da.asarray(np.arange(100, dtype=np.int32))
    assert (da.sqrt(x * 2 + 1).copy_to_host() == np.sqrt(np.arange(100, dtype=np.int32) * 2 + 1)).all()
    assert (da.sum(x + 1).item(), da.sum(x[::-3]).item()) == (5050, np.arange(100)[::-3].sum())
    print(da.stats()["compilations"], da.stats()["disk_cache_hits"], da.compiler.cache_info()["kernels"])
"""


def counts(result: subprocess.CompletedProcess) -> tuple[int, ...]:
    assert result.returncode == 0, result.stderr
    return tuple(map(int, result.stdout.split()))


@pytest.mark.usefixtures("device", "kernels")
def test_broken_cache_files_are_compiled_anew(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    environment = {"DEVARRAY_CACHE_DIR": str(folder)}
    compiled, hits, kept = counts(run(PROGRAM, **environment))
    assert compiled == kept > 0 and hits == 0
    assert counts(run(PROGRAM, **environment)) == (0, compiled, compiled)
    files = sorted(folder.glob("*.bin"))
    assert len(files) == compiled
    assert len(list(folder.glob("*.src"))) == compiled, "the source is kept beside the binary"
    garbage: list[Callable[[bytes], bytes]] = [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda data: os.urandom(len(data)),
    ]
    for i, spoil in enumerate(garbage):
        path = files[i % len(files)]
        path.write_bytes(spoil(path.read_bytes()))
        if i % len(files) == len(files) - 1 or i == len(garbage) - 1:
            compiled_again = counts(run(PROGRAM, **environment))[0]
            assert compiled_again == i % len(files) + 1
            assert counts(run(PROGRAM, **environment)) == (0, compiled, compiled), "and the new files are whole"


@pytest.mark.usefixtures("device")
def test_a_whole_file_that_the_driver_refuses_is_compiled_anew(run: Run, tmp_path: Path) -> None:
    import hashlib

    folder = tmp_path / "cache"
    environment = {"DEVARRAY_CACHE_DIR": str(folder)}
    compiled, _, _ = counts(run(PROGRAM, **environment))
    for path in folder.glob("*.bin"):
        path.write_bytes(b"devarray" + hashlib.sha256(b"no program").digest() + b"no program")
    assert counts(run(PROGRAM, **environment))[0] == compiled
    assert counts(run(PROGRAM, **environment)) == (0, compiled, compiled)


@pytest.mark.usefixtures("device")
@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_only_costs_the_cache(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    compiled, _, kept = counts(run(PROGRAM, DEVARRAY_CACHE_DIR=str(folder / "cache")))
    assert compiled > 0 and kept == 0


@pytest.mark.usefixtures("device", "kernels")
def test_the_cache_can_be_a_file_or_off(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for place in (str(tmp_path / "file"), ""):
        compiled, hits, kept = counts(run(PROGRAM, DEVARRAY_CACHE_DIR=place))
        assert compiled > 0 and hits == kept == 0


# --- drivers ---------------------------------------------------------------------------------------------------------

LIBRARIES = r"""
    import re
    mapped = open("/proc/self/maps").read()
    found = sorted(set(re.findall(r"/\S*(?:OpenCL|intelocl|pocl|libcuda\.|nvrtc|nvidia)\S*", mapped)))
"""


def test_import_loads_no_driver(run: Run) -> None:
    program = "import devarray as da\nrepr(da.config), da.float32, da.Array"
    result = run(program + textwrap.dedent(LIBRARIES) + "print(found)")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"


def test_without_a_driver_the_error_says_what_to_install(run: Run) -> None:
    """The search is pointed at an empty folder, and no installed runtime is in reach of its path entries."""
    result = run(
        """
        import importlib.metadata, json, sys
        import devarray as da
        import devarray.cuda  # before its path is emptied, as what the message asks where devarray came from
        from devarray.cl import _runtimes

        sys.prefix = sys.base_prefix = "/nonexistent"
        sys.path[:] = []
        try:
            da.devices()
        except ImportError as error:
            assert isinstance(error, da.MissingDriverError), type(error)
            assert isinstance(error, da.Error)
            print(error)
        else:
            print("found", da.devices())
        """,
        OCL_ICD_VENDORS="/nonexistent",
        OCL_ICD_FILENAMES="",
        PYTHONUSERBASE="/nonexistent",
        LD_LIBRARY_PATH="",
        DEVARRAY_DEVICE="",
    )
    if result.stdout.startswith("found"):
        pytest.skip(f"a system driver: {result.stdout}")
    assert result.returncode == 0, result.stderr
    assert "[cpu]'" in result.stdout
    assert "pip install" in result.stdout


@pytest.mark.usefixtures("device")
def test_a_device_that_is_not_there(run: Run) -> None:
    result = run("import devarray as da\nda.zeros(3)", DEVARRAY_DEVICE="cuda:77")
    assert result.returncode == 1
    assert "DeviceError" in result.stderr and "cuda:77" in result.stderr


@pytest.mark.parametrize(
    ("name", "value"), [("DEVARRAY_DEBUG", "lots"), ("DEVARRAY_FALLBACK", "maybe"), ("DEVARRAY_CACHE_BYTES", "much")]
)
def test_bad_settings_name_the_variable_and_the_choices(run: Run, name: str, value: str, device: da.Device) -> None:
    result = run("import devarray as da\nda.ones(3).sum().item()", **{name: value, "DEVARRAY_CACHE_DIR": "c"})
    assert result.returncode == 1
    assert "ValueError" in result.stderr and value in result.stderr.lower()


@pytest.mark.usefixtures("device")
def test_the_process_ends_cleanly_with_arrays_alive(run: Run) -> None:
    result = run(
        """
        import atexit
        import devarray as da
        kept = [da.ones(1000) + i for i in range(5)]
        kept.append(kept)
        pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(da.device()))
        x = da.ones(10, allocator=pool).evaluate()
        da.x = x[::2]
        atexit.register(lambda: print(da.x.sum().item()))
        """
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "5.0\n", "")


@pytest.mark.usefixtures("device")
def test_integer_division_by_zero_does_not_end_the_process(run: Run) -> None:
    result = run(
        """
        import numpy as np
        import devarray as da
        x = da.asarray(np.array([-2**31, 7], np.int32))
        for y in (0, -1):
            print((x // y).tolist(), (x % y).tolist(), (x // da.full(2, y, da.int32)).tolist())
        """
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["[0, 0] [0, 0] [0, 0]", f"[{-(2**31)}, -7] [0, 0] [{-(2**31)}, -7]"]
