"""The mouth: options declared once each, one small file a command, one table from errors to exit statuses."""

from simdocs.cli.program import main

__all__ = ["main"]
