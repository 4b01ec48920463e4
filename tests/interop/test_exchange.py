"""Exchange with other libraries: the table of docs/interop.md, array-api-extra, views that outlive their arrays."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import devarray as da

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import exchange  # noqa: E402

ROUTES = {f"{r.producer} to {r.consumer} by {r.call}": r for r in exchange.routes()}


@pytest.fixture
def seen_by_the_host(device: da.Device) -> None:
    if da.empty(1).allocator.kind not in ("svm_fine", "managed", "pinned"):
        pytest.skip("memory that the host does not see")


@pytest.mark.usefixtures("seen_by_the_host")
@pytest.mark.parametrize("name", ROUTES)
def test_values_arrive(name: str, device: da.Device) -> None:
    route = ROUTES[name]
    got = route.hand_over(route.make(5))
    host = got.copy_to_host() if isinstance(got, da.Array) else got
    if route.consumer == "Dask":
        host = got.compute().copy_to_host()
    if route.consumer == "PyOpenCL":
        host = got.mem
    wanted = np.full(5, 1 if route.consumer == "Numba" else 0, np.float32)
    assert np.array_equal(np.asarray(host), wanted) and np.asarray(host).dtype == np.float32


def test_memory_is_shared_as_the_page_says(device: da.Device) -> None:
    if da.empty(1).allocator.kind != {"opencl": "svm_fine", "cuda": "device"}[device.driver]:
        pytest.skip("the page's tables are of another kind of memory")
    page, begin = (ROOT / "docs" / "interop.md").read_text(), exchange.BEGIN.format(device.driver)
    rows = [line.split("|")[1:-1] for line in page.partition(begin)[2].partition(exchange.END)[0].splitlines()]
    said = {tuple(x.strip(" `") for x in row[:3]): row[3].strip() for row in rows if len(row) == 6}
    assert len(said) >= 9
    for route in ROUTES.values():
        shared = said.get((route.producer, route.consumer, route.call), "refused")
        # JAX and runtimes copy what does not lie at multiples of 64 or 128 bytes.
        if shared != "refused" and "JAX" not in (route.producer, route.consumer):
            assert exchange.shared(route) == shared, route


def test_numpys_code_by_array_api_extra(device: da.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    extra = pytest.importorskip("array_api_extra")
    x = da.asarray([[3.0, 1.0], [2.0, 5.0]])

    def run() -> da.Array:
        return extra.lazy_apply(lambda h: np.cumsum(h, axis=1), x, shape=x.shape, dtype=x.dtype, as_numpy=True, xp=da)

    with pytest.raises(da.errors.DTypeError, match=r"copy_to_host\(\)"):
        run()
    monkeypatch.setattr(da.config, "fallback", "allow")
    got = run()
    assert isinstance(got, da.Array) and got.tolist() == [[3.0, 4.0], [2.0, 7.0]]


@pytest.mark.usefixtures("seen_by_the_host")
def test_a_view_outlives_the_array_and_its_pool(device: da.Device) -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    x = da.arange(1000, dtype="int32", allocator=pool) * 3
    view = np.from_dlpack(x)
    del x, pool
    gc.collect()
    other = [da.full(1000, -1, dtype="int32").evaluate() for _ in range(20)]
    assert np.array_equal(view, np.arange(1000, dtype="int32") * 3) and len(other) == 20


HELD = """
import numpy as np, devarray as da, sys
host = np.arange(1000.0)
ours, theirs = da.from_dlpack(host), np.from_dlpack(da.arange(1000) * 2)
sys.kept = [ours, theirs, np.from_dlpack(ours), host]     # ends after the modules do
da.kept, np.kept = theirs, ours                           # each in the other's module
print(int(theirs[7]), float(ours[7]))
"""


@pytest.mark.usefixtures("seen_by_the_host")
def test_views_that_are_held_at_the_end_of_the_process(device: da.Device) -> None:
    done = subprocess.run([sys.executable, "-P", "-c", HELD], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "14 7.0\n", "")
