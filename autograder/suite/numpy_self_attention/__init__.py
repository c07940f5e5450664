"""01: self-attention in NumPy, step by step (Module 8)."""
