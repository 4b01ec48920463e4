"""What a device is like beyond its info attributes, under ``pyopencl.characterize``' names.

Examples
--------
>>> from devarray import cl
>>> from devarray.cl import characterize
>>> device = cl.create_some_context(answers=["0"]).devices[0]
>>> characterize.nv_compute_capability(device) is None or device.vendor.startswith("NVIDIA")
True
"""

from __future__ import annotations

import re
import warnings
from typing import Any, Literal

from ... import _core
from ..._runtime.arguments import takes
from .._constants import device_type
from .._errors import Error

__all__ = [
    "CLCharacterizationWarning",
    "get_fast_inaccurate_build_options",
    "get_pocl_version",
    "get_simd_group_size",
    "has_amd_double_support",
    "has_coarse_grain_buffer_svm",
    "has_double_support",
    "has_fine_grain_buffer_svm",
    "has_fine_grain_buffer_svm_atomics",
    "has_fine_grain_system_svm",
    "has_fine_grain_system_svm_atomics",
    "has_src_build_cache",
    "has_struct_arg_count_bug",
    "local_memory_access_granularity",
    "local_memory_bank_count",
    "nv_compute_capability",
    "reasonable_work_group_size_multiple",
    "simultaneous_work_items_on_local_access",
    "usable_local_mem_size",
]

_COARSE, _FINE_BUFFER, _FINE_SYSTEM, _ATOMICS = 1, 2, 4, 8


class CLCharacterizationWarning(UserWarning):
    """A figure is a guess."""


@takes(dev=_core.cl.Device)
def get_fast_inaccurate_build_options(dev: _core.cl.Device) -> list[str]:
    """Build options that the device takes and that make arithmetic fast at the price of its last digits.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    list of str
        The options.
    """
    options = ["-cl-mad-enable", "-cl-fast-relaxed-math", "-cl-no-signed-zeros"]
    if dev.vendor.startswith(("Advanced Micro", "NVIDIA")):
        options.append("-cl-strict-aliasing")
    return options


@takes(dev=_core.cl.Device)
def get_simd_group_size(dev: _core.cl.Device, type_size: int) -> int | None:
    """How many work-items run in step: NVIDIA's warp, AMD's wavefront, 1 on CPUs, None where it is not known.

    Parameters
    ----------
    dev : Device
        The device.
    type_size : int
        Bytes of the element type; taken for compatibility, no known device depends on it.

    Returns
    -------
    int or None
        Work-items.
    """
    warp = _optional(dev, "warp_size_nv")
    if warp is not None:
        return warp
    if dev.type & device_type.CPU:
        return 1
    vendors = f"{dev.platform.vendor} {dev.vendor}".lower()
    if "advanced micro" in vendors:
        return _optional(dev, "wavefront_width_amd") or reasonable_work_group_size_multiple(dev)
    return 32 if "nvidia" in vendors else None


def _optional(dev: _core.cl.Device, attribute: str) -> Any:
    """An attribute of vendors' extensions, None where the device does not answer it."""
    try:
        return getattr(dev, attribute, None)
    except Error:
        return None


@takes(dev=_core.cl.Device, ctx=_core.cl.Context)
def reasonable_work_group_size_multiple(dev: _core.cl.Device, ctx: _core.cl.Context | None = None) -> int:
    """The multiple of work-items that a group should have, as the compiler says for a small kernel.

    Parameters
    ----------
    dev : Device
        The device.
    ctx : Context, optional
        Where a kernel is built; a fresh one by default.

    Returns
    -------
    int
        Work-items.
    """
    ctx = _core.cl.Context([dev]) if ctx is None else ctx
    kernel = _core.cl.Program(ctx, "kernel void fill(global float* x) { x[get_global_id(0)] = 0; }").build().fill
    return kernel.get_work_group_info(0x11B3, dev)  # CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE


@takes(dev=_core.cl.Device, ctx=_core.cl.Context)
def has_struct_arg_count_bug(
    dev: _core.cl.Device, ctx: _core.cl.Context | None = None
) -> Literal["pocl", "apple", False]:
    """Whether the platform counts a structure by value as several kernel arguments.

    Early PoCL and Apple's CPU runtime did; where the platform is one of them, a kernel is built and asked.

    Parameters
    ----------
    dev : Device
        The device.
    ctx : Context, optional
        Where a kernel is built; a fresh one by default.

    Returns
    -------
    "pocl", "apple" or False
        The platform whose fault it is.
    """
    culprits: dict[str, Literal["pocl", "apple"]] = {"Portable Computing Language": "pocl", "Apple": "apple"}
    culprit = culprits.get(dev.platform.name)
    if culprit is None or not dev.type & device_type.CPU:
        return False
    ctx = _core.cl.Context([dev]) if ctx is None else ctx
    source = "struct pair { long a, b; }; kernel void take(struct pair p, global long* x) { *x = p.a + p.b; }"
    return culprit if _core.cl.Program(ctx, source).build().take.num_args != 2 else False


@takes(dev=_core.cl.Device)
def nv_compute_capability(dev: _core.cl.Device) -> tuple[int, int] | None:
    """The compute capability (major, minor) of an NVIDIA GPU, None for any other device.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    tuple of int or None
        Major and minor.
    """
    major, minor = _optional(dev, "compute_capability_major_nv"), _optional(dev, "compute_capability_minor_nv")
    return None if major is None or minor is None else (major, minor)


