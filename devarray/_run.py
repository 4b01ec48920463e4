"""``python -m devarray run``: a NumPy program on the device, without an edit.

``import numpy`` in the program and in the modules beside it gives the stand-in of devarray/interop/stand_in.py;
installed packages keep NumPy. The program's modules get builtins of their own, whose ``__import__`` does that.
"""

from __future__ import annotations

import argparse
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache, partial, wraps
from types import CodeType, FunctionType, ModuleType
from typing import Any

import devarray as da
from devarray import _core
from devarray._primitives.opaque import OpaqueArray
from devarray.interop import (
    stand_in_array_api,
    stand_in_autograd,
    stand_in_json,
    stand_in_pandas,
    stand_in_sqlite3,
    stand_in_standard_library,
    stand_in_testing,
    stand_in_views,
)
from devarray.interop.stand_in import Record, modules, names_in
from devarray.interop.stand_in_numba import StandInForNumba
from devarray.interop.stand_in_protocols import in_programs_names
from devarray.interop.stand_in_standard_library import TAKING, StandInModule
from devarray.interop.stand_in_types import ANY_ARRAY, has_attribute, is_instance, kinds

__all__ = ["add_arguments", "main", "report"]

ABOUT = "run a NumPy program with its arrays on the device"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--report", action="store_true", help="end with a table of what ran where, and what would gain")
    parser.add_argument(
        "--small", type=int, default=0, metavar="N", help="arrays of at most N elements stay on the host"
    )
    parser.add_argument("--device", metavar="NAME", help="cuda, opencl:0, gpu, cpu, or part of a device's name")
    rest = argparse.REMAINDER
    parser.add_argument("-m", dest="module", nargs=rest, metavar="MODULE", help="run a module, as python -m does")
    parser.add_argument("arguments", nargs=rest, metavar="SCRIPT [ARGUMENTS]", help="the program")


def main(options: argparse.Namespace) -> int:
    """Run the program of a command line; returns the exit status."""
    given = list(options.arguments if options.module is None else options.module)
    if not given:
        print("devarray: run takes a script, or -m and a module", file=sys.stderr)
        return 2
    record = Record(small=options.small)
    written = da.config.repr, da.config.fallback
    da.config.repr, da.config.fallback = "numpy", "allow"  # for the program's threads, too
    of_processes = os.environ.get("DEVARRAY_FALLBACK")
    os.environ["DEVARRAY_FALLBACK"] = "allow"  # for processes that it starts, to which it may send arrays
    if options.device:
        os.environ["DEVARRAY_DEVICE"] = options.device
    _core.set_class_to_program(ANY_ARRAY)
    begun = time.perf_counter()
    with da.use(device=options.device) if options.device else nullcontext():
        try:
            module = given.pop(0) if options.module is not None else None
            status = _execute(module, given, record)
            da.synchronize()
        finally:
            da.config.repr, da.config.fallback = written
            os.environ.pop("DEVARRAY_FALLBACK")
            if of_processes is not None:
                os.environ["DEVARRAY_FALLBACK"] = of_processes
            _core.set_class_to_program(None)
            if options.report:
                print(report(record, time.perf_counter() - begun), file=sys.stderr)
    return status


def _execute(module: str | None, given: list[str], record: Record) -> int:
    if module is None:
        path = os.path.abspath(given[0])
        folder, argv = os.path.dirname(path), given
        code = compile(_text(given[0]), given[0], "exec", dont_inherit=True)
        spec = None
    else:
        folder = os.getcwd()
        sys.path.insert(0, folder)
        spec, code = _module_code(module)
        path = spec.origin or module
        argv = [path, *given]
    if module is None:
        sys.path.insert(0, folder)
    undo: list[Callable[[], None]] = []
    finder = _Beside(folder)
    names = finder.names = _builtins(record, undo, finder)
    sys.meta_path.insert(0, finder)
    main_module = ModuleType("__main__")
    main_module.__dict__.update(__builtins__=names, __file__=path, __spec__=None)
    if spec is not None:
        main_module.__package__ = spec.parent
    kept = sys.argv, sys.modules["__main__"]
    sys.argv, sys.modules["__main__"] = list(argv), main_module
    try:
        exec(code, main_module.__dict__)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    finally:
        sys.argv, sys.modules["__main__"] = kept
        sys.meta_path.remove(finder)
        sys.path.remove(folder)
        for step in undo:
            step()
    return 0


