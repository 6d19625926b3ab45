"""The keywords of the Python API with their types, for editors and type checkers.

`make docs` writes this file. Each name is a parameter of `simdocs.parameters`, where its values, its default and its
meaning are declared. If a keyword is not given or is None, the default applies, or the value with which the artifact
was built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from simdocs.parameters.values import Path


class SourceKeywords(TypedDict, total=False):
    """Texts in memory, and their names."""

    texts: Sequence[str | bytes] | None
    names: Sequence[str | bytes] | None


class NamingKeywords(TypedDict, total=False):
    """Where the names of documents are, if not among the arguments."""

    files_from: Path | None
    files0_from: Path | None
    jsonl: bool | None


class WalkingKeywords(TypedDict, total=False):
    """Which files of a directory are documents."""

    hidden: bool | None
    follow: bool | None
    one_file_system: bool | None
    include: tuple[str, ...] | None
    exclude: tuple[str, ...] | None
    max_size: int | None


class SequencesKeywords(TypedDict, total=False):
    """Which files hold one document per line, and which fields of a line hold its text and its name."""

    text_field: str | None
    id_field: str | None
    plain: bool | None


class RereadingKeywords(TypedDict, total=False):
    """How documents of an artifact are read again: from their directory, or as token sets."""

    shingles: Any
    root: Path | None


class OnlyChangedKeywords(TypedDict, total=False):
    """Whether only new or changed documents of an index count."""

    changed: bool | None
    renamed: bool | None


class NormalisationKeywords(TypedDict, total=False):
    """The changes that are made to a text before it is cut into units, in this order."""

    nfkc: bool | None
    keep_case: bool | None
    strip_accents: bool | None
    strip_punctuation: bool | None
    mask_digits: bool | None


class ShinglingKeywords(TypedDict, total=False):
    """How a text becomes tokens."""

    unit: Literal["char", "word", "line", "stopword"] | None
    k: int | None
    language: str | None
    ignore_stop_words: bool | None
    multiset: bool | None
    seed: int | Literal["random"] | None


class StopWordsKeywords(TypedDict, total=False):
    """The file of the stop words, whose contents become `Shingling.stop_word_list`."""

    stop_words: Path | None


class SketchingKeywords(TypedDict, total=False):
    """How tokens become a signature. The seed is that of the tokens."""

    scheme: Literal["fss", "permutation"] | None
    num_perm: int | None


class IgnoringKeywords(TypedDict, total=False):
    """Which tokens are left out before signatures are computed."""

    ignore_common: float | None


class TemplatesKeywords(TypedDict, total=False):
    """The files of templates, whose tokens are left out."""

    template: Path | Sequence[Path] | None


class BandingRequestKeywords(TypedDict, total=False):
    """How signatures should be cut into bands: by a rule, for a threshold and a recall, or by hand."""

    threshold: float | None
    recall: float | None
    rule: Literal["recall", "nearest"] | None
    bands: int | None
    rows: int | None


class ComparingKeywords(TypedDict, total=False):
    """By which measure documents are compared, and in how much memory; None: in all that there is."""

    measure: Literal["jaccard", "containment"] | None
    max_memory: int | None


class UpdatingKeywords(TypedDict, total=False):
    """How documents are compared with those that an artifact has already."""

    rebuild: bool | None
    checksum: bool | None
    ignore_ctime: bool | None
    ignore_inode: bool | None
    keep_unreadable: bool | None


class RunningKeywords(TypedDict, total=False):
    """How the work is done."""

    jobs: int | None
    strict: bool | None


class ShingleKeywords(
    SourceKeywords,
    NamingKeywords,
    WalkingKeywords,
    SequencesKeywords,
    RunningKeywords,
    NormalisationKeywords,
    ShinglingKeywords,
    StopWordsKeywords,
    UpdatingKeywords,
    total=False,
):
    """The keywords of `shingle`."""

    allow_shrink: bool | None
    output: Path | None
    lock_wait: float | None


class SignatureKeywords(
    SourceKeywords,
    NamingKeywords,
    WalkingKeywords,
    SequencesKeywords,
    RunningKeywords,
    NormalisationKeywords,
    ShinglingKeywords,
    StopWordsKeywords,
    SketchingKeywords,
    IgnoringKeywords,
    TemplatesKeywords,
    UpdatingKeywords,
    total=False,
):
    """The keywords of `signature`."""

    allow_shrink: bool | None
    output: Path | None
    lock_wait: float | None


class IndexKeywords(
    SourceKeywords,
    NamingKeywords,
    WalkingKeywords,
    SequencesKeywords,
    RunningKeywords,
    NormalisationKeywords,
    ShinglingKeywords,
    StopWordsKeywords,
    SketchingKeywords,
    IgnoringKeywords,
    TemplatesKeywords,
    BandingRequestKeywords,
    UpdatingKeywords,
    total=False,
):
    """The keywords of `index`."""

    allow_shrink: bool | None
    output: Path | None
    lock_wait: float | None
    containment: bool | None


class DedupeKeywords(
    SourceKeywords,
    NamingKeywords,
    WalkingKeywords,
    SequencesKeywords,
    RunningKeywords,
    NormalisationKeywords,
    ShinglingKeywords,
    StopWordsKeywords,
    SketchingKeywords,
    IgnoringKeywords,
    TemplatesKeywords,
    BandingRequestKeywords,
    ComparingKeywords,
    OnlyChangedKeywords,
    RereadingKeywords,
    total=False,
):
    """The keywords of `dedupe`."""

    exact: bool | None
    verify: Literal["exact", "estimate"] | None
    cluster: Literal["greedy", "components"] | None
    keep: Literal["first", "longest", "shortest", "newest", "oldest"] | None
    max_candidates: int | None
    against: Any
    explain: bool | None


class QueryKeywords(
    SourceKeywords,
    NamingKeywords,
    WalkingKeywords,
    SequencesKeywords,
    RunningKeywords,
    ComparingKeywords,
    OnlyChangedKeywords,
    RereadingKeywords,
    total=False,
):
    """The keywords of `query`."""

    threshold: float | None
    exact: bool | None
    verify: Literal["exact", "estimate"] | None
    top: int | None
    nearest: int | None
    itself: bool | None


class TuneKeywords(
    SourceKeywords,
    NamingKeywords,
    WalkingKeywords,
    SequencesKeywords,
    RunningKeywords,
    NormalisationKeywords,
    ShinglingKeywords,
    StopWordsKeywords,
    SketchingKeywords,
    IgnoringKeywords,
    TemplatesKeywords,
    BandingRequestKeywords,
    RereadingKeywords,
    total=False,
):
    """The keywords of `tune`."""


class AuditKeywords(
    SourceKeywords,
    NamingKeywords,
    WalkingKeywords,
    SequencesKeywords,
    RunningKeywords,
    NormalisationKeywords,
    ShinglingKeywords,
    StopWordsKeywords,
    SketchingKeywords,
    IgnoringKeywords,
    TemplatesKeywords,
    BandingRequestKeywords,
    RereadingKeywords,
    total=False,
):
    """The keywords of `audit`."""

    sample: int | None
    max_memory: int | None


class ShowKeywords(NormalisationKeywords, ShinglingKeywords, StopWordsKeywords, RereadingKeywords, total=False):
    """The keywords of `show`."""

    max_size: int | None
    matrix: bool | None
    buckets: bool | None
    candidates: bool | None
    sketch: bool | None


class CompareKeywords(
    SourceKeywords,
    SequencesKeywords,
    NormalisationKeywords,
    StopWordsKeywords,
    SketchingKeywords,
    TemplatesKeywords,
    BandingRequestKeywords,
    total=False,
):
    """The keywords of `compare`."""

    max_size: int | None
    root: Path | None
    language: str | None
    ignore_stop_words: bool | None
    multiset: bool | None
    seed: int | Literal["random"] | None
    unit: Literal["char", "word", "line", "stopword"] | Sequence[Literal["char", "word", "line", "stopword"]] | None
    k: int | Sequence[int] | None
    measure: Literal["jaccard", "containment"] | None
    diff: Literal["words", "lines", "unified", "side-by-side"] | None


class SimilarityKeywords(NormalisationKeywords, ShinglingKeywords, StopWordsKeywords, total=False):
    """The keywords of `similarity`."""
