"""Tests of how documents become artifacts."""
