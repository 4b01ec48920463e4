"""Texts in records of the device, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

RECORDS = np.array(
    [("ab", b"x", 3), ("c", b"yy", 1), ("abcd", b"", 2), ("ab", b"x", 0)], [("name", "U4"), ("tag", "S2"), ("n", "i4")]
)
OTHERS = {
    "text": "ab",
    "a longer text": "abcde",
    "none": "",
    "list": ["ab", "x", "abcd", "ab"],
    "wider array": np.array(["ab", "c", "abcdxxxx", "zz"]),
    "narrow array": np.array(["a", "c", "a", "b"]),
    "other byte order": np.array(["ab", "c", "abcd", "x"]).astype(">U4"),
    "scalar of NumPy": np.str_("c"),
    "column": np.array([["ab"], ["c"]]),
    "bytes": b"ab",
    "list of bytes": [b"ab", b"c", b"abcd", b"ab"],
    "array of bytes": np.array([[b"ab"], [b"c"]]),
    "number": 3,
    "numbers": np.arange(4.0),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=list(OTHERS))
def test_texts_compare_as_numpys(device: object, other: object) -> None:
    ours, theirs = da.asarray(RECORDS)["name"], RECORDS["name"]
    np.testing.assert_array_equal((ours == other).copy_to_host(), theirs == other, strict=True)
    np.testing.assert_array_equal((ours != other).copy_to_host(), theirs != other, strict=True)


def test_texts_of_bytes_and_of_two_arrays(device: object) -> None:
    ours = da.asarray(RECORDS)
    assert (ours["tag"] == b"x").tolist() == [True, False, False, True]
    assert (ours["tag"] != b"yy").tolist() == [True, False, True, True]
    assert (ours["name"] == ours["name"][::-1]).tolist() == [True, False, False, True]
    assert ours[ours["name"] == "ab"]["n"].tolist() == [3, 0]
    assert (ours["name"] == da.arange(4)).tolist() == [False] * 4
    assert (ours["name"] == ours["tag"]).tolist() == [False] * 4 and (ours["tag"] != ours["name"]).tolist() == [
        True
    ] * 4
    assert "c" in ours["name"] and "d" not in ours["name"]


def test_one_text_is_numpys_value(device: object) -> None:
    ours = da.asarray(RECORDS)
    assert type(ours["name"][0]) is type(ours[0]["name"]) is np.str_
    assert ours["name"][2] + "!" == "abcd!" and f"{ours[1]['tag']}" == "b'yy'"
    assert dict(zip(ours["name"], range(4), strict=True)) == {"ab": 3, "c": 1, "abcd": 2}
    ours[0]["name"], ours["name"][1] = "zz", "y"
    assert ours["name"].tolist() == ["zz", "y", "abcd", "ab"]
    view = ours["name"][3, ...]
    view[...] = "w"
    assert ours["name"][3] == "w"


@pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")
def test_functions_of_texts_take_fields(device: object) -> None:
    ours = da.asarray(RECORDS)
    assert da.lexsort((ours["n"], ours["name"])).tolist() == np.lexsort((RECORDS["n"], RECORDS["name"])).tolist()
    assert da.unique(ours["name"]).tolist() == ["ab", "abcd", "c"]
    assert ours["tag"].astype(str).tolist() == ["x", "yy", "", "x"]
    numbers = da.asarray(np.array([("12",), ("7",)], [("text", "U3")]))["text"].astype("i4")
    assert isinstance(numbers, da.Array) and (numbers + 1).tolist() == [13, 8]


OPERATORS = {
    "less": lambda x: x["name"] < "b",
    "at least another": lambda x: x["name"] >= x["name"][::-1],
    "reflected": lambda x: np.str_("b") > x["name"],
    "bytes": lambda x: x["tag"] <= b"x",
    "joined": lambda x: x["name"] + "!",
    "joined in front": lambda x: "<" + x["name"],
    "joined with another": lambda x: x["name"] + x["name"][::-1],
    "chosen": lambda x: x[x["name"] > "ab"]["n"],
}


@pytest.mark.parametrize("name", OPERATORS)
def test_texts_are_ordered_and_joined_on_the_host(device: object, name: str) -> None:
    wanted = OPERATORS[name](RECORDS)
    with da.use(fallback="allow"):
        got = OPERATORS[name](da.asarray(RECORDS))
    np.testing.assert_array_equal(got if isinstance(got, np.ndarray) else got.copy_to_host(), wanted, strict=True)
    with da.use(fallback="raise"), pytest.raises(da.errors.Error, match="goes through the host"):
        OPERATORS[name](da.asarray(RECORDS))


def test_texts_are_not_ordered_beside_numbers(device: object) -> None:
    with da.use(fallback="allow"), pytest.raises(TypeError):
        _ = da.asarray(RECORDS)["name"] < 3
