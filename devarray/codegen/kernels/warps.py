"""What kernels ask of a driver: counters, words handed from work-group to work-group, votes and exchanges in a warp."""

from __future__ import annotations

from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["exchange", "has_warps", "primitives"]

# A word that is handed on holds flag and value at once, so no fence is needed.
_CUDA = """\
#define SHARED
#define COUNT_LOCAL(p) atomicAdd(p, 1u)
#define COUNT_UP_BY(p, x) atomicAdd(p, x)
#define LOOK(p) (*(volatile u32*)(p))
#define HAND_ON(p, x) (*(volatile u32*)(p) = (x))
"""
_OPENCL = """\
#define SHARED local
#define COUNT_LOCAL(p) atomic_inc((volatile local u32*)(p))
#define COUNT_UP_BY(p, x) atomic_add((volatile global u32*)(p), x)
#define LOOK(p) atomic_or((volatile global u32*)(p), 0u)
#define HAND_ON(p, x) atomic_xchg((volatile global u32*)(p), x)
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
_EQUAL = """\
FN u32 equal_in_warp(u32 d)
{
  u32 peers = 0xffffffffu;
  #pragma unroll
  for (i32 b = 0; b < 8; ++b) {
    const u32 bit = d >> b & 1u, votes = BALLOT(bit);
    peers &= bit ? votes : ~votes;
  }
  return peers;
}
"""
# In halves: a shuffle moves 32 bits.
_NVIDIA_EXCHANGE = {
    "float32": """\
FN f32 exchange(f32 x, u32 bit)
{
  f32 y;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(y) : "f"(x), "r"(bit));
  return y;
}
""",
    "float64": """\
FN f64 exchange(f64 x, u32 bit)
{
  const u64 bits = AS_U64(x);
  u32 low, high;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(low) : "r"((u32)bits), "r"(bit));
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(high) : "r"((u32)(bits >> 32)), "r"(bit));
  return AS_F64((u64)high << 32 | low);
}
""",
}


def has_warps(dialect: Dialect) -> bool:
    """Whether work-items run in warps of 32 that vote, and work-groups that have begun make progress: NVIDIA GPUs."""
    nvidia = "NVIDIA" in str(dialect.caps.get("vendor", "")).upper()
    return dialect.driver == "cuda" or (nvidia and dialect.caps.get("type") != "cpu")


def primitives(dialect: Dialect, warps: bool) -> str:
    """Definitions for kernels: counters (`COUNT_LOCAL`, `COUNT_UP_BY`), words between groups (`LOOK`, `HAND_ON`), the
    local address space `SHARED`, and with `warps` votes and shuffles (`equal_in_warp`, `SHUFFLE_UP` ...)."""
    cuda = dialect.driver == "cuda"
    text = _CUDA if cuda else _OPENCL
    if warps:
        text += (_CUDA_WARPS if cuda else _NVIDIA_WARPS) + _EQUAL
    return text


def exchange(dialect: Dialect, dtype: str) -> str:
    """Definition, for where there are warps, of `exchange(x, bit)`: the `x`, float32 or float64, of the work-item whose
    number in its warp differs in that bit."""
    if dialect.driver != "cuda":
        return _NVIDIA_EXCHANGE[dtype]
    kind = CTYPE[dtype]
    return f"FN {kind} exchange({kind} x, i32 bit) {{ return __shfl_xor_sync(0xffffffffu, x, bit); }}\n"
