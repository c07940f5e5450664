"""Responses in, marks out: one response, a class, what a person reviews, and what is written of them."""
