"""Benchmarks: speed and time are measured here, because no test may pass or fail by the clock."""
