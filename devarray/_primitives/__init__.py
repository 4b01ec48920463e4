"""What the routines are built of: launches, gathers, counts, checks, and arrays made of what NumPy takes for one."""
