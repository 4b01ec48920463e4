"""The layers of docs/design.md: a place may know those above it in the table, never one below."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

CXX_KNOWS = {
    "common": {"common"},
    "opencl": {"common", "opencl"},
    "cuda": {"common", "cuda"},
    "memory": {"common", "opencl", "cuda", "memory"},
    "engine": {"common", "opencl", "cuda", "memory", "engine"},
    "bind": {"common", "opencl", "cuda", "memory", "engine", "bind"},
}

# Layers of the package. A module of its own name is a layer; modules that share one are listed in LAYER_OF; whatever is
# named nowhere is a chapter of public functions.
BASE = {"_core", "errors", "arguments", "config", "cachefiles", "logs"}
PY_KNOWS = {
    "errors": set(),
    "arguments": {"errors"},
    "config": {"_core", "errors"},
    "cachefiles": set(),
    "logs": set(),
    "ops": {"ops"},
    "device": {"device"} | BASE,
    "cl": {"cl", "device"} | BASE,
    "cuda": {"cuda", "_core", "errors", "arguments", "cachefiles"},
    "codegen": {"codegen", "ops"},
    "compiler": {"codegen", "ops"} | BASE,
    "array": {"array", "ops", "device"} | BASE,
}
PY_KNOWS["services"] = {"services", "array", "compiler", "codegen"} | PY_KNOWS["array"]
PY_KNOWS["chapters"] = {"chapters", "cuda"} | PY_KNOWS["services"]  # cuda: NVIDIA's libraries
PY_KNOWS["interop"] = {"interop"} | PY_KNOWS["chapters"]
PY_KNOWS["public"] = set(PY_KNOWS) | {"_core"}
PY_KNOWS["commands"] = {"commands", "public"} | PY_KNOWS["public"]
LAYER_OF = {
    "alloc": "device",
    "host": "services",  # what the chapters share
    "planned": "services",
    "counting": "services",
    "raw": "array",
    "methods": "array",
    "moving": "array",
    "outputs": "array",
    "reducing": "array",
    "registry": "array",
    "ufuncs": "array",
    "dtypes": "services",
    "__init__": "public",
    "__main__": "commands",
    "demo": "commands",
}


# --- C++ ---------------------------------------------------------------------------------------------------------

CXX_FILES = sorted(p for p in (ROOT / "csrc").rglob("*") if p.suffix in (".cpp", ".hpp", ".h", ".c"))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", CXX_FILES, ids=relative)
def test_includes_point_upwards(path: Path) -> None:
    layer = path.relative_to(ROOT / "csrc").parts[0]
    assert layer in CXX_KNOWS, f"csrc/{layer}/ is no layer of docs/design.md"
    included = [name for quote, name in INCLUDE.findall(path.read_text()) if quote == '"']
    targets = {name: (name.split("/")[0] if "/" in name else layer) for name in included}
    wrong = sorted(name for name, target in targets.items() if target not in CXX_KNOWS[layer])
    assert not wrong, f"{relative(path)} is of {layer}/ and must not include {', '.join(wrong)}"


@pytest.mark.parametrize("path", [p for p in CXX_FILES if "bind" not in p.parts], ids=relative)
def test_only_bind_knows_python(path: Path) -> None:
    wrong = [name for _, name in INCLUDE.findall(path.read_text()) if re.match(r"pybind11/|(?:.*/)?Python\.h$", name)]
    assert not wrong, f"{relative(path)} includes {', '.join(wrong)}: only csrc/bind/ may"


LOOP = re.compile(r"\bfor \((?:const )?py::(?:handle|object)&? \w+ : (?!items_of\()[^;]*")


@pytest.mark.parametrize("path", [p for p in CXX_FILES if "bind" in p.parts], ids=relative)
def test_loops_over_python_objects_hold_the_items(path: Path) -> None:
    """pybind11's iterators over sequences give handles of objects that may be gone at once."""
    loops = [loop for loop in LOOP.findall(path.read_text()) if "handlers)" not in loop]
    assert not loops, f"{relative(path)}: {loops[0]!r} wants items_of()"


def test_the_build_tells_of_its_layers_where_that_is_asked() -> None:
    """A source that asks whether there is CUDA and is not told is compiled without it, in silence."""
    build = (ROOT / "CMakeLists.txt").read_text()
    told = build[build.index("set_source_files_properties(") : build.index("PROPERTIES COMPILE_DEFINITIONS")].split()
    asking = [relative(path) for path in CXX_FILES if "DEVARRAY_HAS_" in path.read_text()]
    assert asking
    missing = sorted(set(asking) - {word.removeprefix("set_source_files_properties(") for word in told})
    assert not missing, f"CMakeLists.txt gives {', '.join(missing)} no DEVARRAY_HAS_ definitions"


# --- Python ------------------------------------------------------------------------------------------------------

PACKAGE = ROOT / "devarray"
PY_FILES = sorted(PACKAGE.rglob("*.py"))


def layer_of(module: str) -> str:
    """The layer of ``devarray.<module>``."""
    name = LAYER_OF.get(module, module)
    return name if name in PY_KNOWS or name == "_core" else "chapters"


def imported_modules(path: Path) -> Iterator[str]:
    """First names below ``devarray`` of everything that a file imports; ``__init__`` where it is the package itself."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    package = parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):  # whole files: an import inside a function is an arrow too
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from first_below(tuple(alias.name.split(".")))
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            target = base + tuple((node.module or "").split(".") if node.module else ())
            if target == ("devarray",):
                for alias in node.names:
                    yield from first_below((*target, alias.name))
            else:
                yield from first_below(target)


def first_below(dotted: tuple[str, ...]) -> Iterator[str]:
    if dotted[:1] != ("devarray",):
        return
    name = dotted[1] if len(dotted) > 1 else "__init__"
    is_module = name == "_core" or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()
    yield name if is_module else "__init__"


def package_path(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", PY_FILES, ids=package_path)
def test_imports_point_upwards(path: Path) -> None:
    inside = path.relative_to(PACKAGE)
    layer = layer_of(inside.parts[0] if len(inside.parts) > 1 else inside.stem)
    wrong = sorted({module for module in imported_modules(path) if layer_of(module) not in PY_KNOWS[layer]})
    assert not wrong, f"devarray/{inside} is of the layer {layer!r} and must not import {', '.join(wrong)}"


# --- around the package ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted(p for folder in ("examples", "benchmarks") for p in (ROOT / folder).rglob("*.py")), ids=relative
)
def test_programs_use_the_public_namespace(path: Path) -> None:
    private = sorted({name for name in imported_modules(path) if name.startswith("_") and name != "__init__"})
    assert not private, f"{relative(path)} imports {', '.join(private)}, which is not public"


def test_the_conformance_kit_is_no_package() -> None:
    assert not list((ROOT / "array_api_compat").rglob("__init__.py"))
