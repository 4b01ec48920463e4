"""The element-wise operations: one row each, and what they do to dtypes."""
