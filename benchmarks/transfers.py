"""Transfers between host and device, side by side with CuPy, PyTorch, JAX and numba where they are installed.

    python benchmarks/transfers.py [--device DEVICE] [--bytes N] [--only NAME ...] [--json FILE]

Milliseconds of the best of several runs, and GB/s. Every run ends with a wait for the device. "new host array" keeps
one result while the next is made; "first" is the very first copy of that size, before anything can be recycled. The
driver's own copy from page-locked memory, by raw calls, is what the bus can do.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from c_calls import driver_in_c

import devarray as da

SMALL = 16


def best(call: Callable[[], Any], seconds: float = 1.0, least: int = 5) -> float:
    """Seconds of the fastest call."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < least or (time.perf_counter() < end and len(times) < 200):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def many(call: Callable[[], Any], count: int = 2000) -> float:
    """Seconds a call, of the fastest of several rounds of small calls."""

    def round_() -> None:
        for _ in range(count):
            call()

    round_()
    return best(round_, 0.5) / count


class Devarray:
    name = "devarray"

    def __init__(self) -> None:
        self.wait = da.synchronize

    def to_device(self, host: np.ndarray) -> Any:
        return da.to_device(host)

    def to_host(self, x: Any) -> np.ndarray:
        return x.copy_to_host()

    def into(self, x: Any, host: np.ndarray) -> None:
        x.copy_to_host(host)

    def empty(self, nbytes: int) -> Any:
        return da.empty(nbytes, da.uint8)


class Cupy:
    name = "cupy"

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        self.wait = cupy.cuda.get_current_stream().synchronize

    def to_device(self, host: np.ndarray) -> Any:
        return self.cupy.asarray(host)

    def to_host(self, x: Any) -> np.ndarray:
        return x.get()

    def into(self, x: Any, host: np.ndarray) -> None:
        x.get(out=host)

    def empty(self, nbytes: int) -> Any:
        return self.cupy.empty(nbytes, "uint8")


class Torch:
    name = "torch"

    def __init__(self) -> None:
        import torch

        torch.cuda.init()
        self.torch = torch
        self.wait = torch.cuda.synchronize

    def to_device(self, host: np.ndarray) -> Any:
        return self.torch.from_numpy(host).to("cuda")

    def to_host(self, x: Any) -> np.ndarray:
        return x.cpu().numpy()

    def into(self, x: Any, host: np.ndarray) -> None:
        self.torch.from_numpy(host).copy_(x)

    def empty(self, nbytes: int) -> Any:
        return self.torch.empty(nbytes, dtype=self.torch.uint8, device="cuda")


class Numba:
    name = "numba"

    def __init__(self) -> None:
        from numba import cuda

        self.cuda = cuda
        self.wait = cuda.synchronize
        cuda.device_array(1)

    def to_device(self, host: np.ndarray) -> Any:
        return self.cuda.to_device(host)

    def to_host(self, x: Any) -> np.ndarray:
        return x.copy_to_host()

    def into(self, x: Any, host: np.ndarray) -> None:
        x.copy_to_host(host)

    def empty(self, nbytes: int) -> Any:
        return self.cuda.device_array(nbytes, "uint8")


class Jax:
    name = "jax"

    def __init__(self) -> None:
        import jax

        if jax.default_backend() != "gpu":
            raise ImportError("JAX has no GPU here")
        self.jax = jax
        self.wait = lambda: None

    def to_device(self, host: np.ndarray) -> Any:
        return self.jax.device_put(host).block_until_ready()

    def to_host(self, x: Any) -> np.ndarray:
        return np.array(self.jax.numpy.asarray(x + 0))  # JAX keeps the host copy of an array

    def into(self, x: Any, host: np.ndarray) -> None:
        host[...] = x + 0

    def empty(self, nbytes: int) -> Any:
        return self.jax.numpy.empty(nbytes, "uint8")


def libraries(driver: str, only: list[str] | None) -> Iterator[Any]:
    yield Devarray()
    if driver != "cuda":
        return
    for library in (Cupy, Torch, Numba, Jax):
        if only and library.name not in only:
            continue
        try:
            yield library()
        except Exception as error:
            print(f"{library.name}: {type(error).__name__}: {error}")


def measure(library: Any, nbytes: int) -> dict[str, float]:
    """Seconds of each case."""
    host = np.arange(nbytes // 4, dtype=np.float32)
    kept: list[Any] = [None]

    def down() -> None:
        kept[0] = library.to_device(host)
        library.wait()

    def up() -> None:
        kept[0] = library.to_host(x)

    result = {"pageable to device, first": best(down, 0, 1), "pageable to device": best(down)}
    x = library.to_device(host)
    kept[0] = None
    result["device to new host array, first"] = best(up, 0, 1)
    result["device to new host array"] = best(up)
    if not np.array_equal(kept[0], host):
        raise AssertionError(f"{library.name} copied something else")
    result["device to existing host array"] = best(lambda: library.into(x, host))
    small = np.arange(SMALL, dtype=np.float32)
    result["16 elements there and back"] = many(lambda: library.to_host(library.to_device(small)))
    result["16 elements to device"] = many(lambda: library.to_device(small))
    y = library.to_device(small)
    result["16 elements to host"] = many(lambda: library.to_host(y))
    result["empty of 1 MB"] = many(lambda: library.empty(1 << 20))
    return result


def pinned(nbytes: int, device: da.Device) -> dict[str, float]:
    """devarray's copies of page-locked memory, and on CUDA the driver's own."""
    host = da.pinned_array(nbytes // 4, np.float32)
    host[:] = 1
    x = da.to_device(host)

    def down() -> None:
        x.copy_to_device(host)
        da.synchronize()

    result = {"pinned to device": best(down), "device to pinned": best(lambda: x.copy_to_host(host))}
    if device.driver == "cuda":
        from devarray import cuda

        memory = cuda.mem_alloc(nbytes)
        result["driver: pinned to device"] = best(lambda: cuda.memcpy_htod(memory, host))
        result["driver: device to pinned"] = best(lambda: cuda.memcpy_dtoh(host, memory))
        if in_c := driver_in_c():
            result["driver in C: 16 elements there and back"] = many(in_c["there_and_back"])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device")
    parser.add_argument("--bytes", type=int, default=256 << 20)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json")
    options = parser.parse_args()
    device = da.device(options.device)
    with da.use(device):
        table = {library.name: measure(library, options.bytes) for library in libraries(device.driver, options.only)}
        table["devarray"] |= pinned(options.bytes, device)
    print(f"{device}; {options.bytes / 2**20:.0f} MB, {da._core.copy_threads()} copying threads")
    for case in table["devarray"]:
        small = "16" in case or "empty" in case
        cells = [
            f"{name} {row[case] * 1e6:8.2f} us"
            if small
            else f"{name} {row[case] * 1e3:8.2f} ms {options.bytes / row[case] / 1e9:5.1f} GB/s"
            for name, row in table.items()
            if case in row
        ]
        print(f"  {case:32} {' | '.join(cells)}")
    if options.json:
        with open(options.json, "w", encoding="ascii") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
