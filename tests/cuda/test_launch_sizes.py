"""How many groups of how many work-items launches have on a GPU: what the stand-in driver, of four units, is given."""

import pytest

UNITS = 4

PROGRAM = """
import ctypes
import numpy as np
from devarray import _core
_core.cuda._use_library({library!r})
import devarray as da
fake = ctypes.CDLL({library!r})
fake.fake_layered.restype = ctypes.c_void_p
sizes = (ctypes.c_uint * 6).from_address(fake.fake_layered() + 8 + 4096)
device = next(d for d in da.devices() if d.driver == "cuda")

def launched(work):
    before = fake.fake_launches()
    work().evaluate()
    assert fake.fake_launches() == before + 1, fake.fake_launches() - before
    print(*sizes)

with da.use(device=device):
"""


@pytest.fixture
def sizes_of(with_stand_ins):
    """Return a function that runs code which calls `launched`: the groups and the work-items of each launch."""

    def run(code):
        lines = with_stand_ins(PROGRAM + "".join(f"    {line}\n" for line in code.splitlines())).splitlines()
        numbers = [[int(word) for word in line.split()] for line in lines]
        return [(x * y * z, i * j * k) for x, y, z, i, j, k in numbers]

    return run


def test_small_groups_where_few_large_ones_would_idle(sizes_of):
    """Sixteen groups a unit or more, of as many work-items as that leaves: from 64 to 256."""
    elements = [256, 1 << 12, 1 << 14, (1 << 15) - 4, 1 << 15, (1 << 16) - 4, 1 << 16, 1 << 18, 1 << 20]
    made = sizes_of(f"""for n in {elements}:
    x = da.zeros(n, "float32").evaluate()
    launched(lambda: x * 3 + 1)""")
    assert [local for _, local in made] == [64, 64, 64, 64, 128, 128, 256, 256, 256]
    for n, (groups, local) in zip(elements, made, strict=True):
        items = n // 4  # each loads 16 bytes at once
        assert groups == -(-items // local)
        assert groups >= 16 * UNITS or local == 64


def test_a_sum_of_all_is_shared_by_four_groups_or_none(sizes_of):
    """Two or three would take less time for their parts than the merge does."""
    chunk = 2 * 8 * 256  # of a group: two steps of eight elements a work-item
    elements = [chunk, 2 * chunk, 4 * chunk - 4, 4 * chunk, 8 * chunk, 1 << 20]
    made = sizes_of(f"""_core.set_config("row_bytes", 1 << 40)
for n in {elements}:
    x = da.zeros(n, "float32").evaluate()
    launched(lambda: x.sum())""")
    assert [groups for groups, _ in made] == [1, 1, 1, 4, 8, 8 * UNITS]
    made = sizes_of(f"""_core.set_config("row_bytes", 1 << 40)
x = da.zeros((2, {2 * chunk}), "float32").evaluate()
launched(lambda: x.sum(1))""")
    assert [groups for groups, _ in made] == [4], "two sums of two parts each: the groups are worth it"


@pytest.mark.parametrize("product", ["x.T @ (x @ w)", "x.T @ da.tanh(x @ w)"])
def test_two_rounds_of_groups_over_much_memory(sizes_of, product):
    """From 32 MB on: the first round finds what the last launch left in the cache."""
    rows = (32 << 20) // (16 * 4)
    made = sizes_of(f"""w = da.zeros(16, "float32").evaluate()
for rows in ({rows - 64}, {rows}, {2 * rows}):
    x = da.zeros((rows, 16), "float32").evaluate()
    launched(lambda: {product})""")
    assert [groups for groups, _ in made] == [4 * UNITS, 8 * UNITS, 8 * UNITS]


def test_one_round_of_groups_where_rows_are_not_walked_alone(sizes_of):
    ((groups, _),) = sizes_of("""x = da.zeros((1 << 20, 16), "float32").evaluate()
launched(lambda: x.sum(0))""")
    assert groups == 4 * UNITS
