"""Results out: a JSON file and a feedback page each, a gradebook, a class report. Whole or not at all."""
