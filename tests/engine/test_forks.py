"""Forks of a process that has used a device: the child works, or is told by a ForkError, and never waits for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

N = 300_000  # beyond what the host runs by itself

START = f"""
import os, sys, threading
import numpy as np
import devarray as da

N = {N}

def work(x):
    return (da.sin(x * 3) + da.sort(x[::-1])).sum()

def tried(call):
    try:
        return call()
    except da.errors.ForkError as error:
        return str(error)

def in_child(call):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, str(call()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        said = file.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, said
    return said
"""


@pytest.fixture(autouse=True)
def cpus(device: da.Device) -> None:
    if device.type != "cpu":
        pytest.skip("a child reads no memory of a GPU")


@pytest.fixture
def works_on(device: da.Device) -> bool:
    """Whether the runtime needs no threads of its own for the work of a child."""
    return bool(device.caps["platform"] == "Intel(R) OpenCL")


def run(program: str) -> list[str]:
    """What a process says; one that waits for ever is ended, and fails."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", START + textwrap.dedent(program)],
        env=os.environ | {"DEVARRAY_COMPILER_NOTICE": "0"}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def expected(x: np.ndarray) -> float:
    return float((np.sin(x * 3) + np.sort(x[::-1])).sum())


def test_a_child_reads_what_its_parent_made() -> None:
    said = run("""
        x = da.arange(float(N))
        y = (x * 2 + 1).evaluate()  # under way, or not begun
        print(in_child(lambda: y.copy_to_host()[[0, 1, -1]]))
        print(in_child(lambda: [float(y[5]), len(y), y.shape]))
    """)
    assert said == [str(np.array([1.0, 3.0, 2.0 * N - 1])), str([11.0, N, (N,)])]


def test_a_child_makes_arrays() -> None:
    said = run("""
        x = da.arange(10.0)
        float(x.sum())
        print(in_child(lambda: [da.asarray(np.arange(3.0)).tolist(), x[::2].tolist()]))
    """)
    assert said == [str([[0.0, 1.0, 2.0], [0.0, 2.0, 4.0, 6.0, 8.0]])]


def test_a_child_works_or_is_told(works_on: bool) -> None:
    said = run("""
        x = da.arange(float(N))
        x.evaluate()
        float(work(x))
        print(in_child(lambda: tried(lambda: float(work(x)))))
        print(in_child(lambda: tried(lambda: float(da.asarray(np.arange(2.0 * N)).sum()))))
        print(float(work(x)))
    """)
    value = expected(np.arange(float(N)))
    assert float(said[2]) == pytest.approx(value)
    if works_on:
        assert float(said[0]) == pytest.approx(value)
        assert float(said[1]) == N * (2 * N - 1)
    else:
        assert all("forked" in line and "spawn" in line for line in said[:2])


def test_forks_beside_threads_that_work(works_on: bool) -> None:
    said = run("""
        x = da.arange(float(N))
        float(work(x))
        ended = threading.Event()
        def other():
            y = da.arange(float(N))
            while not ended.is_set():
                float((y * 1.5 + da.cos(y)).sum())
        threads = [threading.Thread(target=other) for _ in range(2)]
        for thread in threads:
            thread.start()
        said = {in_child(lambda: tried(lambda: float(work(x)))) for _ in range(5)}
        ended.set()
        for thread in threads:
            thread.join()
        print(*said, sep="\\n")
        print(float(work(x)))
    """)
    value = pytest.approx(expected(np.arange(float(N))))
    assert float(said[-1]) == value
    if works_on:  # or the threads came to no rest for as long as a fork waits, as where much else runs
        values = [line for line in said[:-1] if "forked" not in line]
        assert [float(line) for line in values] == [value] * len(values)
    else:
        assert len(said) > 1 and all("forked" in line for line in said[:-1])


def test_a_child_of_a_child_and_a_runtime_that_the_child_has_begun() -> None:
    said = run("""
        print(in_child(lambda: in_child(lambda: tried(lambda: float(work(da.arange(float(N))))))))
        print(in_child(lambda: [float(work(da.arange(float(N)))) > 0, in_child(lambda: tried(lambda: 5))]))
    """)
    assert float(said[0]) == pytest.approx(expected(np.arange(float(N))))
    assert said[1] == str([True, "5"])


