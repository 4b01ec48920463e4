"""A user's element-wise kernel beside the same function in our own operations, and what a profile leaves behind.

    python benchmarks/user_kernels.py [--device NAME]

Three forms of x * y + x: a text that is read as operations, the same text compiled as a C function (a preamble keeps
it C), and Python's operators. They take turns; each call is evaluated, and the device has done all when a block ends.
The last lines count the launches of a kernel with its neighbours, and time the operators before and after a profile.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import Effort, quiet, stopwatch, take_turns

import devarray as da

SIZES = (16, 4096, 1 << 20, 1 << 24)
TEXT = ("T x, T y", "T z", "z = x * y + x", "mad")


def own(x: Any, y: Any) -> Any:
    return x * y + x


def operands(size: int) -> tuple[da.Array, da.Array]:
    x = da.asarray(np.linspace(0, 1, size, dtype=np.float32))
    y = x + 1
    return x, y.evaluate()


def times(forms: dict[str, Callable[..., Any]], size: int, finish: Callable[[], None]) -> dict[str, float]:
    """Microseconds of a call."""
    x, y = operands(size)
    wanted = own(x, y).copy_to_host()
    for name, form in forms.items():
        assert np.array_equal(form(x, y).copy_to_host(), wanted), name
    blocks = {name: stopwatch(lambda form=form: form(x, y).evaluate(), finish) for name, form in forms.items()}
    return {name: measured.best * 1e6 for name, measured in take_turns(blocks, Effort(15, 0.02, 6.0)).items()}


def launches_with_neighbours(kernel: Any) -> int:
    x, y = operands(1 << 20)
    background, da.config.background = da.config.background, False  # the host would do it while it is compiled
    da.synchronize()
    before = da.stats()["launches"]
    (da.sqrt(kernel(x, y) * 2 + y) - x).evaluate()
    da.config.background = background
    return da.stats()["launches"] - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="as devarray.device takes it; the best by default")
    device = da.device(parser.parse_args().device)
    finish = device.default_queue.finish
    forms = {
        "read as operations": da.ElementwiseKernel(*TEXT),
        "compiled": da.ElementwiseKernel(*TEXT, preamble="#define NO_OPERATIONS"),
        "operators": own,
    }
    with da.use(device=device), quiet():
        print(f"{device}\n\n| elements | {' | '.join(f'{name}, us' for name in forms)} | read / operators |")
        print(f"|---:|{'---:|' * (len(forms) + 1)}")
        for size in SIZES:
            row = times(forms, size, finish)
            ratio = row["read as operations"] / row["operators"]
            print(f"| {size} | {' | '.join(f'{t:.2f}' for t in row.values())} | {ratio:.3f} |")
        print(f"\nlaunches with neighbours: {launches_with_neighbours(forms['read as operations'])}")
        before = times({"operators": own}, 16, finish)["operators"]
        with da.profile():
            own(*operands(16)).evaluate()
        after = times({"operators": own}, 16, finish)["operators"]
        print(f"16 elements by operators before any profile {before:.3f} us, after one {after:.3f} us")


if __name__ == "__main__":
    main()
