"""Chunks that processes of a machine lend each other by CUDA's handles: on the stand-in driver, and on GPUs."""

from __future__ import annotations

import pytest

from devarray import _core, errors

pytest.importorskip("distributed")

SHARED = {"FAKE_CUDA_SHARED": "1"}

LENDING = """
import json, os, pickle, subprocess, sys, time
from pathlib import Path
import devarray as da
import devarray.dask
from devarray.dask import ipc
from distributed.protocol import deserialize, serialize

X = np.arange(100_000, dtype=np.float64).reshape(100, 1000)
gpus = [d for d in da.devices() if d.driver == "cuda"]

def lend(x, reader=gpus[-1]):
    return serialize(x, context={{"recipient": {{"devarray": ipc.here(reader)}}}})

READER = '''
{preamble}
import pickle
import devarray as da
import devarray.dask
from devarray.dask import ipc
from distributed.protocol import deserialize
before = da.stats()
x = deserialize(*pickle.loads(sys.stdin.buffer.read()))
after = da.stats()
print(x.device.driver, x.device.index, x.shape, x.dtype, after["bytes_to_host"] - before["bytes_to_host"],
      after["bytes_between_devices"] - before["bytes_between_devices"])
sys.stdout.flush()
sys.stdout.buffer.write(x.copy_to_host().tobytes())
'''

KEEPER = '''
{preamble}
import pickle, time
import devarray as da
import devarray.dask
from devarray import cuda
from devarray.dask import ipc
from distributed.protocol import deserialize
opened, real = [], cuda.IPCMemoryHandle
def counted(handle):
    opened.append(handle)
    return real(handle)
cuda.IPCMemoryHandle = counted
ipc.OPEN_SECONDS = 120.0
for message in pickle.load(sys.stdin.buffer):
    print(float(deserialize(*message)[0, 0]), flush=True)
print("opened", len(opened), flush=True)
sys.stdin.buffer.readline()
while ipc._imports.close(0):
    time.sleep(0.01)
print("closed", flush=True)
sys.stdin.buffer.readline()
'''

def read(message, device=f"cuda:{{gpus[-1].index}}"):
    env = {{**os.environ, "DEVARRAY_DEVICE": device}}
    command = [sys.executable, "-P", "-c", READER]
    done = subprocess.run(command, input=pickle.dumps(message), capture_output=True, env=env)
    assert done.returncode == 0, done.stderr.decode()
    words, _, values = done.stdout.partition(b"\\n")
    return words.decode(), np.frombuffer(values, np.float64)

def files():
    return [f for f in ipc._FOLDER.iterdir() if f.name.startswith(f"devarray-{{os.getpid()}}-")]
"""

STAND_IN = """
import ctypes, gc, sys
import numpy as np
import pytest
from devarray import _core, errors
_core.cuda._use_library({library!r})
"""

ON_GPUS = """
import gc, sys
import numpy as np
import pytest
from devarray import _core, errors
"""


@pytest.fixture(params=["stand-in", pytest.param("gpu", marks=pytest.mark.gpu)])
def lending(request, script):
    """Run code after LENDING, in a process whose GPUs are the stand-in's, or the machine's."""
    if request.param == "gpu":
        try:
            _core.cuda.devices()
        except errors.MissingDriverError:
            pytest.skip("no CUDA device")
        preamble, given = ON_GPUS, {}
    else:
        preamble, given = STAND_IN.format(library=request.getfixturevalue("fake_library")), SHARED
    return lambda code: script(preamble + LENDING.format(preamble=preamble) + code, **given)


def test_an_array_is_read_by_another_process(lending):
    lending("""
x = da.asarray(X, device=gpus[0])
before = da.stats()["bytes_to_host"]
header, frames = lend(x)
assert header["serializer"] == "dask" and frames == [] and len(pickle.dumps(header)) < 2000
assert ipc.lent() == 1 and len(files()) == 2  # of the loan and of the allocation
words, values = read((header, frames))
assert words == f"cuda {gpus[-1].index} (100, 1000) float64 0 {X.nbytes}", words
np.testing.assert_array_equal(values, X.ravel())
assert da.stats()["bytes_to_host"] == before
assert ipc.lent() == 0 and files() == []
""")


