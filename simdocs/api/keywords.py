"""The keywords of the Python API with their types, for editors and type checkers.

`make docs` writes this file. Each name is a parameter of `simdocs.parameters`, where its values, its default and its
meaning are declared. The classes are those of `simdocs.requests`, with the same bases. If a keyword is not given or is
None, the default applies, or the value with which the artifact was built.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict

from simdocs.parameters.values import Path


class ArrowStream(Protocol):
    """A column of any library that hands it over as Arrow data in pieces."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ArrowArray(Protocol):
    """A column of any library that hands it over as one array of Arrow data."""

    def __arrow_c_array__(self, requested_schema: object = None) -> Any: ...


class ActKeywords(TypedDict, total=False):
    """The keywords of `act`."""

    move: Path | None
    hardlink: bool | None
    yes: bool | None
    protect: tuple[str, ...] | None
    only: tuple[str, ...] | None
    max_removed: float | None
    any_length: bool | None
    summary_json: Path | None


class UndoKeywords(TypedDict, total=False):
    """The keywords of `undo`."""

    yes: bool | None
    summary_json: Path | None


class SourceKeywords(TypedDict, total=False):
    """A question about documents: paths, an artifact, or texts in memory with their names."""

    texts: Iterable[str | bytes] | ArrowStream | ArrowArray | None
    names: Iterable[Hashable] | ArrowStream | ArrowArray | None


class ReadKeywords(SourceKeywords, total=False):
    """A question about many documents, which may also be found in directories or named in a list."""

    files_from: Path | None
    files0_from: Path | None
    jsonl: bool | None
    hidden: bool | None
    follow: bool | None
    one_file_system: bool | None
    include: tuple[str, ...] | None
    exclude: tuple[str, ...] | None
    max_size: int | None
    text_field: str | Sequence[str] | None
    id_field: str | None
    input_format: Literal["jsonl", "json", "csv", "tsv", "parquet", "arrow"] | None
    delimiter: str | None
    no_header: bool | None
    plain: bool | None
    jobs: int | None
    engine: Literal["local", "spark"] | None
    spark_master: str | None
    spark_conf: Mapping[str, str] | Sequence[str] | None
    strict: bool | None
    summary_json: Path | None


class TokensKeywords(TypedDict, total=False):
    """A question about texts that become tokens."""

    nfkc: bool | None
    keep_case: bool | None
    strip_accents: bool | None
    strip_punctuation: bool | None
    mask_digits: bool | None
    unit: Literal["char", "word", "line", "stopword"] | None
    k: int | None
    language: str | None
    ignore_stop_words: bool | None
    multiset: bool | None
    seed: int | Literal["random"] | None
    stop_words: Path | None


class DocumentTokensKeywords(TokensKeywords, ReadKeywords, total=False):
    """A question about documents that become tokens."""


class BuildKeywords(DocumentTokensKeywords, total=False):
    """Build an artifact."""

    allow_shrink: bool | None
    output: Path | None
    lock_wait: float | None
    rebuild: bool | None
    checksum: bool | None


class ShingleKeywords(BuildKeywords, total=False):
    """The keywords of `shingle`."""


class SignaturesKeywords(DocumentTokensKeywords, total=False):
    """A question about documents that become signatures."""

    scheme: Literal["fss", "permutation"] | None
    num_perm: int | None
    ignore_common: float | None
    template: Path | Sequence[Path] | None


class SignatureKeywords(BuildKeywords, SignaturesKeywords, total=False):
    """The keywords of `signature`."""

    functions: str | Sequence[str] | None
    permutation_file: Path | None


class BandsKeywords(SignaturesKeywords, total=False):
    """A question about documents that become signatures, which are cut into bands."""

    threshold: float | None
    recall: float | None
    rule: Literal["recall", "nearest"] | None
    bands: int | None
    rows: int | None


class IndexKeywords(BuildKeywords, BandsKeywords, total=False):
    """The keywords of `index`."""

    functions: str | Sequence[str] | None
    permutation_file: Path | None
    containment: bool | None


class MergeKeywords(TypedDict, total=False):
    """The keywords of `merge`."""

    root: Path | None
    allow_shrink: bool | None
    output: Path | None
    lock_wait: float | None
    summary_json: Path | None


class SimilarKeywords(BandsKeywords, total=False):
    """A question about near-duplicates among documents."""

    max_memory: int | None
    exact: bool | None
    verify: Literal["exact", "estimate"] | None
    changed: bool | None
    shingles: Any
    root: Path | None


