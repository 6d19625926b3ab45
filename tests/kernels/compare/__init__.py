"""Tests of similarities."""
