"""simdocs: which of these documents are nearly the same?

The stages, on paths, texts or what an earlier stage made: `shingle`, `signature`, `index`, `query`, `dedupe`; `open`
an artifact. They return nouns with NumPy arrays inside, raise SimdocsError, and print nothing. Each is imported when it
is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simdocs.version import __version__

if TYPE_CHECKING:
    from simdocs.api import dedupe, index, open, query, shingle, signature  # noqa: A004
    from simdocs.errors import (
        ArtifactError,
        InputError,
        LockedError,
        OutputError,
        ParametersError,
        SimdocsError,
        UsageError,
        WorkerError,
    )
    from simdocs.model.artifact import BandIndex, Shingles, Signatures
    from simdocs.model.results import Deduplication, Matches

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
    "UsageError",
    "WorkerError",
    "__version__",
    "dedupe",
    "index",
    "open",
    "query",
    "shingle",
    "signature",
]


def _module_of(name: str) -> str:
    if name.endswith("Error"):
        return "simdocs.errors"
    if name in ("Deduplication", "Matches"):
        return "simdocs.model.results"
    return "simdocs.model.artifact" if name[0].isupper() else "simdocs.api"


if not TYPE_CHECKING:  # or else a name that does not exist would have a type

    def __getattr__(name: str) -> Any:
        """A public name, imported now (PEP 562)."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_module_of(name)), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
