"""Magics of IPython for OpenCL C, under ``pyopencl.ipython_ext``'s names: ``%load_ext devarray.cl.ipython_ext``.

A cell that begins with ``%%cl_kernel`` is a program, whose kernels become names of the session. It is built for the
context that the session has as ``cl_ctx`` or ``ctx``; ``-o "..."`` gives the compiler's options.
``%cl_kernel_from_file`` builds a file, and ``%cl_load_edit_kernel`` loads one into the next cell.
"""

from __future__ import annotations

import shlex
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class  # type: ignore[import-not-found]

from .. import _core
from ..errors import DeviceError

__all__ = ["PyOpenCLMagics", "load_ipython_extension"]


@magics_class
class PyOpenCLMagics(Magics):  # type: ignore[misc]
    """The magics; `load_ipython_extension` registers them."""

    @cell_magic  # type: ignore[untyped-decorator]
    def cl_kernel(self, line: str, cell: str) -> None:
        """``%%cl_kernel -o "options"``: build the cell, and name its kernels."""
        options, _ = self.parse_options(line, "o:")
        self._build(cell, options.get("o", ""))

    @line_magic  # type: ignore[untyped-decorator]
    def cl_kernel_from_file(self, line: str) -> None:
        """``%cl_kernel_from_file -o "options" file``: build a file, and name its kernels."""
        self._build(*self._file_and_options(line))

    @line_magic  # type: ignore[untyped-decorator]
    def cl_load_edit_kernel(self, line: str) -> None:
        """``%cl_load_edit_kernel -o "options" file``: load a file into the next cell."""
        source, options = self._file_and_options(line)
        head = f'%%cl_kernel -o "{options}"' if options else "%%cl_kernel"
        self.shell.set_next_input(f"{head}\n\n{source}")

    def _file_and_options(self, line: str) -> tuple[str, str]:
        options, rest = self.parse_options(line, "o:f:")
        return self.shell.find_user_code(options.get("f") or rest), options.get("o", "")

    def _build(self, source: str, options: str) -> None:
        names = self.shell.user_ns
        context = next((names[n] for n in ("cl_ctx", "ctx") if isinstance(names.get(n), _core.cl.Context)), None)
        if context is None:
            raise DeviceError("the session has no context under the name cl_ctx or ctx")
        for kernel in _core.cl.Program(context, source).build(options=shlex.split(options)).all_kernels():
            names[kernel.function_name] = kernel


def load_ipython_extension(ip: Any) -> None:
    """Register the magics, as ``%load_ext`` asks for.

    Parameters
    ----------
    ip : InteractiveShell
        The session.
    """
    ip.register_magics(PyOpenCLMagics)
