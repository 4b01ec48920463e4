"""That an installation works: what each part of the package needs of the others, in a few seconds on any device.

``tools/make_wheel.sh`` and cibuildwheel run it: ``python -P tools/smoke_test.py``.
"""

import numpy as np

import devarray as da

device = da.device()
a = np.linspace(0, 1, 10_000, dtype=np.float32).reshape(100, 100)
x = da.asarray(a)

fused = da.sqrt(x * x + 1) * 2 + x
assert fused.pending
np.testing.assert_allclose(fused.copy_to_host(), np.sqrt(a * a + 1) * 2 + a, rtol=1e-6)
np.testing.assert_allclose(x.sum(axis=0).copy_to_host(), a.sum(axis=0), rtol=1e-5)
np.testing.assert_array_equal(da.sort(x[::-2], axis=0).copy_to_host(), np.sort(a[::-2], axis=0))
np.testing.assert_allclose((x @ x.T).copy_to_host(), a @ a.T, rtol=1e-5)
np.testing.assert_array_equal(np.from_dlpack(x) if device.type == "cpu" else x.copy_to_host(), a)
x[x > 0.5] = 0
assert x.max().item() <= 0.5
assert 0.4 < da.random.default_rng(0).random(10_000).mean().item() < 0.6
print(f"devarray {da.__version__} on {device}: works")
