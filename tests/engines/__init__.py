"""Tests of the engines, which run the work."""
