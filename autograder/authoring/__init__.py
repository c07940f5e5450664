"""From one reference solution: stub, notebook, task sheet, hints, visible tests; and what students get.

`author` rewrites `assignments/`; `release` and `release_solutions` hand out.
"""
