"""What the core asks for: kernels by their specs, and what an access of one is."""

from __future__ import annotations

from typing import Any

from devarray import _core
from devarray._runtime import compiler

__all__ = ["build_elementwise", "build_reduction", "build_rows", "build_stencil_chain", "explain_access"]


def build_elementwise(device: _core.Device, spec: dict[str, Any] | str, soon: bool) -> _core.Kernel | str:
    """The kernel of a spec, by its fields or by its source. With `soon`, its source until it is compiled."""
    if not isinstance(spec, str):
        from devarray.codegen.kernels import elementwise
        from devarray.codegen.kernels.spec import ElementwiseSpec

        spec = elementwise.render(ElementwiseSpec(**spec), compiler.dialect(device))
    return (compiler.get_soon(device, spec) or spec) if soon else compiler.get(device, spec)


def build_reduction(device: _core.Device, spec: dict[str, Any] | str, soon: bool) -> _core.Kernel | str:
    """As `build_elementwise`."""
    if not isinstance(spec, str):
        from devarray.codegen.kernels import reduction, row_neighbours

        wanted = reduction.ReductionSpec(**spec)
        render = row_neighbours.render if wanted.steps else reduction.render
        spec = render(wanted, compiler.dialect(device))
    return (compiler.get_soon(device, spec) or spec) if soon else compiler.get(device, spec)


def build_rows(device: _core.Device, spec: dict[str, Any] | str, soon: bool) -> _core.Kernel | str:
    """As `build_elementwise`."""
    if not isinstance(spec, str):
        from devarray.codegen.kernels import rows

        spec = rows.render(rows.RowsSpec(**spec), compiler.dialect(device))
    return (compiler.get_soon(device, spec) or spec) if soon else compiler.get(device, spec)


def build_stencil_chain(device: _core.Device, spec: dict[str, Any] | str, soon: bool) -> _core.Kernel | str:
    """As `build_elementwise`."""
    if not isinstance(spec, str):
        from devarray.codegen.kernels import stencil_chain

        spec = stencil_chain.render(stencil_chain.StencilChainSpec.of(**spec), compiler.dialect(device))
    return (compiler.get_soon(device, spec) or spec) if soon else compiler.get(device, spec)


def explain_access(site: int) -> str:
    """The access of a number in kernels that check bounds, for an error."""
    from devarray.codegen.language import bounds

    return bounds.explain(site)
