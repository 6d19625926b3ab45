"""Tests that run every command in this process and compare its answer with that of a twin."""
