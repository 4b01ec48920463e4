"""Files of text and of bytes, read and written as by NumPy."""

from __future__ import annotations

import io
from pathlib import Path

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
