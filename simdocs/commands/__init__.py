"""Commands: one file for each question."""
