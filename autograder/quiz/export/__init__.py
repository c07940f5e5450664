"""Banks for where instructors teach: `attnkit quiz export`.

A bank becomes a `Quiz` (quiz.py), every target is one function from a Quiz to an `Export` (output.py). What a target
can't carry is a `Loss` in its Export, and a line of the report: nothing is left out silently.
"""
