"""Fused element-wise kernels.

`render` turns an `ElementwiseSpec` into the source of one kernel named "k". In it, `m0`, `m1` ... are the memory
arguments (leaves, then outputs), `p0`, `p1` ... typed pointers to them, `a0` ... the leaves' values, `c0_` ... the
scalars, `t0` ... the nodes, one line each.
"""

from __future__ import annotations

from devarray.codegen.kernels.elementwise_body import Kernel, Walk, indent, item_of, numbers_of, within
from devarray.codegen.kernels.elementwise_shifts import has_two_texts, row_in_groups
from devarray.codegen.kernels.elementwise_tiles import tile_body
from devarray.codegen.kernels.elementwise_vectors import block_body, lone_element, narrow_body, vector_body
from devarray.codegen.kernels.operands import numbered
from devarray.codegen.kernels.spec import ElementwiseSpec
from devarray.codegen.kernels.statements import table_functions, user_functions
from devarray.codegen.language.dialect import Dialect

__all__ = ["render"]


def render(spec: ElementwiseSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`.

    Raises
    ------
    ValueError
        If the mode is unknown, or `vec` is asked for in a mode of single elements.
    """
    bodies = {"linear": _linear, "rows": _rows, "flat": _flat, "tiles": tile_body}
    if spec.mode not in bodies:
        raise ValueError(f"unknown mode {spec.mode!r} of an element-wise kernel; there are {', '.join(bodies)}")
    vectors = {"linear": block_body if numbers_of(spec) else vector_body, "flat": narrow_body}
    if spec.vec > 1 and spec.mode not in vectors:
        raise ValueError(f"mode {spec.mode!r} handles one element at a time, not vec = {spec.vec}")
    kernel = Kernel(spec, dialect).source((vectors if spec.vec > 1 else bodies)[spec.mode])
    return dialect.program(user_functions(dialect, spec.nodes) + table_functions(dialect, spec.nodes) + kernel)


def _linear(k: Kernel) -> tuple[str, list[str]]:
    index = k.index("i")
    loads = [k.value(leaf, f"p{leaf.number}", "i") for leaf in k.leaves if not leaf.alone]
    functions, nodes = lone_element(k) if k.checked_nodes and not index else ("", k.nodes)
    stores = [k.write(output, f"p{output.number}", "i") for output in k.outputs]
    if functions:
        stores = [k.dialect.store(o.dtype, f"p{o.number}", "i", f"r{number}") for number, o in enumerate(k.outputs)]
    element = [*index, *loads, *nodes, *stores]
    return functions, [
        *k.pointers([operand for operand in k.operands if not operand.alone]),
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} n = {k.size(0)};",
        f"const {k.itype} i = {item_of(k, 0)};",
        *within(k, "i < n", element, whole="(GROUP_ID(0) + 1) * LOCAL_SIZE(0) <= n"),
    ]


def _rows(k: Kernel) -> tuple[str, list[str]]:
    ndim = k.spec.ndim
    outer = [f"y{dim}" for dim in range(ndim - 1)]
    sizes = [k.size(dim) for dim in range(ndim)]
    split = k.unravel("y", sizes[:-1], outer) if outer else []
    names, before = [*outer, "x"], [*split, *k.index("(i64)y * columns + x")]
    row = [*before, *Walk(k, names).element()]
    if k.dialect.strategy == "cpu":  # a loop around the row would keep compilers from vectorising along x
        # A test of y = 0, though it always holds, would mask every vector: a third the speed.
        y, bounds = ("GLOBAL_ID(1)", "x < columns && y < rows") if outer else ("0", "x < columns")
        inside = row_in_groups(k, names, before, bounds) if has_two_texts(k) else within(k, bounds, row)
        walk = [f"const {k.itype} y = {y};", *inside]
    else:
        # Unrolled, the loads of several rows are under way at once; neighbours, so that stencils find them cached.
        # Loops that end when they may take most of the time themselves.
        itype = k.itype
        several = k.spec.rows
        start = f"{item_of(k, 1)} * {several}"
        first = f"for ({itype} first = {start}; first < rows; first += GLOBAL_SIZE(1) * {several}) {{"
        inner = [
            "#pragma unroll 1" if any(line.endswith(" break;") for line in k.nodes) else "#pragma unroll",
            f"for ({itype} r = 0; r < {several}; ++r) {{",
            *indent([f"const {itype} y = first + r;", "if (y < rows) {", *indent(row), "}"]),
            "}",
        ]
        walk = ["if (x < columns) {", *indent([first, *indent(inner), "}"]), "}"]
    return "", [
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} columns = {sizes[-1]};",
        f"const {k.itype} rows = {' * '.join(sizes[:-1]) or '1'};",
        f"const {k.itype} x = GLOBAL_ID(0);",
        *walk,
    ]


def _flat(k: Kernel) -> tuple[str, list[str]]:
    ndim = k.spec.ndim
    names = numbered("i", ndim)
    sizes = [k.size(dim) for dim in range(ndim)]
    element = [*k.unravel("i", sizes, names), *k.index("i"), *Walk(k, names).element()]
    return "", [
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} n = {' * '.join(sizes)};",
        f"const {k.itype} i = GLOBAL_ID(0);",
        *within(k, "i < n", element),
    ]
