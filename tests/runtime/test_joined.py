"""Programs of several kernels: what is joined, and that a call's kernels come from one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import devarray as da
from devarray._runtime import compiler
from devarray._runtime.joined import joined

HEAD = "#define KERNEL kernel\ntypedef int i32;\nstatic i32 twice(i32 x) {\n  return 2 * x;\n}\n"


def program(body: str, head: str = HEAD) -> str:
    return f"{head}struct Slots {{ long v[1]; }};\n\nKERNEL void k(const struct Slots s)\n{{\n  {body};\n}}\n"


def test_what_programs_share_stands_once() -> None:
    text = joined({"a": program("twice(1)"), "b": program("twice(2)")})
    assert text is not None
    assert text.count("static i32 twice") == text.count("#define KERNEL") == text.count("typedef int i32") == 1
    assert "KERNEL void a(const struct Slots_a s)\n{\n  twice(1);\n}" in text
    assert "KERNEL void b(const struct Slots_b s)\n{\n  twice(2);\n}" in text


def test_programs_that_cannot_share_one_are_refused() -> None:
    fine = program("twice(1)")
    other = HEAD.replace("#define KERNEL kernel", "#define KERNEL __kernel")
    assert joined({"a": fine, "b": program("twice(2)", other)}) is None, "a macro of two meanings"
    assert joined({"a": fine, "b": "kernel void k() {}"}) is None, "no slots"
    assert joined({"a": fine, "b": fine.replace(" void k(", " void other(")}) is None


def choice(name: str) -> str:
    """A function that a macro chooses, as functions of CPUs are where compilers differ."""
    first, second = f"static int {name}(int x) {{\n  return x;\n}}", f"static int {name}(int x) {{ return 2; }}"
    return f"#ifdef CHOSEN\n{first}\n#else\n{second}\n#endif\n"


def test_functions_under_a_condition_keep_it(device: da.Device) -> None:
    text = joined(
        {
            "a": program("one(1)", HEAD + choice("one")),
            "b": program("one(other(1))", HEAD + choice("one") + choice("other")),
        }
    )
    assert text is not None
    assert [text.count(word) for word in ("#ifdef CHOSEN", "#else", "#endif")] == [2, 2, 2]
    assert (text.count("int one(int x)"), text.count("int other(int x)")) == (2, 2)
    if device.driver == "opencl":
        for options in ("", "-DCHOSEN"):
            device.build(text, options)  # each function is defined once


def test_a_macro_under_two_conditions_is_refused() -> None:
    heads = [f"{HEAD}#ifdef {name}\n#define STEP 2\n#endif\n" for name in ("A", "B")]
    assert joined({"a": program("twice(STEP)", heads[0]), "b": program("twice(STEP)", heads[1])}) is None


@pytest.fixture
def fresh(device: da.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if device.strategy != "cpu":
        pytest.skip("other devices' kernels are programs of their own")
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", str(tmp_path / "kernels"))
    compiler.clear_cache()
    return tmp_path / "kernels"


def test_the_kernels_of_a_call_are_one_program(fresh: Path) -> None:
    x = da.asarray(np.arange(300_000, dtype=np.int32) % 7)
    expected = np.cumsum(x.copy_to_host())
    da.reset_stats()
    np.testing.assert_array_equal(da.cumsum(x).copy_to_host(), expected)
    compiled = da.stats()["compilations"]
    binaries = {path.read_bytes() for path in fresh.glob("*.bin")}
    assert compiled == len(list(fresh.glob("*.bin"))) > 1
    assert len(binaries) == 1
    assert len(list(fresh.glob("*.src"))) == compiled, "each source has its file"
    compiler._kernels.clear()
    da._core.clear_kernel_cache()
    da.reset_stats()
    np.testing.assert_array_equal(da.cumsum(x).copy_to_host(), expected)
    assert (da.stats()["compilations"], da.stats()["disk_cache_hits"]) == (0, compiled), "each is found by itself"


def test_joined_and_single_programs_have_the_same_bits(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    x = da.asarray(rng.standard_normal(300_000).astype(np.float32))
    works = [lambda: da.cumsum(x), lambda: da.sort(x), lambda: da.nonzero(x > 1)[0], lambda: da.median(x)]
    together = [work().copy_to_host() for work in works]
    compiler.clear_cache()
    monkeypatch.setattr(compiler, "_joins", lambda device: False)
    alone = [work().copy_to_host() for work in works]
    for one, other in zip(together, alone, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_source_that_does_not_compile_is_named_as_before(device: da.Device) -> None:
    if device.strategy != "cpu":
        pytest.skip("other devices' kernels are programs of their own")
    good = "kernel void k(const struct Slots s) {}"
    sources = [f"struct Slots {{ long v[1]; }};\n{text}\n" for text in (good, good.replace("{}", "{ nonsense; }"))]
    with pytest.raises(da.errors.CompileError, match="nonsense") as caught:
        compiler.get_together(device, [(source, "k") for source in sources])
    assert "Slots_" not in str(caught.value), "the source as it was rendered"
