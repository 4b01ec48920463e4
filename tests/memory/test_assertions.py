"""The core's containers check their bounds, and say what failed."""

import pytest

from devarray import errors

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")


def test_the_build_that_is_tested_has_them():
    assert testing.assertions


def test_elements_inside():
    assert testing.element([3, 4, 5], 2) == 5 and testing.last(range(9)) == 8
    assert testing.erase(list(range(7)), 6) == [0, 1, 2, 3, 4, 5] and testing.erase([1, 2, 3], 0) == [2, 3]


@pytest.mark.parametrize(
    ("call", "expression"),
    [
        (lambda: testing.element([1, 2], 2), "i < size_"),
        (lambda: testing.element(list(range(9)), 2**63), "i < size_"),
        (lambda: testing.last([]), "size_ > 0"),
        (lambda: testing.erase([1], 1), "at < size_"),
    ],
)
def test_elements_outside_are_an_error_that_names_the_check(call, expression):
    with pytest.raises(errors.Error, match=rf"{expression} at csrc/common/small_vector\.hpp:\d+") as caught:
        call()
    assert type(caught.value) is errors.Error
