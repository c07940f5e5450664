"""06: tests that students write, run on attention that they cannot see (failure modes)."""
