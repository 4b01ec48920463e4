"""Files and text."""
