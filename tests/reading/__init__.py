"""Tests of finding and reading documents."""
