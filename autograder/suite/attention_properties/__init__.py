"""03: what attention does and does not know (both lessons)."""
