"""Draw the plan that docs/fusion.md shows.

    python tools/make_explain.py [FILE]

The file is docs/explain.svg by default.
"""

from __future__ import annotations

import sys
from pathlib import Path

import devarray as da

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "explain.svg"


def picture() -> str:
    """The text of the SVG. The plan is the same on every device of the CPU's and the GPU's strategy."""
    points = da.ones((2000, 3)).evaluate()
    scale = da.exp(da.sqrt(points[0]) + 1)
    return da.explain(da.exp(-points * scale) / 2).svg() + "\n"


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else PICTURE).write_text(picture(), encoding="utf-8")
