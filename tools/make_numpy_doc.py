"""Write docs/numpy.md: every public name of NumPy's with its state here.

    python tools/make_numpy_doc.py            writes the page
    python tools/make_numpy_doc.py --check    fails where the page is not what the modules give

Signatures are compared by tests/test_numpy_signatures.py, which this reads.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent

import devarray as da  # noqa: E402
from devarray._namespace import MISSING, OF_DATES  # noqa: E402

PLACES: tuple[tuple[str, Any, Any], ...] = (
    ("numpy", np, da),
    ("numpy.linalg", np.linalg, da.linalg),
    ("numpy.fft", np.fft, da.fft),
    ("numpy.random", np.random, da.random),
    ("numpy.random.Generator", np.random.Generator, da.random.Generator),
    ("numpy.lib.stride_tricks", np.lib.stride_tricks, da.lib.stride_tricks),
    ("numpy.emath", np.emath, da.emath),
    ("numpy.testing", np.testing, da.testing),
    ("numpy.ndarray", np.ndarray, da.Array),
)
ON_HOST = OF_DATES | {
    "broadcast",
    "char",
    "memmap",
    "ndenumerate",
    "nditer",
    "nested_iters",
    "RandomState",
    "rec",
    "strings",
}
"""Names that read a copy on the host, or draw there."""
WHY = MISSING | {
    "base": "views do not tell what they are views of",
    "resize": "memory does not grow in place; devarray.resize makes a new array",
    "bit_generator": "import it from numpy.random",
    "mtrand": "private",
    "get_bit_generator": "the module's generator is Philox; seed() starts it again",
    "set_bit_generator": "the module's generator is Philox; seed() starts it again",
    "random_integers": "randint",
    "permuted": "draw by a Generator over one of NumPy's bit generators",
}

_CLASS = "of NumPy's class, and values of arrays are instances: isinstance(x[0], devarray.integer)"
REMARKS = {
    "datetime64": "arrays of dates are DatetimeArrays on the device: see the guide",
    "timedelta64": "as datetime64",
    "default_rng": "a generator over Philox: other numbers than numpy.random.default_rng's of the same seed",
    "seed": "starts Philox; numpy.random's numbers are RandomState(seed)'s",
    **dict.fromkeys(
        (
            *("complexfloating", "floating", "generic", "inexact", "integer", "number"),
            *("signedinteger", "unsignedinteger"),
        ),
        _CLASS,
    ),
}
"""What is to be said of names that both have."""


def _signatures() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("signatures", ROOT / "tests" / "test_numpy_signatures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def state(place: str, name: str, theirs: Any, ours: Any) -> tuple[str, str]:
    """State and remark of a name."""
    found = getattr(theirs, name)
    mine = getattr(ours, name, None)
    if mine is None and not hasattr(ours, name):
        return "missing", WHY.get(name, f"call {place}.{name} on copy_to_host()")
    if mine is found or place == "numpy.testing":
        return ("NumPy's", "") if mine is found else ("host", "compares copies on the host")
    if name in ON_HOST:
        return "host", "works on a copy on the host"
    if isinstance(mine, types.ModuleType):
        return "device", "a module"
    return "device", ""


def names(place: str, theirs: Any) -> list[str]:
    """Public names of a module or class."""
    listed = getattr(theirs, "__all__", None)
    found = listed if listed is not None and place != "numpy.linalg" else dir(theirs)
    return sorted(n for n in found if not n.startswith("_") and n not in ("annotations", "test"))


def render() -> str:
    """The page."""
    signatures = _signatures()
    parts = [
        "# Every public name of NumPy's",
        "",
        f"Written by tools/make_numpy_doc.py from NumPy {'.'.join(np.__version__.split('.')[:2])}: do not edit. "
        "*device*: an array's work is done on the device. *host*: it reads a copy, as its remark says. *NumPy's*: "
        "NumPy's own object is passed on, for what works on the host alone. Parameters that ours do not take as "
        "NumPy's do stand in the remark.",
    ]
    for place, theirs, ours in PLACES:
        rows = []
        for name in names(place, theirs):
            kind, remark = state(place, name, theirs, ours)
            prefix = place.removeprefix("numpy").removeprefix(".").replace("random.Generator", "random")
            key = f"{prefix}.{name}" if prefix else name
            if kind == "device" and inspect.isroutine(getattr(ours, name)) and key.rpartition(".")[0] in _PREFIXES:
                pair = signatures.signatures(key) if place != "numpy.random" else None
                told = signatures.differences(*pair) if pair else {}
                remark = "; ".join(f"`{key}`: {what}" for key, what in told.items()) or remark
            rows.append((name, kind, remark or REMARKS.get(name, "")))
        counts = {kind: sum(row[1] == kind for row in rows) for kind in ("device", "host", "NumPy's", "missing")}
        said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        parts += [
            "",
            f"## {place}",
            "",
            f"{len(rows)} names: {said}.",
            "",
            "| name | state | remark |",
            "|---|---|---|",
        ]
        parts += [f"| `{name}` | {kind} | {remark.replace('|', chr(92) + '|')} |" for name, kind, remark in rows]
    return "\n".join(parts) + "\n"


_PREFIXES = ("", "linalg", "fft", "random", "ndarray")


def main() -> None:
    """The command line."""
    path, text = ROOT / "docs" / "numpy.md", render()
    if "--check" in sys.argv[1:]:
        if path.read_text() != text:
            sys.exit("docs/numpy.md is not what the modules give; run python tools/make_numpy_doc.py")
    else:
        path.write_text(text)


if __name__ == "__main__":
    main()
