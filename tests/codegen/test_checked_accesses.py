"""The pass that makes kernels check their accesses, and kernels that it caught."""

import re

import numpy as np
import pytest
from runtimes import Runtime

from devarray.codegen.language import bounds
from devarray.codegen.language.dialect import Dialect, dialect_for

FORMS = [
    ("GLOBAL u32* p = (GLOBAL u32*)(m0 + s.v[0]);\np[2] = 1;", [0]),
    ("*(volatile GLOBAL f32*)(m1 + 4) = x[3];", [1]),
    ("const f32 a = ((GLOBAL const f32*)(m0 + y * s.v[1]))[x];", [0]),
    ("((GLOBAL f32x4*)(m1 + i))[1] = v0_1;", [1]),
    ("GLOBAL char* q = m1 + 8;\n*(GLOBAL i32*)q = 0;", [1]),
    ("GLOBAL u64* a = (GLOBAL u64*)(m0);\nGLOBAL u32* b = (GLOBAL u32*)(m1) + 3;\na[b[x[1]]++] = 2;", [1, 0]),
    ("GLOBAL c64* row = (GLOBAL c64*)m0;\nrow[k].re += weight * row[k].im;", [0, 0]),
    ("*(GLOBAL u8*)(m1) = *(GLOBAL const u8*)(m0 + 3);", [1, 0]),
    ("const i64 t = n * (GLOBAL_ID(0) * s.v[0]);\nu32 x[4];\nx[0] = x[1] * 2;", []),
    ("RAISE_FLAG(m1 + s.v[4], bad);\nif (LOOK(m0) > 0) HAND_ON(m0 + 4, 1u);", [1, 0, 0]),
    ("GLOBAL u32* p = (GLOBAL u32*)(m0);\nCOUNT_UP_BY(&p[j], 1u);\nCOUNT_LOCAL(&digits[3]);", [0]),
    ("{ GLOBAL char* p = m0; *p = 1; }\n{ GLOBAL char* p = m1; *p = 2; }\np[1] = 3;", [0, 1]),
]


@pytest.mark.parametrize(("text", "memory"), FORMS)
def test_every_access_to_global_memory_is_checked(text, memory):
    made = bounds.check_accesses(text, 2, 5)
    found = re.findall(r"in_bounds\(m(\d)", made)
    assert sorted(map(int, found)) == sorted(memory)
    assert sorted(re.findall(r"s\.v\[6\], m2 \+ s\.v\[5\]\)", made)) == ["s.v[6], m2 + s.v[5])"] * len(memory)


def test_a_pointer_to_one_of_two_memories_is_checked_against_both():
    text = "x = *(GLOBAL const u8*)(v ? (GLOBAL const char*)(m0 + 1) : (GLOBAL const char*)(m1 + 2));"
    made = bounds.check_accesses(text, 2, 0)
    assert "- m0 >= s.v[2]" in made and "in_bounds(m1" in made


def test_explanations():
    made = bounds.check_accesses("GLOBAL u32* p = (GLOBAL u32*)(m0);\np[ 7 ] = 1;", 1, 0)
    site = int(re.findall(r"s\.v\[3\], (\d+), 0", made)[0])
    assert bounds.explain(site).startswith("`&p[ 7 ]` of ")
    assert bounds.explain(-1) == ""


@pytest.mark.parametrize("driver", ["opencl", "cuda"])
def test_kernels_are_as_they_were_where_it_is_off(driver):
    body = "  ((GLOBAL u32*)(m0))[GLOBAL_ID(0)] = 1;"
    assert "in_bounds" not in dialect_for(driver, {}).kernel("k", "w", 1, body)
    assert "in_bounds" in dialect_for(driver, {"check_bounds": True}).kernel("k", "w", 1, body)


def checked(runtime: Runtime) -> Dialect:
    return dialect_for("opencl", {**runtime.dialect.caps, "check_bounds": True})


def test_an_access_outside_is_left_out_and_reported(runtime):
    """Kernel arguments by hand, as index_flags.cpp passes them: 12 bytes of m0 from its byte 8 are its own."""
    dialect = checked(runtime)
    body = "  const i64 i = GLOBAL_ID(0);\n  ((GLOBAL i32*)(m0 + s.v[0]))[i] = 1;"
    out, report = np.zeros(8, np.int32), np.zeros(32, np.int64)
    program = runtime.build(dialect.program(dialect.kernel("k", "w", 1, body)))
    runtime.launch(program, [out, report], [8, 0, 77, 8, 20], (4,))
    assert out.tolist() == [0, 0, 1, 1, 1, 0, 0, 0]
    assert report[0] == 1 << 32  # the second of two words of 32 bits
    launch, site, memory, at, size, begin, end = report[1:8].tolist()
    assert (launch, memory, at, size, begin, end) == (77, 0, 20, 4, 8, 20)
    assert bounds.explain(site) == "`&((GLOBAL i32*)(m0 + s.v[0]))[i]` of test_checked_accesses"
