"""Templates of PyOpenCL's kernels: texts with names of types and values that build() gives."""

from __future__ import annotations

import numpy as np
import pytest

from devarray import cl
from devarray.cl import array as cl_array
from devarray.cl import tools
from devarray.cl.elementwise import ElementwiseTemplate
from devarray.cl.reduction import ReductionTemplate
from devarray.cl.scan import GenericDebugScanKernel, GenericScanKernelBase, ScanTemplate

INNER, _ = tools.match_dtype_to_c_struct(None, "template_inner_t", np.dtype([("count", np.int32)]))
tools.get_or_register_dtype("template_inner_t", INNER)
OUTER, _ = tools.match_dtype_to_c_struct(
    None, "template_outer_t", np.dtype([("inner", INNER, 2), ("total", np.float64)])
)
tools.get_or_register_dtype("template_outer_t", OUTER)


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_element_wise(queue, dtype):
    template = ElementwiseTemplate(
        "item_t *x, /* what, it is\n multiplied by */ item_t factor", "x[i] = %(function)s(x[i] * factor, shift)",
        name="%(function)s_scaled", preamble="item_t %(function)s(item_t a, item_t b) { return a + b; }",
        template_processor="printf",
    )  # fmt: skip
    x = cl_array.arange(queue, 10, dtype=dtype)
    kernel = template.build(queue.context, [("item_t", dtype)], {"function": "added"}, more_arguments="item_t shift")
    kernel(x, 3, 1)
    assert kernel.name == "added_scaled"
    np.testing.assert_array_equal(x.get(), np.arange(10, dtype=dtype) * dtype(3) + dtype(1))


def test_arguments_of_every_form(queue):
    template = ElementwiseTemplate([tools.VectorArg(np.float32, "x"), "item_t *y"], "x[i] = a * y[i] + b")
    x, y = cl_array.zeros(queue, 5, np.float32), cl_array.arange(queue, 5, dtype=np.int32)
    more = [("item_t", "a"), tools.ScalarArg(np.float32, "b")]
    template.build(queue.context, {"item_t": np.int32}, more_arguments=more)(x, y, 2, 0.5)
    np.testing.assert_array_equal(x.get(), np.arange(5, dtype=np.float32) * 2 + np.float32(0.5))


@pytest.mark.parametrize("scan_cls", [None, GenericDebugScanKernel])
def test_scans(queue, scan_cls):
    template = ScanTemplate(
        "scan_t *x, int *starts", "x[i]", "across_seg_boundary ? b : a + b", "0", "x[i] = item",
        is_segment_start_expr="starts[i] != 0",
    )  # fmt: skip
    rng = np.random.default_rng(3)
    host, starts = rng.integers(-5, 9, 3000), (rng.random(3000) < 0.01).astype(np.int32)
    kernel = template.build(queue.context, {"scan_t": np.int64}, **({"scan_cls": scan_cls} if scan_cls else {}))
    assert isinstance(kernel, scan_cls or GenericScanKernelBase)
    x = cl_array.to_device(queue, host)
    kernel(x, cl_array.to_device(queue, starts))
    parts = np.split(host, np.flatnonzero(starts))
    np.testing.assert_array_equal(x.get(), np.concatenate([np.cumsum(part) for part in parts]))
    with pytest.raises(ValueError, match="scan_t"):
        template.build(queue.context)


def test_structures_are_declared_by_themselves(queue):
    """The arguments', the aliases' and the declared ones, the inner ones first; not those that the preamble defines."""
    host = np.zeros(20, OUTER)
    host["inner"]["count"] = np.arange(40).reshape(20, 2)
    x = cl_array.to_device(queue, host)
    ElementwiseTemplate("template_outer_t *x", "x[i].total = x[i].inner[1].count").build(queue.context)(x)
    assert x.get()["total"].tolist() == list(range(1, 40, 2))
    template = ReductionTemplate(
        "template_outer_t *x", "joined(0, 0)", "joined(a.count, b.count)", "x[i].inner[0]",
        preamble="reduction_t joined(int a, int b) { reduction_t r; r.count = max(a, b); return r; }",
    )  # fmt: skip
    assert template.build(queue.context, {"reduction_t": INNER})(x).get()["count"] == 38
    _, text = tools.match_dtype_to_c_struct(None, "template_inner_t", INNER)
    template = ElementwiseTemplate("int *x", "template_inner_t r; r.count = i; x[i] = r.count")
    counts = cl_array.zeros(queue, 4, np.int32)
    for more in ({"declare_types": [INNER]}, {"declare_types": ["template_inner_t"]}, {"more_preamble": text},
                 {"declare_types": [INNER], "more_preamble": text}):  # fmt: skip
        template.build(queue.context, **more)(counts.fill(9))
        assert counts.get().tolist() == [0, 1, 2, 3]


def test_a_text_says_its_processor(queue):
    template = ElementwiseTemplate("int *x", "//CL:printf//x[i] = %(value)s; int n = 7 %% 2; x[i] += n")
    x = cl_array.zeros(queue, 3, np.int32)
    template.build(queue.context, var_values=[("value", "5")])(x)
    assert x.get().tolist() == [6] * 3
    with pytest.raises(ValueError, match="'jinja' is no template processor"):
        ElementwiseTemplate("int *x", "//CL:jinja//x[i] = 1").build(queue.context)
    pytest.importorskip("mako")
    text = "% for k in range(3):\nx[i] += ${value} * ${k};\n% endfor"
    template = ElementwiseTemplate("int *x", text, template_processor="mako")
    template.build(queue.context, var_values={"value": 2})(x)
    assert x.get().tolist() == [12] * 3
