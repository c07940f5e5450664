"""04: cross-attention and masks (Module 10.1)."""
