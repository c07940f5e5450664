"""02: self-attention as a PyTorch module (Module 10.1)."""
