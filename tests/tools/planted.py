"""Faults for test_fuzz.py, which has the fuzzer's child import this: DEVARRAY_PLANTED names the one to plant."""

import os
import signal
import time

import numpy as np

import devarray as da

_multiply, _sum = da.Array.__imul__, da.sum


def wrong_in_place(self, other):
    """In-place products of strided views are one too large."""
    result = _multiply(self, other)
    if not self.is_c_contiguous():
        self += np.ones((), self.dtype)[()]
    return result


def dies(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(*args, **kwargs):
    time.sleep(1000)


if os.environ["DEVARRAY_PLANTED"] == "wrong":
    da.Array.__imul__ = wrong_in_place
else:
    da.sum = globals()[os.environ["DEVARRAY_PLANTED"]]
