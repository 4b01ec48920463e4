"""The layers of docs/design.md: a place may know those above it in the table, never one below."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import layers  # noqa: E402

CXX_KNOWS = {
    "common": {"common"},
    "opencl": {"common", "opencl"},
    "cuda": {"common", "cuda"},
    "memory": {"common", "opencl", "cuda", "memory"},
    "engine": {"common", "opencl", "cuda", "memory", "engine"},
    "testing": {"common", "memory", "testing"},
    "bind": {"common", "opencl", "cuda", "memory", "engine", "testing", "bind"},
}

CXX_CALLS = {
    "cl._capture",
    "cl._include",
    "errors",
    "_runtime.devices",
    "_runtime.install",
    "_runtime.logs",
    "_runtime.synchronization",
    "cl._constants",
    "cl._errors",
    "cl._map",
    "cl._runtimes",
    "cl._svm",
    "cl._topology",
}
CXX_CALLS |= {"interop.dlpack"}  # by DLPack's table of C functions
"""Python modules that csrc/bind imports by name. All else reaches C++ through devarray/_hooks.py."""


# --- C++ ---------------------------------------------------------------------------------------------------------

CXX_FILES = sorted(p for p in (ROOT / "csrc").rglob("*") if p.suffix in (".cpp", ".hpp", ".inl", ".h", ".c"))
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


def test_python_is_called_through_hooks() -> None:
    named = {name for p in CXX_FILES for name in re.findall(r'import\("devarray\.([\w.]+)"\)', p.read_text())}
    assert named == CXX_CALLS
    assert named <= set(layers.MODULES)


# --- Python ------------------------------------------------------------------------------------------------------

GRAPH = layers.arrows()


@pytest.mark.parametrize("module", layers.MODULES)
def test_every_module_has_a_layer(module: str) -> None:
    assert layers.layer_of(module) is not None, f"devarray.{module} stands in no layer of tools/layers.py"


def test_no_import_points_upwards() -> None:
    assert not layers.upward(GRAPH)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert not layers.circles(GRAPH)


def test_circles_and_arrows_that_point_upwards_are_found() -> None:
    graph = {"errors": {"array"}, "array": {"linalg"}, "linalg": {"fft"}, "fft": {"linalg"}}
    assert layers.circles(graph) == [["fft", "linalg"]]
    assert [line.split(" (")[0] for line in layers.upward(graph)] == ["errors", "array"]


def test_the_picture_is_that_of_the_imports() -> None:
    assert layers.PICTURE.read_text() == layers.picture(GRAPH), "run python tools/layers.py write"


def test_hooks_are_set_in_one_place() -> None:
    setting = {name for name, path in layers.MODULES.items() if "set_hooks(" in path.read_text()}
    assert setting == {"_array.operations", "_hooks"}  # operations: NumPy's classes, before the first operation


# --- around the package ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted(p for folder in ("examples", "benchmarks") for p in (ROOT / folder).rglob("*.py")), ids=relative
)
def test_programs_use_the_public_namespace(path: Path) -> None:
    private = sorted(set(re.findall(r"devarray\.(_[a-z]\w*)|from devarray import .*\b(_[a-z]\w*)", path.read_text())))
    assert not private, f"{relative(path)} imports {', '.join(private)}, which is not public"


def test_the_conformance_kit_is_no_package() -> None:
    assert not list((ROOT / "array_api_compat").rglob("__init__.py"))


# --- files that comments and documents name ----------------------------------------------------------------------

A_FILE = re.compile(r"(?<![\w/.])((?:[\w.]+/)+\w+\.(?:py|cpp|hpp|inl|sh))\b")
ROOMS = {"devarray", "csrc", "tests", "tools", "benchmarks", "examples"}


def test_files_that_are_named_are_there() -> None:
    """By their path from the root, or from csrc/, devarray/ or tests/ on."""
    sources = [p for room in ("csrc", "devarray") for p in (ROOT / room).rglob("*") if p.suffix in CODE]
    sources += [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), ROOT / "CMakeLists.txt"]
    rooms = ROOMS | {p.name for room in ("csrc", "devarray") for p in (ROOT / room).iterdir() if p.is_dir()}
    gone = {
        f"{relative(source)}: {named}"
        for source in sources
        for named in A_FILE.findall(source.read_text())
        if named.split("/")[0] in rooms - {"cl", "cuda"}
        if not any((ROOT / place / named).exists() for place in ("", "csrc", "devarray", "tests"))
    }
    assert not sorted(gone), "say where they are"


# --- sizes of files ----------------------------------------------------------------------------------------------

FOLDERS = ("array_api_compat", "benchmarks", "csrc", "devarray", "examples", "tests", "tools")
CODE = {".py", ".pyi", ".c", ".cpp", ".cuh", ".h", ".hpp", ".inl", ".sh"}
OTHERS = {".json", ".md", ".txt", ".typed"}  # data and documents, which are as long as they are
BUILT = {".pyc", ".so"}
MOST_LINES = 500
GENERATED = re.compile(r"\bwritten by tools/\w+\.py\b", re.IGNORECASE)


def too_long(path: Path) -> bool:
    """Whether a file has more lines than a reader should meet at once, and no tool wrote it, as its head would say."""
    lines = path.read_text().splitlines()
    return len(lines) > MOST_LINES and not GENERATED.search(" ".join(lines[:30]))


def test_no_file_but_generated_ones_is_long() -> None:
    files = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.is_file()]
    code = [p for p in files if p.suffix not in OTHERS | BUILT]
    assert not [relative(p) for p in code if p.suffix not in CODE], "is it code? then its lines are counted"
    assert not sorted(map(relative, filter(too_long, code))), "split them by subject"


def test_long_files_are_found(tmp_path: Path) -> None:
    line, path = "x = 1\n", tmp_path / "x.py"
    for text, wanted in [
        (line * MOST_LINES, False),
        (line * (MOST_LINES + 1), True),
        ('"""A table.\n\nWritten by tools/make_it.py: do not edit.\n"""\n' + line * MOST_LINES, False),
        (line * MOST_LINES + "# what is written by tools/make_it.py is read here\n", True),
    ]:
        path.write_text(text)
        assert too_long(path) is wanted
