"""``python -m devarray run``: programs that hand what they have from NumPy to libraries, other processes and copies."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import same_output


def test_generators_are_numpys_to_libraries(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    program = """
import scipy.stats
state, rng = np.random.RandomState(3), np.random.default_rng(3)
print(isinstance(state, np.random.RandomState), isinstance(rng, np.random.Generator), isinstance(rng, np.random.RandomState))
print(isinstance(np.random.mtrand._rand, np.random.RandomState), type(rng) is np.random.Generator)
print(np.random.default_rng(rng) is rng, np.random.default_rng(np.random.RandomState(1)).random(2))
print(scipy.stats.norm.rvs(size=3, random_state=rng), scipy.stats.norm.rvs(size=3, random_state=state))
print(scipy.stats.permutation_test((rng.random(4), rng.random(4)), lambda x, y: 1.0, rng=rng, n_resamples=9).pvalue)
print([type(part) is np.random.Generator for part in rng.spawn(2)], rng.permutation(4), state.rand(2))
print(np.random.RandomState(np.arange(3)).rand(2), np.random.default_rng(np.arange(3)).random(2))
"""
    same_output(tmp_path, program)


def test_draws_are_on_the_device_for_the_program_alone(tmp_path: Path) -> None:
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "drawing.py").write_text("def drawn(rng):\n    return rng.random(3)\n")
    program = f"""
import sys
sys.path.append({str(tmp_path / "site-packages")!r})
import drawing
for rng in (np.random.default_rng(0), np.random.RandomState(0)):
    if hasattr(np.zeros(1), "copy_to_host"):  # with devarray
        assert hasattr(rng.random(3), "copy_to_host") and not hasattr(drawing.drawn(rng), "copy_to_host")
"""
    same_output(tmp_path, program)


def test_functions_and_generators_are_copied_and_pickled(tmp_path: Path) -> None:
    program = """
import copy, pickle
class Filter:
    inverse = staticmethod(np.linalg.inv)
    def __init__(self):
        self.root, self.rng, self.state = np.sqrt, np.random.default_rng(1), np.random.RandomState(1)
        self.state.randn()
for made in (copy.deepcopy(Filter()), copy.copy(Filter())):
    print(made.root(np.arange(3.0)), made.rng.normal(size=2), made.state.randn(3))
x = Filter()
print(copy.deepcopy(x.root) is x.root, pickle.loads(pickle.dumps(np.sin))(np.arange(2.0)), pickle.loads(pickle.dumps(np.sum))([1, 2]))
print(pickle.loads(pickle.dumps(x.rng)).random(2), pickle.loads(pickle.dumps(x.state)).randn(3))
"""
    same_output(tmp_path, program)


def test_modules_are_looked_through(tmp_path: Path) -> None:
    program = """
import inspect
names = vars(np)
print(names["sin"] is np.sin, {"zeros", "linalg", "float64"} <= set(np.__dict__), "solve" in vars(np.linalg))
print(type(np.sin) is np.ufunc, type(np.sum) is type(np.mean), type(np.array) is type(len))
print([name for name in ("sin", "sum") if callable(names[name])], type[int], list[type[np.ndarray]] is not None)
"""
    same_output(tmp_path, program)
