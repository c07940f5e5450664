"""Timings, as ratios of figures taken in one run. Nothing here is a test: no figure fails anything."""
