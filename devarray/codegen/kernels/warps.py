"""What kernels ask of a driver: counters, words handed from group to group, votes and shuffles in a warp."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, REAL_OF, SIZE

__all__ = ["WARP", "across", "from_words", "has_warps", "of_lane", "peers", "primitives", "word_count", "words_of"]

WARP = 32
"""Work-items of a warp."""

# A word that is handed on holds flag and value at once, so no fence is needed. Wide ones have 64 bits, which
# devices with pointers of 64 bits read and write at once where they are aligned.
_CUDA = """\
#define SHARED
#define COUNT_LOCAL(p) atomicAdd(p, 1u)
#define COUNT_UP_BY(p, x) atomicAdd(p, x)
#define LOOK(p) (*(volatile u32*)(p))
#define HAND_ON(p, x) (*(volatile u32*)(p) = (x))
#define LOOK_WIDE(p) (*(volatile u64*)(p))
#define HAND_ON_WIDE(p, x) (*(volatile u64*)(p) = (x))
"""
_OPENCL = """\
#define SHARED local
#define COUNT_LOCAL(p) atomic_inc((volatile local u32*)(p))
#define COUNT_UP_BY(p, x) atomic_add((volatile global u32*)(p), x)
#define LOOK(p) atomic_or((volatile global u32*)(p), 0u)
#define HAND_ON(p, x) atomic_xchg((volatile global u32*)(p), x)
#define LOOK_WIDE(p) (*(volatile global u64*)(p))
#define HAND_ON_WIDE(p, x) (*(volatile global u64*)(p) = (x))
"""
_CUDA_WARPS = """\
#define BALLOT(x) __ballot_sync(0xffffffffu, x)
#define SHUFFLE_UP(x, h) __shfl_up_sync(0xffffffffu, x, h)
#define WARP_BARRIER __syncwarp()
#define BITS_SET(x) ((u32)__popc(x))
"""
# NVIDIA's OpenCL compiler takes PTX.
_NVIDIA_WARPS = """\
FN u32 warp_ballot(u32 x)
{
  u32 y;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(y) : "r"(x));
  return y;
}
FN u32 warp_up(u32 x, u32 h)
{
  u32 y;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(y) : "r"(x), "r"(h));
  return y;
}
#define BALLOT(x) warp_ballot(x)
#define SHUFFLE_UP(x, h) warp_up(x, (u32)(h))
#define WARP_BARRIER asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define BITS_SET(x) popcount(x)
"""
_CUDA_SHUFFLE = (
    "FN {t} {name}_{t}(const {t} x, const i32 h, const u32 peers) {{ return ({t})__shfl{way}_sync(peers, {x}, h); }}"
)
_NVIDIA_SHUFFLE = """\
FN u32 {name}_word(u32 x, i32 h, u32 peers)
{{
  u32 y;
  asm volatile("shfl.sync.{way}.b32 %0, %1, %2, 31, %3;" : "=r"(y) : "r"(x), "r"(h), "r"(peers));
  return y;
}}
FN u64 {name}_words(u64 x, i32 h, u32 peers)
{{
  return (u64){name}_word((u32)(x >> 32), h, peers) << 32 | {name}_word((u32)x, h, peers);
}}
"""
_EQUAL = """\
FN u32 equal_in_warp(u32 d)
{
  u32 peers = 0xffffffffu;
  #pragma unroll
  for (i32 b = 0; b < BITS; ++b) {
    const u32 bit = d >> b & 1u, votes = BALLOT(bit);
    peers &= bit ? votes : ~votes;
  }
  return peers;
}
"""
_DIGIT = 8


def has_warps(dialect: Dialect) -> bool:
    """Whether work-items run in warps of 32 that vote, and work-groups that have begun make progress: NVIDIA GPUs."""
    nvidia = "NVIDIA" in str(dialect.caps.get("vendor", "")).upper()
    return dialect.driver == "cuda" or (nvidia and dialect.caps.get("type") != "cpu")


def primitives(dialect: Dialect, warps: bool, bits: int = _DIGIT) -> str:
    """Definitions for kernels: counters (`COUNT_LOCAL`, `COUNT_UP_BY`), words between groups (`LOOK`, `HAND_ON`, and of
    64 bits `LOOK_WIDE`, `HAND_ON_WIDE`), the local address space `SHARED`, and with `warps` votes and shuffles
    (`equal_in_warp` of numbers of so many bits, `SHUFFLE_UP` ...)."""
    cuda = dialect.driver == "cuda"
    text = _CUDA if cuda else _OPENCL
    if warps:
        text += (_CUDA_WARPS if cuda else _NVIDIA_WARPS) + _EQUAL.replace("BITS", str(bits))
    return text


def word_count(dtype: str) -> int:
    """Words of 32 bits that hold a value."""
    return -(-SIZE[dtype] // 4)


def words_of(dtype: str, value: str) -> list[str]:
    """The bits of a value as `word_count` texts of type u32."""
    if KIND[dtype] == "c":
        real = "float64" if SIZE[dtype] == 16 else "float32"
        return [*words_of(real, f"{value}.re"), *words_of(real, f"{value}.im")]
    if dtype == "float32":
        return [f"AS_U32({value})"]
    if SIZE[dtype] < 8:
        return [f"(u32){value}"]
    bits = f"AS_U64({value})" if dtype == "float64" else f"(u64){value}"
    return [f"(u32)({bits})", f"(u32)({bits} >> 32)"]


def from_words(dtype: str, words: Sequence[str]) -> str:
    """The value of these bits."""
    if KIND[dtype] == "c":
        real, half = ("float64", 2) if SIZE[dtype] == 16 else ("float32", 1)
        return f"make_{CTYPE[dtype]}({from_words(real, words[:half])}, {from_words(real, words[half:])})"
    if SIZE[dtype] < 8:
        return f"AS_F32({words[0]})" if dtype == "float32" else f"({CTYPE[dtype]})({words[0]})"
    bits = f"(u64)({words[1]}) << 32 | (u64)({words[0]})"
    return f"AS_F64({bits})" if dtype == "float64" else f"({CTYPE[dtype]})({bits})"


def across(dialect: Dialect, dtypes: Iterable[str]) -> str:
    """Definitions of `across_f32(x, h, peers)` and its like for accumulators of some dtypes: the `x` of the work-item
    whose number in the warp differs by the power of two `h`. All of `peers`, a bit each, call it together."""
    return _shuffles(dialect, dtypes, "across", "_xor", "bfly")


def of_lane(dialect: Dialect, dtypes: Iterable[str]) -> str:
    """Definitions of `of_lane_f32(x, h, peers)` and its like: the `x` of the work-item whose number in the warp is `h`,
    one of `peers`, which call it together."""
    return _shuffles(dialect, dtypes, "of_lane", "", "idx")


def _shuffles(dialect: Dialect, dtypes: Iterable[str], name: str, cuda_way: str, way: str) -> str:
    dtypes = set(dtypes)
    if not dtypes:
        return ""
    cuda = dialect.driver == "cuda"
    parts = {REAL_OF[dtype] if KIND[dtype] == "c" else dtype for dtype in dtypes}
    lines = [] if cuda else [_NVIDIA_SHUFFLE.format(name=name, way=way)]
    for dtype in sorted(parts):
        lines.append(_cuda_shuffle(dtype, name, cuda_way) if cuda else _nvidia_shuffle(dtype, name))
    for dtype in sorted(dtype for dtype in dtypes if KIND[dtype] == "c"):
        t, part = CTYPE[dtype], CTYPE[REAL_OF[dtype]]
        values = ", ".join(f"{name}_{part}(x.{side}, h, peers)" for side in ("re", "im"))
        lines.append(
            f"FN {t} {name}_{t}(const {t} x, const i32 h, const u32 peers) {{ const {t} y = {{{values}}}; return y; }}"
        )
    return "\n".join(lines) + "\n"


def peers(count: int) -> str:
    """C text of the bits of the `count` work-items, a power of two, that stand beside work-item `lid` in its warp."""
    return f"{(1 << count) - 1:#x}u << (lid & {WARP - count})"


def _cuda_shuffle(dtype: str, name: str, way: str) -> str:
    x = "(i32)x" if KIND[dtype] in "biu" and SIZE[dtype] < 4 else "x"
    return _CUDA_SHUFFLE.format(t=CTYPE[dtype], name=name, way=way, x=x)


def _nvidia_shuffle(dtype: str, name: str) -> str:
    t = CTYPE[dtype]
    word = f"{name}_words" if SIZE[dtype] == 8 else f"{name}_word"
    if KIND[dtype] == "f":
        bits = max(8 * SIZE[dtype], 32)  # a float holds a half's value
        value = f"AS_F{bits}({word}(AS_U{bits}(x), h, peers))"
    else:
        value = f"({t}){word}(({'u64' if SIZE[dtype] == 8 else 'u32'})x, h, peers)"
    return f"FN {t} {name}_{t}(const {t} x, const i32 h, const u32 peers) {{ return {value}; }}"
