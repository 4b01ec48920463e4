"""Where NVRTC finds the headers that CUDA C++ includes: nvcc has the C library's and CUDA's, NVRTC has none."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

__all__ = ["FOLDER", "include_options"]

FOLDER = str(Path(__file__).parent / "include")
"""Of ``stdio.h`` and other headers of the C library: what of them is for devices."""

_INCLUDE = re.compile(r"^\s*#\s*include\b", re.M)


def include_options(source: str) -> list[str]:
    """NVRTC's options for a source that includes files; none for one that does not."""
    if not _INCLUDE.search(source):
        return []
    return [f"-I{folder}" for folder in (FOLDER, *_of_cuda())]


@cache
def _of_cuda() -> tuple[str, ...]:
    """The folders of ``cuda_fp16.h`` and CUDA's other headers: a wheel's, else a toolkit's."""
    roots = [Path(entry or ".") / "nvidia" for entry in sys.path]
    found = [folder for root in roots for name in ("cu*/include", "cuda_runtime/include") for folder in root.glob(name)]
    homes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    found += [Path(home) / "include" for home in (*homes, "/usr/local/cuda") if home]
    chosen = next((folder for folder in found if (folder / "cuda_fp16.h").is_file()), None)
    return () if chosen is None else (str(chosen), str(chosen / "cccl"))
