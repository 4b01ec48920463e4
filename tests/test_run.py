"""``python -m devarray run``: programs of plain NumPy run unmodified, with NumPy's results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "numpy"


def run(*arguments: object, device: bool = True, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A Python process; the program on the device, or under NumPy."""
    command = [sys.executable, "-P", *(["-m", "devarray", "run"] if device else []), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("reaction_diffusion", ["--size", 96, "--steps", 100]),
        ("lattice_boltzmann", ["--nx", 104, "--ny", 36, "--steps", 60]),
        ("brain_waves", ["--repeat", 2]),
    ],
)
def test_examples_give_numpys_results(tmp_path: Path, name: str, options: list[object]) -> None:
    if name == "brain_waves":
        pytest.importorskip("matplotlib")
    for device in (False, True):
        done = run(EXAMPLES / f"{name}.py", *options, "--save", tmp_path / f"{device}.npz", device=device)
        assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "False.npz") as theirs, np.load(tmp_path / "True.npz") as ours:
        assert sorted(theirs) == sorted(ours)
        for key in theirs:
            assert np.abs(theirs[key] - ours[key]).max() <= 1e-9 * np.abs(theirs[key]).max(), key


PROGRAM = """
import sys
import numpy as np
import numpy.linalg
from numpy import pi, zeros
import beside

def main():
    np.random.seed(0)
    x = np.random.randn(100, 10)
    assert isinstance(x, np.ndarray) and hasattr(x, "copy_to_host"), type(x)
    assert abs(float(x[0, 0]) - 1.764052345967664) < 1e-15
    assert abs(float(beside.size(x)) - float(np.sqrt((np.sin(x) ** 2).sum()))) < 1e-9
    assert not hasattr(np.array(["a", "b"]), "copy_to_host")
    assert not hasattr(np.array([1, None]), "copy_to_host")
    y = zeros(3)
    y[1] = pi
    assert np.linalg.norm(y) == pi
    try:
        np.zeros(3).reshape(2, 2)
    except ValueError:
        pass
    assert [int(v) for v in np.nditer(np.arange(3))] == [0, 1, 2]
    assert float(np.polynomial.Polynomial([1, 2, 3])(2.0)) == 17
    class Named(np.ndarray):
        pass
    assert issubclass(Named, np.ndarray)
    print(sys.argv[1:], __name__)
    sys.exit(3)

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("import numpy as np\ndef size(x):\n    return np.linalg.norm(np.sin(x))\n")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_script_with_arguments_and_a_module_beside_it(program: Path) -> None:
    done = run(program, "--one", "two")
    assert (done.stdout, done.returncode) == ("['--one', 'two'] __main__\n", 3), done.stderr


def test_a_module(program: Path) -> None:
    done = run("-m", "program", "x", cwd=program.parent)
    assert (done.stdout, done.returncode) == ("['x'] __main__\n", 3), done.stderr


def test_a_modules_own_options(program: Path) -> None:
    done = run("-m", "program", "--report", "-x", "--help", cwd=program.parent)
    assert (done.stdout, done.returncode) == ("['--report', '-x', '--help'] __main__\n", 3), done.stderr


@pytest.mark.parametrize("arguments", [("nowhere.py",), ("-m", "no_where"), ("-m", "no.where"), ("-m",), ("",)])
def test_a_program_that_is_not_there(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("devarray: run")
    assert len(done.stderr.splitlines()) == 1


def test_the_report_names_what_ran_where(program: Path) -> None:
    done = run("--report", program)
    assert "numpy.random.randn" in done.stderr
    assert "device" in done.stderr
    assert "What would gain most" in done.stderr


def test_small_arrays_may_stay_on_the_host(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(
        "import numpy as np\n"
        "print(*(hasattr(np.zeros(n), 'copy_to_host') for n in (10, 1000)))\n"
        "print((np.zeros(1000) + np.ones(1) + np.arange(1000)).sum())\n"
    )
    done = run("--small", 100, path)
    assert done.stdout.splitlines() == ["False True", "500500.0"], done.stderr


def test_numpys_errors_are_raised(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text("import numpy as np\ntry:\n    np.concatenate([])\nexcept ValueError as error:\n    print(error)\n")
    assert run(path).stdout == "need at least one array to concatenate\n"


def test_installed_packages_keep_numpy(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text("import numpy as np\nimport ml_dtypes, json\nimport numpy.ma\nprint(np.ma.array([1, 2]).sum())\n")
    pytest.importorskip("ml_dtypes")
    assert run(path).stdout == "3\n"


def test_arrays_and_scalars_are_written_as_numpys(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "x = np.arange(6.0).reshape(2, 3)\n"
        "print([x, x[1, 2], x.sum() > 3, x.astype('f4')[0], np.zeros(0)])\n"
        "print({x[0, 1]: x.max()}, tuple(x[0]), f'{x[0]!r}', np.zeros(2, [('a', 'i4'), ('b', 'f8')]))\n"
    )
    wanted, found = run(program, device=False), run(program)
    assert found.stdout == wanted.stdout
    assert "np.float64(5.0)" in found.stdout


def test_eig_has_the_dtypes_of_the_numpy_at_hand(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "values, vectors = np.linalg.eig(np.array([[2.0, 1.0], [1.0, 3.0]]))\n"
        "print(values.dtype, vectors.dtype, np.linalg.eigvals(np.array([[0.0, -1.0], [1.0, 0.0]])).dtype)\n"
    )
    assert run(program).stdout == run(program, device=False).stdout  # real eigenvalues are real before NumPy 2.5


def test_dates_are_computed_as_numpys(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "d = np.arange('2024-01', '2024-04', dtype='datetime64[D]')\n"
        "months, counts = np.unique(d.astype('M8[M]'), return_counts=True)\n"
        "print(months, counts, (d[-1] - d[0]).astype(int), d[d > np.datetime64('2024-03-29')], repr(d[:2]))\n"
        "print(np.datetime_as_string(d[:2]), d[:1].astype(str), d[0], np.busday_count(d[0], d[-1]), d[:2].tolist())\n"
        "print(np.median(np.diff(d)), np.datetime64('today') > d[0], np.is_busday(d[:3]))\n"
    )
    wanted, found = run(program, device=False), run(program)
    assert found.stdout == wanted.stdout, found.stderr


def same_output(tmp_path: Path, program: str) -> None:
    """The program prints on the device what it prints under NumPy."""
    path = tmp_path / "p.py"
    path.write_text("import numpy as np\n" + program)
    theirs, ours = run(path, device=False), run(path)
    assert theirs.returncode == 0, theirs.stderr
    assert (ours.stdout, ours.returncode) == (theirs.stdout, 0), ours.stderr


def test_masked_arrays_matrices_and_subclasses_keep_their_say(tmp_path: Path) -> None:
    program = """
