"""Tests of groups, components and keep orders."""
