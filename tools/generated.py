"""Write every file of the project that is made from others: functions, stubs, pages, the list of names, the layers.

    python tools/generated.py            writes them, and names those that changed
    python tools/generated.py --check    writes nothing: the exit status is 1 where a file is not current

devarray has to be installed, from these sources.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# A tool's command and the files that it writes. What a later one reads comes first.
WRITERS: dict[str, tuple[str, ...]] = {
    "make_elementwise.py": ("devarray/_routines/math/elementwise.py", "devarray/special/functions.py"),
    "make_stubs.py": ("devarray/_core/cl.pyi", "devarray/_core/cuda.pyi"),
    "public_api.py write": ("tests/public_api.txt",),
    "layers.py write": ("docs/layers.svg",),
    "make_numpy_doc.py": ("docs/numpy.md",),
    "make_driver_docs.py": ("docs/opencl.md", "docs/cuda.md"),
}


def written(command: str) -> dict[Path, bytes]:
    """Run a tool; what its files held before, of those that it changed."""
    paths = [ROOT / name for name in WRITERS[command]]
    before = {path: path.read_bytes() for path in paths}
    tool, *arguments = command.split()
    subprocess.run([sys.executable, str(ROOT / "tools" / tool), *arguments], cwd=ROOT, check=True)
    return {path: text for path, text in before.items() if path.read_bytes() != text}


def main() -> int:
    """Write all files, or put back what was there and say which differ."""
    check = "--check" in sys.argv[1:]
    changed = [(command, path, text) for command in WRITERS for path, text in written(command).items()]
    for command, path, text in changed:
        name = path.relative_to(ROOT)
        if check:
            path.write_bytes(text)
            print(f"{name} is not current: run python tools/generated.py, which calls tools/{command}", file=sys.stderr)
        else:
            print(f"{name} is written anew")
    return int(check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
