"""devarray.explain(): what it says is what evaluation then does, and saying it changes nothing."""

from __future__ import annotations

import gc
import random
import xml.etree.ElementTree as ElementTree
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray import _core
from devarray._profiling.explain import Explanation

pytestmark = pytest.mark.usefixtures("device", "deferred")


def ran(x: da.Array) -> tuple[list[tuple[str, int, int, int]], dict[str, int]]:
    """Name, operations and bytes of the kernels that evaluating an array launches, and what the engine counted."""
    before = da.stats()
    _core.profile_start()
    x.evaluate()
    after = da.stats()
    launched = [record for record in _core.profile_stop() if record[0] == "kernel"]
    counts = {name: after[name] - before[name] for name in ("launches", "cuts", "donations", "bytes_moved")}
    return [(name, operations, read, written) for _, name, *_, read, written, operations, _ in launched], counts


def planned(plan: Explanation) -> list[tuple[str, int, int, int]]:
    return [(k.name, len(k.operations), k.read, k.written) for k in plan.kernels]


def explained_unseen(x: da.Array) -> Explanation:
    """The explanation, and that nobody else notices it."""
    gc.collect()
    pool = x.allocator
    figures = (pool.active_bytes, pool.held_bytes, pool.peak_active_bytes)
    before = (da.stats(), x.pending)
    plan = da.explain(x)
    assert str(plan)
    assert (da.stats(), x.pending) == before
    assert (pool.active_bytes, pool.held_bytes, pool.peak_active_bytes) == figures
    return plan


def check(x: da.Array) -> Explanation:
    plan = explained_unseen(x)
    kernels, counts = ran(x)
    assert planned(plan) == kernels
    assert counts["launches"] == plan.launches
    moved = sum(sum(k.input_bytes) + sum(v.nbytes for v in k.outputs) for k in plan.kernels)
    assert counts["bytes_moved"] == moved
    assert counts["donations"] == sum(len(k.donated) for k in plan.kernels)
    assert not x.pending
    return plan


SHAPES = ((40, 30), (40, 30), (40, 30), (30,), (40, 1), (1,), ())
HOST = {
    "add": np.add, "multiply": np.multiply, "subtract": np.subtract, "maximum": np.maximum, "less": np.less,
    "sqrt": np.sqrt, "negative": np.negative, "abs": np.abs,
}  # fmt: skip


def grown(seed: int) -> tuple[list[Any], list[Any]]:
    """Arrays of a random graph, and NumPy's of the same. Some are dropped, so that nobody holds them."""
    rng = random.Random(seed)
    values: list[Any] = []
    for i in range(rng.choice((3, 6, 40))):
        host = np.random.default_rng(seed * 100 + i).random(rng.choice(SHAPES)).astype(rng.choice(("f4", "f8", "i4")))
        if host.ndim == 2 and rng.random() < 0.3:
            host = host[:, ::-1]
        values.append((da.asarray(np.ascontiguousarray(host)), host))
        if host.ndim == 2 and rng.random() < 0.3:
            values.append((values[-1][0][:, ::-1], host[:, ::-1]))
    values = [(a.evaluate(), host) for a, host in values]
    for _ in range(rng.choice((5, 30, 200, 600))):
        name = rng.choice(list(HOST))
        near = values[-8:] if rng.random() < 0.7 else values
        operands = [rng.choice(near) for _ in range(HOST[name].nin)]
        if len(operands) == 2 and rng.random() < 0.3:
            operands[1] = (scalar := rng.choice((2, 0.5)), scalar)
        if name == "negative" and operands[0][1].dtype == bool:
            name = "abs"
        if name == "subtract" and all(getattr(v[1], "dtype", None) == np.bool_ for v in operands):
            name = "add"
        with np.errstate(all="ignore"):
            host = HOST[name](*(v[1] for v in operands))
            if host.dtype.kind == "f":
                host = host.astype(rng.choice((host.dtype, "f4")), copy=False)
        values.append((getattr(da, name)(*(v[0] for v in operands)).astype(host.dtype, copy=False), host))
        if rng.random() < 0.6 and len(values) > 12:
            values.pop(rng.randrange(len(values) - 4))
    return [v[0] for v in values], [v[1] for v in values]


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 25))])
def test_it_says_what_evaluation_does(seed: int) -> None:
    arrays, hosts = grown(seed)
    rng = random.Random(seed)
    pending = [i for i, a in enumerate(arrays) if a.pending]
    for i in rng.sample(pending, min(4, len(pending))):
        check(arrays[i])
    for a, host in zip(arrays, hosts, strict=True):
        assert a.dtype == host.dtype
        np.testing.assert_array_equal(a.copy_to_host(), host)


