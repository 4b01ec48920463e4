"""What the program launched and did not wait for, on a runtime whose work runs in threads of the process that ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

HEAD = """
import sys
import numpy as np
from devarray import cl

platform = next(p for p in cl.get_platforms() if p.name == sys.argv[1])
ctx = cl.Context([platform.get_devices()[0]])
"""
# The kernel writes into the pages of a file, which are there when the process is not.
LAUNCH = """
page = np.memmap(sys.argv[2], np.int32, "r+", shape=(16384,))
buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=page)
late = cl.Program(ctx, '''
kernel void late(global volatile int* a) {
  for (int i = 0; i < 300000000; ++i) a[1] = i;
  a[0] = 1;
}''').build().late
queue = cl.CommandQueue(ctx, properties=PROPERTIES)
late(queue, (1,), None, buf)
queue.flush()
"""
# Nobody will set it.
BLOCKED = """
queue = cl.CommandQueue(ctx)
cl.enqueue_marker(queue, wait_for=[cl.UserEvent(ctx)])
"""


def _run(program: str, *arguments: str) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path)}
    command = [sys.executable, "-P", "-X", "faulthandler", "-c", HEAD + program, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("properties", ["0", "cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE"])
def test_a_launch_is_done_when_the_process_ends(engine, tmp_path: Path, properties: str) -> None:
    if engine.type != "cpu":
        pytest.skip("a GPU's work is the driver's")
    page = tmp_path / "page"
    np.zeros(16384, np.int32).tofile(page)
    _run(LAUNCH.replace("PROPERTIES", properties), engine.cl_device.platform.name, str(page))
    assert np.fromfile(page, np.int32)[:2].tolist() == [1, 299999999]


def test_what_can_never_be_done_does_not_keep_the_process(engine) -> None:
    begin = time.monotonic()
    _run(BLOCKED, engine.cl_device.platform.name)
    assert time.monotonic() - begin < 60  # the wait is of 5 seconds
