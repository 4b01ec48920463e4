"""Copies with host memory of which a part is page-locked: on the GPU, and over the stand-in for libcuda."""

import numpy as np

import devarray as da
import devarray.cuda as cuda


def check():
    """Both directions, dense and in rows, on the device in use; neighbouring bytes stay as they are."""
    memory = cuda.aligned_empty(5 * 4096, np.uint8)
    memory[:] = np.arange(memory.size) % 251
    values = memory.copy()
    with da.pinned(memory[4096:8192]):
        for part in (memory[:6000], memory[5000:14000], memory[:16384].reshape(4, 4096)[:, 90:3000]):
            x = da.asarray(part)
            expected = part.copy()
            np.testing.assert_array_equal(x.copy_to_host(np.zeros_like(expected)), expected)
            part[...] = 0
            x.copy_to_host(part)
            np.testing.assert_array_equal(memory, values)
