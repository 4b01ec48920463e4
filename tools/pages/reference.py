"""The reference: a page for each of NumPy's chapters, and one for each further public namespace.

Nothing is listed by hand but the chapters' titles: which names there are, and of which module they are, the package
says, by the same rules as tests/public_api.txt is written. A name of a module that no chapter knows comes under "More".
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import public_api

from devarray import lib
from devarray._namespace import HOME, MODULES

CHAPTERS = {
    "array": ("The class Array", ["array", "_primitives.opaque"]),
    "creation": ("Array creation", ["_routines.creation", "_primitives.convert"]),
    "manipulation": ("Array manipulation", ["_routines.manipulation"]),
    "indexing": ("Indexing", ["_routines.indexing"]),
    "math": ("Mathematical functions", ["_routines.math"]),
    "bitwise": ("Bit-wise operations", ["_routines.math.bits"]),
    "logic": ("Logic", ["_routines.logic"]),
    "linalg": ("Products of arrays", ["linalg"]),
    "sorting": ("Sorting, searching, sets", ["_routines.sorting"]),
    "statistics": ("Sums, statistics", ["_routines.statistics"]),
    "functional": ("Functional programming", ["_routines.functional"]),
    "io": ("Input and output", ["_routines.io"]),
    "dtypes": ("Data types", ["_routines.dtypes", "numpy"]),
    "transfers": (
        "Transfers, pinned and mapped memory",
        ["_routines.transfers", "_routines.host_memory", "_routines.mapped_memory"],
    ),
    "kernels": ("Kernels of your own", ["_kernels"]),
    "profiling": ("Profiling", ["_profiling"]),
    "devices": ("Devices, queues, settings", ["_runtime"]),
    "exchange": ("Exchange with other libraries", ["interop", "_routines.cuda_arrays"]),
    "errors": ("Errors", ["errors"]),
    "more": ("More", []),
}
"""File, title and modules below ``devarray`` of each chapter of the top level; the longest module that fits decides."""

DRIVERS = {
    "devarray.cl": "array elementwise reduction scan algorithm clmath clrandom cltypes characterize",
    "devarray.cuda": "compiler gpuarray elementwise reduction scan curandom cumath tools",
}
"""Modules of the drivers that are public under PyOpenCL's and PyCUDA's names, where they are there."""

TITLES = {
    "devarray.alloc": "Memory resources and allocators",
    "devarray.cl": "The OpenCL driver",
    "devarray.cl.tools": "Tools of the OpenCL driver",
    "devarray.cuda": "The CUDA driver",
    "devarray.errors": "The module of errors",
    "devarray.fft": "Fourier transforms",
    "devarray.lib": "lib",
    "devarray.lib.stride_tricks": "Stride tricks",
    "devarray.linalg": "Linear algebra",
    "devarray.random": "Random numbers",
    "devarray.special": "Special functions",
    "devarray.testing": "Testing",
}

BITWISE = ("bitwise_", "invert", "left_shift", "right_shift")
LOGIC = ("logical_", "is", "equal", "not_equal", "less", "greater")


class Entry(NamedTuple):
    """A public name: where it is reached, and what it is."""

    namespace: str
    name: str
    thing: Any

    @property
    def path(self) -> str:
        return f"{self.namespace}.{self.name}"


def entries(namespace: str) -> list[Entry]:
    """The public names of a module, as tests/public_api.txt has them."""
    module = import_module(namespace)
    names = public_api.OWN.get(namespace) or getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # names that NumPy 2.5 deprecates
        return [Entry(namespace, name, getattr(module, name)) for name in sorted(set(names), key=str.lower)]


@cache
def namespaces() -> list[str]:
    """Public modules but the top level: those of tests/public_api.txt, the package's other ones, the drivers' parts."""
    found = [name for name in public_api.NAMESPACES if name not in ("devarray", "devarray.array")]
    found += [f"devarray.{name}" for name, home in MODULES.items() if home == name]
    found += [f"{package}.{name}" for package, names in DRIVERS.items() for name in names.split()]
    there = [name for name in dict.fromkeys(found) if find_spec(name)]
    return sorted(name for name in there if name in public_api.NAMESPACES or hasattr(import_module(name), "__all__"))


@cache
def described_at() -> dict[int, str]:
    """Where each class is described: a class of several names has one description, and its other names lead there."""
    everywhere = [entry for namespace in ("devarray", *namespaces()) for entry in entries(namespace)]
    classes = [entry for entry in everywhere if inspect.isclass(entry.thing)]
    found: dict[int, str] = {}
    for entry in sorted(classes, key=lambda entry: entry.name != entry.thing.__name__):  # its own name first
        found.setdefault(id(entry.thing), entry.path)
    return found


def chapter_of(entry: Entry) -> str:
    """The file of the chapter that a name of the top level belongs to."""
    home = HOME.get(entry.name) or getattr(entry.thing, "__module__", None) or "numpy"
    home = home.removeprefix("devarray.")
    if entry.name in ("Device", "Queue", "Event", "config", "stats", "reset_stats"):
        home = "_runtime"
    if home == "_routines.math.elementwise":
        if entry.name.startswith(BITWISE):
            return "bitwise"
        if entry.name.startswith(LOGIC):
            return "logic"
    fits = [
        (len(module), file)
        for file, (_, modules) in CHAPTERS.items()
        for module in modules
        if home == module or home.startswith(f"{module}.")
    ]
    return max(fits)[1] if fits else "more"


def is_ours(thing: Any) -> bool:
    """Whether it has a docstring of ours: not NumPy's types, constants, and modules, which have pages of their own."""
    module = getattr(thing, "__module__", None) or getattr(type(thing), "__module__", "")
    return callable(thing) and not inspect.ismodule(thing) and module.startswith("devarray")


