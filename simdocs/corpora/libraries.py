"""Import a library that a file needs, or skip the file."""

from __future__ import annotations

from types import ModuleType

from simdocs.errors import MissingExtraError
from simdocs.extras import needs
from simdocs.model.skipped import DocumentSkipped


def library(module: str, what: str) -> ModuleType:
    """Import a module of an optional library to read a file: see `needs`.

    Raises DocumentSkipped (uninstalled): it cannot be imported. A file that a walk found is then skipped. One that was
    named is an error, before any file is read: see `needed_by`.
    """
    try:
        return needs(module, what)
    except MissingExtraError as error:
        raise DocumentSkipped("uninstalled", error.problem) from error