def test_a_chain_is_one_kernel() -> None:
    x = da.ones((100, 30), dtype="f4").evaluate()
    y = da.sqrt(x * 2 + 1)
    plan = check(y)
    (kernel,) = plan.kernels
    assert [v.operation for v in kernel.operations] == ["multiply", "add", "sqrt"]
    assert (kernel.read, kernel.written, kernel.bytes, kernel.elements) == (12000, 12000, 24000, 3000)
    assert kernel.outputs == (plan.value,) and kernel.sizes == (3000,) and kernel.mode == "linear"
    assert kernel.operations[0].inputs[1].scalar == 2 and kernel.why == "it is what is asked for"
    assert plan.pending and (plan.read, plan.written) == (12000, 12000) and not plan.stays_pending


def test_what_arrays_have_is_written_and_what_none_has_is_not() -> None:
    x = da.ones(1000, dtype="f8").evaluate()
    held = da.sin(x)
    y = held * 2 + 1
    plan = check(y)
    assert [v.operation for v in plan.kernels[0].outputs] == ["sin", "add"]
    assert "writes  v1, 8.00 kB: an array has it" in str(plan) and not held.pending


def test_an_evaluated_array_says_so() -> None:
    x = da.ones((3, 4), dtype="i4").evaluate()
    plan = explained_unseen(x)
    assert not plan.pending and plan.kernels == () and plan.launches == plan.bytes == 0
    assert str(plan) == "int32 (3, 4), in memory: nothing to run"


def test_other_shapes_are_kernels_of_their_own() -> None:
    x, row = da.ones((40, 30)).evaluate(), da.ones(30).evaluate()
    y = x * da.exp(da.sin(row) + 1)
    plan = check(y)
    assert [k.name for k in plan.kernels] == ["sin add exp", "multiply"]
    assert plan.kernels[0].why == "its value of shape (30,) is repeated over what reads it, and is computed once"


def test_a_graph_that_is_too_large_is_cut_and_the_limit_named() -> None:
    arrays = [da.full(500, i, dtype="f8").evaluate() for i in range(80)]
    total = arrays[0]
    for a in arrays[1:]:
        total = total + a
    plan = check(total)
    assert plan.launches > 1
    most = da.config.limits["leaves"]
    assert all(len(k.inputs) <= most for k in plan.kernels)
    assert any(f"more than the {most} of a kernel" in k.why or "bytes of arguments" in k.why for k in plan.kernels)
    assert total.copy_to_host()[0] == sum(range(80))


def test_values_that_others_read_are_computed_in_one_kernel() -> None:
    x = da.asarray(np.arange(3000.0)).evaluate()
    shared = da.sin(x) * 3
    first, second = shared + 1, shared * 2
    del shared
    plan = check(first)
    assert plan.launches == 1 and {v.operation for v in plan.kernels[0].outputs} == {"add", "multiply"}
    assert plan.kernels[0].why.startswith("values in it are read by others") and not second.pending


def test_what_is_cheap_is_computed_again() -> None:
    points = da.asarray(np.random.default_rng(1).random((200, 3))).evaluate()
    differences = points[:, None, :] - points[None, :, :]
    y = differences * differences
    plan = check(y)
    (kernel,) = plan.kernels
    assert [v.operation for v in kernel.recomputed] == ["subtract"] and differences.pending
    assert plan.stays_pending == kernel.recomputed and "computed again" in str(plan)


def test_memory_that_nobody_else_needs_is_taken() -> None:
    x = da.ones(10000).evaluate()
    x += 1
    plan = check(x)
    assert plan.kernels[0].donated == (plan.value,)
    y = da.ones(10000).evaluate()
    other = y * 3
    y += 1
    assert check(y).kernels[0].outputs and other.copy_to_host()[0] == 3


@pytest.mark.parametrize("shape", [(), (1,), (0, 3)])
def test_few_elements(shape: tuple[int, ...]) -> None:
    x = da.asarray(np.full(shape, 4.0)).evaluate()
    plan = check(da.sqrt(x) + 1)
    assert plan.launches == (0 if 0 in shape else 1)


def test_views_broadcasts_and_shifts() -> None:
    x = da.asarray(np.arange(1200.0).reshape(40, 30)).evaluate()
    y = x[:, ::-2] + x[0, :15] * da.roll(x, 3, axis=0)[:, :15]
    plan = check(y)
    np.testing.assert_array_equal(
        y.copy_to_host(), (h := x.copy_to_host())[:, ::-2] + h[0, :15] * np.roll(h, 3, axis=0)[:, :15]
    )
    assert plan.kernels
    check(da.roll(x, (2, 1), axis=(0, 1)) * 2)


