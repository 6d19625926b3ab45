"""The face: a view draws an answer and computes nothing."""
