"""The layers of the package: which module may import which, and the picture of it in docs/.

    python tools/layers.py             prints the layers, with the arrows between them
    python tools/layers.py write       writes docs/layers.svg

An import counts wherever it stands: in a function, under TYPE_CHECKING, or as a name in the tables of
devarray/_namespace.py and devarray/_hooks.py, by which modules are imported when they are first needed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "devarray"
PICTURE = ROOT / "docs" / "layers.svg"

LAYERS: dict[str, str] = {
    "base": "_core _typing errors ops _namespace _runtime _runtime.locate _runtime.cache_folder _runtime.arguments"
    " _runtime.install _runtime.side_by_side",
    "code": "codegen",
    "settings": "_runtime.settings _runtime.config _runtime.compiler_waits _runtime.disk_cache _runtime.logs"
    " _runtime.prebuilt",
    "drivers": "cl cuda _alloc alloc",
    "runtime": "_runtime.devices _runtime.compiler _runtime.build_hooks",
    "array": "_array array",
    "primitives": "_primitives",
    "routines": "_routines linalg fft random lib special emath polynomial ma char rec strings typing"
    " exceptions dtypes ctypeslib",
    "kernels": "_kernels",
    "interop": "interop testing dask",
    "profiling": "_profiling",
    "namespace": "_hooks __init__",
    "programs": "_demo _run _warmup __main__",
    "seeds": "cl._array cl._array_elements cl._array_places cl._array_records cl._array_reductions cl._bessel"
    " cl._capture cl._events cl._list_builder cl._templates cl.algorithm cl.array cl.bitonic_sort"
    " cl.clmath cl.clrandom cl.elementwise cl.reduction cl.scan cuda._gpuarray cuda._gpuarray_forms"
    " cuda._gpuarray_reductions cuda._vectors cuda.gpuarray cuda.elementwise"
    " cuda.reduction cuda.cumath cuda.scan"
    " cuda.tools cuda._c_types cuda.characterize"
    " cuda._pools cuda._splay cuda.curandom cuda._random cuda._sobol",
}
"""From the ground up: a module may import those of its own layer and of the layers before it, and of them only such as
do not import it."""

TABLES = {"_namespace": "__init__", "_hooks": "_hooks"}
"""Modules whose strings name modules, and who imports those."""


def name_of(path: Path) -> str:
    """A module's name below ``devarray``: "linalg" for linalg/__init__.py, "__init__" for the package's own."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def layer_of(module: str) -> str | None:
    """The layer that names the module, or the nearest package above it."""
    while module:
        for layer, names in LAYERS.items():
            if module in names.split():
                return layer
        module = module.rpartition(".")[0]
    return None


def resolve(dotted: tuple[str, ...]) -> str:
    """The module that ``devarray.<dotted>`` is in: itself, or the one that defines the name."""
    if dotted[:1] == ("_core",):
        return "_core"
    for end in range(len(dotted), 0, -1):
        if ".".join(dotted[:end]) in MODULES:
            return ".".join(dotted[:end])
    return "__init__"


def imports_of(module: str) -> Iterator[str]:
    """The modules that one imports, wherever in its file."""
    path = MODULES[module]
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "devarray":
                    yield resolve(tuple(alias.name.split(".")[1:]))
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            target = base + tuple((node.module or "").split(".") if node.module else ())
            if target[:1] == ("devarray",):
                for alias in node.names:
                    yield resolve((*target[1:], *(() if alias.name == "*" else (alias.name,))))
        elif module in TABLES and isinstance(node, ast.Constant) and node.value in MODULES:
            yield str(node.value)


def arrows() -> dict[str, set[str]]:
    """Who imports whom: module to modules."""
    found: dict[str, set[str]] = {module: set() for module in MODULES}
    for module in MODULES:
        strings = TABLES.get(module, module)
        for target in imports_of(module):
            if target != module:
                found[strings if module in TABLES else module].add(target)
    for module, targets in found.items():
        targets.discard(module)
    return found


def upward(graph: dict[str, set[str]]) -> list[str]:
    """The arrows that point to a later layer."""
    order = list(LAYERS)
    wrong = []
    for module, targets in graph.items():
        for target in sorted(targets):
            own, other = layer_of(module), layer_of(target)
            if own is None or other is None or order.index(other) > order.index(own):
                wrong.append(f"{module} ({own}) -> {target} ({other})")
    return wrong


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import each other in a circle (strongly connected components, by Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for target in graph.get(module, ()):
            if target not in index:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], index[target])
        if low[module] == index[module]:
            group = []
            while not group or group[-1] != module:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for module in graph:
        if module not in index:
            visit(module)
    return found


def between_layers(graph: dict[str, set[str]]) -> dict[tuple[str, str], int]:
    """How many imports go from one layer to another."""
    counts: dict[tuple[str, str], int] = {}
    for module, targets in graph.items():
        for target in targets:
            pair = (layer_of(module) or "?", layer_of(target) or "?")
            if pair[0] != pair[1]:
                counts[pair] = counts.get(pair, 0) + 1
    return counts


def rooms(layer: str) -> str:
    """The layer's modules and packages, with the packages' modules."""
    words = []
    for name in LAYERS[layer].split():
        inside = [m for m in MODULES if m.startswith(f"{name}.")]
        words.append(f"{name} ({len(inside)})" if inside else name)
    return "  ".join(words)


def picture(graph: dict[str, set[str]]) -> str:
    """The layers as boxes, the ground at the bottom, with the number of imports that each makes below it."""
    order, counts, high = list(LAYERS), between_layers(graph), 46
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{high * len(order) + 20}" '
        'font-family="sans-serif" font-size="13">'
    ]
    for row, layer in enumerate(reversed(order)):
        y = 10 + row * high
        below = ", ".join(f"{b} {n}" for (a, b), n in sorted(counts.items(), key=lambda c: (-c[1], c[0])) if a == layer)
        lines += [
            f'<rect x="10" y="{y}" width="880" height="{high - 6}" rx="4" fill="#eef3f8" stroke="#7a8ba0"/>',
            f'<text x="20" y="{y + 17}" font-weight="bold">{layer}</text>',
            f'<text x="120" y="{y + 17}">{rooms(layer)}</text>',
            f'<text x="120" y="{y + 33}" fill="#5a6b80" font-size="11">imports: {below or "nothing"}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def report(graph: dict[str, set[str]]) -> str:
    """The layers in words, from the top."""
    counts = between_layers(graph)
    lines = []
    for layer in reversed(LAYERS):
        below = ", ".join(f"{b} {n}" for (a, b), n in sorted(counts.items(), key=lambda c: (-c[1], c[0])) if a == layer)
        lines.append(f"{layer:11} {rooms(layer)}\n{'':11} imports: {below or 'nothing'}")
    return "\n".join(lines)


if __name__ == "__main__":
    found = arrows()
    if sys.argv[1:] == ["write"]:
        PICTURE.write_text(picture(found))
    else:
        print(report(found))
        for arrow in upward(found):
            print("upward:", arrow)
        for circle in circles(found):
            print("circle:", *circle)
