"""The half that runs with student code. Imports nothing of the kit, and is alone mounted there."""
