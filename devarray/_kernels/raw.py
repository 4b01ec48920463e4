"""RawKernel and RawModule: whole kernels of the user's, with grids and blocks."""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from devarray import _core
from devarray._kernels.check import built, not_in_c, user_error
from devarray._runtime import compiler
from devarray.array import Array
from devarray.codegen.kernels.user import quoted
from devarray.codegen.language import cuda_words, words
from devarray.codegen.language.cplusplus.lowering import lowered
from devarray.codegen.language.cplusplus.tokens import NotUnderstood
from devarray.codegen.language.templates import signature, specialise, with_linkage, without_linkage
from devarray.errors import CompileError, DriverError, DTypeError, OverflowError, ValueError

__all__ = ["RawKernel", "RawModule"]

_OURS = frozenset(
    (
        *("KERNEL", "GLOBAL", "LOCAL", "RESTRICT", "BARRIER"),
        *("GLOBAL_ID", "LOCAL_ID", "GROUP_ID", "GLOBAL_SIZE", "LOCAL_SIZE"),
    )
)
_CUDA = cuda_words.WORDS | {"__syncthreads"}
_OPENCL = frozenset(["__kernel", "get_global_id", "get_local_id", "get_group_id", "barrier", "__global", "__local"])
_NUMBERS = {
    **dict.fromkeys(("bool", "b8"), "bool"),
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "uchar": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "ushort": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "uint": "uint32",
    "long": "int64",
    "unsigned long": "uint64",
    "ulong": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    "ptrdiff_t": "int64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
} | {f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_LIMITS = {f"{sign}int{bits}": (-(1 << bits - 1), 1 << bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}
"""From where to below where numbers fit in an integer's bits, whether it has a sign or not: C reads them as either."""

_WIDEST = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


class RawModule:
    """A text with kernels of the user's, compiled for the device that they first run on.

    Parameters
    ----------
    code : str, optional
        CUDA C, OpenCL C, or their common subset. On OpenCL devices CUDA's words (``__global__``, ``threadIdx.x``,
        ``__shared__``, ``__syncthreads()``, ``atomicAdd``, ``__popc`` ...) are put in OpenCL's, and pointer parameters
        are global; on CUDA devices ``get_global_id(0)`` and its like are put in CUDA's.
    path : path-like, optional
        A file with the text, in place of `code`.
    options : sequence of str
        Options of the compiler. On OpenCL devices NVRTC's ``--use_fast_math`` is put in OpenCL's words, and what
        concerns CUDA C++ alone (``-std=c++17``, ``--maxrregcount=32``) is left out.
    backend : str
        Taken for CuPy's sake.
    translate_cucomplex : bool
        Taken for CuPy's sake.
    enable_cooperative_groups : bool
        Taken for CuPy's sake; cooperative launches are refused.
    name_expressions : sequence of str, optional
        Specialisations of template kernels, ``"scale<float>"``, as `get_function` takes them.
    jitify : bool
        Taken for CuPy's sake.

    Raises
    ------
    ValueError
        For neither or both of `code` and `path`.

    Examples
    --------
    >>> import devarray as da
    >>> code = '''
    ... template <typename T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }
    ... '''
    >>> module = da.RawModule(code=code, name_expressions=["scale<float>"])
    >>> x = da.arange(4, dtype="float32")
    >>> module.get_function("scale<float>")((1,), (4,), (x, 10.0))
    >>> x.copy_to_host()
    array([ 0., 10., 20., 30.], dtype=float32)
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: Any = None,
        options: Sequence[str] = (),
        backend: str = "auto",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
    ) -> None:
        if (code is None) == (path is None):
            raise ValueError("Exactly one of `code` and `path` keyword arguments must be given.")
        if enable_cooperative_groups:
            raise ValueError("RawModule: cooperative launches are not offered; leave enable_cooperative_groups out")
        self.code = Path(path).read_text() if code is None else code
        self.file_path, self.backend = path, backend
        self.options = (options,) if isinstance(options, str) else tuple(options)
        self.name_expressions = tuple(name_expressions or ())
        self._plain = {
            expression: f"specialised_{place}"
            for place, expression in enumerate(self.name_expressions)
            if "<" in expression
        }
        self._label = "RawModule"  # what messages of the compiler call the text
        self._forget()

    def _forget(self) -> None:
        self._kernels: dict[tuple[int, str], tuple[Any, list[str]]] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle and a copy hold: the text, not the devices' kernels."""
        state = self.__dict__.copy()
        del state["_kernels"], state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def __repr__(self) -> str:
        return f"<devarray.RawModule of {len(self.code.splitlines())} lines>"

    def get_function(self, name: str) -> RawKernel:
        """A kernel of the module.

        Parameters
        ----------
        name : str
            Its name, or one of `name_expressions`.

        Returns
        -------
        RawKernel
            Compiled when it is first launched.

        Raises
        ------
        ValueError
            For a name that the text does not have.

        Examples
        --------
        >>> import devarray as da
        >>> da.RawModule(code="__global__ void f(int* x) { *x = 7; }").get_function("f")
        <devarray.RawKernel 'f'>
        """
        if "<" in name and name not in self._plain:
            raise ValueError(f"RawModule: {name!r} is not among name_expressions: {', '.join(self._plain) or 'none'}")
        if "<" not in name and not re.search(rf"\b{re.escape(name)}\b", self.code):
            raise ValueError(f"RawModule: the text has no kernel {name!r}")
        kernel = RawKernel.__new__(RawKernel)
        kernel._module, kernel.name = self, name
        return kernel

    def compile(self, log_stream: object = None) -> None:
        """Compile the text for the default device now.

        Parameters
        ----------
        log_stream : file, optional
            Taken for CuPy's sake: what does not compile raises, with the log.

        Raises
        ------
        CompileError
            Where the text does not compile.

        Examples
        --------
        >>> import devarray as da
        >>> da.RawModule(code="__global__ void f(int* x) { *x = 7; }").compile()
        """
        device = _core.current_place()[0]
        names = [*self._plain, *re.findall(r"\bvoid\s+(\w+)\s*\(", self._text(device))][:1]
        for name in names:
            self._kernel(device, name)

    def _text(self, device: Any) -> str:
        """The source for a device."""
        dialect = compiler.dialect(device)
        text = self._without_templates(device, dialect.driver)
        text = with_linkage(text) if dialect.driver == "cuda" else text
        used = set(words.WORD.findall(text))
        foreign = used & (_CUDA if dialect.driver == "opencl" else _OPENCL)
        if not (used & _OURS or foreign):
            return f'#line 1 "{self._title()}"\n{text}'
        text = without_linkage(text) if dialect.driver == "opencl" else text
        translated = words.translate(text, dialect)
        if dialect.driver == "opencl":
            translated = words.global_pointers(cuda_words.dynamic_memory(cuda_words.outer_constants(translated)))
        library = words.library([text], dialect)
        return dialect.program(f'{library}#line 1 "{self._title()}"\n{translated}\n')

    def _without_templates(self, device: Any, driver: str) -> str:
        """The text with the template kernels that are asked for as kernels, and for OpenCL without C++."""
        of_cuda = not _CUDA.isdisjoint(words.WORD.findall(self.code))
        try:
            if driver == "opencl" and of_cuda:
                return lowered(self.code, self._plain)
            return specialise(self.code, self._plain)
        except KeyError as error:
            raise ValueError(f"RawModule: the text has no template kernel {error.args[0]}") from None
        except NotUnderstood as error:
            raise not_in_c(self._label, device, error, self._title(), self.code) from None

    def _title(self) -> str:
        return quoted(self._label) if self.file_path is None else Path(self.file_path).name

    def _kernel(self, device: Any, name: str) -> tuple[Any, list[str]]:
        """A kernel for a device, and its parameters as the text has them; none where it does not show them."""
        key = (device.serial, name)
        with self._lock:
            known = self._kernels.get(key)
        if known is not None:
            return known
        plain = self._plain.get(name, name)
        text, folders = _with_headers(device, self._text(device))
        try:
            kernel = built(device, text, plain, self.options, folders)
        except CompileError as error:
            made = user_error(name, device, error, {self._title(): self.code}, text)
            if device.driver == "opencl" and (of_warps := cuda_words.of_warps(made.log)):
                made.add_note(f"{of_warps} is of warps of 32 work-items, which OpenCL's devices do not promise")
            raise made from None
        except DriverError as error:
            raise ValueError(f"RawModule: the text has no kernel {name!r} for {device}: {error}") from None
        parameters = signature(text, plain) or []
        with self._lock:
            self._kernels[key] = kernel, parameters
        return kernel, parameters


class RawKernel:
    """A kernel of the user's, launched with a grid of blocks.

    Parameters
    ----------
    code : str
        As :class:`devarray.RawModule` takes it.
    name : str
        Of the kernel in the text.
    options : sequence of str
        Options of the compiler.
    backend : str
        Taken for CuPy's sake.
    translate_cucomplex : bool
        Taken for CuPy's sake.
    enable_cooperative_groups : bool
        Taken for CuPy's sake; cooperative launches are refused.
    jitify : bool
        Taken for CuPy's sake.

    Notes
    -----
    CuPy's class of that name. Work of the kernel is ordered with other work on its arrays, whose queue it runs on.

    Examples
    --------
    >>> import devarray as da
    >>> add = da.RawKernel('''
    ... extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    ...   int i = blockDim.x * blockIdx.x + threadIdx.x;
    ...   if (i < n) z[i] = x[i] + y[i];
    ... }
    ... ''', "add")
    >>> x = da.arange(5, dtype="float32")
    >>> z = da.empty_like(x)
    >>> add((1,), (64,), (x, x, z, 5))
    >>> z.copy_to_host()
    array([0., 2., 4., 6., 8.], dtype=float32)
    """

    _module: RawModule
    name: str

    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "auto",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        self._module = RawModule(
            code=code,
            options=options,
            backend=backend,
            enable_cooperative_groups=enable_cooperative_groups,
            name_expressions=(name,) if "<" in name else (),
        )
        self.name = self._module._label = name

    def __repr__(self) -> str:
        return f"<devarray.RawKernel {self.name!r}>"

    @property
    def code(self) -> str:
        """The text."""
        return self._module.code

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the compiler."""
        return self._module.options

    @property
    def kernel(self) -> Any:
        """The driver's kernel for the default device: a ``cl.Kernel`` or a ``cuda.Function``."""
        return self._module._kernel(_core.current_place()[0], self.name)[0]

    @property
    def max_threads_per_block(self) -> int:
        """The most work-items of a group on the default device."""
        return self.kernel.max_work_group_size

    def compile(self, log_stream: object = None) -> None:
        """Compile the text for the default device now.

        Parameters
        ----------
        log_stream : file, optional
            Taken for CuPy's sake: what does not compile raises, with the log.

        Raises
        ------
        CompileError
            Where the text does not compile.

        Examples
        --------
        >>> import devarray as da
        >>> da.RawKernel("__global__ void f(int* x) { *x = 7; }", "f").compile()
        """
        self._module._kernel(_core.current_place()[0], self.name)

    def __call__(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Launch the kernel.

        Parameters
        ----------
        grid : tuple of int
            Blocks along each dimension.
        block : tuple of int
            Work-items of a block along each dimension.
        args : sequence
            Arrays, scalars, structures (NumPy's records), and memory objects of the driver. Python's numbers take the
            parameter's type where the text shows it, else int64, float64 and complex128.
        shared_mem : int, default 0
            Bytes of dynamic shared memory: of ``extern __shared__ float part[];``. Where an OpenCL text has a parameter
            for it, give a ``cl.LocalMemory`` in `args`.
        stream : Queue, optional
            Where to launch; the first array's queue by default.

        Raises
        ------
        CompileError
            Where the text does not compile; it names the line of the text.
        ValueError
            For a read-only array where the text has a pointer to what is not const, sizes that no launch has, and on
            OpenCL devices dynamic shared memory without its bytes.
        OverflowError
            For a number that the bits of the text's integer do not hold.
        DTypeError
            For a complex number where the text has a real one.
        """
        like = next((x for x in args if isinstance(x, Array)), None)
        queue = stream or (_core.current_place()[1] if like is None else _core.ArrayBase.queue.__get__(like))
        device = _core.device_of(queue, None) if like is None else like.device
        kernel, parameters = self._module._kernel(device, self.name)
        values = [self._value(x, parameters[i] if i < len(parameters) else "") for i, x in enumerate(args)]
        grid, block = _extent(grid, "grid"), _extent(block, "block")
        if device.driver == "cuda":
            kernel(*values, grid=grid, block=block, shared=shared_mem, stream=queue)
            return
        if len(parameters) == len(values) + 1 and "LOCAL" in parameters[-1]:
            values.append(self._dynamic_memory(shared_mem))
        kernel(queue, tuple(g * b for g, b in zip(grid, block, strict=True)), block, *values)

    def _dynamic_memory(self, nbytes: int) -> Any:
        if nbytes < 1:
            raise ValueError(f"{self.name}: the text has dynamic shared memory; give its bytes, as by shared_mem=1024")
        return _core.cl.LocalMemory(nbytes)

    def _value(self, x: Any, parameter: str) -> Any:
        """An argument as drivers take it."""
        if isinstance(x, Array):
            if _is_written(parameter) and not _core.is_value(x) and not x.flags.writeable:
                raise ValueError(
                    f"{self.name}: the array for {_name_of(parameter)} is read-only, and the text may write through "
                    "that pointer; declare it const, or give a copy()"
                )
        elif isinstance(x, bool | int | float | complex | np.number | np.bool_):
            if (dtype := _dtype_of(parameter)) is None and isinstance(x, np.generic):
                return x
            dtype = dtype or next(name for kind, name in _WIDEST.items() if isinstance(x, kind))
            number = x.item() if isinstance(x, np.generic) else x
            self._check_fit(number, dtype, parameter)
            return np.asarray(number).astype(dtype)[()]
        elif isinstance(x, np.ndarray) and x.ndim:
            if x.dtype.names and x.size == 1:  # a structure by value, as CuPy's kernels take it
                return x.reshape(())[()]
            raise DTypeError("a NumPy array is no argument of a kernel; move it with asarray() or to_device()")
        return x

    def _check_fit(self, x: complex, dtype: str, parameter: str) -> None:
        """Refuse a number that the parameter's type would make another one of: its fraction alone is lost, as in C."""
        if isinstance(x, complex):
            if not dtype.startswith(("complex", "bool")):
                raise DTypeError(
                    f"{self.name}: {_name_of(parameter)} is {dtype}, which {x!r} is not; take its real part"
                )
        elif (limits := _LIMITS.get(dtype)) and not limits[0] <= x < limits[1]:
            raise OverflowError(f"{self.name}: {_name_of(parameter)} is {dtype}, which {x!r} does not fit in")


def _extent(given: int | Sequence[int], what: str) -> tuple[int, int, int]:
    sizes = (given,) if isinstance(given, int | np.integer) else tuple(given)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"{what} has one to three sizes, not {len(sizes)}")
    if any(not 0 < size < 1 << 31 for size in sizes):
        raise ValueError(f"the sizes of {what} are from 1 to 2**31 - 1, not {tuple(map(int, sizes))}")
    x, y, z = (*(int(size) for size in sizes), 1, 1)[:3]
    return x, y, z


def _is_pointer(parameter: str) -> bool:
    return "*" in parameter or "[" in parameter


@lru_cache(1024)  # asked at each launch
def _is_written(parameter: str) -> bool:
    """Whether a parameter is a pointer to what is not const."""
    pointed = parameter.rpartition("*")[0] or parameter
    return _is_pointer(parameter) and not re.search(r"\b(const|__constant|constant)\b", pointed)


@lru_cache(1024)
def _name_of(parameter: str) -> str:
    return re.findall(r"\w+", parameter.partition("[")[0])[-1]


@lru_cache(1024)
def _dtype_of(parameter: str) -> str | None:
    """The dtype of a parameter that is a number, as C writes it; None for other types."""
    if _is_pointer(parameter):
        return None
    kind = " ".join(word for word in parameter.split()[:-1] if word not in ("const", "volatile"))
    return _NUMBERS.get(kind.replace("signed int", "int") if kind == "signed int" else kind)


def _with_headers(device: Any, text: str) -> tuple[str, list[str]]:
    """A text with the options that say where CUDA's headers are, where it includes some."""
    if device.driver != "cuda":
        return text, []
    from devarray.cuda._headers import with_headers

    text, options = with_headers(text)
    return text, [shlex.quote(option) for option in options]
