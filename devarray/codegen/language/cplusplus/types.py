"""Types of C++ as far as a text in C has to know them, and what C's arithmetic makes of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

__all__ = [
    "INTEGERS",
    "LIBRARY",
    "QUALIFIERS",
    "RANKS",
    "Type",
    "arithmetic",
    "conversion",
    "function_type",
    "limit",
    "named",
    "number_type",
]

QUALIFIERS = frozenset(
    [
        "const",
        "volatile",
        "static",
        "inline",
        "constexpr",
        "extern",
        "register",
        "mutable",
        "typename",
        "explicit",
        "friend",
        "virtual",
        "noexcept",
        "override",
        "struct",
        "class",
        "enum",
        "union",
        "__host__",
        "__device__",
        "__global__",
        "__shared__",
        "__constant__",
        "__managed__",
        "__forceinline__",
        "__noinline__",
        "__inline__",
        "__restrict__",
        "__restrict",
        "restrict",
        "GLOBAL",
        "LOCAL",
        "KERNEL",
        "global",
        "local",
        "constant",
        "__local",
    ]
)
"""Words beside a type in a declaration."""

_SPELLINGS = {
    "signed char": "signed char", "unsigned char": "unsigned char", "uchar": "unsigned char",
    "short int": "short", "signed short": "short", "unsigned short int": "unsigned short", "ushort": "unsigned short",
    "signed": "int", "signed int": "int", "unsigned": "unsigned int", "uint": "unsigned int",
    "long int": "long", "signed long": "long", "unsigned long int": "unsigned long", "ulong": "unsigned long",
    "long long int": "long long", "signed long long": "long long", "long unsigned int": "unsigned long",
    "unsigned long long int": "unsigned long long", "long long unsigned int": "unsigned long long",
    "size_t": "unsigned long", "ptrdiff_t": "long", "int8_t": "signed char", "uint8_t": "unsigned char",
    "int16_t": "short", "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned int",
    "int64_t": "long", "uint64_t": "unsigned long", "i8": "signed char", "u8": "unsigned char", "i16": "short",
    "u16": "unsigned short", "i32": "int", "u32": "unsigned int", "i64": "long", "u64": "unsigned long",
    "f32": "float", "f64": "double", "f16": "half", "b8": "unsigned char",
}  # fmt: skip
RANKS = {
    "bool": 0, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 3,
    "unsigned int": 4, "long": 5, "unsigned long": 6, "long long": 7, "unsigned long long": 8, "half": 9, "float": 10,
    "double": 11,
}  # fmt: skip
"""Types of numbers; the greater of two is what arithmetic has, an int at least."""
INTEGERS = frozenset(kind for kind, rank in RANKS.items() if rank < RANKS["half"])
WORDS_OF_NUMBERS = frozenset(word for kind in (*_SPELLINGS, *RANKS) for word in kind.split())


@dataclass(frozen=True, slots=True)
class Type:
    """A type.

    Attributes
    ----------
    base : str
        As C names it: ``"unsigned int"``, or a structure's name.
    stars : int
        Of a pointer.
    dims : tuple of str
        Sizes of an array.
    space : str
        Where a pointer points: ``"GLOBAL"``, ``"LOCAL"``, ``"constant"``, or empty where nothing says it, or where it
        is the work-item's own memory.
    const : bool
        Whether the base is const.
    """

    base: str
    stars: int = 0
    dims: tuple[str, ...] = ()
    space: str = ""
    const: bool = False

    @property
    def is_pointer(self) -> bool:
        return self.stars > 0 and not self.dims

    @property
    def is_number(self) -> bool:
        return self.base in RANKS and not self.stars and not self.dims

    def element(self) -> Type:
        """What an index or `*` gives."""
        if self.dims:
            return replace(self, dims=self.dims[1:])
        # What lies in global memory points there: its addresses are the host's.
        return replace(
            self, stars=self.stars - 1, space=self.space if self.space == "GLOBAL" and self.stars > 1 else ""
        )

    def pointer(self, space: str) -> Type:
        """A pointer to it, which lies in `space`; an array's is to its first element."""
        if self.dims:
            return replace(self, dims=(), stars=self.stars + 1, space=space)
        return replace(self, stars=self.stars + 1, space=space)

    def plain(self) -> Type:
        """The type of a value of it: without const."""
        return replace(self, const=False) if not self.stars and not self.dims else self

    def same(self, other: Type) -> bool:
        """Whether both are one type, but for const and where they point."""
        return (self.base, self.stars, self.dims) == (other.base, other.stars, other.dims)

    def spelled(self, name: str = "") -> str:
        """A declaration of a name; without one the type as a cast has it."""
        inner = f"* {self.space}" if self.space == "GLOBAL" else "*"
        stars = inner * (self.stars - 1) + "*" * (self.stars > 0)
        words = [self.space, "const" if self.const else "", self.base + stars, name]
        return " ".join(word for word in words if word) + "".join(f"[{size}]" for size in self.dims)


def named(spelling: str) -> str:
    """A type of numbers by any of its spellings; other names as they are."""
    return _SPELLINGS.get(spelling, spelling)


