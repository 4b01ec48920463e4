"""``python -m devarray run``: threads, memory of others, wrappers of arrays, and pytest as the program's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_run import same_output


def test_threads_have_the_programs_settings(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    program = """
import scipy.linalg
from concurrent.futures import ThreadPoolExecutor
x, m = np.arange(4.0) + 1, np.asmatrix(np.eye(2))
with ThreadPoolExecutor(1) as pool:
    print(pool.submit(lambda: scipy.linalg.toeplitz(x)).result())
    made = pool.submit(lambda: m @ np.ones(2)).result()
    print(type(made).__name__, made.shape)
"""
    same_output(tmp_path, program)


def test_what_is_written_to_memory_of_others_arrives_there(tmp_path: Path) -> None:
    program = """
import ctypes
from multiprocessing import shared_memory
memory = shared_memory.SharedMemory(create=True, size=32)
x = np.ndarray((4,), dtype="f8", buffer=memory.buf)
x[:] = 7
print(bytes(memory.buf[:8]), x.sum(), (np.arange(4.0) + x).tolist())
del x
memory.close(), memory.unlink()
numbers = (ctypes.c_double * 2)()
np.ctypeslib.as_array(numbers)[0] = 5
data = bytearray(4)
np.ndarray((4,), "u1", data)[:] = 3
print(numbers[0], data)
import array, mmap, multiprocessing
pages, raw = mmap.mmap(-1, 32), multiprocessing.RawArray("d", 4)
items = array.array("d", [1, 2])
for memory in (pages, raw, items, bytearray(16), memoryview(bytearray(16))):
    np.copyto(np.frombuffer(memory, "f8"), 3)
    np.frombuffer(buffer=memory, dtype="f8")[1] = 4
    print(np.frombuffer(bytes(memoryview(memory)), "f8")[:2], np.frombuffer(memory, "f8") * np.ones(1))
np.asarray(items)[0], np.asarray(numbers)[1] = 8, 9
print(items, list(numbers), np.asarray(memoryview(b"ab")), np.frombuffer(b"abcd", "u1").sum())
"""
    same_output(tmp_path, program)


def test_wrappers_that_delegate_to_their_array(tmp_path: Path) -> None:
    program = """
class Wrapper:
    def __init__(self, a): self.a = np.asarray(a)
    def __array__(self, dtype=None, copy=None): return np.array(self.a, dtype=dtype)
    def __getattr__(self, name): return getattr(self.a, name)
x, w = np.ones((2, 2)), Wrapper([[1.0, 2.0], [3.0, 4.0]])
print(x == w, x * w, x + w, x < w, x @ np.asarray(w))
m = np.asmatrix(np.eye(2))
print(m * np.ones((2, 2)), type(m * np.ones((2, 2))).__name__)
m *= np.ones((2, 2))
print(m, np.array([48, 49], dtype="u4").view("U1"))
"""
    same_output(tmp_path, program)


def test_names_of_the_class_and_errors_of_floats(tmp_path: Path) -> None:
    program = """
import datetime, inspect
print("any" in dir(np.ndarray), "T" in dir(np.zeros(2)), "sum" in vars(np.ndarray))
print(len(inspect.getmembers(np.ndarray)) > 100)
try:
    with np.errstate(divide="raise"):
        np.array([1.0]) / 0
except FloatingPointError as error:
    print(error)
dates = np.array(["2020-01-01", "2020-01-05"], "M8[D]")
end, first = dates.max(), dates[0]
end += np.timedelta64(1, "D")
first -= np.timedelta64(1, "D")
print(end, first, dates, dates.astype(datetime.datetime))
print(np.vectorize(lambda q: np.abs(np.array([1, 2, 3]) - q).argmin())(np.array([0.0, 2, 9])))
"""
    same_output(tmp_path, program)


def test_pandas_reads_values(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    program = """
import pandas as pd
x, frame = np.arange(1.0, 3.0), pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
print((frame + np.ones((2, 2))).values.sum(), (frame == np.ones((2, 2))).values.tolist())
print(pd.Categorical(np.array([1, 2, 1])).categories.dtype, pd.Series([x[0], 2.0]).dtype)
print(pd.DataFrame.from_records([(x[0], x[1])]).dtypes.tolist(), pd.Series([1.0, 3.0]).replace(x[0], x[1]).tolist())
print(pd.MultiIndex.from_arrays([np.array([1, 2]), np.array([3, 4])]).levels, pd.array([x[0], x[1]]).dtype)
v, n, gaps = x[1], np.argmax(x), pd.DataFrame({"a": [1.0, np.nan], "b": [np.nan, 4.0]})
print(gaps.fillna(v).to_dict(), gaps["a"].fillna(x.sum()).tolist(), gaps.fillna({"a": v}).to_dict())
print(gaps.ffill(limit=n).to_dict())
print(gaps["a"].div(x, fill_value=v).tolist(), frame.add(frame, fill_value=v).values.sum(), frame.radd(v).to_dict())
print(gaps["a"].expanding(n).sum().tolist(), gaps.interpolate(limit=n).to_dict())
print(frame["a"].rename({0: v}).to_dict())
index = pd.Index([1.0, 2.0, 5.0])
print(index.get_loc(v), v in index, x.sum() in index, n in pd.RangeIndex(3), pd.RangeIndex(3).get_loc(n))
pairs = pd.MultiIndex.from_product([[1.0, 2.0], [1, 2]])
print((v, n) in pairs, pairs.get_loc((v, n)), pd.Timestamp(x.sum(), unit="s"), pd.RangeIndex(n))
print(pd.Period(ordinal=n, freq="D"))
groups = frame.groupby(np.array([0, 0]))
print(groups.quantile(v / 4).to_dict(), groups.nth(n).to_dict(), frame.apply(np.sum).tolist(), frame.rsub(v).to_dict())
"""
    same_output(tmp_path, program)


@pytest.mark.parametrize("rewrites", [[], ["--assert=plain"]])
def test_pytest_gives_test_modules_the_stand_in(tmp_path: Path, rewrites: list[str]) -> None:
    (tmp_path / "conftest.py").write_text("import numpy as np\nMADE = np.ones(2)\n")
    (tmp_path / "test_made.py").write_text(
        """
import conftest
import numpy as np
import pytest

def test_arrays_are_the_devices():
    assert hasattr(np.ones(2), "copy_to_host") and hasattr(conftest.MADE, "copy_to_host")

def test_approx():
    x = np.arange(3.0) + 1
    assert pytest.approx(x[0]) == 1.0 and x[0] == pytest.approx(1.0)
    assert pytest.approx([x[0], x[1]]) == [1, 2] and pytest.approx({"a": x[0]}) == {"a": 1.0}
    assert pytest.approx(x) == [1.0, 2.0, 3.0]
    assert x[0] != pytest.approx(1.1)
"""
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-P", "-m", "devarray", "run", "-m", "pytest", "-q", "-p", "no:cacheprovider", *rewrites]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr


def test_arrays_that_are_sent_to_other_processes(tmp_path: Path) -> None:
    program = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
if __name__ == "__main__":
    x = np.arange(4.0)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        print(pool.submit(np.asarray, x).result(), pool.submit(np.ma.masked_less, x, 2).result())
"""
    same_output(tmp_path, program)


def test_functions_that_a_library_puts_into_numpy(tmp_path: Path) -> None:
    program = """
import sys
module = sys.modules["numpy"]
plain = module.dot
module.dot = lambda a, b: plain(a, b).astype("f4")
print(np.dot(np.eye(2), np.ones(2)).dtype, np.dot is module.dot)
module.dot = plain
"""
    same_output(tmp_path, program)
