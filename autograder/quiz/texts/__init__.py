"""The texts of a bank: restricted Markdown parsed to a tree, and the renderers that walk it."""
