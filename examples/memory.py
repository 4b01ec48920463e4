"""Where memory comes from: a pool with a limit and statistics, and what happens when it is full."""

import devarray as da

device = da.device()
limit = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), 64 << 20)
pool = da.alloc.PoolMemoryResource(limit)
counted = da.alloc.StatisticsResourceAdaptor(pool)

with da.use(allocator=counted):
    for step in range(10):
        x = da.ones(1_000_000, dtype="float32")
        y = (da.sqrt(x) + step).evaluate()

print(f"{device}, memory kind {pool.kind}")
print(f"allocations  {counted.allocation_counts}")
print(f"pool         {pool.hits} requests served by freed blocks, {pool.misses} by the driver")

try:
    da.empty(32 << 20, dtype="float32", allocator=pool)
except da.OutOfMemoryError as error:
    print(f"128 MiB      {error}")
