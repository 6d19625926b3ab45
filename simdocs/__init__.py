"""Find near-duplicates among documents.

    dedupe      which documents are nearly the same, and which of them to keep
    pairs       which pairs of documents are similar
    passages    which passages occur in several documents
    query       which documents of an index are similar to these, or with passages=True quote them or are quoted
    report      groups of near-duplicates as a page to look at
    compare     how similar two texts are, by every measure, where they differ, and which passages both have
    similarity  how similar two texts are
    tune        which bands, threshold and k suit documents
    audit       how many similar pairs the bands find
    index       an index to query, of documents or of signatures
    signature   the signatures of documents or of token sets
    shingle     the token sets of documents
    merge       one artifact of several
    show        the shingles of one text, with their tokens
    open        an artifact on disk
    info        what an artifact is
    check       what is wrong with artifacts

    write_answer, read_answer   save what dedupe found, and read it again
    act, undo                   move duplicates away, or link them, and put them back

Functions that read documents take paths, `texts=`, or the artifact of an earlier stage. They return objects that hold
NumPy arrays, raise SimdocsError, and print nothing. Each is imported when it is first used. A result that is a table
has a length, yields its rows, and has a method `write` for files.
"""

from __future__ import annotations

from simdocs.version import __version__

_HOMES = {
    "simdocs.api": ("open", "read_answer", "write_answer"),
    "simdocs.model.artifact": ("BandIndex", "Shingles", "Signatures"),
    "simdocs.model.comparison": ("Comparison", "SimilarityMatrix", "Tuning"),
    "simdocs.model.groups": ("Deduplication", "SavedAnswer", "SimilarPairs"),
    "simdocs.model.report": ("Report",),
    "simdocs.model.result": ("Result",),
}
"""The modules of public names. The errors are in simdocs.errors, and a function asks the question of its name."""

__all__ = [
    "ArtifactError",
    "BandIndex",
    "Comparison",
    "Deduplication",
    "InputError",
    "LockedError",
    "MemoryNeededError",
    "MissingExtraError",
    "OutputError",
    "ParametersError",
    "Report",
    "Result",
    "SavedAnswer",
    "Shingles",
    "ShrunkError",
    "Signatures",
    "SimdocsError",
    "SimilarPairs",
    "SimilarityMatrix",
    "Tuning",
    "UnjudgedError",
    "UnreachableRecallError",
    "UsageError",
    "WorkerError",
    "__version__",
    "act",
    "audit",
    "check",
    "compare",
    "dedupe",
    "index",
    "info",
    "merge",
    "open",
    "pairs",
    "passages",
    "query",
    "read_answer",
    "report",
    "shingle",
    "show",
    "signature",
    "similarity",
    "tune",
    "undo",
    "write_answer",
]


def __getattr__(name: str) -> object:
    """A public name, imported now (PEP 562). `__init__.pyi` has its type."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = next((module for module, names in _HOMES.items() if name in names), "")
    if not home and name.islower():
        from simdocs.api import function

        value = function(name)
    else:
        value = getattr(import_module(home or "simdocs.errors"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