def page(title: str, groups: dict[str, list[Entry]], about: str = "") -> str:
    """A page of the reference: a table of its names, then each of them; NumPy's own and constants in a line."""
    lines = [title, "=" * len(title), "", *([about, ""] if about else [])]
    for namespace, found in groups.items():
        ours = [entry for entry in found if is_ours(entry.thing)]
        others = [entry for entry in found if not is_ours(entry.thing) and not inspect.ismodule(entry.thing)]
        lines += [f".. currentmodule:: {namespace}", ""]
        if ours:
            lines += [".. autosummary::", "", *(f"   {entry.name}" for entry in ours), ""]
        if others:
            lines += ["Constants, and what is NumPy's own:", ""]
            lines += [line for entry in others for line in (f".. py:data:: {entry.name}", "")]
        for entry in ours:
            lines += list(described(entry))
    return "\n".join(lines)


def described(entry: Entry) -> Iterator[str]:
    """The directive that writes one name's documentation."""
    if not inspect.isclass(entry.thing):
        yield from (f".. autofunction:: {entry.name}", "")
        return
    if (first := described_at()[id(entry.thing)]) != entry.path:
        yield from (f".. py:class:: {entry.name}", "", f"   The same as :py:obj:`{first}`.", "")
        return
    prefix = f"{entry.path}."
    members = [line.removeprefix(prefix).split("(")[0] for line in public_api.members(entry.path, entry.thing)]
    yield f".. autoclass:: {entry.name}"
    plain = [name for name in members if not name.startswith("__")]
    if plain:
        yield f"   :members: {', '.join(plain)}"
        yield "   :undoc-members:"
    if any(name.startswith("__") for name in members):
        yield f"   :special-members: {', '.join(name for name in members if name.startswith('__'))}"
    yield ""


def write(folder: Path) -> None:
    """Write all pages, and the list of them."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    chapters: dict[str, list[Entry]] = {file: [] for file in CHAPTERS}
    for entry in entries("devarray"):
        chapters[chapter_of(entry)].append(entry)
    for file, (title, _) in CHAPTERS.items():
        if chapters[file]:
            (folder / f"{file}.rst").write_text(page(title, {"devarray": chapters[file]}))
            written.append(file)
    seen = {entry.path for entry in entries("devarray")}
    for namespace in namespaces():
        found = [entry for entry in entries(namespace) if entry.path not in seen]
        if not found:
            continue
        about = (inspect.getdoc(import_module(namespace)) or "").split("\n\n")[0]
        (folder / f"{namespace}.rst").write_text(page(TITLES.get(namespace, namespace), {namespace: found}, about))
        written.append(namespace)
    (folder / "index.rst").write_text(index(written))


def index(files: list[str]) -> str:
    title = "Reference"
    top = "\n".join(f"   {file}" for file in files if not file.startswith("devarray."))
    modules = "\n".join(f"   {file}" for file in files if file.startswith("devarray."))
    return f"""{title}
{"=" * len(title)}

Every public name, from its docstring. ``devarray``'s own names by NumPy's chapters:

.. toctree::
   :maxdepth: 1

{top}

and the modules that are reached as its attributes:

.. toctree::
   :maxdepth: 1

{modules}
"""


def public_names() -> set[str]:
    """Every name that the site must have; modules and members of second names apart."""
    names = {line.split("(")[0] for line in public_api.lines()}
    every = [entry for namespace in namespaces() for entry in entries(namespace)]
    names |= {entry.path for entry in every if not inspect.ismodule(entry.thing)}
    modules = {f"devarray.{name}" for name in (*MODULES, *(f"lib.{part}" for part in lib.__all__))} | {
        *public_api.NAMESPACES,
        *namespaces(),
        "devarray.errors",
    }
    names = {name.replace("devarray.array.Array", "devarray.Array", 1) for name in names} - modules
    second = aliases()
    return {name for name in names if name.rpartition(".")[0] not in second}


def aliases() -> set[str]:
    """Second names of classes; members are described under the first: cl.MemoryObjectHolder is cl.MemoryObject."""
    found = [entry for namespace in namespaces() for entry in entries(namespace) if inspect.isclass(entry.thing)]
    return {entry.path for entry in found if described_at()[id(entry.thing)] != entry.path}


def missing(inventory: Path) -> list[str]:
    """The public names that are not in a built site's index."""
    from sphinx.util.inventory import InventoryFile

    with inventory.open("rb") as file:
        found = InventoryFile.loads(file.read(), uri="")
    known = {name for kind, objects in found.data.items() if kind.startswith("py:") for name in objects}
    return sorted(public_names() - known)
