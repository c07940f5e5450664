"""What exists: assignments, exercises, points, objectives, misconceptions, and the Result.

Imports nothing else of the kit; every other room may read it.
"""
