"""`import devarray` loads what every program needs; the other public names come when they are first asked for."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import devarray as da
from devarray._namespace import CHAPTERS, MODULES, NAMES, OTHERS

NEEDED_BY_ALL = {
    f"devarray{'.' * bool(package)}{package}{'.' * bool(name)}{name}"
    for package, names in {
        "": "_core _hooks _namespace array errors",
        "_array": """attributes masked memory methods moments numbers numpy_forms
            operations order out protocols reductions shape sorting transfers ufunc_call
            values""",
        "_primitives": """convert cuda_interface host host_arrays join opaque opaque_assign opaque_casts opaque_dtypes
            opaque_elements opaque_moves opaque_numbers opaque_texts""",
        "_runtime": "arguments config devices forks install lines locate settings",
        "ops": "dtypes table",
    }.items()
    for name in ("", *names.split())
}


def run(program: str) -> str:
    """What a program prints in a fresh interpreter."""
    command = [sys.executable, "-P", "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_loads_what_every_program_needs() -> None:
    program = """
        import sys
        import devarray
        print(*(name for name in sys.modules if name.startswith("devarray")))
    """
    assert set(run(program).split()) - {"devarray._core.testing"} == NEEDED_BY_ALL


@pytest.mark.parametrize("chapter", sorted(CHAPTERS))
def test_a_chapters_row_is_its_public_names(chapter: str) -> None:
    module = importlib.import_module(f"devarray.{chapter}")
    assert CHAPTERS[chapter].split() == module.__all__
    for name in module.__all__:
        assert inspect.unwrap(getattr(da, name)) is inspect.unwrap(getattr(module, name))


def test_every_public_name_is_listed_once_and_found() -> None:
    assert sorted(set(da.__all__)) == sorted(da.__all__)
    assert set(da.__all__) <= set(dir(da))
    assert set(NAMES) | set(MODULES) <= set(da.__all__)
    taken: dict[str, object] = {}
    exec("from devarray import *", taken)
    assert all(taken[name] is getattr(da, name) for name in da.__all__)


def test_a_name_is_looked_up_once() -> None:
    program = """
        import devarray as da
        assert "quantile" in dir(da) and "quantile" not in vars(da)
        found = da.quantile
        print(vars(da)["quantile"] is found)
    """
    assert run(program) == "True"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(da, "qantile")
    with pytest.raises(AttributeError, match=r"'devarray' has no attribute 'qantile'"):
        _ = da.qantile
    with pytest.raises(ImportError, match="qantile"):
        exec("from devarray import qantile")


@pytest.mark.parametrize("module", OTHERS)
def test_names_of_other_libraries_are_told_what_does_the_same(module: str) -> None:
    found = importlib.import_module(module)
    for name, instead in OTHERS[module].items():
        assert not hasattr(found, name)
        with pytest.raises(AttributeError, match=rf"'{module}' has no attribute '{name}': {re.escape(instead)}"):
            getattr(found, name)
        for path in re.findall(r"\bdevarray((?:\.\w+)+)", instead):  # what it names is there
            at = da
            for part in path[1:].split("."):
                at = getattr(at, part) if hasattr(at, part) else importlib.import_module(f"{at.__name__}.{part}")
    with pytest.raises(AttributeError, match=rf"'{module}' has no attribute 'qantile'$"):
        _ = found.qantile


def test_modules_of_pyopencls_come_when_they_are_asked_for() -> None:
    program = """
        import devarray.cl as cl
        print(cl.tools.MemoryPool.__name__, hasattr(cl.cltypes, "float4"), hasattr(cl, "tool"))
    """
    assert run(program) == "MemoryPool True False"


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("x[da.asarray([2, 0])]", "[2. 0.]"),
        ("x[x > 1]", "[2. 3.]"),
        ("put(x, x > 1, -1.0)", "[ 0.  1. -1. -1.]"),
        ("x + 1", "[1. 2. 3. 4.]"),
        ("x.sum()", "6.0"),
        ("x @ x", "14.0"),
        ("np.add(x, x)", "[0. 2. 4. 6.]"),
        ("np.sum(x)", "6.0"),
        ("np.inner(x, x)", "14.0"),
        ("x.__array_namespace__().max(x)", "3.0"),
        ("x.__dlpack_device__() == da.from_dlpack(x).__dlpack_device__()", "True"),
        ("type(x.__dlpack__()).__name__", "PyCapsule"),
        ("da.asarray(np.ones(2))", "[1. 1.]"),
        ("hasattr(x, '__cuda_array_interface__') == (x.device.driver == 'cuda')", "True"),
        ("da.linalg.norm(x[1:2])", "1.0"),
    ],
)
def test_each_first_use_finds_its_module(expression: str, printed: str) -> None:
    program = f"""
        import numpy as np
        import devarray as da

        def put(x, where, value):
            x[where] = value
            return x

        x = da.arange(4, dtype=da.float32)
        for _ in range(2):
            print({expression})
    """
    assert run(program).splitlines() == [printed, printed]


@pytest.mark.usefixtures("device")
def test_threads_may_ask_first_at_once() -> None:
    program = """
        import threading
        import devarray as da

        x = da.arange(4, dtype=da.float32)
        start = threading.Barrier(8)
        uses = 2 * [
            lambda: x @ x,
            lambda: da.vdot(x, x),
            lambda: da.linalg.vecdot(x, x),
            lambda: da.einsum("i,i", x, x),
        ]
        results = []

        def work(use):
            start.wait()
            results.append(float(use()))

        threads = [threading.Thread(target=work, args=(use,)) for use in uses]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(results)
    """
    assert run(program) == str([14.0] * 8)


@pytest.mark.parametrize(("name", "instead"), [("NaN", "Use `np.nan` instead"), ("float", "use `float` by itself")])
def test_of_names_that_numpy_had_once_its_advice_is_given(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=instead):
        getattr(np, name)
    with pytest.raises(AttributeError, match=rf"'devarray' has no attribute '{name}': .*{instead}"):
        getattr(da, name)
