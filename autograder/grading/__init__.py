"""One submission to one Result: examine, follow through, diagnose, mark."""
