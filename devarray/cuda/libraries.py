"""Where NVRTC may lie: the wheels of this environment. System places are known to the C++ loader."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["nvrtc_candidates"]

# nvidia/cu13/lib (CUDA 13's wheels), nvidia/cuda_nvrtc/lib (CUDA 12's)
_PATTERNS = ("cu*/lib/libnvrtc.so.[0-9]*", "cuda_nvrtc/lib/libnvrtc.so.[0-9]*")


def nvrtc_candidates() -> list[str]:
    """Return full paths of the NVRTC libraries that wheels installed, those earlier on ``sys.path`` first."""
    found: dict[str, None] = {}
    for entry in sys.path:
        folder = Path(entry or ".") / "nvidia"
        if folder.is_dir():
            for pattern in _PATTERNS:
                found.update((str(path.resolve()), None) for path in sorted(folder.glob(pattern)))
    return list(found)
