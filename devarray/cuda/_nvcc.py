"""The program nvcc, where one is named in place of NVRTC."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .. import errors as _errors
from .._core import cuda as _cuda
from .errors import CompileError

__all__ = ["NVRTC", "get_nvcc_version", "preprocess_source", "run_nvcc"]

#: The name in PyCUDA's signatures for which NVRTC compiles; any other is a program.
NVRTC = "nvcc"


@cache
def get_nvcc_version(nvcc: str) -> str:
    """What a compiler says of its version.

    Parameters
    ----------
    nvcc : str
        "nvcc", for which NVRTC compiles, or the path of a program.

    Returns
    -------
    str
        A line for NVRTC, what ``nvcc --version`` prints for a program.

    Raises
    ------
    MissingDriverError
        If there is no such compiler.

    Notes
    -----
    pycuda.compiler's function of that name.

    Examples
    --------
    >>> from devarray.cuda.compiler import get_nvcc_version
    >>> get_nvcc_version("nvcc").split()[0]
    'NVRTC'
    """
    if nvcc == NVRTC:
        return "NVRTC {}.{}".format(*_cuda.nvrtc_info()["version"])
    return str(_run([nvcc, "--version"]).stdout)


def preprocess_source(source: str, options: Sequence[str], nvcc: str) -> str:
    """A source with its includes and macros written out.

    Parameters
    ----------
    source : str
        CUDA C++.
    options : sequence of str
        nvcc's.
    nvcc : str
        A program. NVRTC writes out no source, so that "nvcc" is looked for on the PATH here.

    Returns
    -------
    str
        CUDA C++ without lines of the preprocessor.

    Raises
    ------
    CompileError
        If the source cannot be preprocessed.
    MissingDriverError
        If there is no such program.

    Notes
    -----
    pycuda.compiler's function of that name.

    Examples
    --------
    >>> from devarray.cuda.compiler import preprocess_source
    >>> from devarray.errors import MissingDriverError
    >>> try:
    ...     preprocess_source("#define ONE 1\\nint x = ONE;", [], "/no/such/nvcc")
    ... except MissingDriverError:
    ...     print("there is no such compiler")
    there is no such compiler
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="devarray-") as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source)
        command = [nvcc, "--preprocess", *options, str(file), "--compiler-options", "-P"]
        done = _run(command)
        if done.returncode != 0:
            raise CompileError(f"nvcc preprocessing failed: {done.stderr}", command, done.stdout, done.stderr)
        return str(done.stdout)


def run_nvcc(source: str, nvcc: str, options: list[str], architecture: str, target: str) -> bytes:
    """Compile a source by a program."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="devarray-") as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source)
        command = [nvcc, f"--{target}", f"-arch={architecture}", *options, file.name, "-o", f"kernel.{target}"]
        done = _run(command, folder)
        if done.returncode != 0:
            message = f"nvcc compilation failed with status {done.returncode}: {done.stderr or done.stdout}"
            raise CompileError(message, command, done.stdout, done.stderr)
        return (Path(folder) / f"kernel.{target}").read_bytes()


def _run(command: list[str], folder: str | None = None) -> Any:
    import subprocess

    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise _errors.MissingDriverError(
            f"no compiler {command[0]!r}; give the path of an installed nvcc, or leave nvcc at its default to use NVRTC"
        ) from error
