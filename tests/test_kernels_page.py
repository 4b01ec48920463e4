"""What docs/kernels.md shows runs as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "kernels.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_every_block_prints_what_it_says(device, capsys, tmp_path):
    """In order, in one namespace; vectorize reads the source of its function, so they lie in a file."""
    file = tmp_path / "page.py"
    file.write_text("\n".join(BLOCKS))
    if not device.caps["fp64"]:
        pytest.skip("the page computes in float64")
    exec(compile(file.read_text(), str(file), "exec"), {"__name__": "page"})
    wanted = [
        line.split("  # ", 1)[1]
        for block in BLOCKS
        for line in block.splitlines()
        if re.search(r"print\(.*\)  # ", line)
    ]
    if device.driver != "opencl":
        wanted.pop()
    assert capsys.readouterr().out.splitlines() == wanted
