"""The kernels of NPBench, a public suite of NumPy programs, by NumPy and on the device.

    python benchmarks/kernel_suite.py --checkout FOLDER [--size M] [--only adi,lu] [--seconds 3] [--json FILE]

FOLDER is a checkout of github.com/spcl/npbench. Each kernel's NumPy text runs as it is, and with `import devarray as
np`, on the suite's own data, copied anew before each run and outside the timing. A run ends when the device has done
its work. The two take turns in a process of the kernel's own; minima count. Results are compared; where they differ,
NumPy is asked what becomes of data that differ in the last bit.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import subprocess
import sys
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

REMARKS = {"yes": "", "no": "  differs", "chaos": "  NumPy's differ as much where the data differ in the last bit"}


def module_of(path: Path, ours: bool = False) -> types.ModuleType:
    text = path.read_text()
    if ours:
        text = text.replace("import numpy as np", "import devarray as np")
    module = types.ModuleType(path.stem)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def data_of(folder: Path, about: dict[str, Any], size: str) -> dict[str, Any]:
    """The suite's arguments of a kernel: sizes and arrays."""
    data = dict(about["parameters"][size])
    begin = about.get("init")
    if begin:
        made = getattr(module_of(folder / f"{about['module_name']}.py"), begin["func_name"])(
            *[data[name] for name in begin["input_args"]]
        )
        names = begin["output_args"]
        data.update(zip(names, made if len(names) > 1 else (made,), strict=True))
    return data


def flat(result: Any) -> list[Any]:
    if result is None:
        return []
    return list(result) if isinstance(result, (tuple, list)) else [result]


def same(a: Any, b: Any) -> bool:
    import numpy as np

    a, b = (np.asarray(each.copy_to_host() if hasattr(each, "copy_to_host") else each) for each in (a, b))
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "fc":
        return bool(np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True))
    return bool(np.array_equal(a, b))


def agree(found: list[Any], wanted: list[Any]) -> bool:
    return len(found) == len(wanted) and all(map(same, found, wanted))


def a_last_bit_off(value: Any) -> Any:
    """A copy whose floating-point elements are the next larger numbers."""
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.nextafter(value, np.inf, dtype=value.dtype)
    return copy.deepcopy(value)


def child(checkout: Path, name: str, size: str, seconds: float) -> dict[str, Any]:
    """Seconds of one kernel: NumPy's, the device's, and the device's first run."""
    import numpy as np

    import devarray as da

    warnings.simplefilter("ignore")
    about = json.loads((checkout / "bench_info" / f"{name}.json").read_text())["benchmark"]
    folder = checkout / "npbench" / "benchmarks" / about["relative_path"]
    data = data_of(folder, about, size)
    path = folder / f"{about['module_name']}_numpy.py"
    theirs, ours = (getattr(module_of(path, device), about["func_name"]) for device in (False, True))

    def run(call: Callable[..., Any], move: Callable[[Any], Any]) -> tuple[float, list[Any]]:
        moved = {key: move(value) for key, value in data.items()}
        np.random.seed(0)
        da.synchronize()
        begin = time.perf_counter()
        found = flat(call(*[moved[key] for key in about["input_args"]]))
        for each in [*found, *moved.values()]:
            if isinstance(each, da.Array):
                each.evaluate()
        da.synchronize()
        spent = time.perf_counter() - begin
        return spent, found + [moved[key] for key in about.get("output_args", [])]

    def moved(value: Any) -> Any:
        return da.asarray(value, copy=True) if isinstance(value, np.ndarray) else copy.deepcopy(value)

    first, found = run(ours, moved)
    numpy, wanted = run(theirs, copy.deepcopy)
    good = "yes" if agree(found, wanted) else "no" if agree(run(theirs, a_last_bit_off)[1], wanted) else "chaos"
    del found, wanted
    device, runs, end = math.inf, 0, time.perf_counter() + seconds
    while runs < 2 or (time.perf_counter() < end and runs < 40):
        device = min(device, run(ours, moved)[0])
        numpy = min(numpy, run(theirs, copy.deepcopy)[0])
        runs += 1
    return {"name": about["short_name"], "numpy": numpy, "device": device, "first": first, "runs": runs, "same": good}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, required=True, help="folder of the suite")
    parser.add_argument("--size", default="M", choices=("S", "M", "L", "paper"), help="the suite's size (%(default)s)")
    parser.add_argument("--only", default="", help="kernels by file name, with commas")
    parser.add_argument("--seconds", type=float, default=3, help="of runs for each kernel (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(child(given.checkout, given.child, given.size, given.seconds)))
        return
    names = (
        given.only.split(",") if given.only else sorted(p.stem for p in (given.checkout / "bench_info").glob("*.json"))
    )
    print(f"{'ms, ' + given.size:<28}{'NumPy':>11}{'devarray':>11}{'first':>11}{'ratio':>8}")
    rows = []
    for name in names:
        command = [sys.executable, "-P", __file__, "--child", name, "--checkout", str(given.checkout)]
        done = subprocess.run(
            [*command, "--size", given.size, "--seconds", str(given.seconds)], stdout=subprocess.PIPE, text=True
        )
        if done.returncode:
            print(f"{name:<28} failed, status {done.returncode}", flush=True)
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        rows.append(row | {"file": name})
        times = "".join(f"{row[key] * 1e3:>11.2f}" for key in ("numpy", "device", "first"))
        print(f"{name:<28}{times}{row['numpy'] / row['device']:>8.2f}{REMARKS[row['same']]}", flush=True)
    if rows:
        mean = math.exp(sum(math.log(row["numpy"] / row["device"]) for row in rows) / len(rows))
        print(f"{len(rows)} kernels, geometric mean {mean:.2f} x NumPy's speed")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