def test_parts_of_an_allocation(lending):
    """An offset from its start, and what is not dense."""
    lending("""
x = da.asarray(X, device=gpus[0])
y = x[50:]
assert lend(y)[0]["sub-header"]["offset"] - lend(x)[0]["sub-header"]["offset"] == 50 * 8000
np.testing.assert_array_equal(read(lend(y))[1], X[50:].ravel())
""")


def test_the_host_carries_what_has_no_handle(lending):
    """Small arrays, other memory, other machines, other devices, and readers that say nothing."""
    lending("""
x = da.asarray(X, device=gpus[0])
far = {**ipc.here(gpus[0]), "machine": "another"}
pinned = da.asarray(X, device=gpus[0], allocator=da.alloc.DeviceMemoryResource(gpus[0], "pinned"))
host = [d for d in da.devices() if d.driver != "cuda"]
for given in (
    lend(x[0]), lend(pinned), serialize(x), serialize(x, context={"recipient": {}}),
    serialize(x, context={"recipient": {"devarray": far}}), *(lend(da.asarray(X, device=d)) for d in host),
):
    assert given[0]["serializer"] == "pickle"
assert ipc.lent() == 0 and files() == []
""")


@pytest.mark.parametrize("idle", [True, False])
def test_an_event_stands_for_work_under_way(lending, idle):
    lending(f"""
x = da.asarray(X, device=gpus[0])
x.queue.finish()
if not {idle}:
    _core.cuda.Stream.idle = property(lambda stream: False)
message = lend(x)
assert (message[0]["sub-header"]["handles"][1] is None) == {idle}
np.testing.assert_array_equal(read(message)[1], X.ravel())
assert ipc.lent() == 0
""")


def test_a_header_is_no_large_message(lending):
    """`distributed` hands what is large to a thread; arrays that are still to be computed or copied are for it, too."""
    lending("""
from dask.sizeof import sizeof
from distributed.protocol import to_serialize
x = da.asarray(X, device=gpus[0])
assert sizeof(to_serialize(x)) == X.nbytes
ipc._reader.set(ipc.here(gpus[-1]))
assert sizeof(to_serialize(x)) < 10_000
for other in (x * 2, x.T, X):
    assert sizeof(to_serialize(other)) == sizeof(other) >= X.nbytes
ipc._reader.set({**ipc.here(gpus[-1]), "machine": "another"})
assert sizeof(to_serialize(x)) == X.nbytes
""")


def test_a_loan_that_nobody_takes_ends(lending):
    lending("""
from distributed.comm import CommClosedError
x = da.asarray(X, device=gpus[0])
late = lend(x)
ipc._KEPT_SECONDS = 0.0
assert ipc.lent() == 0 and files() == []
with pytest.raises(CommClosedError, match="taken its memory back"):
    deserialize(*late)
""")


def test_a_lent_array_lives_until_it_was_read(lending):
    lending("""
pool = da.alloc.default_allocator(gpus[0])
x = da.asarray(X, device=gpus[0])
message = lend(x)
del x
gc.collect()
assert pool.active_bytes >= X.nbytes
da.asarray(X * 0, device=gpus[0])  # does not take its memory
np.testing.assert_array_equal(read(message)[1], X.ravel())
assert ipc.lent() == 0
gc.collect()
assert pool.active_bytes < X.nbytes
""")


def test_a_reader_that_cannot_open_says_so(lending):
    """And the loan ends all the same."""
    lending("""
x = da.asarray(X, device=gpus[0])
header, frames = lend(x)
header["sub-header"]["handles"] = (bytes(64), header["sub-header"]["handles"][1])
with pytest.raises(errors.Error):
    deserialize(header, frames)
assert ipc.lent() == 0 and files() == []
""")