class Info(np.ndarray):
    def __new__(cls, values, info):
        made = np.asarray(values).view(cls)
        made.info = info
        return made
    def __array_finalize__(self, other):
        self.info = getattr(other, "info", None)

x = np.arange(3.0)
masked = np.ma.array([1.0, 2.0, 4.0], mask=[0, 1, 0])
matrix = np.matrix([[1.0, 2.0], [4.0, 8.0]])
info = Info([1.0, 4.0, 16.0], "kept")
for made in (np.sqrt(masked), np.mean(masked), np.maximum(x, masked), np.vstack([masked, masked]), x * masked):
    print(repr(made))
for made in (np.sqrt(matrix), np.dot(matrix, matrix), np.ones((2, 2)) * matrix, matrix @ np.ones((2, 2))):
    print(repr(made))
for made in (np.sqrt(info), info * x, x * info, np.multiply(x, info)):
    print(repr(made), made.info)
"""
    same_output(tmp_path, program)


def test_functions_of_pandas_columns_give_columns(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    program = """
import pandas as pd
s = pd.Series([1.0, 4.0, 9.0], name="s")
frame = pd.DataFrame({"a": [1.0, 4.0], "b": [9.0, 16.0]})
for made in (np.sqrt(s), np.sqrt(frame), np.clip(s, 2, 5), np.cumsum(s), np.isnan(s), np.add(s, 1), np.argsort(s)):
    print(type(made).__name__, made)
"""
    same_output(tmp_path, program)


def test_types_are_numpys_to_the_program(tmp_path: Path) -> None:
    program = """
