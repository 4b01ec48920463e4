"""docs/dask.md: its blocks run, one after the other, and print what they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import devarray as da

for module in ("dask.array", "distributed", "zarr"):
    pytest.importorskip(module)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "dask.md"


BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def run(folder: Path, blocks: list[str]) -> list[str]:
    """What a program of these blocks prints."""
    program = folder / "page.py"
    program.write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, "-P", str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_page_runs(device: da.Device, tmp_path: Path) -> None:
    printed = run(tmp_path, [block for block in BLOCKS if "LocalCluster" not in block])
    values = [float(text) for text in printed[:4]]
    assert values == pytest.approx([values[0]] * 4, rel=1e-6) and values[0] > 16
    assert printed[4:] == ["True", "True", "True", "True", "5000000.0", "True"]


@pytest.mark.slow
def test_its_cluster_runs(device: da.Device, tmp_path: Path) -> None:
    """Its workers import the program, and print what stands before the cluster as well."""
    assert "LocalCluster" in BLOCKS[4]
    values = [float(text) for text in run(tmp_path, BLOCKS[:5])]
    assert len(values) >= 5 and values == pytest.approx([values[0]] * len(values), rel=1e-6)
