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

TYPE_CHECKING = False  # type checkers take it for that of `typing`, whose import takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

    from simdocs.api.building import (
        index,
        merge,
        open,  # noqa: A004
        shingle,
        signature,
    )
    from simdocs.api.functions import (
        audit,
        check,
        compare,
        dedupe,
        info,
        pairs,
        passages,
        query,
        report,
        show,
        similarity,
        tune,
    )
    from simdocs.api.saved_answers import act, read_answer, undo, write_answer
    from simdocs.errors import (
        ArtifactError,
        InputError,
        LockedError,
        MemoryNeededError,
        MissingExtraError,
        OutputError,
        ParametersError,
        ShrunkError,
        SimdocsError,
        UnjudgedError,
        UnreachableRecallError,
        UsageError,
        WorkerError,
    )
    from simdocs.model.acted import Acted, PutBack
    from simdocs.model.artifact import BandIndex, Shingles, Signatures
    from simdocs.model.audited import Audit
    from simdocs.model.build_results import DryRun
    from simdocs.model.common_passages import CommonPassages
    from simdocs.model.comparison import Comparison, SimilarityMatrix, SlotTrace
    from simdocs.model.deduplication import Deduplication, SimilarPairs
    from simdocs.model.matches import Matches
    from simdocs.model.quotations import Quotations
    from simdocs.model.repeated_passages import RepeatedPassages
    from simdocs.model.report import Report
    from simdocs.model.saved_answer import SavedAnswer
    from simdocs.model.tuning import Tuning

_HOMES = {
    "simdocs.api.building": ("index", "merge", "open", "shingle", "signature"),
    "simdocs.api.saved_answers": ("act", "read_answer", "undo", "write_answer"),
    "simdocs.model.acted": ("Acted", "PutBack"),
    "simdocs.model.artifact": ("BandIndex", "Shingles", "Signatures"),
    "simdocs.model.audited": ("Audit",),
    "simdocs.model.build_results": ("DryRun",),
    "simdocs.model.common_passages": ("CommonPassages",),
    "simdocs.model.comparison": ("Comparison", "SimilarityMatrix", "SlotTrace"),
    "simdocs.model.deduplication": ("Deduplication", "SimilarPairs"),
    "simdocs.model.matches": ("Matches",),
    "simdocs.model.quotations": ("Quotations",),
    "simdocs.model.repeated_passages": ("RepeatedPassages",),
    "simdocs.model.report": ("Report",),
    "simdocs.model.saved_answer": ("SavedAnswer",),
    "simdocs.model.tuning": ("Tuning",),
}
"""The modules of public names. Other functions are in simdocs.api.functions, and the errors in simdocs.errors."""

__all__ = [
    "Acted",
    "ArtifactError",
    "Audit",
    "BandIndex",
    "CommonPassages",
    "Comparison",
    "Deduplication",
    "DryRun",
    "InputError",
    "LockedError",
    "Matches",
    "MemoryNeededError",
    "MissingExtraError",
    "OutputError",
    "ParametersError",
    "PutBack",
    "Quotations",
    "RepeatedPassages",
    "Report",
    "SavedAnswer",
    "Shingles",
    "ShrunkError",
    "Signatures",
    "SimdocsError",
    "SimilarPairs",
    "SimilarityMatrix",
    "SlotTrace",
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


def _module_of(name: str) -> str:
    others = "simdocs.api.functions" if name.islower() else "simdocs.errors"
    return next((module for module, names in _HOMES.items() if name in names), others)


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
