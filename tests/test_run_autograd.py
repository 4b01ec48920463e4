"""``python -m devarray run``: programs that differentiate functions of arrays with autograd."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import same_output

TABLES = {
    "__init__.py": """
import numpy as _np
from . import numpy
from .core import VSpace
from .tracer import Box

def slope(function, x):
    "As autograd has it: the classes of the argument and of the result are looked up."
    box = Box.type_mappings[type(x)](x)
    space = VSpace.mappings[type(x)](x)
    step = 1e-6 * space.ones()
    made = (function(box.value + step) - function(box.value - step)) / (2 * step)
    assert type(made) in Box.type_mappings, type(made)
    return made, space.shape, space.dtype, space.iscomplex
""",
    "core.py": """
class VSpace:
    mappings = {}
    iscomplex = False

    def __init__(self, value):
        assert isinstance(value, __import__("numpy").ndarray)
        self.shape, self.dtype = value.shape, value.dtype

    def ones(self):
        return __import__("numpy").ones(self.shape, self.dtype)

    @classmethod
    def register(cls, kind, maker=None):
        cls.mappings[kind] = maker or cls
""",
    "tracer.py": """
class Box:
    type_mappings = {}

    def __init__(self, value):
        self.value = value

    @classmethod
    def register(cls, kind):
        Box.type_mappings[kind] = Box.type_mappings[cls] = cls
""",
    "numpy/__init__.py": "from . import numpy_boxes, numpy_vspaces\n",
    "numpy/numpy_boxes.py": """
import numpy
from ..tracer import Box

class ArrayBox(Box):
    pass

ArrayBox.register(numpy.ndarray)
""",
    "numpy/numpy_vspaces.py": """
import numpy
from ..core import VSpace

class ArrayVSpace(VSpace):
    pass

class ComplexArrayVSpace(ArrayVSpace):
    iscomplex = True

VSpace.register(numpy.ndarray, lambda x: ComplexArrayVSpace(x) if numpy.iscomplexobj(x) else ArrayVSpace(x))
""",
}
"""The tables of classes that autograd has, in the modules where it has them."""


def test_classes_are_looked_up_in_tables(tmp_path: Path) -> None:
    for name, text in TABLES.items():
        path = tmp_path / "site-packages" / "autograd" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path / "site-packages")!r})
import autograd
x = np.linspace(0, 1, 4)
for given in (x, x.reshape(2, 2), x + 1j):
    made, shape, dtype, is_complex = autograd.slope(lambda y: np.exp(y) * y, given)
    print(np.round(made, 6), type(made) is np.ndarray, shape, dtype, is_complex)
"""
    same_output(tmp_path, program)


def test_autograd(tmp_path: Path) -> None:
    pytest.importorskip("autograd")
    program = """
import autograd.numpy as anp
from autograd import elementwise_grad, grad, hessian, jacobian, value_and_grad
rng = np.random.RandomState(0)
X, y = rng.randn(20, 3), rng.randint(0, 2, 20)
def network(layers, X):
    for W, b in layers:
        out = anp.dot(X, W) + b
        X = anp.tanh(out)
    return out - anp.log(anp.sum(anp.exp(out), axis=1, keepdims=True))
def loss(layers):
    return -anp.mean(network(layers, X)[anp.arange(20), y]) + 0.01 * sum(anp.sum(W**2) for W, b in layers)
layers = [(rng.randn(3, 5) * 0.1, np.zeros(5)), (rng.randn(5, 2) * 0.1, np.zeros(2))]
for step in range(5):
    layers = [(W - 0.5 * dW, b - 0.5 * db) for (W, b), (dW, db) in zip(layers, grad(loss)(layers))]
print(np.round(float(loss(layers)), 10), type(layers[0][0]) is np.ndarray, layers[0][0].round(8))
x = np.linspace(0.1, 1, 4)
print(elementwise_grad(anp.sin)(x).round(8), elementwise_grad(elementwise_grad(anp.tanh))(x).round(8))
print(hessian(lambda v: anp.sum(v**3) * v[0])(x).round(8), jacobian(lambda v: anp.stack([v, v * v[1]]))(x))
print(grad(lambda v: anp.where(v > 0.5, v, v**2)[::2].sum())(x), grad(lambda a: a * 2)(x[1]))
print(grad(lambda v: anp.sum((x - v) ** 2))(np.ones(4)), value_and_grad(lambda v: anp.mean(x / v))(np.ones(4)))
print(grad(lambda parts: parts["a"] * anp.sum(parts["b"]))({"a": 2.0, "b": x}))
c = x + 1j * x[::-1]
print(grad(lambda v: anp.real(anp.sum(v * anp.conj(v))))(c), grad(lambda v: np.dot(v, x))(x))
"""
    same_output(tmp_path, program)
