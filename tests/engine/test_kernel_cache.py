"""How many kernels stay in memory, whose files are trusted, and that nothing about the cache costs an operation."""

from __future__ import annotations

import errno
import gc
import itertools
import logging
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core
from devarray._runtime.cache_folder import CacheFolder, cache_folder

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

testing = getattr(_core, "testing", None)  # where devarray was built with DEVARRAY_TESTING

STEPS: list[Callable[[Any, Any, Any], Any]] = [
    lambda xp, x, y: x + y,
    lambda xp, x, y: x - y,
    lambda xp, x, y: x * y,
    lambda xp, x, y: xp.maximum(x, y),
    lambda xp, x, y: xp.minimum(x, y),
]
CHAINS = list(itertools.product(STEPS, repeat=3))  # each is a kernel of its own
A, B = np.arange(10, dtype=np.int16), np.arange(10, dtype=np.int16)[::-1] - 4


def value_of(chain: tuple[Callable[[Any, Any, Any], Any], ...], xp: Any, x: Any, y: Any) -> Any:
    for step in chain:
        x = step(xp, x, y)
    return x


def check(chain: tuple[Callable[[Any, Any, Any], Any], ...]) -> None:
    same(value_of(chain, da, da.asarray(A), da.asarray(B)), value_of(chain, np, A, B))


def made() -> int:
    counts = da.stats()
    return counts["compilations"] + counts["disk_cache_hits"]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """At most eight kernels in memory."""
    monkeypatch.setattr(da.config, "kernels", 8)
    yield


# --- in memory -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("few")
def test_kernels_beyond_the_limit_are_let_go_and_come_back() -> None:
    before = da.stats()["kernels_evicted"]
    for chain in CHAINS[:30]:
        check(chain)
        assert da.stats()["kernels"] <= 8
        if testing:
            assert testing.kernel_cache_size() <= 8, "what finds kernels by their expressions holds no more of them"
    assert da.stats()["kernels_evicted"] - before >= 22
    count = made()
    for chain in CHAINS[:4]:
        check(chain)
    assert made() - count == 4


@pytest.mark.usefixtures("few")
def test_a_kernel_in_use_stays() -> None:
    x, y = da.asarray(A), da.asarray(B)
    value_of(CHAINS[0], da, x, y).evaluate()
    for chain in CHAINS[40:70]:
        check(chain)
        count = made()
        value_of(CHAINS[0], da, x, y).evaluate()
        assert made() == count


@pytest.mark.usefixtures("few")
def test_planned_kernels_count_as_others_do() -> None:
    x = da.asarray(A)
    for size in range(2, 20):
        same(da.take(x, da.arange(size) % 5), A[np.arange(size) % 5])
        check(CHAINS[size])
        assert da.stats()["kernels"] <= 8


def test_the_limit_is_a_number_from_one_up() -> None:
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="from 1 up"):
            da.config.kernels = wrong
    with pytest.raises(TypeError):
        da.config.kernels = 2.5  # type: ignore[assignment]
    assert da.config.kernels >= 1


RESIDENT = """
    import itertools
    import resource
    import sys
    import devarray as da

    def resident():
        return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

    x, y = da.arange(10, dtype=da.int16), da.arange(10, dtype=da.int16)
    steps = [lambda x: x + y, lambda x: x - y, lambda x: x * y, lambda x: da.maximum(x, y), lambda x: da.minimum(x, y)]
    for number, chain in enumerate(itertools.islice(itertools.product(steps, repeat=3), 80)):
        if number == 30:
            start = resident()
        value = x
        for step in chain:
            value = step(value)
        value.copy_to_host()
    print((resident() - start) / 50)
"""


@pytest.mark.slow
def test_memory_stays_flat_over_expressions(run: Any) -> None:
    """In a process of its own, without the disk cache, so that each kernel is the compiler's, which leaves most."""
    done = run(RESIDENT, DEVARRAY_KERNELS="8", DEVARRAY_CACHE_DIR="")
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 400_000, "bytes that each expression left behind"


# --- identities ------------------------------------------------------------------------------------------------------


