"""Does the suite catch every wrong answer and accept every right one? Proved here, and certified."""
