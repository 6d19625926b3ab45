"""The version of simdocs."""

__version__ = "0.1.0"
