"""What the README says runs as it says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

import devarray as da

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
GALLERY = [path for path in EXAMPLES if "\n====" in path.read_text().split('"""')[1]]


@pytest.fixture
def tour(device: da.Device) -> dict[str, Any]:
    """The names that the README's tour leaves."""
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "README.md", "exec"), names)
    return names


def test_the_tour_computes_what_numpy_computes(tour: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    a = np.linspace(0, 1, 1_000_000, dtype=np.float32)
    c = np.sqrt(a * a + 1) * 2 + a - 1
    assert tour["total"] == pytest.approx(c.sum(dtype=np.float64), rel=1e-6)
    m = a.reshape(1000, 1000)
    m[1:] += m[:-1]
    m[:, ::-2] = 0.5
    m[m > 1] = 1
    np.testing.assert_array_equal(tour["m"].copy_to_host(), m)
    np.testing.assert_array_equal(tour["a"].copy_to_host(), a)
    np.testing.assert_allclose(tour["host"], (m - m.mean(axis=0)) / (m.std(axis=0) + 1), rtol=1e-4, atol=1e-5)


def test_the_tour_prints_what_it_says(device: da.Device, capsys: pytest.CaptureFixture[str], request: Any) -> None:
    tour = request.getfixturevalue("tour")
    first, second = capsys.readouterr().out.splitlines()
    assert f"# {first}\n" in README
    assert second.split()[1] == device.memory_kinds[0] == tour["y"].base_data.kind
    assert tour["y"].allocator is tour["pool"]


@pytest.mark.parametrize(
    "command",
    [
        "python -m pip install '.[demo]' && python -m devarray demo",
        "python -m pip install '.[test]' && python -m pytest",
    ],
)
def test_the_two_commands_are_there(command: str) -> None:
    assert f"\n    {command}\n" in README


def test_ci_runs_the_second_command() -> None:
    assert "\n  python -m pip install '.[test]' && python -m pytest\n" in (ROOT / ".ci" / "run").read_text()


def test_links_lead_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_gallery_has_ten_examples() -> None:
    assert len(GALLERY) >= 10


# Work on ten times its memory takes a minute; tests/dask_arrays/test_dask_out_of_core.py does the same with less.
LONG = {"larger_than_memory.py": pytest.mark.slow}


@pytest.mark.parametrize("path", [pytest.param(path, marks=LONG.get(path.name, ()), id=path.name) for path in EXAMPLES])
@pytest.mark.usefixtures("device", "deferred")
def test_examples_run(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each says something; those of the gallery, which have a title, draw a picture that is not of one colour."""
    if "import dask" in path.read_text():
        pytest.importorskip("dask")
    drawn = []

    def show() -> None:
        canvas = pyplot.gcf().canvas
        canvas.draw()
        drawn.append(np.asarray(canvas.buffer_rgba()))

    monkeypatch.setattr("sys.argv", [str(path)])
    pyplot.switch_backend("agg")
    monkeypatch.setattr(pyplot, "show", show)
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        pyplot.close("all")
    assert capsys.readouterr().out
    if path in GALLERY:
        assert drawn and drawn[-1].std() > 10
