"""The examples in the docstrings of devarray.cuda: all of them on a GPU, and what the stand-in can do without one."""

import driver_docs
import pytest

NAMESPACES = ("devarray.cuda", "devarray.cuda.compiler")
ALL = [pytest.param(name, found, id=name) for space in NAMESPACES for name, found in driver_docs.documented(space)]


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "found"), ALL)
@pytest.mark.usefixtures("context")
def test_examples_run(name, found):
    assert driver_docs.failures(name, driver_docs.text_of(found), driver_docs.cuda_names()) == ""


def test_examples_run_without_a_gpu(with_fake_driver):
    """Left out are those that stop at an entry point that the stand-in lacks; most must run."""
    printed = with_fake_driver(
        """
import driver_docs
context = cuda.Device(0).retain_primary_context()
context.push()
known = driver_docs.cuda_names()
ran, wrong = 0, []
for space in ("devarray.cuda", "devarray.cuda.compiler"):
    for name, found in driver_docs.documented(space):
        report = driver_docs.failures(name, driver_docs.text_of(found), known)
        if not report:
            ran += ">>>" in driver_docs.text_of(found)
        elif "libfakecuda.so (CUDA 13.0) has no cu" not in report:
            wrong.append(report)
assert not wrong, "".join(wrong)
print(ran)
"""
    )
    assert int(printed) >= 150
