"""Tests of the kinds of parameters that have files of their own."""