def _text(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise da.errors.ValueError(f"run: {error}") from None


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:  # the package that it would be in
        return None


def _module_code(name: str) -> tuple[importlib.machinery.ModuleSpec, CodeType]:
    spec = _spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = _spec(f"{name}.__main__")
    if spec is None or not isinstance(spec.loader, importlib.abc.InspectLoader):
        raise da.errors.ValueError(f"run: there is no module {name} of Python source")
    code = spec.loader.get_code(spec.name)
    if code is None:
        raise da.errors.ValueError(f"run: the module {name} has no code")
    return spec, code


def _builtins(record: Record, undo: list[Callable[[], None]], finder: _Beside) -> dict[str, Any]:
    """Builtins whose ``__import__`` gives the stand-in for NumPy; `undo` takes what ends with the program."""
    stand_in, stand_in_for_numba = modules(record), cache(StandInForNumba)
    undo.append(stand_in_views.teach())
    stand_in_for_python = cache(StandInModule)
    untaught = {"json": stand_in_json.teach, "pandas.core.groupby.groupby": stand_in_pandas.teach}
    untaught |= {"sqlite3": stand_in_sqlite3.teach, "autograd.numpy": stand_in_autograd.teach}
    untaught["array_api_compat"] = stand_in_array_api.teach
    untaught |= {"numpy.testing": stand_in_testing.teach, "pytest": stand_in_testing.teach_pytest}
    untaught["_pytest.assertion.rewrite"] = partial(stand_in_testing.teach_rewriting, finder.give_names)
    untaught |= {name: partial(stand_in_standard_library.teach, name) for name in ("fractions", "statistics")}
    plain: Callable[..., Any] = builtins.__import__

    def importing(
        name: str, globals: object = None, locals: object = None, fromlist: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        if level or name.partition(".")[0] != "numpy":
            found = plain(name, globals, locals, fromlist, level)
            for module in filter(_is_imported, untaught.keys() & sys.modules.keys()):
                undo.append(untaught.pop(module)())
            if found is sys.modules.get("numba"):
                return stand_in_for_numba(found)
            return stand_in_for_python(found) if getattr(found, "__name__", "") in TAKING else found
        plain(name)
        for member in fromlist or ():  # a module below it may still have to be imported
            plain(name, globals, locals, (member,), 0)
        return stand_in(name if fromlist else "numpy")

    own = {"isinstance": is_instance, "hasattr": has_attribute, "type": kinds}
    own["__build_class__"] = partial(_build_class, stand_in)
    return vars(builtins) | own | {"__import__": importing}


def _is_imported(name: str) -> bool:
    """Whether a module's package is no longer being imported, as it is while a copy beside the program runs."""
    spec = getattr(sys.modules.get(name.partition(".")[0]), "__spec__", None)
    return not getattr(spec, "_initializing", False)


def _build_class(stand_in: Callable[[str], ModuleType], /, *given: Any, **keywords: Any) -> Any:
    """A class of the program, whose methods NumPy's C code calls.

    It wants an ndarray of ``__array__``, where a program makes device arrays, and hands its own functions over, where
    the program looks for the stand-in's.
    """
    made: Any = builtins.__build_class__(*given, **keywords)
    if not isinstance(made, type):
        return made
    own = vars(made).get("__array__")
    if isinstance(own, FunctionType):
        made.__array__ = _giving_numpys(own)  # type: ignore[attr-defined]
    in_programs_names(made, stand_in)
    return made


def _giving_numpys(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def __array__(*args: Any, **kwargs: Any) -> Any:
        made = method(*args, **kwargs)
        return made.copy_to_host() if isinstance(made, da.Array | OpaqueArray) else made

    __array__.on_device = method  # type: ignore[attr-defined]
    return __array__


class _Beside(importlib.abc.MetaPathFinder):
    """Finds the program's modules, and gives them the program's builtins: those beside it, and on paths it adds."""

    def __init__(self, folder: str) -> None:
        self._folders, self._kept = [folder], frozenset(sys.path)
        self.names: dict[str, Any] = {}

    def give_names(self, module: ModuleType) -> None:
        """Give a module the program's builtins, where it is one of the program's that another loader loads."""
        path = getattr(module.__spec__, "origin", None)
        if path is not None and self._owns(path):
            module.__dict__["__builtins__"] = self.names

    def find_spec(self, name: str, path: Any = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module whose source lies in a folder of the program's."""
        if name.partition(".")[0] == "devarray":  # a checkout below the program's folder: its NumPy is NumPy's
            return None
        added = [os.path.abspath(p) for p in sys.path if p not in self._kept]
        self._folders += [p for p in added if p not in self._folders and "site-packages" not in p]
        where = self._folders if path is None else [p for p in path if self._owns(p)]
        spec = importlib.machinery.PathFinder.find_spec(name, where) if where else None
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        spec.loader = _Loader(name, spec.loader.path, self.names)
        return spec

    def _owns(self, path: str) -> bool:
        of = next((p for p in self._folders if os.path.abspath(path).startswith(p + os.sep)), None)
        return of is not None and "site-packages" not in path[len(of) :]


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, names: dict[str, Any]) -> None:
        super().__init__(name, path)
        self._names = names

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = self._names
        super().exec_module(module)


# --- the report ----------------------------------------------------------------------------------------------------


def report(record: Record, seconds: float, rows: int = 15) -> str:
    """The table that ends a run: what ran where, and what would gain most."""
    counts = da.stats()
    host, device = sum(c.seconds for c in record.host.values()), sum(c.seconds for c in record.device.values())
    lines = [
        f"devarray run: {seconds:.3f} s, of which {device:.3f} s in calls on the device and {host:.3f} s on the host",
        f"  {counts['launches']} launches, {counts['compilations']} compilations, {counts['waits']} waits, "
        f"{_bytes(counts['bytes_to_device'])} to the device, {_bytes(counts['bytes_to_host'])} to the host",
        f"  {'where':7} {'calls':>8} {'seconds':>9}  function",
    ]
    for side, name, found in list(names_in(record))[:rows]:
        lines.append(f"  {side:7} {found.calls:8} {found.seconds:9.4f}  {name}")
    advice = advise(record, counts)
    lines += ["  What would gain most:", *(f"  {n}. {text}" for n, text in enumerate(advice, 1))] if advice else []
    return "\n".join(lines)


def advise(record: Record, counts: dict[str, int]) -> list[str]:
    """At most three changes, the most promising first."""
    found: list[tuple[float, str]] = []
    for name, of in record.host.items():
        if of.why:
            why = of.why.splitlines()[0][:100]
            found.append((of.seconds, f"{name} ran on the host {of.calls} times, {of.seconds:.3f} s: {why}"))
    mean = record.elements / max(record.results, 1)
    if record.results > 100 and mean < 2000:
        seconds = sum(of.seconds for of in record.device.values())
        text = f"results have {mean:.0f} elements in the mean: --small {2000} leaves such arrays on the host"
        found.append((seconds, text))
    if counts["waits"] > 100:
        text = f"the program waits {counts['waits']} times for values (float(), if, item()): keep them as arrays"
        found.append((counts["waits"] * 1e-5, text))
    return [text for _, text in sorted(found, reverse=True)[:3]]


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count} B"
