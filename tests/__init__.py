"""Tests: every kernel against its slow twin, the worked examples, and the laws that the estimates obey."""
