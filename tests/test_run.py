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
    assert isinstance(x, np.ndarray) and type(x).__module__.startswith("devarray"), type(x)
    assert abs(float(x[0, 0]) - 1.764052345967664) < 1e-15
    assert abs(float(beside.size(x)) - float(np.sqrt((np.sin(x) ** 2).sum()))) < 1e-9
    assert type(np.array(["a", "b"])).__module__ == "numpy"
    assert type(np.array([1, None])).__module__ == "numpy"
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


def test_the_report_names_what_ran_where(program: Path) -> None:
    done = run("--report", program)
    assert "numpy.random.randn" in done.stderr
    assert "device" in done.stderr
    assert "What would gain most" in done.stderr


def test_small_arrays_may_stay_on_the_host(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(
        "import numpy as np\n"
        "print(type(np.zeros(10)).__module__.split('.')[0], type(np.zeros(1000)).__module__.split('.')[0])\n"
        "print((np.zeros(1000) + np.ones(1) + np.arange(1000)).sum())\n"
    )
    done = run("--small", 100, path)
    assert done.stdout.splitlines() == ["numpy devarray", "500500.0"], done.stderr


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


def test_eig_of_real_eigenvalues_is_real_as_numpys(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "values, vectors = np.linalg.eig(np.array([[2.0, 1.0], [1.0, 3.0]]))\n"
        "print(values.dtype, vectors.dtype, np.linalg.eigvals(np.array([[0.0, -1.0], [1.0, 0.0]])).dtype)\n"
    )
    assert run(program).stdout == "float64 float64 complex128\n"


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
