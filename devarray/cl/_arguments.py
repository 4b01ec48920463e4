"""Arguments of generated kernels, under ``pyopencl.tools``' names: classes, and lists of them out of C texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from devarray._runtime.records import declaration
from devarray.cl._c_types import dtype_named, dtype_to_ctype
from devarray.errors import DTypeError, ValueError

__all__ = [
    "Argument",
    "DtypedArgument",
    "OtherArg",
    "ScalarArg",
    "VectorArg",
    "get_arg_list_arg_types",
    "get_arg_list_scalar_arg_dtypes",
    "get_arg_offset_adjuster_code",
    "parse_arg_list",
    "parse_c_arg",
]


class Argument:
    """Base of the arguments of generated kernels.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> isinstance(tools.ScalarArg("int32", "n"), tools.Argument)
    True
    """

    def declarator(self) -> str:
        """Return the argument as the kernel's parameter list has it.

        Returns
        -------
        str
            OpenCL C.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.

        Examples
        --------
        >>> from devarray.cl.tools import ScalarArg
        >>> ScalarArg("int32", "n").declarator()
        'int n'
        """
        raise NotImplementedError


@dataclass(frozen=True, init=False)
class DtypedArgument(Argument):
    """An argument of a generated kernel with a dtype; base of `VectorArg` and `ScalarArg`.

    Parameters
    ----------
    dtype : dtype
        Of the argument, or of what it points to.
    name : str
        Of the parameter.

    Examples
    --------
    >>> from devarray.cl.tools import ScalarArg
    >>> ScalarArg("int32", "n").dtype
    dtype('int32')
    """

    dtype: np.dtype
    name: str

    def __init__(self, dtype: npt.DTypeLike, name: str) -> None:
        object.__setattr__(self, "dtype", np.dtype(dtype))
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, init=False)
class VectorArg(DtypedArgument):
    """A pointer into global memory; with an offset, a base pointer and a number of bytes.

    Parameters
    ----------
    dtype : dtype
        Of what it points to.
    name : str
        Of the parameter.
    with_offset : bool, default False
        Whether it is two parameters.

    Examples
    --------
    >>> from devarray.cl.tools import VectorArg
    >>> VectorArg("float32", "x").declarator()
    '__global float *x'
    >>> VectorArg("float32", "x", with_offset=True).declarator()
    '__global float *x__base, long x__offset'
    """

    with_offset: bool

    def __init__(self, dtype: npt.DTypeLike, name: str, with_offset: bool = False) -> None:
        super().__init__(dtype, name)
        object.__setattr__(self, "with_offset", with_offset)

    def declarator(self) -> str:
        """Return the argument as the kernel's parameter list has it.

        Returns
        -------
        str
            OpenCL C.

        Examples
        --------
        >>> from devarray.cl.tools import VectorArg
        >>> VectorArg("float32", "x").declarator()
        '__global float *x'
        """
        c_type = dtype_to_ctype(self.dtype)
        if self.with_offset:
            return f"__global {c_type} *{self.name}__base, long {self.name}__offset"
        return f"__global {c_type} *{self.name}"


@dataclass(frozen=True, init=False)
class ScalarArg(DtypedArgument):
    """A number by value.

    Parameters
    ----------
    dtype : dtype
        Of the number.
    name : str
        Of the parameter.

    Examples
    --------
    >>> from devarray.cl.tools import ScalarArg
    >>> ScalarArg("int32", "n").declarator()
    'int n'
    """

    def declarator(self) -> str:
        """Return the argument as the kernel's parameter list has it.

        Returns
        -------
        str
            OpenCL C.

        Examples
        --------
        >>> from devarray.cl.tools import ScalarArg
        >>> ScalarArg("int32", "n").declarator()
        'int n'
        """
        return f"{dtype_to_ctype(self.dtype)} {self.name}"


@dataclass(frozen=True)
class OtherArg(Argument):
    """An argument by its C text, whatever that is.

    Parameters
    ----------
    decl : str
        As the kernel's parameter list has it.
    name : str
        Of the parameter.

    Examples
    --------
    >>> from devarray.cl.tools import OtherArg
    >>> OtherArg("__local float *scratch", "scratch").declarator()
    '__local float *scratch'
    """

    decl: str
    name: str

    def declarator(self) -> str:
        """Return the argument as the kernel's parameter list has it.

        Returns
        -------
        str
            OpenCL C.

        Examples
        --------
        >>> from devarray.cl.tools import OtherArg
        >>> OtherArg("sampler_t s", "s").declarator()
        'sampler_t s'
        """
        return self.decl


def parse_c_arg(c_arg: str, with_offset: bool = False) -> DtypedArgument:
    """Return the argument that a C declarator stands for.

    Parameters
    ----------
    c_arg : str
        Such as ``"const float *x"``, ``"int n"`` or ``"double y[3]"``.
    with_offset : bool, default False
        Of the pointers: whether each is two parameters.

    Returns
    -------
    DtypedArgument
        A `VectorArg` for a pointer into global memory, else a `ScalarArg`.

    Raises
    ------
    ValueError
        For a text without a type and a name, for a type that `get_or_register_dtype` does not know, and for pointers
        into local or constant memory.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> tools.parse_c_arg("__global const float *x")
    VectorArg(dtype=dtype('float32'), name='x', with_offset=False)
    >>> tools.parse_c_arg("unsigned int n")
    ScalarArg(dtype=dtype('uint32'), name='n')
    """
    kind, name, pointer, _ = declaration(c_arg)
    if any(space in c_arg.replace("*", " ").split() for space in ("__local", "local", "__constant", "constant")):
        raise ValueError(f"{c_arg.strip()!r}: a pointer of a generated kernel leads into global memory")
    dtype = dtype_named(kind)
    if dtype is None:
        raise ValueError(f"{c_arg.strip()!r}: no dtype is registered under the name {kind!r}")
    return VectorArg(dtype, name, with_offset) if pointer else ScalarArg(dtype, name)


def parse_arg_list(
    arguments: str | Sequence[str] | Sequence[Argument], with_offset: bool = False
) -> list[DtypedArgument]:
    """Return the arguments of a generated kernel.

    Parameters
    ----------
    arguments : str, sequence of str, or sequence of Argument
        C declarators, in one text separated by commas; arguments stay what they are.
    with_offset : bool, default False
        Of the pointers in C declarators: whether each is two parameters.

    Returns
    -------
    list of DtypedArgument
        A `VectorArg` or a `ScalarArg` for each.

    Raises
    ------
    ValueError
        For a declarator of which `parse_c_arg` makes nothing.
    DTypeError
        For what is neither a text nor an argument with a dtype.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> for argument in tools.parse_arg_list("float *x, int n"):
    ...     print(argument)
    VectorArg(dtype=dtype('float32'), name='x', with_offset=False)
    ScalarArg(dtype=dtype('int32'), name='n')
    """
    parts: Sequence[object] = arguments.split(",") if isinstance(arguments, str) else arguments
    found = [parse_c_arg(part, with_offset) if isinstance(part, str) else part for part in parts]
    for argument in found:
        if not isinstance(argument, DtypedArgument):
            raise DTypeError(f"an argument is a C declarator, a VectorArg or a ScalarArg, not {argument!r}")
    return found  # type: ignore[return-value]


def get_arg_list_arg_types(arg_types: Sequence[Argument]) -> tuple[np.dtype | VectorArg, ...]:
    """Return what tells one list of arguments from another, for keys of caches.

    Parameters
    ----------
    arg_types : sequence of Argument
        As `parse_arg_list` returns them.

    Returns
    -------
    tuple of numpy.dtype or VectorArg
        The dtype of each number, and the pointers themselves.

    Raises
    ------
    DTypeError
        For other arguments.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> tools.get_arg_list_arg_types(tools.parse_arg_list("float *x, int n"))
    (VectorArg(dtype=dtype('float32'), name='x', with_offset=False), dtype('int32'))
    """
    return tuple(a if isinstance(a, VectorArg) else _typed(a).dtype for a in arg_types)


def get_arg_list_scalar_arg_dtypes(arg_types: Sequence[Argument]) -> list[np.dtype | None]:
    """Return what `Kernel.set_scalar_arg_dtypes` takes for arguments.

    Parameters
    ----------
    arg_types : sequence of Argument
        As `parse_arg_list` returns them.

    Returns
    -------
    list of numpy.dtype or None
        The dtype of each number, None for each pointer, and int64 behind it where it has an offset.

    Raises
    ------
    DTypeError
        For other arguments.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> tools.get_arg_list_scalar_arg_dtypes(tools.parse_arg_list("float *x, int n", with_offset=True))
    [None, dtype('int64'), dtype('int32')]
    """
    found: list[np.dtype | None] = []
    for argument in arg_types:
        if not isinstance(argument, VectorArg):
            found.append(_typed(argument).dtype)
            continue
        found.append(None)
        if argument.with_offset:
            found.append(np.dtype(np.int64))
    return found


def get_arg_offset_adjuster_code(arg_types: Sequence[Argument]) -> str:
    """Return the statements by which a kernel finds the memory of its pointers that have offsets.

    Parameters
    ----------
    arg_types : sequence of Argument
        As `parse_arg_list` returns them.

    Returns
    -------
    str
        OpenCL C: a declaration for each pointer with an offset, under its name.

    Notes
    -----
    PyOpenCL's function of that name.

    Examples
    --------
    >>> from devarray.cl import tools
    >>> tools.get_arg_offset_adjuster_code([tools.VectorArg("float32", "x", with_offset=True)])
    '__global float *x = (__global float *) ((__global char *) x__base + x__offset);'
    """
    lines = []
    for argument in arg_types:
        if isinstance(argument, VectorArg) and argument.with_offset:
            kind, name = dtype_to_ctype(argument.dtype), argument.name
            base = f"(__global char *) {name}__base + {name}__offset"
            lines.append(f"__global {kind} *{name} = (__global {kind} *) ({base});")
    return "\n".join(lines)


def _typed(argument: Argument) -> ScalarArg:
    if not isinstance(argument, ScalarArg):
        raise DTypeError(f"an argument is a VectorArg or a ScalarArg, not {argument!r}")
    return argument
