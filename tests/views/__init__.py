"""Tests of how results are drawn."""