@pytest.mark.parametrize("killed", [False, True])
def test_an_allocation_stays_open_for_the_next_array(lending, killed):
    """And its owner keeps it until it was closed, or the other process has ended."""
    lending(f"""
killed = {killed}
x = da.asarray(X, device=gpus[0])
messages = [lend(x[:50]), lend(x[50:])]
env = {{**os.environ, "DEVARRAY_DEVICE": f"cuda:{{gpus[-1].index}}"}}
command = [sys.executable, "-P", "-c", KEEPER]
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as keeper:
    try:
        keeper.stdin.write(pickle.dumps(messages))
        keeper.stdin.flush()
        said = [keeper.stdout.readline().split()[-1] for _ in range(3)]
        assert said == [b"0.0", b"50000.0", b"1"], said
        begin = time.monotonic()
        while ipc.lent():
            assert time.monotonic() - begin < 20
            time.sleep(0.01)
        assert len(files()) == 1  # of the allocation
        del x
        gc.collect()
        da.alloc.default_allocator(gpus[0]).trim()
        assert len(ipc._exports._known) == 1
        if killed:
            keeper.kill()
            keeper.wait()
        else:
            keeper.stdin.write(b"\\n")
            keeper.stdin.flush()
            assert keeper.stdout.readline() == b"closed\\n"
        assert ipc.lent() == 0 and files() == [] and not ipc._exports._known
    finally:
        keeper.kill()
""")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_of_a_machine(fake_library, script, tmp_path):
    """A LocalCluster of two workers: what one takes from the other does not go by the host."""
    (tmp_path / "sitecustomize.py").write_text(
        f"from devarray import _core\n_core.cuda._use_library({fake_library!r})\n"
    )
    code = """
import distributed, numpy as np
import devarray as da, devarray.dask

def made():
    return da.asarray(np.arange(100_000.0))

def taken(x):
    return float(x.copy_to_host().sum()), str(x.device)

def counts():
    return da.stats()["bytes_to_host"], da.stats()["bytes_between_devices"]

def large(i):
    return da.asarray(np.full(20_000_000 // 8, float(i)))

def firsts(xs):
    return [float(x[:1].copy_to_host()[0]) for x in xs]

def answers(dask_worker):
    return len(dask_worker.transfer_incoming_log)

if __name__ == "__main__":
    with devarray.dask.LocalCluster(["cuda:0", "cuda:1"]) as cluster, distributed.Client(cluster) as client:
        first, second = client.scheduler_info(n_workers=-1)["workers"]
        x = client.submit(made, workers=[first])
        distributed.wait(x)
        places = client.run(lambda: str(da.device()))
        got = client.submit(taken, x, workers=[second]).result()
        assert got == (np.arange(100_000.0).sum(), places[second]), got
        after = client.run(counts)
        assert after[first] == (0, 0) and after[second] == (800_000, 800_000), after  # the copy that its task asked for
        assert len(set(places.values())) == 2
        xs = [client.submit(large, i, workers=[first], pure=False) for i in range(4)]  # beyond distributed's 50 MB
        distributed.wait(xs)
        before = client.run(answers)[second]
        assert client.submit(firsts, xs, workers=[second]).result() == [0.0, 1.0, 2.0, 3.0]
        assert client.run(answers)[second] == before + 1
"""
    program = tmp_path / "program.py"
    program.write_text(code)
    script(
        f"import os, subprocess, sys\n"
        f"path = os.pathsep.join([{str(tmp_path)!r}, os.environ['PYTHONPATH']])\n"
        f"env = {{**os.environ, 'PYTHONPATH': path, 'PYTHONWARNINGS': 'ignore'}}\n"
        f"command = [sys.executable, {str(program)!r}]\n"
        f"done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)\n"
        f"assert done.returncode == 0, done.stdout + done.stderr\n",
        **SHARED,
    )
