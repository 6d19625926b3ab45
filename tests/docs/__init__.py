"""Tests of the documentation: the pages describe what the program does."""
