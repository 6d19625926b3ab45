"""Tests that compare each kernel with a slow and obvious twin."""
