"""From the op table to C source: one renderer, two small dialects."""