def test_lines_of_the_program() -> None:
    before = da.config.debug
    try:
        da.config.debug = 1
        x = da.ones(10) * 3
        (kernel,) = da.explain(x + 1).kernels
    finally:
        da.config.debug = before
    lines = [value.line for value in kernel.operations]
    assert all(line is not None and line.file == __file__ for line in lines)
    assert lines[-1] is not None and lines[-1].text == "(kernel,) = da.explain(x + 1).kernels"


def test_the_source_is_the_kernels_own_and_nothing_is_compiled_for_it() -> None:
    x = da.ones(123, dtype="f4").evaluate()
    y = da.cbrt(x) / 7.25
    kernel = da.explain(y).kernels[0]
    before = da.stats()
    source = kernel.source
    assert da.stats() == before and "kernel" in source.lower()
    y.evaluate()
    before = da.stats()
    assert kernel.registers is None or kernel.registers > 0
    assert kernel.local_bytes is None or kernel.local_bytes >= 0
    after = da.stats()
    assert after["compilations"] == before["compilations"], "it is the kernel that was launched"
    assert after["launches"] == before["launches"]


def test_the_method_and_wrong_arguments() -> None:
    x = da.ones(5) + 1
    assert x.explain().launches == da.explain(x).launches == 1
    with pytest.raises(da.DTypeError, match="explain: x is an array"):
        da.explain(None)  # type: ignore[arg-type]


def texts(svg: str) -> list[str]:
    """What an SVG says; it is XML, and every box lies inside of the picture."""
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y = float(box.attrib.get("x", 0)), float(box.attrib.get("y", 0))
        assert 0 <= x <= x + float(box.attrib["width"]) <= width + 1
        assert 0 <= y <= y + float(box.attrib["height"]) <= height + 1
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_picture_has_every_operation(tmp_path: Path) -> None:
    x, row = da.ones((40, 30), dtype="f4").evaluate(), da.ones(30, dtype="f4").evaluate()
    y = da.where(x < 1, x * da.exp(da.sin(row) * 2), -x)
    plan = da.explain(y)
    said = texts(plan.svg())
    assert said[0] == plan.summary
    for kernel in plan.kernels:
        assert {value.text for value in kernel.operations} <= set(said)
    assert sum(text.startswith("kernel ") for text in said) == 2
    plan.save(tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").read_text() == plan.svg() == plan._repr_svg_()
    assert plan.svg() in plan._repr_html_() and "x &lt;" not in plan.svg()


@pytest.mark.parametrize("operations", [5, 60, 300])
def test_the_picture_of_a_large_graph_is_folded(operations: int) -> None:
    x = da.ones(1000).evaluate()
    y = x
    for i in range(operations):
        y = da.sqrt(y) if i % 3 else y + x
    plan = da.explain(y)
    said = texts(plan.svg())
    folded = [f"{len(kernel.operations)} operations" for kernel in plan.kernels]
    assert set(folded) & set(said) == (set(folded) if operations > 40 else set())
    assert len(said) < 60


def test_the_picture_of_a_kernel_that_reads_nothing() -> None:
    assert "v2 = add(v1, 1)" in texts(da.explain(da.zeros(3) + 1).svg())


def test_the_picture_of_what_is_evaluated_says_so() -> None:
    assert texts(da.explain(da.ones(3).evaluate()).svg())[0] == "float64 (3,), in memory: nothing to run"


def test_eager_work_is_in_memory() -> None:
    da.config.deferred = False
    assert not da.explain(da.ones(5) + 1).pending


def test_the_documents_picture_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "tools"))
    tool = import_module("make_explain")
    monkeypatch.setattr(da.config, "debug", 0)
    assert tool.PICTURE.read_text() == tool.picture()


def test_what_the_host_does_itself(monkeypatch: pytest.MonkeyPatch, device: da.Device) -> None:
    if device.strategy != "cpu":
        pytest.skip("only CPU devices have such work")
    x = da.asarray(np.arange(12.0)).evaluate()
    monkeypatch.setattr(da.config, "host_elements", 4096)
    da.synchronize()
    y = x * 2 + 1
    plan = da.explain(y)
    before = da.stats()
    y.evaluate()
    after = da.stats()
    assert [kernel.on_host for kernel in plan.kernels] == [after["host_runs"] > before["host_runs"]]
    assert plan.launches == after["launches"] - before["launches"]
    np.testing.assert_array_equal(y.copy_to_host(), np.arange(12.0) * 2 + 1)
