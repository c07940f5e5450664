"""Exit statuses of a student's process that mean something to the grader. Student code may exit with them too."""

NOT_SERVED = 70  # the harness itself failed
OUT_OF_MEMORY = 71  # a top-level statement took more memory than there is