def test_contexts_that_come_and_go(device: da.Device) -> None:
    """A new context may lie where an old one lay; its kernels are its own, and nothing keeps the old ones."""
    if device.driver != "opencl":
        pytest.skip("CUDA's devices live until the process ends")
    from devarray import cl

    raw = next(d for p in cl.get_platforms() for d in p.get_devices() if d.name.strip() == device.name.strip())
    rounds = 30 if device.type == "cpu" else 12  # a driver of GPUs may take seconds to make a context
    gc.collect()
    before = len(set(_core.live_devices()) - {d.serial for d in da.devices()})  # that earlier tests still hold
    for number in range(rounds):
        queue = cl.CommandQueue(cl.Context([raw]))
        x = da.ones(number + 1, dtype=da.int32, queue=queue) + number
        assert x.sum().item() == (number + 1) ** 2
        del x, queue
        gc.collect()
    kept = before + 20  # 16 queues keep their index flags
    assert len(_core.live_devices()) <= len(da.devices()) + kept
    assert len(da.compiler._kernels) == da.stats()["kernels"]


def test_serial_numbers_are_a_devices_own() -> None:
    serials = [d.serial for d in da.devices()]
    assert len(set(serials)) == len(serials) and set(serials) <= set(_core.live_devices())


# --- on disk: size ---------------------------------------------------------------------------------------------------


def test_each_write_leaves_the_folder_within_its_limit(tmp_path: Path) -> None:
    folder = CacheFolder(str(tmp_path / "cache"), "X")
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache" / "mine.txt").write_bytes(bytes(2**20))
    for number in range(150):
        folder.write({f"{number:040x}.bin": os.urandom(30_000)}, 2**20)
        held = [p for p in (tmp_path / "cache").iterdir() if p.name != "mine.txt"]
        assert sum(p.stat().st_size for p in held) <= 2**20
        assert tmp_path / "cache" / f"{number:040x}.bin" in held, "the newest stays"
    assert len(held) >= 30, "and no more goes than must"
    assert (tmp_path / "cache" / "mine.txt").exists(), "what is not the cache's is left alone"


def test_the_size_of_the_disk_cache_is_heeded_by_every_kernel(run: Any, tmp_path: Path) -> None:
    program = """
        import os, sys
        import devarray as da
        x, y = da.arange(10), da.arange(10)
        steps = [lambda x: x + y, lambda x: x - y, lambda x: x * y, lambda x: da.maximum(x, y)]
        for first in steps:
            for second in steps:
                second(first(x)).evaluate()
                assert da.compiler.cache_info()["bytes"] <= 64 * 1024, da.compiler.cache_info()
        print(da.stats()["compilations"])
    """
    done = run(program, DEVARRAY_CACHE_DIR=str(tmp_path / "c"), DEVARRAY_CACHE_BYTES="64K")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 16


# --- on disk: trust --------------------------------------------------------------------------------------------------

DIFFERENCE = """
    import numpy as np
    import devarray as da
    x, y = da.asarray(np.arange(5, dtype="i2")), da.asarray(np.arange(5, dtype="i2") * 10)  # no kernel of the package's
    print((x {sign} y).copy_to_host().tolist(), da.stats()["disk_cache_hits"])
"""


