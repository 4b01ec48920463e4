"""Which launches of many elements go together."""

from __future__ import annotations

from typing import Any

import pytest
from test_batches import normal, ready

import devarray as da
from devarray.codegen.kernels import elementwise

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "plans")


@pytest.mark.parametrize(("steps", "joined"), [(50, True), (70, False)])
def test_long_expressions_of_many_elements_go_one_by_one(
    steps: int, joined: bool, device: da.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They fill a GPU by themselves, and the kernel of a set has fewer registers for them."""
    sets: set[int] = set()
    render = elementwise.render

    def noted(spec: Any, dialect: Any) -> str:
        sets.add(spec.sets)
        return render(spec, dialect)

    monkeypatch.setattr(elementwise, "render", noted)

    def polynomial(x: Any) -> Any:
        y = x
        for _ in range(steps):
            y = y * x + x
        return y

    with da.use(queue=da.queue(device)):
        ready(polynomial, da.asarray(normal(1 << 20) / 4))
    assert (max(sets) > 1) == joined
