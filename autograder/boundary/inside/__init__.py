"""The half that runs with student code. Imports nothing of the kit, and is alone mounted there.

`zygote` warms up and forks; `cage` closes the door behind a forked child; `student` loads the submission and answers;
`wire` is the frames that both halves write.
"""
