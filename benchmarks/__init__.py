"""Timings, as ratios of figures taken in one run where they compare. Nothing here is a test: no figure fails anything."""
