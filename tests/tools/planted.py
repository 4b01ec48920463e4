"""Faults for test_fuzz.py, which has the fuzzer's child import this: DEVARRAY_PLANTED names the one to plant."""

import os
import signal
import time

import devarray as da

_asarray = da.asarray


def wrong(host, **place):
    """Zeros of arrays on a queue of their own are ones."""
    x = _asarray(host, **place)
    if place["queue"] is not None:
        x[x == 0] = 1
    return x


def dies(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(*args, **kwargs):
    time.sleep(1000)


da.asarray = globals()[os.environ["DEVARRAY_PLANTED"]]
