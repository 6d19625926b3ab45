"""The keywords of the Python API with their types, for editors and type checkers.

Each name is a parameter of `simdocs.parameters`, where its values, its default and its meaning are declared. If a
keyword is not given or is None, the default applies, or the value with which the artifact was built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict

from simdocs.parameters.values import Path


class RunKeywords(TypedDict, total=False):
    """How the work is done."""

    jobs: int | None
    strict: bool | None


class ReadKeywords(RunKeywords, total=False):
    """Which documents are read."""

    texts: Sequence[str | bytes] | None
    names: Sequence[str | bytes] | None
    files_from: Path | None
    files0_from: Path | None
    include: tuple[str, ...] | None
    exclude: tuple[str, ...] | None
    hidden: bool | None
    follow: bool | None
    one_file_system: bool | None
    max_size: int | None
    text_field: str | None
    id_field: str | None
    plain: bool | None
    jsonl: bool | None


UnitName = Literal["char", "word", "line", "stopword"]


class TextKeywords(TypedDict, total=False):
    """How a text is normalised, and how its shingles are hashed."""

    language: str | None
    ignore_stop_words: bool | None
    stop_words: Path | None
    multiset: bool | None
    seed: int | Literal["random"] | None
    nfkc: bool | None
    keep_case: bool | None
    strip_accents: bool | None
    strip_punctuation: bool | None
    mask_digits: bool | None


class TokenKeywords(TextKeywords, total=False):
    """How a text becomes tokens."""

    unit: UnitName | None
    k: int | None


class SketchKeywords(TypedDict, total=False):
    """How tokens become a signature."""

    scheme: Literal["fss", "permutation"] | None
    num_perm: int | None


class IgnoreKeywords(TypedDict, total=False):
    """Which tokens are left out before signatures are computed."""

    ignore_common: float | None
    template: Path | Sequence[Path] | None


class BandKeywords(TypedDict, total=False):
    """How signatures are cut into bands."""

    threshold: float | None
    recall: float | None
    rule: Literal["recall", "nearest"] | None
    bands: int | None
    rows: int | None


class TargetKeywords(TypedDict, total=False):
    """Where an artifact is written."""

    output: Path | None
    lock_wait: float | None
    rebuild: bool | None
    checksum: bool | None
    ignore_ctime: bool | None
    ignore_inode: bool | None
    keep_unreadable: bool | None
    allow_shrink: bool | None


class ShingleKeywords(ReadKeywords, TokenKeywords, TargetKeywords, total=False):
    """The keywords of `shingle`."""


class SignatureKeywords(ShingleKeywords, SketchKeywords, IgnoreKeywords, total=False):
    """The keywords of `signature`."""


class IndexKeywords(SignatureKeywords, BandKeywords, total=False):
    """The keywords of `index`."""

    containment: bool | None


class DedupeKeywords(ReadKeywords, TokenKeywords, SketchKeywords, IgnoreKeywords, BandKeywords, total=False):
    """The keywords of `dedupe`, except those that decide what is returned."""

    measure: Literal["jaccard", "containment"] | None
    exact: bool | None
    max_memory: int | None
    verify: Literal["exact", "estimate"] | None
    cluster: Literal["greedy", "components"] | None
    keep: Literal["first", "longest", "shortest", "newest", "oldest"] | None
    max_candidates: int | None
    against: Any
    changed: bool | None
    renamed: bool | None
    explain: bool | None
    shingles: Any
    root: Path | None


class TuneKeywords(ReadKeywords, TokenKeywords, SketchKeywords, IgnoreKeywords, BandKeywords, total=False):
    """The keywords of `tune`."""

    shingles: Any
    root: Path | None


class AuditKeywords(TuneKeywords, total=False):
    """The keywords of `audit`."""

    sample: int | None
    max_memory: int | None


class QueryKeywords(ReadKeywords, total=False):
    """The keywords of `query`, except those that decide what is returned."""

    threshold: float | None
    measure: Literal["jaccard", "containment"] | None
    exact: bool | None
    max_memory: int | None
    verify: Literal["exact", "estimate"] | None
    top: int | None
    nearest: int | None
    changed: bool | None
    renamed: bool | None
    itself: bool | None
    shingles: Any
    root: Path | None


class ShowKeywords(TokenKeywords, total=False):
    """The keywords of `show`."""

    max_size: int | None
    matrix: bool | None
    buckets: bool | None
    candidates: bool | None
    sketch: bool | None
    shingles: Any
    root: Path | None


class CompareKeywords(TextKeywords, SketchKeywords, BandKeywords, total=False):
    """The keywords of `compare`."""

    texts: Sequence[str | bytes] | None
    names: Sequence[str | bytes] | None
    unit: UnitName | Sequence[UnitName] | None
    k: int | Sequence[int] | None
    template: Path | Sequence[Path] | None
    measure: Literal["jaccard", "containment"] | None
    diff: Literal["words", "lines", "unified", "side-by-side"] | None
    max_size: int | None
    text_field: str | None
    id_field: str | None
    plain: bool | None
    root: Path | None
