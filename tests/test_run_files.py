"""``python -m devarray run``: bad input and functions of the program's that fail raise what they raise under NumPy."""

from __future__ import annotations

from pathlib import Path

from test_run import run, same_output

SHOW = """
import io, tempfile
calls = [0]
def show(function, *args, **kwargs):
    calls[0] = 0
    try:
        print(repr(function(*args, **kwargs)), calls[0])
    except Exception as error:
        print(type(error).__name__, error, calls[0])
"""


def test_input_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    program = """
def breaks():
    yield "1"
    raise RuntimeError("the generator's")
show(np.loadtxt, io.StringIO("1 2\\n3"))
show(np.genfromtxt, io.StringIO("1 2\\n3"))
show(np.fromiter, (float(x) for x in ["1", "x"]), float)
show(np.fromiter, (x for x in [300]), np.uint8)
show(np.fromiter, breaks(), float)
show(np.loadtxt, breaks())
show(np.fromregex, io.StringIO("1 x"), r"(\\d) (\\w)", [("a", "i4"), ("b", "i4")])
stored = io.BytesIO()
np.save(stored, np.arange(10.0))
show(np.load, io.BytesIO(stored.getvalue()[:-20]))
text = io.StringIO()
show(np.savetxt, text, np.arange(3.0), header="once", fmt="%d %d")
print(text.getvalue())
"""
    same_output(tmp_path, SHOW + program)


def test_dtypes_that_no_device_holds_are_read(tmp_path: Path) -> None:
    program = """
show(np.fromiter, (x for x in [3, 4]), np.longdouble)
show(np.loadtxt, io.StringIO("1 2\\n3 4"), dtype=np.longdouble)
with tempfile.TemporaryFile() as file:
    file.write(b"abcdef")
    file.seek(0)
    show(np.fromfile, file, dtype="S3")
"""
    same_output(tmp_path, SHOW + program)


def test_archives_and_maps_are_read_to_the_device(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_text(
        "import numpy as np, io, tempfile\n"
        "def on_device(x): return hasattr(x, 'copy_to_host')\n"
        "file = io.BytesIO()\n"
        "np.savez(file, x=np.arange(3.0), s=np.array(['a']))\n"
        "file.seek(0)\n"
        "found = np.load(file)\n"
        "print(on_device(found['x']), found['x'].tolist(), found['s'].tolist(), sorted(found))\n"
        "with tempfile.NamedTemporaryFile(suffix='.npy') as file:\n"
        "    np.save(file.name, np.arange(4.0))\n"
        "    mapped = np.load(file.name, mmap_mode='r')\n"
        "    print(on_device(mapped), mapped.flags.writeable, on_device(np.load(file.name)))\n"
    )
    done = run(path)
    assert done.stdout == "True [0.0, 1.0, 2.0] ['a'] ['s', 'x']\nTrue False True\n", done.stderr


def test_functions_of_the_program_that_raise_are_called_once(tmp_path: Path) -> None:
    program = """
def fails(*args, **kwargs):
    calls[0] += 1
    raise ValueError("the program's")
a = np.arange(6.0).reshape(2, 3)
show(np.apply_along_axis, fails, 0, a)
show(np.apply_over_axes, fails, a, [0])
show(np.piecewise, a, [a > 2], [fails, 0])
show(np.fromfunction, fails, (2, 2))
show(np.pad, a, 1, fails)
show(np.mask_indices, 3, fails)
show(np.loadtxt, io.StringIO("1 2"), converters=fails)
show(np.array2string, a, formatter={"float": fails})
show(np.vectorize(fails), a)
"""
    same_output(tmp_path, SHOW + program)


def test_a_mapped_file_stays_one_in_what_views_it(tmp_path: Path) -> None:
    program = """
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "a")
m = np.memmap(path, "f8", "w+", shape=(4,))
m[:] = np.arange(4)
print(np.asanyarray(m) is m, np.shares_memory(np.asarray(m), m), isinstance(np.asarray(m), np.memmap))
np.asarray(m)[0], np.asanyarray(m)[1], np.reshape(m, (2, 2))[1, 0], m.view(np.ndarray)[3] = 9, 8, 7, 6
m.flush()
print(np.fromfile(path), np.asarray(m) + np.ones(4), m.sum())
views = np.ravel(m), np.squeeze(m), np.transpose(m), np.expand_dims(m, 0), np.atleast_2d(m), np.require(m, None, "W")
print([isinstance(view, np.memmap) for view in views], np.asanyarray(m).filename == path)
print(isinstance(np.broadcast_to(m, (2, 4)), np.memmap), np.broadcast_to(m, np.array([2, 4])).shape)
read = np.memmap(path, "f8", "r")
print(np.asanyarray(read) is read, type(np.asarray(read)) is np.ndarray, np.asarray(read, "f4"), np.sin(read).round(3))
print([type(x) is np.ndarray for x in (np.asarray(m), m.view(np.ndarray), np.array(m))])
"""
    same_output(tmp_path, program)
