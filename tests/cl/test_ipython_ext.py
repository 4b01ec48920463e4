"""The magics of devarray.cl.ipython_ext in a session of IPython."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da
from devarray import cl
from devarray.cl import array as cl_array

pytest.importorskip("IPython")

SOURCE = (
    "kernel void add(global const float *a, global float *c) { c[get_global_id(0)] += SCALE * a[get_global_id(0)]; }"
)


@pytest.fixture
def session():
    from IPython.testing.globalipapp import get_ipython, start_ipython

    shell = start_ipython() or get_ipython()
    shell.run_line_magic("load_ext", "devarray.cl.ipython_ext")
    yield shell
    shell.reset()


@pytest.mark.parametrize("name", ["ctx", "cl_ctx"])
def test_kernels_of_a_cell_are_names(session, ctx, name):
    session.user_ns[name] = ctx
    session.run_cell_magic("cl_kernel", '-o "-D SCALE=3"', SOURCE)
    queue = cl.CommandQueue(ctx)
    a, c = cl_array.arange(queue, 5, dtype=np.float32), cl_array.zeros(queue, 5, np.float32)
    session.user_ns["add"](queue, (5,), None, a.data, c.data)
    np.testing.assert_array_equal(c.get(), np.arange(5, dtype=np.float32) * 3)


def test_files_are_built_and_loaded(session, ctx, tmp_path):
    session.user_ns["ctx"] = ctx
    path = tmp_path / "add.cl"
    path.write_text(SOURCE)
    session.run_line_magic("cl_kernel_from_file", f'-o "-D SCALE=2" {path}')
    assert session.user_ns["add"].num_args == 2
    given = []
    session.set_next_input = given.append
    session.run_line_magic("cl_load_edit_kernel", f'-o "-D SCALE=2" -f {path}')
    session.run_line_magic("cl_load_edit_kernel", str(path))
    assert given == [f'%%cl_kernel -o "-D SCALE=2"\n\n{SOURCE}', f"%%cl_kernel\n\n{SOURCE}"]


def test_a_session_without_a_context(session):
    session.user_ns["ctx"] = 3
    with pytest.raises(da.DeviceError, match="cl_ctx or ctx"):
        session.run_cell_magic("cl_kernel", "", SOURCE)
