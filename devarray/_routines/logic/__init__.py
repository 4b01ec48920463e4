"""Questions about arrays."""
