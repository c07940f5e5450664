"""05: many heads, and the encoder block around them (extension)."""
