"""
A pool with a limit, and its log
================================

Where memory comes from is an argument. Resources compose: here the log of a pool, over a limit, over the driver. When
the pool is full, the error says what was asked, and everything works after it.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import devarray as da

device = da.device()
limit = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), 64 << 20)
pool = da.alloc.PoolMemoryResource(limit)
path = Path(tempfile.mkdtemp()) / "log.csv"
logged = da.alloc.LoggingResourceAdaptor(pool, str(path))

with da.use(allocator=logged):
    kept = []
    for step in range(40):
        x = da.ones(100_000 + 20_000 * (step % 7), dtype="float32")
        y = (da.sqrt(x) + step).evaluate()
        if step % 5 == 0:
            kept.append(y)
        if step == 30:
            kept.clear()
    da.synchronize()

print(f"{device}, memory kind {pool.kind}")
print(f"pool         {pool.hits} requests served by freed blocks, {pool.misses} by the driver")

try:
    da.empty(32 << 20, dtype="float32", allocator=logged)
except da.OutOfMemoryError as error:
    print(f"128 MiB      {error}")

# %%
# The log, drawn: what lives over time, and how much of the addresses in use is holes.

logged.flush()
da.alloc.plot(str(path), str(path.with_suffix(".png")))
plt.figure(figsize=(8, 5), layout="constrained")
plt.imshow(plt.imread(path.with_suffix(".png")))
plt.axis("off")
plt.show()

# %%
# Which lines hold the memory? A recording knows each block's line; two snapshots tell what a loop leaves behind.

da.alloc.start_recording()
results = []
before = da.alloc.snapshot()
for step in range(5):
    field = da.ones((512, 512), dtype="float32") * step
    results.append((field - field.mean()).evaluate())  # each of them stays
for found in da.alloc.snapshot().compare_to(before)[:2]:
    print(f"{found.nbytes_diff >> 10:6d} KiB  {found.count_diff} blocks  {found.key}  {found.key.text}")
da.alloc.snapshot().plot(str(path.with_name("blocks.png")))
plt.figure(figsize=(8, 5), layout="constrained")
plt.imshow(plt.imread(path.with_name("blocks.png")))
plt.axis("off")
plt.show()
da.alloc.stop_recording()
