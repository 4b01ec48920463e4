"""Array creation."""
