"""DEVARRAY_CHECK_BOUNDS: launches that reach outside their arrays raise where the host waits next."""

import os
import subprocess
import sys

import pytest

PREAMBLE = """
import numpy as np
import pytest
import devarray as da
from devarray import _core, compiler, errors
from devarray._primitives import launch
from devarray.codegen.kernels import elementwise
from devarray.codegen.kernels.spec import ElementwiseSpec

device = da.default_device()
dialect = compiler.dialect(device)
dialect = type(dialect)({**dialect.caps, "partial_groups": False})  # so that a kernel asks how many elements there are
leaves, nodes = (("float32", "linear"),), (("negative", "float32", "float32", (0,)),)
spec = ElementwiseSpec("linear", 1, True, 1, 4, False, leaves, (), nodes, ((1, "float32", "linear"),))
kernel = compiler.get(device, elementwise.render(spec, dialect))
x, y = da.arange(8, dtype="float32") + 1, da.zeros(8, dtype="float32")
x.evaluate(), y.evaluate()

def negate(count, source=0, target=0):
    slots = [count, _core.byte_offset(x) + source, _core.byte_offset(y) + target]
    _core.launch(kernel, (1,), (16,), [x, y], slots, 2)
"""


def run(code, check="1"):
    environment = {
        **os.environ,
        "DEVARRAY_CHECK_BOUNDS": check,
        "DEVARRAY_EAGER": "0",
        "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path),
    }
    command = [sys.executable, "-P", "-W", "error", "-c", PREAMBLE + code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize(
    ("arguments", "reached"),
    [
        ("9", r"memory argument m[01], bytes 32 to 36 of 32, in .*p[01]\[i\]. of devarray.codegen.kernels.elementwise"),
        ("8, source=8", r"memory argument m0, bytes (32 to 36|36 to 40) of 32, in .*p0\[i\]"),
        ("8, target=-4", r"memory argument m1, bytes -4 to 0 of 32, in .*p1\[i\]"),
    ],
)
def test_a_launch_with_wrong_slots_is_reported_once(arguments, reached):
    run(
        f"""
negate(8)
assert y.copy_to_host().tolist() == [-1, -2, -3, -4, -5, -6, -7, -8]
assert da.config.check_bounds
negate({arguments})
with pytest.raises(errors.Error, match={reached!r}) as caught:
    da.synchronize()
assert type(caught.value) is errors.Error and "planned kernel" in str(caught.value)
da.synchronize()
negate(8)
assert y.copy_to_host().tolist() == [-1, -2, -3, -4, -5, -6, -7, -8]
"""
    )


def test_what_lies_beside_an_array_is_not_written():
    """Two arrays in one chunk of memory: the kernel reaches from the one into the other."""
    run(
        """
parts = [da.full(8, number, dtype="float32").evaluate() for number in range(6)]
for number in range(5):
    y = parts[number]
    negate(200)
    with pytest.raises(errors.Error, match="bytes .* of 32"):
        da.synchronize()
    assert parts[number + 1].copy_to_host().tolist() == [number + 1] * 8
"""
    )


def test_a_plan_for_a_longer_array_is_reported():
    run(
        """
from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.search import plan_search

table, out = da.arange(4, dtype="int32").evaluate(), da.zeros(8, dtype="int64").evaluate()
wanted = da.arange(4, dtype="int32").evaluate()
values, places = View("values", "int32", (6,), (4,)), View("out", "int64", (6,), (8,))
plan = plan_search(launch.view_of("table", table), values, places, "left", dialect)
launch.run(plan, {"table": table, "values": wanted, "out": out})
wanted = "m1, bytes (16 to 20|20 to 24) of 16, in .*m1 .* of devarray.codegen.kernels.search"
with pytest.raises(errors.Error, match=wanted):
    out.copy_to_host()
"""
    )


def test_reductions_and_index_checks_go_on_as_before():
    run(
        """
a = da.arange(100000, dtype="int64")
assert int(a.sum()) == 4999950000 and int((a * a).max()) == 99999**2
assert a.reshape(1000, 100).sum(axis=0)[:2].copy_to_host().tolist() == [49950000, 49951000]
b = a[da.asarray(np.array([5, 100000]))]
with pytest.raises(errors.IndexError, match="out of bounds"):
    da.synchronize()
assert b.copy_to_host()[0] == 5
"""
    )


def test_it_is_off_by_default():
    run("assert not da.config.check_bounds and 'in_bounds' not in elementwise.render(spec, dialect)", check="0")
