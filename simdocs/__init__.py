"""Find near-duplicates among documents.

`shingle`, `signature`, `index`, `query` and `dedupe` take paths, texts, or the artifact of an earlier stage. `open`
opens an artifact. These functions return objects that hold NumPy arrays, raise SimdocsError, and print nothing. Each is
imported when it is first used.
"""

from __future__ import annotations

from simdocs.version import __version__

TYPE_CHECKING = False  # type checkers take it for that of `typing`, whose import takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

    from simdocs.api import check, dedupe, index, info, open, query, shingle, show, signature, similarity  # noqa: A004
    from simdocs.errors import (
        ArtifactError,
        InputError,
        LockedError,
        OutputError,
        ParametersError,
        SimdocsError,
        UnjudgedError,
        UnreachableRecallError,
        UsageError,
        WorkerError,
    )
    from simdocs.model.artifact import BandIndex, Shingles, Signatures
    from simdocs.model.results import Deduplication, Matches, SimilarPairs

_HOMES = {
    "simdocs.api": (
        *("check", "dedupe", "index", "info", "open", "query", "shingle", "show", "signature", "similarity"),
    ),
    "simdocs.model.results": ("Deduplication", "Matches", "SimilarPairs"),
    "simdocs.model.artifact": ("BandIndex", "Shingles", "Signatures"),
}
"""The module of each public name. All other public names are errors, in simdocs.errors."""

__all__ = [
    "ArtifactError",
    "BandIndex",
    "Deduplication",
    "InputError",
    "LockedError",
    "Matches",
    "OutputError",
    "ParametersError",
    "Shingles",
    "Signatures",
    "SimdocsError",
    "SimilarPairs",
    "UnjudgedError",
    "UnreachableRecallError",
    "UsageError",
    "WorkerError",
    "__version__",
    "check",
    "dedupe",
    "index",
    "info",
    "open",
    "query",
    "shingle",
    "show",
    "signature",
    "similarity",
]


def _module_of(name: str) -> str:
    return next((module for module, names in _HOMES.items() if name in names), "simdocs.errors")


if not TYPE_CHECKING:  # otherwise a name that does not exist would have a type

    def __getattr__(name: str) -> Any:
        """A public name, imported now (PEP 562)."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_module_of(name)), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
