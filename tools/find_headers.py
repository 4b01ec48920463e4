"""Print the folders that hold cuda.h and CL/cl.h, separated by semicolons, for CMake.

Looked for in the wheels of the build environment (nvidia-cuda-runtime, nvidia-cuda-opencl), then in an installed
CUDA toolkit, then in the system's include folders.
"""

import os
import sys
from pathlib import Path


def candidates():
    for entry in sys.path:
        nvidia = Path(entry or ".") / "nvidia"
        if nvidia.is_dir():
            yield from sorted(nvidia.glob("*/include"), reverse=True)
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "include"
    yield Path("/usr/local/cuda/include")
    yield Path("/usr/include")


def main():
    found = {}
    for folder in candidates():
        for header in ("cuda.h", "nvrtc.h", "CL/cl.h"):
            if header not in found and (folder / header).is_file():
                found[header] = folder
    missing = [header for header in ("cuda.h", "CL/cl.h") if header not in found]
    if missing:
        sys.exit(
            f"devarray: {' and '.join(missing)} not found. Install the build requirements "
            "nvidia-cuda-runtime and nvidia-cuda-opencl (pip does so unless --no-build-isolation is given)."
        )
    print(";".join(dict.fromkeys(str(folder) for folder in found.values())))


main()
