"""The two C dialects that kernels are written in.

Kernel text is written once, in names that both dialects define: value types (`i32`, `f64`, `c64` ...), the macros of
the headers below (`KERNEL`, `GLOBAL_ID(0)`, `BARRIER` ...) and the prelude's functions (`sin_f32`, `half_f64` ...).
`Dialect.program` puts before a text the header and those prelude functions that it uses, and no others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from devarray.codegen.language import bounds
from devarray.codegen.prelude import base as prelude
from devarray.ops.dtypes import KIND, REAL_OF, SIZE

__all__ = ["CTYPE", "CUDA", "Dialect", "OpenCL", "dialect_for"]

CTYPE: dict[str, str] = {
    "bool": "b8",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
}
"""Name in kernels of the type that holds a value of a dtype; `f16` is a float that holds a half's value."""

_STORAGE = {"bool": "u8", "float16": "u16"}
_LANES = "0123456789abcdef"
_MAX_CHUNK_BYTES = 16  # the widest load of one work-item on NVIDIA GPUs


@dataclass(frozen=True, slots=True)
class Chunk:
    """A vector access: `lanes` storage elements that begin `first` storage elements after the operand's element."""

    first: int
    lanes: int


class Dialect:
    """What the generators ask of a dialect. All text that it returns is plain C of both dialects' common names.

    Parameters
    ----------
    caps : mapping
        `Device.caps` with the device's ``type`` and ``strategy``; ``check_bounds`` where accesses are checked.

    Attributes
    ----------
    strategy : {"cpu", "gpu"}
        How planners and renderers cut up work, `Device.strategy`; whatever it is, the text is what the compiler takes.
    options : str
        The compiler's, for texts of users.
    generated_options : str
        Those for texts that are generated.
    exact_launches : bool
        Whether element-wise kernels have as many work-items as elements, and test no bounds: `Device::exact_launches`.
    contract : bool
        Whether a product and the sum behind it are rounded once, by `fma`.
    branching : bool
        Whether compilers put a branch behind divisions and roots of float32, for operands that need more steps.
    """

    driver: ClassVar[str]
    header: str

    def __init__(self, caps: Mapping[str, Any]) -> None:
        self.caps = dict(caps)
        self.strategy: str = self.caps.get("strategy", "gpu")
        self.exact_launches = self.strategy == "cpu" and bool(self.caps.get("partial_groups"))
        self.check_bounds = bool(self.caps.get("check_bounds"))
        self.contract = self.strategy == "gpu" and bool(self.caps.get("contract"))
        self.branching = self.strategy == "gpu" and self.caps.get("type") == "cpu"  # which does what GPUs do
        fp64 = ("fp64",) if self.caps.get("fp64", True) else ()
        self.layers: tuple[str, ...] = (self.strategy, *fp64) if fp64 or self.strategy == "gpu" else ()
        self.options = self.build_options()
        self.generated_options = " ".join([self.options, *self.options_of_generated()])

    # Programs and kernels

    def build_options(self) -> str:
        """Compiler options for IEEE results (docs/design.md, rule 12)."""
        raise NotImplementedError

    def options_of_generated(self) -> tuple[str, ...]:
        """Further options for text that is all ours."""
        return ()

    def program(self, text: str) -> str:
        """`text` behind the header and the prelude functions that it uses."""
        parts = [self.header, self.type_definitions(text), *prelude.closure(text, self.layers), text]
        return "\n".join(part for part in parts if part)

    def type_definitions(self, text: str) -> str:
        """Definitions of the vector types (`f32x4` ...) that `text` uses."""
        names = sorted(set(re.findall(r"\b([iuf]\d+)x(\d+)\b", text)))
        return "\n".join(self._vector_type(base, int(lanes)) for base, lanes in names)

    def kernel(
        self,
        name: str,
        memory: str,
        slots: int,
        body: str,
        *,
        restrict: bool = True,
        group: int | None = None,
        resident: int = 0,
    ) -> str:
        """A kernel with the engine's signature.

        Parameters
        ----------
        name : str
        memory : str
            One letter for each memory argument `m0`, `m1` ...: "r" where the kernel only reads, else "w".
        slots : int
            Number of 8-byte slots `s.v[...]`.
        body : str
            Statements, indented by two spaces.
        restrict : bool
            Whether no two memory arguments share memory that is written.
        group : int, optional
            The work-group size that every launch will use.
        resident : int
            Groups of that size that shall fit on a compute unit at once, where a compiler can be told; 0: its choice.
        """
        checks = ""
        if self.check_bounds:
            body, checks = bounds.check_accesses(body, len(memory), slots), bounds.prelude(self.driver)
            memory, slots = f"{memory}w", slots + 2 * len(memory) + 2
        qualifier = " RESTRICT" if restrict else ""
        arguments = [f"GLOBAL {'const ' if mode == 'r' else ''}char*{qualifier} m{i}" for i, mode in enumerate(memory)]
        # An empty struct is no argument at all in C, but the engine always passes one.
        arguments.append("const struct Slots s")
        bound = f" {self._bounds(group, resident)}" if group else ""
        return (
            f"{checks}struct Slots {{ i64 v[{max(slots, 1)}]; }};\n\n"
            f"KERNEL{bound} void {name}({', '.join(arguments)})\n{{\n{body.rstrip()}\n}}\n"
        )

    def kernel_of_sets(self, name: str, memory: str, slots: int, body: str, sets: int, *, restrict: bool = True) -> str:
        """A kernel as `kernel` makes it for up to `sets` launches, each with memory arguments and slots of its own.

        The third dimension of the grid says whose a group of work-items is. What arguments the engine passes, see
        csrc/engine/launch_batch.cpp.
        """
        qualifier = " RESTRICT" if restrict else ""
        arguments = [f"GLOBAL {'const ' if mode == 'r' else ''}char*{qualifier} m{i}" for i, mode in enumerate(memory)]
        return (
            f"struct Slots {{ i64 v[{max(slots, 1)}]; }};\n\n"
            f"FN void {name}_of_set({', '.join([*arguments, self._slots_of_set])})\n{{\n{body.rstrip()}\n}}\n\n"
            f"{self._choice_of_set(name, memory, sets)}"
        )

    _slots_of_set: ClassVar[str]

    def _choice_of_set(self, name: str, memory: str, sets: int) -> str:
        """The kernel that calls the function of a set with its arguments."""
        raise NotImplementedError

    def _bounds(self, group: int, resident: int) -> str:
        return f"GROUP_SIZE({group})"

    # Types, values, memory

    def storage(self, dtype: str) -> str:
        """Type of a dtype's element in memory."""
        return _STORAGE.get(dtype, CTYPE[dtype])

    def pointer(self, dtype: str, *, const: bool, space: str = "GLOBAL") -> str:
        """Type of a pointer to elements of a dtype in memory."""
        return f"{space} {'const ' if const else ''}{self.storage(dtype)}*"

    def load(self, dtype: str, pointer: str, index: str) -> str:
        """Value of element `index` behind `pointer`, which has the type that `pointer()` gives."""
        return self.from_storage(dtype, f"{pointer}[{index}]")

    def store(self, dtype: str, pointer: str, index: str, value: str) -> str:
        """Statement that writes `value`, of type CTYPE[dtype]."""
        return f"{pointer}[{index}] = {self.to_storage(dtype, value)};"

    def from_storage(self, dtype: str, element: str) -> str:
        """Value of an element as it lies in memory. A bool is true for every byte but 0: bytes may be seen as bools."""
        if dtype == "bool":
            return f"(b8)({element} != 0)"
        return f"load_f16({element})" if dtype == "float16" else element

    def to_storage(self, dtype: str, value: str) -> str:
        """What is written to memory for a value of type CTYPE[dtype]."""
        return f"store_f16({value})" if dtype == "float16" else value

    def slots_of(self, dtype: str) -> int:
        """Slots that a scalar of this dtype fills."""
        return 2 if dtype == "complex128" else 1

    def slot(self, i: int, dtype: str = "int64", bits: int | None = None) -> str:
        """Value of the scalar that begins at slot `i`, or that has `bits` there in each launch."""
        v = f"s.v[{i}]" if bits is None else f"(i64)0x{bits & (1 << 64) - 1:x}UL"
        kind = KIND[dtype]
        if dtype == "int64":
            return v
        if kind in "iu":
            return f"({CTYPE[dtype]}){v}"
        if kind == "b":
            return f"(b8)({v} != 0)"
        if dtype == "float64":
            return f"AS_F64({v})"
        low = f"AS_F32((u32){v})"
        if dtype == "float32":
            return low
        if dtype == "float16":
            return f"half_f32({low})"
        if dtype == "complex64":
            return f"make_c64({low}, AS_F32((u32)((u64){v} >> 32)))"
        return f"make_c128(AS_F64({v}), AS_F64(s.v[{i + 1}]))"

    def cast(self, src: str, dst: str, value: str) -> str:
        """`value` of dtype `src` as dtype `dst`, with NumPy's result where C leaves it undefined."""
        if src == dst:
            return value
        source, target = KIND[src], KIND[dst]
        if dst == "bool":
            zero = f"{value}.re != 0 || {value}.im != 0" if source == "c" else f"{value} != 0"
            return f"(b8)({zero})"
        if target == "c":
            real = REAL_OF[dst]
            if source == "c":
                parts = [f"({CTYPE[real]}){value}.re", f"({CTYPE[real]}){value}.im"]
            else:
                parts = [self.cast(src, real, value), "0"]
            return f"make_{CTYPE[dst]}({', '.join(parts)})"
        if source == "c":
            return self.cast(REAL_OF[src], dst, f"{value}.re")
        if dst == "float16":
            if src == "float64":
                return f"half_f64({value})"
            exact = SIZE[src] == 1
            return f"(f16){value}" if exact else f"half_f32({self.cast(src, 'float32', value)})"
        if source == "f" and target in "iu":
            return f"to_{CTYPE[dst]}_{'f64' if src == 'float64' else 'f32'}({value})"
        if target == "f" and src in ("int64", "uint64") and "cpu" in self.layers:
            return f"to_{CTYPE[dst]}_{CTYPE[src]}({value})"
        if source == "b" and target == "f" and self.strategy == "gpu":  # a choice is one instruction, a conversion two
            return f"({value} ? {self.literal(1, dst)} : {self.literal(0, dst)})"
        return f"({CTYPE[dst]}){value}"

    def index_quotient(self, index: str, size: str) -> str:
        """Quotient of an index, which is not negative, and a size."""
        return f"index_quotient_i64({index}, {size})" if "cpu" in self.layers else f"{index} / {size}"

    def literal(self, value: complex, dtype: str) -> str:
        """`value` as a constant of a dtype. Integers must be in range."""
        kind = KIND[dtype]
        if kind == "c":
            real = REAL_OF[dtype]
            parts = (complex(value).real, complex(value).imag)
            return f"make_{CTYPE[dtype]}({', '.join(self.literal(part, real) for part in parts)})"
        if isinstance(value, complex):
            raise TypeError(f"a complex literal has no value of dtype {dtype}: {value!r}")
        if kind == "b":
            return "1" if value else "0"
        if kind in "iu":
            return f"(({CTYPE[dtype]})0x{int(value) & (1 << 8 * SIZE[dtype]) - 1:x}{'UL' if SIZE[dtype] == 8 else 'u'})"
        number = float(value)
        double = dtype == "float64"
        if math.isnan(number):
            return "AS_F64(0x7ff8000000000000UL)" if double else "AS_F32(0x7fc00000u)"
        if math.isinf(number):
            infinity = "AS_F64(0x7ff0000000000000UL)" if double else "AS_F32(0x7f800000u)"
            return f"(-{infinity})" if number < 0 else infinity
        return f"({number.hex()}{'' if double else 'f'})"

    # Vectors

    def chunks(self, dtype: str, vec: int) -> list[Chunk]:
        """The aligned accesses, of at most 16 bytes each, that together move `vec` elements of a dtype."""
        unit = SIZE[dtype] // 2 if KIND[dtype] == "c" else SIZE[dtype]
        total = vec * SIZE[dtype] // unit
        lanes = min(total, _MAX_CHUNK_BYTES // unit)
        return [Chunk(first, lanes) for first in range(0, total, lanes)]

    def chunk_type(self, dtype: str, chunk: Chunk) -> str:
        """Name of the vector type of a chunk."""
        unit = CTYPE[REAL_OF[dtype]] if KIND[dtype] == "c" else self.storage(dtype)
        return f"{unit}x{chunk.lanes}"

    def lane(self, i: int) -> str:
        """Name of a vector's component."""
        return f"s{_LANES[i]}"

    def element_of_chunk(self, dtype: str, vector: str, number: int) -> str:
        """The value of element `number` of the first chunk, held in `vector`."""
        if KIND[dtype] == "c":
            return f"make_{CTYPE[dtype]}({vector}.{self.lane(2 * number)}, {vector}.{self.lane(2 * number + 1)})"
        return self.from_storage(dtype, f"{vector}.{self.lane(number)}")

    def _vector_type(self, base: str, lanes: int) -> str:
        raise NotImplementedError


_TYPES = """\
typedef {uchar} b8;
typedef {char} i8;
typedef short i16;
typedef int i32;
typedef {long} i64;
typedef {uchar} u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned {long} u64;
typedef float f16;
typedef float f32;
"""
_COMPLEX = "typedef struct { f32 re, im; } c64;\n"
_DOUBLE = "typedef double f64;\ntypedef struct { f64 re, im; } c128;\n"


_KERNEL = "#define KERNEL kernel\n"
_KERNEL_OF_CPUS = '#define KERNEL __attribute__((no_builtin("memcpy", "memmove"))) kernel\n'
"""Loops that copy stay loops: the memcpy of Intel's compiler takes ten times as long where the target lies by fewer
than 16 bytes further on in its page than the source."""

_OPENCL_NAMES = {
    "i8": "char",
    "i16": "short",
    "i32": "int",
    "i64": "long",
    "u8": "uchar",
    "u16": "ushort",
    "u32": "uint",
    "u64": "ulong",
    "f32": "float",
    "f64": "double",
}


class OpenCL(Dialect):
    """OpenCL C 1.2, which every runtime takes."""

    driver = "opencl"
    header = (
        "#pragma OPENCL FP_CONTRACT OFF\n"
        + _TYPES.format(char="char", uchar="uchar", long="long")
        + _COMPLEX
        + _KERNEL
        + """\
#define GROUP_SIZE(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#define GLOBAL global
#define LOCAL local
#define RESTRICT restrict
#define FN static inline
#define CONSTANT static constant
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#define GLOBAL_ID(d) ((i64)get_global_id(d))
#define GLOBAL_SIZE(d) ((i64)get_global_size(d))
#define LOCAL_ID(d) ((i32)get_local_id(d))
#define LOCAL_SIZE(d) ((i32)get_local_size(d))
#define GROUP_ID(d) ((i64)get_group_id(d))
#define GROUPS(d) ((i64)get_num_groups(d))
#define AS_F32(x) as_float((u32)(x))
#define AS_F64(x) as_double((u64)(x))
#define AS_U32(x) as_uint((f32)(x))
#define AS_U64(x) as_ulong((f64)(x))
"""
    )

    def __init__(self, caps: Mapping[str, Any]) -> None:
        super().__init__(caps)
        if "NVIDIA" in self.caps.get("platform", ""):
            self.layers = ("nvidia", *self.layers)
            self.branching = True
        if "fp64" in self.layers:
            self.header += _DOUBLE
        if self.strategy == "cpu":
            self.header = self.header.replace(_KERNEL, _KERNEL_OF_CPUS)

    def build_options(self) -> str:
        return "-cl-fp32-correctly-rounded-divide-sqrt -w"  # warnings go to the user's terminal on some drivers

    _slots_of_set = "const struct Slots s"

    def _choice_of_set(self, name: str, memory: str, sets: int) -> str:
        # No struct may hold what memory arguments are, and no index chooses one of several arguments.
        arguments, chosen = [], []
        for i, mode in enumerate(memory):
            of_sets = [f"m{i}_{number}" for number in range(sets)]
            arguments.append([f"GLOBAL {'const ' if mode == 'r' else ''}char* {argument}" for argument in of_sets])
            others = [f"set == {number} ? {argument} : " for number, argument in enumerate(of_sets[:-1])]
            chosen.append("".join(others) + of_sets[-1])
        in_order = [argument for one_set in zip(*arguments, strict=True) for argument in one_set]
        return (
            f"struct Sets {{ struct Slots of[{sets}]; }};\n\n"
            f"KERNEL void {name}({', '.join([*in_order, 'const struct Sets s'])})\n{{\n"
            f"  const i32 set = (i32)GROUP_ID(2);\n  {name}_of_set({', '.join([*chosen, 's.of[set]'])});\n}}\n"
        )

    def _vector_type(self, base: str, lanes: int) -> str:
        name = _OPENCL_NAMES[base]
        return f"typedef {name}{lanes} {base}x{lanes};"


class CUDA(Dialect):
    """CUDA C++ as NVRTC compiles it, without any header."""

    driver = "cuda"
    header = (
        _TYPES.format(char="signed char", uchar="unsigned char", long="long long")
        + _COMPLEX
        + _DOUBLE
        + """\
#define KERNEL extern "C" __global__
#define GROUP_SIZE(n) __launch_bounds__(n)
#define GLOBAL
#define LOCAL __shared__
#define RESTRICT __restrict__
#define FN static __device__ __forceinline__
#define CONSTANT static __device__ const
#define BARRIER __syncthreads()
#define FENCE __threadfence()
#define AXIS_0 x
#define AXIS_1 y
#define AXIS_2 z
#define GLOBAL_ID(d) ((i64)blockIdx.AXIS_##d * blockDim.AXIS_##d + threadIdx.AXIS_##d)
#define GLOBAL_SIZE(d) ((i64)gridDim.AXIS_##d * blockDim.AXIS_##d)
#define LOCAL_ID(d) ((i32)threadIdx.AXIS_##d)
#define LOCAL_SIZE(d) ((i32)blockDim.AXIS_##d)
#define GROUP_ID(d) ((i64)blockIdx.AXIS_##d)
#define GROUPS(d) ((i64)gridDim.AXIS_##d)
#define AS_F32(x) __uint_as_float((u32)(x))
#define AS_F64(x) __longlong_as_double((i64)(x))
#define AS_U32(x) __float_as_uint(x)
#define AS_U64(x) ((u64)__double_as_longlong(x))
"""
    )

    def __init__(self, caps: Mapping[str, Any]) -> None:
        super().__init__(caps)
        self.layers = ("cuda", "nvidia", *self.layers)
        self.branching = True

    def build_options(self) -> str:
        # The architecture is the driver layer's to add: it knows the device and what the compiler can do.
        return "--std=c++17 --fmad=false -ftz=false -prec-div=true -prec-sqrt=true"

    def options_of_generated(self) -> tuple[str, ...]:
        # Without textures, surfaces and the device runtime: a fifth of a short kernel's time, and the same code.
        return ("--minimal",)

    _slots_of_set = "const struct Slots& s"

    def _choice_of_set(self, name: str, memory: str, sets: int) -> str:
        # Parameters that are only read stay where they are, in constant memory; of few sets NVRTC would make a copy.
        chosen = [f"sets.of[set].m[{i}]" for i in range(len(memory))]
        return (
            f"struct Set {{ char* m[{len(memory)}]; struct Slots s; }};\nstruct Sets {{ struct Set of[{sets}]; }};\n\n"
            "#if __CUDA_ARCH__ >= 700\n#define IN_PLACE __grid_constant__\n#else\n#define IN_PLACE\n#endif\n\n"
            f"KERNEL void {name}(const IN_PLACE struct Sets sets)\n{{\n"
            f"  const u32 set = (u32)GROUP_ID(2);\n  {name}_of_set({', '.join([*chosen, 'sets.of[set].s'])});\n}}\n"
        )

    def _bounds(self, group: int, resident: int) -> str:
        return f"__launch_bounds__({group}, {resident})" if resident else super()._bounds(group, resident)

    def _vector_type(self, base: str, lanes: int) -> str:
        size = int(base[1:]) // 8 * lanes
        members = ", ".join(self.lane(i) for i in range(lanes))
        return f"struct __align__({size}) {base}x{lanes} {{ {base} {members}; }};"


def dialect_for(driver: str, caps: Mapping[str, Any]) -> Dialect:
    """The dialect of a device's compiler.

    Parameters
    ----------
    driver : {"opencl", "cuda"}
    caps : mapping
        `Device.caps`, with the device's ``type`` and ``strategy``.
    """
    dialects: dict[str, type[Dialect]] = {"opencl": OpenCL, "cuda": CUDA}
    if driver not in dialects:
        raise ValueError(f"no dialect for driver {driver!r}; there are {', '.join(sorted(dialects))}")
    return dialects[driver](caps)
