"""Quizzes as HTML pages that need no network."""