def test_a_child_that_forks_while_its_own_work_is_under_way(works_on: bool) -> None:
    """Nobody but the thread that forks is left to do it."""
    said = run("""
        import time
        x = da.arange(float(N)).evaluate()
        float(work(x))
        def forks():
            y = da.sin(x * 2).evaluate()
            begun = time.monotonic()
            first = in_child(lambda: tried(lambda: float(y.sum())))
            return [time.monotonic() - begun < 4, first]
        print(in_child(lambda: tried(forks)))
    """)
    if works_on:
        assert said[0].startswith("[True")
        assert float(said[0].split("'")[1]) == pytest.approx(float(np.sin(np.arange(float(N)) * 2).sum()))
    else:
        assert "forked" in said[0]


def test_work_that_waits_for_the_thread_that_forks() -> None:
    """It ends only behind the fork, which does not wait for ever; the child is told that it has no result."""
    said = run("""
        import time
        import devarray.cl as cl
        context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
        queue, gate = cl.CommandQueue(context), cl.UserEvent(context)
        cl.enqueue_barrier(queue, wait_for=[gate])
        begun = time.monotonic()
        print(in_child(lambda: tried(queue.finish)))
        print(time.monotonic() - begun < 60)
        gate.set_status(0)
        queue.finish()
        print("over")
    """)
    assert "forked" in said[0]
    assert said[1:] == ["True", "over"]


def test_an_interrupt_while_a_fork_waits_for_a_job() -> None:
    """Python goes on with the fork. Nothing stays held behind it, and nothing is let go that was not held."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", START + textwrap.dedent("""
            import signal
            from devarray._runtime import compiler
            float(work(da.arange(float(N))))
            gate = threading.Event()
            begun = threading.Event()
            compiler._background.submit("a job", lambda: begun.set() or gate.wait(60))
            threading.Thread(target=compiler._background.wait, daemon=True).start()
            begun.wait()
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            print(in_child(lambda: 5))
            gate.set()
            compiler._background.wait()
            print(float(work(da.arange(float(N)) * 2)) > 0, in_child(lambda: 7))
        """)],
        env=os.environ | {"DEVARRAY_COMPILER_NOTICE": "0"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "5\nTrue 7\n"), done.stderr
    assert "KeyboardInterrupt" in done.stderr and "RuntimeError" not in done.stderr


@pytest.mark.parametrize("how", ["Pool", "ProcessPoolExecutor"])
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_take_and_give_arrays(how: str, method: str, works_on: bool, tmp_path: object) -> None:
    path = os.path.join(str(tmp_path), "program.py")
    with open(path, "w") as file:
        file.write(
            textwrap.dedent(f"""
            import concurrent.futures, multiprocessing
            import numpy as np
            import devarray as da

            def change(x):
                return {{"twice": x * 2, "sum": x.sum(), "host": x.copy_to_host()}}

            if __name__ == "__main__":
                context = multiprocessing.get_context("{method}")
                given = [da.arange(5.0) + k for k in range(4)]
                float(da.sin(da.arange({N}.0)).sum())
                if "{how}" == "Pool":
                    with context.Pool(2) as pool:
                        results = pool.map(change, given)
                else:
                    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
                        results = list(pool.map(change, given))
                for x, found in zip(given, results):
                    assert isinstance(found["twice"], da.Array) and isinstance(found["sum"], da.Array)
                    assert isinstance(found["host"], np.ndarray)
                    print(*found["twice"].tolist(), float(found["sum"]), *found["host"])
        """)
        )
    done = subprocess.run([sys.executable, "-P", path], capture_output=True, text=True, timeout=120, check=False)
    if method == "fork" and not works_on:
        assert "ForkError" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    host = [np.arange(5.0) + k for k in range(4)]
    assert done.stdout.splitlines() == [
        " ".join(map(str, [*(x * 2).tolist(), float(x.sum()), *x.tolist()])) for x in host
    ]
