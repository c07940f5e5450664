"""Wrong answers that nobody had in mind who wrote the suite, and what each is told."""
