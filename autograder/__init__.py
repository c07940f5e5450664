"""The self-attention kit: exercises on self-attention, graded across a process wall."""

__version__ = "0.1.0"
