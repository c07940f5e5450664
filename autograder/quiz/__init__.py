"""Quizzes: banks of items that are checked, taken, graded, exported and assembled.

`load_bank` reads a bank of `quizzes/` (or a file) into the frozen dataclasses of `model`; every text in them
is a tree of `markup`, which each renderer walks.
"""
