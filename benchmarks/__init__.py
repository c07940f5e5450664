"""Timings, as ratios of figures from one run where they compare. Nothing here is a test: no figure fails anything."""
