"""DEVARRAY_STRATEGY=gpu: a CPU runtime does what GPUs do, and gives NumPy's results by it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

import devarray as da
from devarray import _core
from devarray.codegen.kernels import reduction_place
from devarray.codegen.kernels.reduction_spec import partial_bytes
from devarray.codegen.kernels.rows import PARTIAL_BYTES
from devarray.ops.dtypes import DTYPES

Run = Callable[..., subprocess.CompletedProcess]

HEAD = """
import numpy as np
import devarray as da
from devarray import _core

device = da.device()
assert (device.type, device.strategy) == ("cpu", "gpu"), (device.type, device.strategy)
"""


@pytest.fixture
def as_gpu(device: da.Device) -> Run:
    """Runs a program on this device's runtime under the strategy of GPUs; its output, checked for success."""
    if device.type != "cpu":
        pytest.skip("a CPU runtime is wanted")

    def call(program: str, **environment: str) -> subprocess.CompletedProcess:
        settings = {"DEVARRAY_STRATEGY": "gpu", "DEVARRAY_EAGER": "0", **environment}
        done = subprocess.run(
            [sys.executable, "-P", "-c", HEAD + program],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    return call


def test_a_device_takes_the_strategy_of_its_type_unless_told_otherwise(device: da.Device) -> None:
    told = os.environ.get("DEVARRAY_STRATEGY") == "gpu"
    assert device.strategy == ("cpu" if device.type == "cpu" and not told else "gpu")


def test_kernels_are_those_of_gpus(as_gpu: Run) -> None:
    program = """
x, y = da.ones((1000,), dtype="f4"), da.ones((40, 6), dtype="f4")
print("#linear"); (x + 1).evaluate()
print("#flat"); (y[:, :3] + 1).evaluate()
print("#rows"); (da.ones((9, 80), dtype="f4").evaluate()[:, ::2] * 2).evaluate()
print("#sum"); x.sum().evaluate()
"""
    done = as_gpu(program + "da.synchronize()", DEVARRAY_DEBUG="4", DEVARRAY_CACHE_DIR="", PYTHONUNBUFFERED="1")
    sources = done.stderr
    assert "vstore" not in sources and "f32x4" in sources  # four elements a work-item
    assert "kernel flat" in sources  # a row of three elements is not worth a launch dimension
    assert "LOCAL_ID(1)) * 4; first < rows; first += GLOBAL_SIZE(1) * 4" in sources  # four rows a work-item
    assert "GLOBAL_SIZE(1)" in sources and "const i64 i = GLOBAL_ID(0)" not in sources


def test_the_work_of_the_host_is_done_as_on_gpus(as_gpu: Run) -> None:
    as_gpu("""
import warnings
x = da.asarray(np.random.default_rng(0).normal(size=5000))
a = x.copy_to_host()
da.config.forbid_waits = True
parts = [da.sort(x), da.argsort(x), da.fft.fft(x), x[:2500].reshape(50, 50) @ x[:50], da.median(x)]
for part in parts:
    part.evaluate()
da.config.forbid_waits = False
np.testing.assert_array_equal(parts[0].copy_to_host(), np.sort(a))
np.testing.assert_array_equal(parts[1].copy_to_host(), np.argsort(a, kind="stable"))
np.testing.assert_allclose(parts[2].copy_to_host(), np.fft.fft(a), atol=1e-9)
np.testing.assert_allclose(parts[3].copy_to_host(), a[:2500].reshape(50, 50) @ a[:50], atol=1e-9)
assert parts[4].item() == np.median(a)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    q = da.linalg.qr(x[:16].reshape(4, 4))[0]
assert [w.category for w in caught] == [da.HiddenTransferWarning], caught
np.testing.assert_allclose(q.copy_to_host(), np.linalg.qr(a[:16].reshape(4, 4))[0], atol=1e-12)
da.config.fallback = "raise"
try:
    da.linalg.qr(x[:16].reshape(4, 4))
except da.Error as error:
    assert "goes through the host" in str(error)
else:
    raise AssertionError("no error")
""")


def test_transfers_are_staged_as_if_the_host_saw_nothing(as_gpu: Run) -> None:
    as_gpu("""
assert device.memory_kinds[0] == "buffer"
a = np.random.default_rng(1).integers(0, 99, (3000, 401))
before = _core.staging_bytes()
x = da.asarray(a[:, ::2])
assert _core.staging_bytes() > before == 0
np.testing.assert_array_equal(x[::-1].copy_to_host(), a[::-1, ::2])
""")


@pytest.mark.slow
def test_elements_of_every_shape_are_numpys(as_gpu: Run) -> None:
    as_gpu("""
def cases(a):
    yield from (a, a[..., None], a[::-1] if a.ndim else a, a.T)
    if a.ndim:
        yield from (a[..., ::-1], a[..., ::-2], a[1:], a[:, ::-1] if a.ndim > 1 else a[:1])

for shape in [(), (1,), (1, 1), (0,), (2, 3), (0, 3), (5, 1), (33,), (40, 33), (4, 5, 100)]:
    for dtype in ("bool", "i2", "f4"):
        whole = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
        ours = da.asarray(whole)
        for a, x in zip(cases(whole), cases(ours), strict=True):
            for wanted, got in ((a + a, x + x), (a != 3, x != 3)):
                assert got.shape == wanted.shape and got.dtype == wanted.dtype, (shape, dtype, got, wanted)
                np.testing.assert_array_equal(got.copy_to_host(), wanted)
            wanted, got = a.copy(), x.copy()
            wanted[...], got[...] = a[...] * a, x * x
            np.testing.assert_array_equal(got.copy_to_host(), wanted)
        assert (ours.sum() + ours.sum()).item() == whole.sum() + whole.sum()
b, y = np.arange(12.0), da.arange(12.0)
b[3], y[3] = 7, 7
b[::-3] += 1
y[::-3] += 1
np.testing.assert_array_equal(y.copy_to_host(), b)
""")


def test_the_list_of_devices_says_so(as_gpu: Run) -> None:
    done = as_gpu("import runpy; runpy.run_module('devarray', run_name='listing').get('describe') and "
                  "print(runpy.run_module('devarray', run_name='listing')['describe'](device))")  # fmt: skip
    assert "      cpu worked on as a GPU (DEVARRAY_STRATEGY), " in done.stdout


def test_an_unknown_strategy_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import devarray"],
        env={**os.environ, "DEVARRAY_STRATEGY": "fast"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "ValueError: DEVARRAY_STRATEGY=fast: it takes gpu" in done.stderr


# --- what the engine plans and the code generator renders by --------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["sum", "argmax", "deviation"])
def test_both_sides_agree_about_reductions(dtype: str, kind: str) -> None:
    narrow, nbytes, shared = _core.reduction_agreement(DTYPES.index(dtype), kind)
    assert narrow == reduction_place.REGISTERS
    assert nbytes == partial_bytes(kind, dtype)
    assert shared == PARTIAL_BYTES >= max(partial_bytes("sum", dtype), partial_bytes("deviation", "float64"))


def test_reductions_load_neighbours_at_once_where_they_are_aligned(as_gpu: Run) -> None:
    """The bits do not depend on that, nor on what is stored beside a sum."""
    program = """
rng = np.random.default_rng(3)
for dtype in ("f4", "f8"):
    for shape in [(20_000, 16), (300, 1000), (7, 20_000), (5000, 3)]:
        aligned = da.asarray(rng.standard_normal(shape).astype(dtype))
        shifted = da.empty(aligned.size + 1, dtype=dtype)
        shifted[1:] = aligned.reshape(-1)
        shifted = shifted[1:].reshape(shape)
        for axis in (0, 1, None):
            first, second = (x.sum(axis=axis).copy_to_host() for x in (aligned, shifted))
            assert first.tobytes() == second.tobytes(), (dtype, shape, axis)
        held = aligned * 2
        beside, alone = held.sum(-1).copy_to_host(), held.sum(-1).copy_to_host()
        assert beside.tobytes() == alone.tobytes(), (dtype, shape)
"""
    as_gpu(program)


def test_where_order_is_free_stored_values_are_stored_by_neighbours(as_gpu: Run) -> None:
    program = """
x, y = da.ones((3000, 2), dtype="f4"), da.ones((16, 2), dtype="f4")
da.synchronize()
distance = da.sqrt(da.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)) + da.exp(x[:, :1]))
distance.min(1).evaluate()
"""
    settings = {"DEVARRAY_DEBUG": "4", "DEVARRAY_CACHE_DIR": "", "PYTHONUNBUFFERED": "1"}
    beside = as_gpu(program, **settings).stderr
    assert "kernel min over (16,) for (3000,)" in beside
    assert "lane) * 4" not in beside
    alone = as_gpu("da.ones((3000, 16), dtype='f4').evaluate().min(1).evaluate()", **settings).stderr
    assert "lane) * 4" in alone
