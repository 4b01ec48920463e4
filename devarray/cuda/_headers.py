"""Where NVRTC finds the headers that CUDA C++ includes: nvcc has the C library's and CUDA's, NVRTC has none."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

__all__ = ["FOLDER", "with_headers"]

FOLDER = str(Path(__file__).parent / "include")
"""Of ``stdio.h`` and other headers of the C library: what of them is for devices."""

_INCLUDE = re.compile(r"^\s*#\s*include\b", re.M)
_OF_C = "assert float limits math stddef stdint stdio stdlib string".replace(" ", "|")
_CPP_NAME = re.compile(rf"^(\s*#\s*include\s*<)c({_OF_C})>", re.M)


def with_headers(source: str) -> tuple[str, list[str]]:
    """A source that includes files as NVRTC takes it, and its options: the C library's headers by their names in C."""
    if not _INCLUDE.search(source):
        return source, []
    return _CPP_NAME.sub(r"\1\2.h>", source), [f"-I{folder}" for folder in (FOLDER, *_of_cuda())]


@cache
def _of_cuda() -> tuple[str, ...]:
    """The folders of ``cuda_fp16.h`` and CUDA's other headers: a wheel's, else a toolkit's."""
    roots = [Path(entry or ".") / "nvidia" for entry in sys.path]
    found = [folder for root in roots for name in ("cu*/include", "cuda_runtime/include") for folder in root.glob(name)]
    homes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    found += [Path(home) / "include" for home in (*homes, "/usr/local/cuda") if home]
    chosen = next((folder for folder in found if (folder / "cuda_fp16.h").is_file()), None)
    return () if chosen is None else (str(chosen), str(chosen / "cccl"))