@takes(dev=_core.cl.Device)
def simultaneous_work_items_on_local_access(dev: _core.cl.Device) -> int:
    """How many work-items access local memory at once, and so may meet in one bank.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    int
        Work-items.

    Warns
    -----
    CLCharacterizationWarning
        Where it is a guess: on GPUs that are not NVIDIA's.
    """
    if dev.type & device_type.CPU:
        return 1
    capability = nv_compute_capability(dev)
    if capability is not None:
        return 32 if capability >= (2, 0) else 16
    warnings.warn(f"guessing that 16 work-items of {dev!r} access local memory at once", CLCharacterizationWarning, 2)
    return 16


@takes(dev=_core.cl.Device)
def local_memory_access_granularity(dev: _core.cl.Device) -> int:
    """Bytes of a bank of local memory.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    int
        Bytes.
    """
    return 4


@takes(dev=_core.cl.Device)
def local_memory_bank_count(dev: _core.cl.Device) -> int:
    """Banks of local memory.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    int
        Banks.

    Raises
    ------
    Error
        On CPUs, whose local memory is ordinary memory.

    Warns
    -----
    CLCharacterizationWarning
        Where it is a guess: on GPUs that are not NVIDIA's.
    """
    if dev.type & device_type.CPU:
        raise Error(f"local_memory_bank_count: the local memory of {dev!r} lies behind caches and has no banks")
    return simultaneous_work_items_on_local_access(dev)


@takes(dev=_core.cl.Device)
def usable_local_mem_size(dev: _core.cl.Device, nargs: int | None = None) -> int:
    """Bytes of local memory that a kernel may use, less what its arguments take on devices that keep them there.

    Parameters
    ----------
    dev : Device
        The device.
    nargs : int, optional
        Number of 32-bit arguments, 256 bytes' worth by default; it counts on NVIDIA GPUs before compute capability
        2.

    Returns
    -------
    int
        Bytes.
    """
    capability = nv_compute_capability(dev)
    in_local = capability is not None and capability < (2, 0)
    return int(dev.local_mem_size) - (0 if not in_local else 256 if nargs is None else 4 * nargs)


@takes(platform=_core.cl.Platform)
def get_pocl_version(
    platform: _core.cl.Platform, fallback_value: tuple[int, int] | None = None
) -> tuple[int, int] | None:
    """The version (major, minor) of PoCL, None for another platform.

    Parameters
    ----------
    platform : Platform
        The platform.
    fallback_value : tuple of int, optional
        What a PoCL gets whose version is written in another way.

    Returns
    -------
    tuple of int or None
        Major and minor.
    """
    if platform.name != "Portable Computing Language":
        return None
    found = re.match(r"OpenCL [\d.]+ pocl (\d+)\.(\d+)", platform.version, re.IGNORECASE)
    return fallback_value if found is None else (int(found[1]), int(found[2]))


@takes(dev=_core.cl.Device)
def has_src_build_cache(dev: _core.cl.Device) -> bool | None:
    """Whether the driver keeps what it builds from source; None where that is not known.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool or None
        Whether it does.
    """
    known = {"Portable Computing Language": True, "NVIDIA CUDA": True, "AMD Accelerated Parallel Processing": False}
    return known.get(dev.platform.name)


@takes(dev=_core.cl.Device)
def has_amd_double_support(dev: _core.cl.Device) -> bool:
    """Whether kernels may use float64 by AMD's own extension.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool
        Whether it is so.
    """
    return "cl_amd_fp64" in dev.extensions.split()


@takes(dev=_core.cl.Device)
def has_double_support(dev: _core.cl.Device) -> bool:
    """Whether kernels may use float64.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool
        Whether it is so.
    """
    return bool(dev.double_fp_config)


@takes(dev=_core.cl.Device)
def has_coarse_grain_buffer_svm(dev: _core.cl.Device) -> bool:
    """Whether there is shared virtual memory that is mapped for the host.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool
        Whether it is so.
    """
    return _has_svm(dev, _COARSE)


@takes(dev=_core.cl.Device)
def has_fine_grain_buffer_svm(dev: _core.cl.Device) -> bool:
    """Whether there is shared virtual memory that host and device use without maps.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool
        Whether it is so.
    """
    return _has_svm(dev, _FINE_BUFFER)


@takes(dev=_core.cl.Device)
def has_fine_grain_system_svm(dev: _core.cl.Device) -> bool:
    """Whether kernels may use all of the host's memory.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool
        Whether it is so.
    """
    return _has_svm(dev, _FINE_SYSTEM)


@takes(dev=_core.cl.Device)
def has_fine_grain_buffer_svm_atomics(dev: _core.cl.Device) -> bool:
    """Whether host and device may use atomics on the same fine-grained memory.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool
        Whether it is so.
    """
    return _has_svm(dev, _FINE_BUFFER) and _has_svm(dev, _ATOMICS)


@takes(dev=_core.cl.Device)
def has_fine_grain_system_svm_atomics(dev: _core.cl.Device) -> bool:
    """Whether host and device may use atomics on the same memory of the host.

    Parameters
    ----------
    dev : Device
        The device.

    Returns
    -------
    bool
        Whether it is so.
    """
    return _has_svm(dev, _FINE_SYSTEM) and _has_svm(dev, _ATOMICS)


def _has_svm(dev: _core.cl.Device, capability: int) -> bool:
    return bool((_optional(dev, "svm_capabilities") or 0) & capability)
