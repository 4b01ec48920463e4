"""Files of text and of bytes, read and written as by NumPy."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def test_files_of_text_and_bytes(tmp_path: Path) -> None:
    h = np.arange(6.0).reshape(2, 3) / 4
    text, raw = tmp_path / "x.txt", tmp_path / "x.bin"
    da.savetxt(text, da.asarray(h), "%.3f", delimiter=",")
    assert text.read_text() == "0.000,0.250,0.500\n0.750,1.000,1.250\n"
    same(da.loadtxt(text, delimiter=","), h)
    same(da.loadtxt(text, np.float32, delimiter=",", usecols=1), h[:, 1].astype(np.float32))
    same(da.genfromtxt(io.StringIO("1,,3\n4,5,6"), delimiter=","), np.array([[1, np.nan, 3], [4, 5, 6]]))
    h.tofile(raw)
    same(da.fromfile(raw, offset=8, count=4), h.reshape(-1)[1:5])
    same(da.fromfile(raw, da.uint8), np.fromfile(raw, np.uint8))


@pytest.mark.parametrize("given", [[], 2.5, None, 2**40])
def test_what_is_no_file_is_named(given: object) -> None:
    x = da.ones(2)
    with pytest.raises(TypeError, match=f"tofile: fid is a path or an open file, not {type(given).__name__}"):
        x.tofile(given)
    with pytest.raises(TypeError, match=f"dump: file is a path or an open file, not {type(given).__name__}"):
        x.dump(given)


def test_tofile_and_dump_take_paths_and_files(tmp_path: Path) -> None:
    h = np.arange(5, dtype=np.int16)
    x = da.asarray(h)
    for name in ("a", b"b"):
        path = tmp_path / (name if isinstance(name, str) else name.decode())
        x.tofile(path if isinstance(name, str) else str(path).encode())
        assert path.read_bytes() == h.tobytes()
    with (tmp_path / "c").open("wb") as file:
        x.tofile(file)
    assert (tmp_path / "c").read_bytes() == h.tobytes()
    x.dump(tmp_path / "d")
    same(pickle.loads((tmp_path / "d").read_bytes()), h)


def test_archives_hold_texts_and_are_numpys(device, tmp_path):
    path = tmp_path / "z.npz"
    np.savez(path, names=np.array(["x", "yy"]), n=np.int64(3), when=np.array(["2024-01-01"], "M8[D]"))
    with da.load(path) as z:
        assert z["names"].tolist() == ["x", "yy"] and z["n"].item() == 3
        assert str(z["when"][0]) == "2024-01-01"
        assert repr(z) == repr(np.load(path)) and z.zip is not None
        assert sorted(z) == ["n", "names", "when"]
    assert z.fid is None and not hasattr(z, "_missing")


def test_texts_of_files(device, tmp_path):
    np.save(tmp_path / "t.npy", np.array(["x", "yy"]))
    assert da.load(tmp_path / "t.npy").tolist() == ["x", "yy"]
    assert da.loadtxt(io.StringIO("a b\nc d"), dtype=str).tolist() == [["a", "b"], ["c", "d"]]
    assert da.genfromtxt(io.StringIO("a b\nc d"), dtype="U3").tolist() == [["a", "b"], ["c", "d"]]


@pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")
def test_what_is_written_to_a_mapped_file_reaches_it(device, tmp_path):
    np.save(tmp_path / "m.npy", np.zeros(3))
    mapped = da.load(tmp_path / "m.npy", mmap_mode="r+")
    mapped[1:] = da.ones(2)
    mapped.flush()
    assert np.load(tmp_path / "m.npy").tolist() == [0.0, 1.0, 1.0]
    read = da.load(tmp_path / "m.npy", mmap_mode="r")
    assert isinstance(read, da.Array) and not read.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        read[0] = 5
    assert da.load(tmp_path / "m.npy", mmap_mode="c").flags.writeable


def test_texts_of_a_buffer_are_numpys() -> None:
    for dtype in ("S1", "S2"):
        made = da.frombuffer(bytearray(b"abcd"), dtype)
        assert isinstance(made, np.ndarray)
        assert made.tolist() == np.frombuffer(b"abcd", dtype).tolist()
    records = da.frombuffer(b"\x01abc\x02def", [("number", "u1"), ("name", "S3")])
    assert records["number"].tolist() == [1, 2]


STRUCTURED = {"names": ("a", "b", "c"), "formats": ("S1", "i4", "f4")}
UNPACKED: dict[str, Callable[[Any], Any]] = {
    "loadtxt": lambda xp: xp.loadtxt(["M 21 72", "F 35 58"], dtype=STRUCTURED, unpack=True),
    "genfromtxt": lambda xp: xp.genfromtxt(["M 21 72", "F 35 58"], dtype=STRUCTURED, unpack=True),
    "dtypes found": lambda xp: xp.genfromtxt(["M 21 72.", "F 35 58."], dtype=None, unpack=True, encoding="utf-8"),
    "rows": lambda xp: xp.loadtxt(["1 2", "3 4"], unpack=True),
    "masked": lambda xp: xp.genfromtxt(["1,,3", ",5,6"], delimiter=",", dtype=int, usemask=True),
    "masked fields": lambda xp: xp.genfromtxt(["A,B", "0,1", "2,"], delimiter=",", names=True, dtype=int, usemask=True),
}


@pytest.mark.parametrize("name", UNPACKED)
def test_texts_unpacked_and_masked(name: str) -> None:
    ours, theirs = UNPACKED[name](da), UNPACKED[name](np)
    assert isinstance(ours, list) == isinstance(theirs, list)
    for found, wanted in zip(ours, theirs, strict=True) if isinstance(theirs, list) else [(ours, theirs)]:
        assert found.dtype == wanted.dtype
        assert found.tolist() == wanted.tolist()
        assert isinstance(found, np.ma.MaskedArray) == isinstance(wanted, np.ma.MaskedArray)