class DedupeKeywords(SimilarKeywords, total=False):
    """The keywords of `dedupe`."""

    exact: bool | None
    verify: Literal["exact", "estimate"] | None
    cluster: Literal["greedy", "components"] | None
    keep: Literal["first", "longest", "shortest", "newest", "oldest"] | None
    max_candidates: int | None
    against: Any
    kept_rows: Path | None
    removed_rows: Path | None
    flagged_rows: Path | None


class PairsKeywords(SimilarKeywords, total=False):
    """The keywords of `pairs`."""

    measure: Literal["jaccard", "containment"] | None
    max_memory: int | None
    all_copies: bool | None


class PassagesKeywords(SourceKeywords, total=False):
    """The keywords of `passages`."""

    files_from: Path | None
    files0_from: Path | None
    jsonl: bool | None
    hidden: bool | None
    follow: bool | None
    one_file_system: bool | None
    include: tuple[str, ...] | None
    exclude: tuple[str, ...] | None
    max_size: int | None
    text_field: str | Sequence[str] | None
    id_field: str | None
    input_format: Literal["jsonl", "json", "csv", "tsv", "parquet", "arrow"] | None
    delimiter: str | None
    no_header: bool | None
    plain: bool | None
    jobs: int | None
    engine: Literal["local", "spark"] | None
    spark_master: str | None
    spark_conf: Mapping[str, str] | Sequence[str] | None
    strict: bool | None
    summary_json: Path | None
    nfkc: bool | None
    keep_case: bool | None
    strip_accents: bool | None
    strip_punctuation: bool | None
    mask_digits: bool | None
    unit: Literal["char", "word", "line", "stopword"] | None
    k: int | None
    language: str | None
    ignore_stop_words: bool | None
    stop_words: Path | None
    template: Path | Sequence[Path] | None
    min_passage: int | None


class ReportKeywords(TypedDict, total=False):
    """The keywords of `report`."""

    figure: Literal["similarities", "curve", "sizes", "removed", "directories", "times", "matrix", "links"] | None
    group: int | None
    report_size: int | None
    summary_json: Path | None


class QueryKeywords(ReadKeywords, total=False):
    """The keywords of `query`."""

    threshold: float | None
    measure: Literal["jaccard", "containment"] | None
    max_memory: int | None
    exact: bool | None
    verify: Literal["exact", "estimate"] | None
    changed: bool | None
    all_copies: bool | None
    top: int | None
    nearest: int | None
    itself: bool | None
    min_passage: int | None
    shingles: Any
    root: Path | None


class SimilarityKeywords(TokensKeywords, total=False):
    """The keywords of `similarity`."""

    measure: Literal["jaccard", "containment", "overlap", "cosine", "edit"] | None


class ShowKeywords(TokensKeywords, total=False):
    """The keywords of `show`."""

    max_size: int | None
    matrix: bool | None
    buckets: bool | None
    candidates: bool | None
    shingles: Any
    root: Path | None


class CompareKeywords(SourceKeywords, total=False):
    """The keywords of `compare`."""

    max_size: int | None
    text_field: str | Sequence[str] | None
    id_field: str | None
    input_format: Literal["jsonl", "json", "csv", "tsv", "parquet", "arrow"] | None
    delimiter: str | None
    no_header: bool | None
    plain: bool | None
    root: Path | None
    nfkc: bool | None
    keep_case: bool | None
    strip_accents: bool | None
    strip_punctuation: bool | None
    mask_digits: bool | None
    language: str | None
    ignore_stop_words: bool | None
    multiset: bool | None
    seed: int | Literal["random"] | None
    unit: Literal["char", "word", "line", "stopword"] | Sequence[Literal["char", "word", "line", "stopword"]] | None
    k: int | Sequence[int] | None
    stop_words: Path | None
    scheme: Literal["fss", "permutation"] | None
    num_perm: int | None
    functions: str | Sequence[str] | None
    permutation_file: Path | None
    template: Path | Sequence[Path] | None
    threshold: float | None
    recall: float | None
    rule: Literal["recall", "nearest"] | None
    bands: int | None
    rows: int | None
    measure: Literal["jaccard", "containment"] | None
    diff: Literal["words", "unified"] | None
    min_passage: int | None


class AuditKeywords(BandsKeywords, total=False):
    """The keywords of `audit`."""

    sample: int | None
    max_memory: int | None
    shingles: Any
    root: Path | None


class TuneKeywords(BandsKeywords, total=False):
    """The keywords of `tune`."""

    shingles: Any
    root: Path | None
