"""tools/fuzz.py finds what is planted, makes it small, and is content with what is right."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import slow  # noqa: E402
from fuzzing.bounds import RULES, Bound, Unfit, difference  # noqa: E402
from fuzzing.generate import Generator, Vocabulary, generate  # noqa: E402
from fuzzing.library import FAMILIES  # noqa: E402
from fuzzing.prelude import Numpys  # noqa: E402
from fuzzing.program import CHECK, Program, Reference, Statement, run, script  # noqa: E402
from fuzzing.shrink import shrink  # noqa: E402
from fuzzing.vocabulary import LARGEST, most_elements  # noqa: E402
from workers import Died, Worker  # noqa: E402

pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore")]  # the child's filters


def fuzz(*options: str, planted: str = "") -> tuple[int, str]:
    environment = dict(os.environ)
    if planted:
        path = os.pathsep.join([str(Path(__file__).parent), environment.get("PYTHONPATH", "")])
        environment |= {"DEVARRAY_FUZZ_HOOK": "planted", "DEVARRAY_PLANTED": planted, "PYTHONPATH": path}
    command = [sys.executable, str(ROOT / "tools" / "fuzz.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, cwd=ROOT / "tests")
    return done.returncode, done.stdout


def numpy_for_both(program: Program) -> str:
    """The outcome of a program whose other side is NumPy, too."""
    with np.errstate(all="ignore"):
        return run(program, np, Numpys()).kind


def test_a_short_run_finds_nothing() -> None:
    status, text = fuzz("--seed", "0", "--programs", "2", "--length", "12")
    assert status == 0, text
    assert re.search(r"fuzz: 2 programs, \d+ statements, \d+ comparisons, 0 mismatches \(", text.splitlines()[-1])


@pytest.mark.parametrize("strategy", ["cpu", "gpu"])
def test_either_strategy_runs(strategy: str) -> None:
    status, output = fuzz("--programs", "2", "--seed", "1", "--strategy", strategy)
    assert status == 0, output
    assert "fuzz: 2 programs" in output


def test_a_wrong_value_is_found_and_made_small() -> None:
    options = ["--seed", "100", "--programs", "60", "--length", "8", "--failures", "1", "--brief"]
    status, text = fuzz(*options, planted="wrong")
    assert status == 1
    heading, *statements, last = text.splitlines()[1:]
    assert re.search(r"differ, first at .*: .*1.*, wanted .*0", heading), text
    assert len(statements) == 1, text
    assert re.fullmatch(r" *v\d+ = lib.make\(data\('\w+', \([1, ]*\), 0, 'count'\), [12], \d\)", statements[0]), text
    assert "1 mismatches" in last


@pytest.mark.parametrize(
    ("planted", "message"),
    [("dies", "crash: ended by SIGSEGV"), pytest.param("hangs", "hang: no answer", marks=pytest.mark.slow)],
)
def test_what_ends_the_child_is_found(planted: str, message: str) -> None:
    options = ["--seed", "0", "--programs", "5", "--failures", "1", "--shrink", "1", "--timeout", "8", "--brief"]
    status, text = fuzz(*options, planted=planted)
    assert status == 1
    assert message in text
    assert "lib.make" in text


def test_a_slow_start_is_no_hang() -> None:
    worker = Worker(slow.serve, (3.0,))
    assert worker.ask("here", timeout=2.0) == "here"
    assert worker.ask("still here", timeout=2.0) == "still here"
    worker.stop()
    assert Worker(slow.serve, (600.0,), startup=0.5).ask("not here", timeout=600) == Died(
        "hang", "it did not start in time"
    )


def test_programs_are_made_again_by_their_seeds() -> None:
    assert generate(7, 0, 30) == generate(7, 0, 30) != generate(8, 0, 30)


@pytest.mark.parametrize("seed", range(20))
def test_programs_run_alike_twice_under_numpy(seed: int) -> None:
    assert numpy_for_both(generate(seed, seed // 5, 30)) == "same"


def test_a_bound_goes_with_the_memory() -> None:
    reference = Reference()
    for statement in (
        Statement("v1 = lib.make(data('float64', (4,), 0, 'count'))"),
        Statement("v2 = lib.wrap(xp.sin(v1))", "function", ("v1",)),
        Statement("v3 = v2[::-1]", "same", ("v2",)),
        Statement("v1[...] = v3", "same", ("v3",), "v1"),
    ):
        assert reference.step(statement) is None
    bounds = [reference.bound(reference.names[name]) for name in ("v1", "v2", "v3")]
    assert bounds[1] == bounds[2] and all(0 < bound.relative < 1e-14 for bound in bounds)


def test_small_complex_numbers_beside_one() -> None:
    x = np.array([1e-30 + 1e-30j])
    bound = RULES["beside_one"]([x, x], [Bound(), Bound()], 2.2e-16)
    assert difference(x, np.log1p(x), bound) == ""
    assert difference(x + 1e-10, np.log1p(x), bound)
    assert RULES["beside_one"]([x.real, x.real], [Bound(), Bound()], 2.2e-16).absolute == 0


def test_axes_without_elements_count_as_one() -> None:
    """A norm along the axis of 0 elements of (100, 4099, 0, 4099) has 1.7 billion."""
    assert most_elements((100, 4099, 0, 4099)) == 100 * 4099 * 4099
    g = Generator(5, Vocabulary(5), 6)
    assert all(most_elements(g.shape()) <= LARGEST for _ in range(5000))


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_a_function_of_small_integers_has_their_floats_bound(dtype: str) -> None:
    """Into wider floats too: NumPy computes in float16 for int8, and in float32 for int16."""
    reference = Reference()
    for statement in (
        Statement(f"v1 = lib.make(data({dtype!r}, (9,), 0, 'count'))"),
        Statement("v2 = xp.zeros(9)"),
        Statement("xp.arctan(v1, out=v2)", "function", ("v1",), "v2"),
    ):
        assert reference.step(statement) is None
    arctan, exact = reference.names["v2"], np.arctan(np.arange(9.0))
    assert difference(exact, arctan, reference.bound(arctan)) == ""
    assert difference(exact, arctan, Bound(relative=1e-14))


def test_zeros_of_a_transform_have_any_sign_in_their_sums_too() -> None:
    zeros = np.zeros((2, 3), np.complex128)
    bound = RULES["transform"]([zeros, zeros], [Bound(), Bound()], 2.2e-16)
    total = RULES["sum"]([zeros, zeros], [bound, bound], 2.2e-16)
    assert difference(-zeros, zeros, bound) == difference(-zeros, zeros, total) == ""
    assert difference(-zeros, zeros, RULES["sum"]([zeros, zeros], [Bound(), Bound()], 2.2e-16))


MADE = "v1 = lib.make(data('float64', (4,), 0, 'count'))"


@pytest.mark.parametrize(
    ("view", "write", "why"),
    [
        ("v1.view('float16')", Statement("v2 %= v2", "exact", ("v2", "v2"), "v2"), "the bits of a NaN"),
        ("v1.view('int64')", Statement("v1[...] = v1 / v1", "exact", ("v1",), "v1"), "the bits of a NaN"),
        ("v1.view('int64')", Statement("xp.sin(v1, out=v1)", "function", ("v1",), "v1"), "inexact numbers seen"),
    ],
)
def test_what_no_dtype_defines_is_not_seen_through_another(view: str, write: Statement, why: str) -> None:
    reference = Reference()
    reference.step(Statement(MADE))
    reference.step(Statement(f"v2 = {view}", "sign", ("v1",)))
    with np.errstate(all="ignore"), pytest.raises(Unfit, match=why):
        reference.step(write)
    assert reference.names["v1"].tolist() == [0, 1, 2, 3]  # taken back
    reference.step(Statement("del v2"))
    with np.errstate(all="ignore"):
        assert reference.step(Statement("v1[...] = v1 / v1", "exact", ("v1",), "v1")) is None


def test_signalling_nans_are_no_operands_of_fmin() -> None:
    reference = Reference()
    reference.step(Statement("v1 = lib.make(np.array([[0x7C01, 0x3C00]], 'uint16').view('float16'))"))
    smaller = Statement("v2 = lib.wrap(xp.fmin(v1, v1))", "extreme", ("v1", "v1"))
    with pytest.raises(Unfit, match="signalling"):
        reference.step(smaller)
    reference.step(Statement("v1[...] = v1 * 1", "exact", ("v1",), "v1"))
    assert reference.step(smaller) is None


def test_parts_of_inexact_numbers_are_not_seen() -> None:
    reference = Reference()
    reference.step(Statement("v1 = lib.make(data('complex128', (4,), 0, 'count'))"))
    reference.step(Statement("v2 = lib.wrap(xp.sin(v1))", "function", ("v1",)))
    with pytest.raises(Unfit, match="two dtypes"):
        reference.step(Statement("v3 = v2.real", "same", ("v2",)))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_comes_up(family: str) -> None:
    """With values that NumPy computes alike twice: the program and its rules agree."""
    made = []
    for seed in range(400):
        generator = Generator(seed, Vocabulary(seed), 6)
        with np.errstate(all="ignore"):
            generator.make()
            try:
                statement = FAMILIES[family](generator)
                if generator.reference.step(statement) is None:
                    made.append([*generator.program, statement])
            except Unfit:
                continue
        if len(made) == 3:
            break
    assert [numpy_for_both(program) for program in made] == ["same"] * 3


def test_shrinking_keeps_what_is_needed() -> None:
    program = generate(3, 0, 30)
    program[12:12] = [Statement("v90 = lib.make(data('int64', (7, 5), 3, 'small'))"), Statement("v91 = v90.T")]
    found = shrink(program, lambda p: any("v90.T" in s.text for s in p) and numpy_for_both(p) == "same")
    assert [s.text for s in found] == ["v90 = lib.make(data('int64', (1, 1), 0, 'count'))", "v91 = v90.T"]


def test_the_script_runs_by_itself(tmp_path: Path) -> None:
    program = [Statement("v1 = lib.make(data('int64', (2, 3), 0, 'count'))"), Statement(CHECK), Statement("v1[9] = 1")]
    path = tmp_path / "found.py"
    path.write_text(script(program, "a heading"))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr  # both raise an IndexError, in words of their own


def test_the_mean_of_a_number_that_only_rounding_made_is_held_to_its_error() -> None:
    zero, one = np.zeros(1), np.ones(1)
    noise = Bound(absolute=3.0)
    assert RULES["total"]([zero], [noise], 1e-16).absolute >= 3
    assert RULES["total"]([zero, one], [noise, Bound()], 1e-16).absolute >= 3
    assert RULES["total"]([zero, zero], [noise, noise], 1e-16).absolute >= 9
