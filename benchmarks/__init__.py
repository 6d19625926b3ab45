"""Figures: timings live here, never in tests that pass or fail by the clock."""
