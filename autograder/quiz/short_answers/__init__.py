"""Short answers marked by rules: concepts, contradictions, the scope of negation, the order of words."""
