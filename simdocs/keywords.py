"""The keywords of the Python API with their types, for editors and type checkers.

Each name is a parameter of `simdocs.parameters`, where its values, its default and its meaning are declared. A keyword
that is not given has its default, or the value of the artifact.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class RunKeywords(TypedDict, total=False):
    """How the work is done."""

    jobs: int
    strict: bool


class ReadKeywords(RunKeywords, total=False):
    """Which documents are read."""

    texts: Sequence[str | bytes]
    names: Sequence[str | bytes]
    files_from: Path
    files0_from: Path
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    hidden: bool
    follow: bool
    one_file_system: bool
    max_size: int
    text_field: str
    id_field: str
    plain: bool
    jsonl: bool


class TokenKeywords(TypedDict, total=False):
    """How a text becomes tokens."""

    unit: Literal["char", "word", "line", "stopword"]
    k: int
    language: str
    multiset: bool
    seed: int | Literal["random"]
    nfkc: bool
    keep_case: bool
    strip_accents: bool
    strip_punctuation: bool
    mask_digits: bool


class SketchKeywords(TypedDict, total=False):
    """How tokens become a signature."""

    scheme: Literal["fss", "permutation"]
    num_perm: int


class BandKeywords(TypedDict, total=False):
    """How signatures are cut into bands."""

    threshold: float
    recall: float
    rule: Literal["recall", "nearest"]
    bands: int
    rows: int


class TargetKeywords(TypedDict, total=False):
    """Where an artifact is written."""

    output: Path
    lock_wait: float


class ShingleKeywords(ReadKeywords, TokenKeywords, TargetKeywords, total=False):
    """The keywords of `shingle`."""


class SignatureKeywords(ShingleKeywords, SketchKeywords, total=False):
    """The keywords of `signature`."""


class IndexKeywords(SignatureKeywords, BandKeywords, total=False):
    """The keywords of `index`."""


class DedupeKeywords(ReadKeywords, TokenKeywords, SketchKeywords, BandKeywords, total=False):
    """The keywords of `dedupe`, but for those that decide what comes back."""

    exact: bool
    verify: Literal["exact", "estimate"]
    cluster: Literal["greedy", "components"]
    keep: Literal["first", "longest", "shortest", "newest", "oldest"]
    max_candidates: int
    against: Any
    shingles: Any
    root: Path


class QueryKeywords(ReadKeywords, total=False):
    """The keywords of `query`, but for those that decide what comes back."""

    threshold: float
    verify: Literal["exact", "estimate"]
    top: int
    nearest: int
    itself: bool
    shingles: Any
    root: Path


class ShowKeywords(TokenKeywords, total=False):
    """The keywords of `show`."""

    max_size: int
