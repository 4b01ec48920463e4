"""Elements taken and written by indices and conditions."""
