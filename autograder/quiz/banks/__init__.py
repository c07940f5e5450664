"""Banks of items: read, built, held against the rules of item writing, assembled in parallel versions."""
