"""The wall between the grader and student code: `outside` is the grader's half, `inside` runs with student code."""
