"""The soak of tests/memory/native, built plain and with sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler"),
]


@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
def test_soak(tmp_path, sanitizer):
    program = tmp_path / "soak"
    sources = [ROOT / "tests/memory/native/soak.cpp"]
    for layer in ("common", "opencl", "cuda", "memory", "testing"):
        sources += sorted((ROOT / "csrc" / layer).glob("*.cpp"))
    flags = ["-std=c++20", "-O1", "-g", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-pthread"]
    probe = tmp_path / "probe.cpp"
    probe.write_text("int main() {}")
    if subprocess.run([COMPILER, *flags, probe, "-o", program], capture_output=True, check=False).returncode:
        pytest.skip(f"the compiler has no -fsanitize={sanitizer}")
    find_headers = [sys.executable, ROOT / "tools/find_headers.py"]
    headers = subprocess.run(find_headers, capture_output=True, text=True, check=True).stdout.strip()
    includes = [f"-I{ROOT / 'csrc'}", *(f"-isystem{folder}" for folder in headers.split(";"))]

    def compiled(source: Path) -> Path:
        made = tmp_path / f"{source.parent.name}-{source.stem}.o"
        subprocess.run([COMPILER, *flags, *includes, "-c", source, "-o", made], check=True)
        return made

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, sources))
    subprocess.run([COMPILER, *flags, *objects, "-ldl", "-o", program], check=True)
    done = subprocess.run([program, "500", "4"], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 wrong, 0 freed in use, 0 left") == 8