import abc, numbers
from dataclasses import dataclass
from numpy.typing import NDArray

x, n = np.arange(3.0), np.arange(3)
print(type(x), type(x[0]), type(n.sum()).__name__, type(x) == np.ndarray, type(x) is np.ndarray, type(np.sin))
print([isinstance(x[0], kind) for kind in (float, np.floating, np.float64, numbers.Real, np.generic, int, np.ndarray)])
print([isinstance(n[0], kind) for kind in (int, np.integer, np.int64, numbers.Integral, (float, np.integer))])
print([isinstance(x, kind) for kind in (np.ndarray, list | np.ndarray, (int, np.ndarray), np.generic)])
print(isinstance(np.array(3), np.ndarray), isinstance((x > 1)[0], np.bool_), isinstance(np.add, np.ufunc))
print(type(x)((2,)).shape, issubclass(type(x), np.ndarray), issubclass(type(x[0]), float), {np.ndarray: 1}[type(x)])

class Meta(type):
    def __new__(kind, name, bases, names):
        return type.__new__(kind, name, bases, names | {"made": True})
class Made(metaclass=Meta):
    pass
class Base(abc.ABC):
    pass
@dataclass
class Point:
    at: np.ndarray | None = None
    to: NDArray[np.float64] | None = None
def scaled(a: np.ndarray, by: float | np.ndarray = 2) -> NDArray: return a * by

print(Made.made, type(Made) is Meta, isinstance(Made, type), isinstance(3, type), type(int) is type, type(Base))
print(type("New", (object,), {"a": 1}).a, type(Made()).__name__, Point(x).at, scaled(x), scaled.__annotations__["a"])
class Filled(np.ndarray):
    def __new__(cls, shape, value):
        made = np.ndarray.__new__(cls, shape, float)
        made[...] = value
        return made
print(repr(Filled((2,), 3)), repr(Filled((2,), 3) + np.ones(2)), isinstance(Filled((2,), 3), np.ndarray))
def bare(a: int) -> "text": return a
print(bare.__annotations__)
"""
    same_output(tmp_path, program)


def test_what_no_device_holds_is_computed_by_numpy(tmp_path: Path) -> None:
    program = """
from fractions import Fraction
x = np.arange(3.0)
odd = np.array([1, Fraction(1, 2), 2], object)
print(x * odd, odd * x, np.add(x, odd), x @ odd)
print(np.vectorize(len)(["ab", "c"]), np.vectorize(lambda s, n: str(s) * int(n))(np.array(["a", "b"]), np.arange(1, 3)))
records = np.array([(1, 2.5), (3, 4.5)], [("n", "i4"), ("x", "f8")])
print(records.view(np.recarray).x, np.asarray(records)["n"])
"""
    same_output(tmp_path, program)


def test_iterators_write_to_the_device(tmp_path: Path) -> None:
    program = """
x = np.arange(6.0).reshape(2, 3)
for v in np.nditer(x, op_flags=["readwrite"]):
    v[...] = 2 * v
it = np.nditer(x, flags=["multi_index"], op_flags=[["readwrite"]])
while not it.finished:
    x[it.multi_index] += 1
    it[0] = it[0] * 10
    it.iternext()
print(x)
"""
    same_output(tmp_path, program)


def test_modules_on_paths_that_the_program_adds_are_the_programs(tmp_path: Path) -> None:
    (tmp_path / "tools" / "of_angles").mkdir(parents=True)
    (tmp_path / "tools" / "of_angles" / "__init__.py").write_text("")
    (tmp_path / "tools" / "of_angles" / "angle.py").write_text(
        "import numpy as np\n"
        "def wrapped(x):\n"
        "    alone = isinstance(x, float)\n"
        "    x = (np.asarray(x).flatten() + np.pi) % (2 * np.pi) - np.pi\n"
        "    return x.item() if alone else x\n"
    )
    program = f"""
import sys
sys.path.append({str(tmp_path / "tools")!r})
from of_angles.angle import wrapped
print(wrapped(np.array([7.0, 1.0])), wrapped(np.array([7.0])[0]), wrapped(7.0))
"""
    same_output(tmp_path, program)