@pytest.fixture(scope="module")
def compiled(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two caches, of a sum's kernel and of a difference's."""
    folder = tmp_path_factory.mktemp("compiled")
    by_kernels = {"DEVARRAY_HOST_ELEMENTS": "0", "DEVARRAY_BACKGROUND": "0"}  # a module's fixture runs before `kernels`
    for name, sign in (("sum", "+"), ("difference", "-")):
        done = run(DIFFERENCE.replace("{sign}", sign), DEVARRAY_CACHE_DIR=str(folder / name), **by_kernels)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def planted(compiled: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A folder in which the file of a difference's kernel holds that of a sum, and this file."""
    folder = Path(shutil.copytree(compiled / "difference", tmp_path / "difference"))
    (wrong,), (file,) = (compiled / "sum").glob("*.bin"), folder.glob("*.bin")
    file.write_bytes(wrong.read_bytes())
    return folder, file


def others(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, 12345, 12345)


@pytest.mark.parametrize("which", ["folder", "file"])
@pytest.mark.parametrize(
    "spoil",
    [lambda p: p.chmod(0o777), lambda p: p.chmod(p.stat().st_mode | 0o020), others],
    ids=["all", "group", "owner"],
)
def test_what_others_could_have_written_is_not_run(
    run: Any, planted: tuple[Path, Path], which: str, spoil: Callable[[Path], None]
) -> None:
    folder, file = planted
    program = DIFFERENCE.replace("{sign}", "-")
    assert run(program, DEVARRAY_CACHE_DIR=str(folder)).stdout.split("]") == ["[0, 11, 22, 33, 44", " 1\n"], "trusted"
    spoil(folder if which == "folder" else file)
    done = run(program, DEVARRAY_CACHE_DIR=str(folder))
    assert done.stdout.split("]") == ["[0, -9, -18, -27, -36", " 0\n"], done.stderr
    assert done.stderr.count("cache of compiled kernels") == 1 and str(folder) in done.stderr


def test_a_link_in_place_of_a_file_is_not_followed(run: Any, planted: tuple[Path, Path], tmp_path: Path) -> None:
    folder, file = planted
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    done = run(DIFFERENCE.replace("{sign}", "-"), DEVARRAY_CACHE_DIR=str(folder))
    assert done.stdout.startswith("[0, -9, -18, -27, -36]"), done.stderr


def test_folder_and_files_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        CacheFolder(str(tmp_path / "c"), "X").write({"0" * 40 + ".bin": b"x"})
    finally:
        os.umask(before)
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "c" / ("0" * 40 + ".bin")).stat().st_mode & 0o777 == 0o600


# --- on disk: faults -------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty disk cache, and no kernel in memory."""
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", str(tmp_path / "cache"))
    cache_folder.cache_clear()
    forget()
    yield tmp_path / "cache"
    cache_folder.cache_clear()


def forget() -> None:
    """Let go of all kernels in memory."""
    da.compiler._kernels.clear()
    gc.collect()


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "devarray" and r.levelno == logging.WARNING]


def refuse(number: int) -> Callable[..., Any]:
    def call(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    return call


def test_a_full_disk_costs_the_cache_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(os, "replace", refuse(errno.ENOSPC))
    for chain in CHAINS[:3]:
        check(chain)
    assert list(cache.iterdir()) == [], "no half of a file stays"
    assert len(messages(caplog)) == 1 and "No space left" in messages(caplog)[0]


def test_a_damaged_file_that_cannot_be_deleted_costs_the_cache_alone(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(CHAINS[0])
    for file in cache.glob("*.bin"):
        file.write_bytes(b"damaged")
    forget()
    monkeypatch.setattr(os, "unlink", refuse(errno.EROFS))
    monkeypatch.setattr(os, "replace", refuse(errno.EROFS))
    count = da.stats()["compilations"]
    check(CHAINS[0])
    assert da.stats()["compilations"] > count


def test_a_folder_in_place_of_a_cache_file(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    check(CHAINS[0])
    for file in cache.glob("*.bin"):
        file.unlink()
        file.mkdir()
    forget()
    check(CHAINS[0])
    assert len(messages(caplog)) == 1 and "not a file" in messages(caplog)[0]


def test_a_file_in_place_of_the_folder(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache.write_text("not a folder")
    for chain in CHAINS[:3]:
        check(chain)
    assert cache.read_text() == "not a folder"
    assert len(messages(caplog)) == 1
    assert da.compiler.cache_info()["kernels"] == 0


def test_a_pipe_in_place_of_a_cache_file_holds_nobody_up(cache: Path) -> None:
    check(CHAINS[0])
    for file in cache.glob("*.bin"):
        file.unlink()
        os.mkfifo(file, 0o600)
    forget()
    check(CHAINS[0])


def test_a_null_byte_in_the_folders_name(caplog: pytest.LogCaptureFixture) -> None:
    folder = CacheFolder("a\0b", "X")
    assert folder.read("0" * 40 + ".bin") is None
    folder.write({"0" * 40 + ".bin": b"x"}, 100)
    folder.remove("0" * 40 + ".bin")
    assert folder.files() == []
    assert len(messages(caplog)) == 1


@pytest.fixture(scope="module")
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program in a process of its own, with environment variables."""

    def call(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-c", textwrap.dedent(program)],
            env={**os.environ, "DEVARRAY_EAGER": "0", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return call