def arithmetic(a: Type | None, b: Type | None) -> Type | None:
    """The type of `a + b` and its like."""
    if a is None or b is None or not a.is_number or not b.is_number:
        return None
    wide = max(a.base, b.base, key=RANKS.__getitem__)
    if wide == "long long" and "unsigned long" in (a.base, b.base):  # of as many bits
        wide = "unsigned long long"
    return Type(wide if RANKS[wide] >= RANKS["int"] else "int")


def conversion(given: Type, wanted: Type) -> int | None:
    """How far an argument is from a parameter: 0 the same, 1 promoted, 2 converted; None where it is neither."""
    if given.dims and wanted.is_pointer:
        given = given.pointer("")
    if given.same(wanted):
        return 0
    if given.is_number and wanted.is_number:
        small = RANKS[given.base] < RANKS["int"] and wanted.base == "int"
        return 1 if small or (given.base, wanted.base) == ("float", "double") else 2
    if given.is_pointer and wanted.is_pointer and wanted.base == "void" and wanted.stars == 1:
        return 2
    return None


def number_type(text: str) -> Type | None:
    """The type of a number as it is written; None where that is no number of C++."""
    low = text.lower()
    if re.fullmatch(r"(0x[\da-f]+|0b[01]+|[1-9]\d*|0[0-7]*)(u?l?l?|l?l?u)", low):
        digits = low.rstrip("ul")
        suffix = low[len(digits) :]
        octal = digits.isdigit() and digits.startswith("0")
        value = int(digits, 8) if octal else int(digits, 0)
        fits = [
            (kind, bits)
            for kind, bits in (("int", 31), ("unsigned int", 32), ("long", 63), ("unsigned long", 64))
            if ("u" not in suffix or kind.startswith("u"))
            and ("u" in suffix or not digits.isdigit() or octal or not kind.startswith("u"))
            and ("l" not in suffix or kind.endswith("long"))
        ]
        kind = next((kind for kind, bits in fits if value < 1 << bits), "unsigned long")
        return Type(f"{kind} long" if suffix.count("l") == 2 else kind)
    if not re.fullmatch(r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?[fl]?|0x[\da-f]*\.?[\da-f]*p[+-]?\d+[fl]?", low):
        return None
    return Type("float" if low.endswith("f") else "double")


_REAL = [
    "sqrt",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "tanh",
    "sinh",
    "cosh",
    "asin",
    "acos",
    "atan",
    "exp2",
    "exp10",
    "log2",
    "log10",
    "log1p",
    "expm1",
    "ceil",
    "floor",
    "round",
    "trunc",
    "rint",
    "fabs",
    "erf",
    "erfc",
    "rsqrt",
    "cbrt",
    "pow",
    "atan2",
    "fmod",
    "hypot",
    "fmin",
    "fmax",
    "copysign",
    "fma",
    "tgamma",
    "lgamma",
    "sinpi",
    "cospi",
    "asinh",
    "acosh",
    "atanh",
]
_OF_ARGUMENTS = ("min", "max")
LIBRARY = frozenset((*_REAL, *_OF_ARGUMENTS, "abs"))
"""Functions of CUDA's library for several types of numbers."""
_INTEGER_RESULTS = [
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "__popc",
    "__popcll",
    "__clz",
    "__clzll",
    "__ffs",
    "__float2int_rn",
    "__float2int_rz",
]


def function_type(name: str, given: list[Type | None]) -> Type | None:
    """The result of a function of CUDA's library, where it is known."""
    if name in _INTEGER_RESULTS:
        return Type("int")
    if name.startswith("make_"):
        return Type(name.removeprefix("make_"))
    if name.removesuffix("f") in _REAL and name.endswith("f") and name not in ("erf",):
        return Type("float")
    if name in ("__expf", "__logf", "__powf", "__sinf", "__cosf", "__fdividef", "__int_as_float"):
        return Type("float")
    if not given or any(t is None or not t.is_number for t in given):
        if name.startswith("atomic") and given and given[0] is not None and given[0].is_pointer:
            return given[0].element().plain()
        return None
    kinds = [t for t in given if t is not None]
    wide = kinds[0]
    for kind in kinds[1:]:
        wide = arithmetic(wide, kind) or wide
    if name in _OF_ARGUMENTS:
        return arithmetic(wide, wide)
    if name == "abs":
        return arithmetic(wide, wide)
    if name in _REAL:
        return Type("float" if all(kind.base == "float" for kind in kinds) else "double")
    return None


def limit(base: str, name: str) -> str | None:
    """A member of `std::numeric_limits`, as C writes it."""
    if base in INTEGERS and base not in ("bool", "char"):
        sign, kind = ("u", base[9:]) if base.startswith("unsigned ") else ("", base.removeprefix("signed "))
        bits = {"char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}[kind]
        info = np.iinfo(f"{sign}int{bits}")
        if name == "max":
            return f"{info.max}{sign}{'l' if bits == 64 else ''}"
        low = f"(-{info.max}{'l' if bits == 64 else ''} - 1)" if not sign else "0"
        return low if name in ("min", "lowest") else None
    if base not in ("float", "double"):
        return None
    real = np.finfo("f4" if base == "float" else "f8")
    values = {"max": real.max, "min": real.tiny, "lowest": real.min, "epsilon": real.eps}
    if name in values:
        return f"({float(values[name])!r}{'f' if base == 'float' else ''})"
    return {"infinity": "INFINITY", "quiet_NaN": "NAN"}.get(name)
