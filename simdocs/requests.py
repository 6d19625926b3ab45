"""What can be asked: one frozen dataclass per question, and every rule about what goes together.

A parameter that is None was not given: the door then takes it from the artifact, or its default. A request that exists
keeps every rule that needs no file; `problems_beside` has those about what an artifact decides. UsageError reports all
problems of a request at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from simdocs.checked_request import CheckedRequest
from simdocs.errors import mention, suggested
from simdocs.exclusions import NOT_FOR_EXACT, NOT_FOR_NEAREST, NOT_FOR_PAIRS, not_together
from simdocs.parameters import PARAMETERS
from simdocs.recipes import Sequences, Walking
from simdocs.values import ArtifactName, Path, PathName

_OF_WALKS = tuple(name for name in Walking.__slots__ if name != "max_size")

_OF_FILES = (*_OF_WALKS, "files_from", "files0_from", "jsonl")
"""Parameters about finding documents, which an artifact does not need."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Request(CheckedRequest):
    """A question. jobs: worker processes. strict: UnjudgedError if a document cannot be judged."""

    jobs: int | None = None
    strict: bool | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ReadRequest(Request):
    """A question about documents: paths, an artifact, a list of names, or texts in memory with their names."""

    upstream: ClassVar[tuple[str, ...]] = ()
    """The kinds of artifact that can stand in the place of documents."""
    first_arguments: ClassVar[tuple[str, ...]] = ()
    """What stands before the documents in a call that a message suggests."""

    documents: tuple[Any, ...] = ()
    texts: Sequence[str | bytes] | None = None
    names: Sequence[str | bytes] | None = None
    files_from: Path | None = None
    files0_from: Path | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    hidden: bool | None = None
    follow: bool | None = None
    one_file_system: bool | None = None
    max_size: int | None = None
    text_field: str | None = None
    id_field: str | None = None
    plain: bool | None = None
    jsonl: bool | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        yield from self._rules_of_sources()
        if self.plain and self.jsonl:
            yield not_together("plain", "jsonl")
        if self.jsonl and self._ways() and b"-" not in self.documents:
            piped = suggested(self.question, *self.first_arguments, "-", jsonl=True)
            yield f"{mention('jsonl')} applies to standard input: name a file *.jsonl, or pipe it into {piped}"

    def _rules_of_sources(self) -> Iterator[str]:
        """One way of naming documents, and at least one document."""
        documents, wrong = list[Any](), list[str]()
        for document in self.documents:
            if hasattr(document, "recipe"):
                documents.append(document)
                continue
            try:
                documents.append(os.fsencode(document))
            except TypeError:
                wrong.append(f"{type(document).__name__} is not a path: pass each path as a separate argument")
        yield from wrong
        object.__setattr__(self, "documents", tuple(documents))
        ways = self._ways()
        if len(ways) > 1:
            yield not_together(*ways, why="name documents in one way")
        if not ways and not wrong:
            yield f"nothing to read: give files or directories, or {mention('texts')}"
        if documents.count(b"-") > 1:
            yield "- names standard input, which can be read only once"
        yield from self._rules_of_texts()

    def _ways(self) -> Sequence[str]:
        """The ways in which documents are named. No texts at all are a way, too."""
        ways = [name for name in ("documents", "files_from", "files0_from") if getattr(self, name)]
        return ways if self.texts is None else [*ways, "texts"]

    def _rules_of_texts(self) -> Iterator[str]:
        for name, values in (("texts", self.texts), ("names", self.names)):
            if values is not None and (isinstance(values, str | bytes) or not isinstance(values, Sequence)):
                yield f"{name} must be a sequence of texts, such as a list, not {type(values).__name__}"
            elif wrong := [row for row, value in enumerate(values or ()) if not isinstance(value, str | bytes)]:
                yield f"{name}[{wrong[0]}] is neither str nor bytes"
        if self.texts is None:
            if self.names is not None:
                yield "names go with texts"
            return
        if self.names is not None and len(self.names) != len(self.texts):
            yield f"names must be as many as texts, {len(self.texts)}, not {len(self.names)}: give each text one name"
        for name in self.given():
            if name in _OF_FILES or name == "max_size":
                yield f"{mention(name)} goes with paths, not with texts"

    def problems_beside_artifact(self) -> Iterator[str]:
        """What does not go with an artifact in the place of documents."""
        if len(self.documents) > 1:
            yield "an artifact cannot be mixed with other arguments: name one artifact, or only documents"
        for name in self.given():
            if name in (*_OF_FILES, "max_size"):
                yield f"{mention(name)} goes with documents, not with an artifact"

    def problems_beside_documents(self) -> Iterator[str]:
        """What does not go with documents that are read now."""
        for name in ("shingles", "root"):
            if getattr(self, name, None) is not None and getattr(self, "against", None) is None:
                yield f"{mention(name)} goes with an artifact, not with documents"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TokenRequest(CheckedRequest):
    """How a text becomes tokens."""

    unit: str | None = None
    k: int | None = None
    language: str | None = None
    multiset: bool | None = None
    seed: int | str | None = None
    nfkc: bool | None = None
    keep_case: bool | None = None
    strip_accents: bool | None = None
    strip_punctuation: bool | None = None
    mask_digits: bool | None = None

    def _language_without_stop_words(self) -> Iterator[str]:
        if self.language is not None and (self.unit or PARAMETERS["unit"].default) != "stopword":
            yield f"{mention('language')} goes with {mention('unit')} stopword"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class _Tokens(TokenRequest, ReadRequest):
    """How texts that are read become tokens."""

    def problems_beside_documents(self) -> Iterator[str]:
        """What does not go with documents that are read now."""
        yield from super().problems_beside_documents()
        if getattr(self, "against", None) is None:  # or else the index decides the unit
            yield from self._language_without_stop_words()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class _Signatures(_Tokens):
    """And how tokens become signatures."""

    scheme: str | None = None
    num_perm: int | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class _Bands(_Signatures):
    """And how signatures are cut into bands."""

    threshold: float | None = None
    recall: float | None = None
    rule: str | None = None
    bands: int | None = None
    rows: int | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        by_hand, by_rule = (
            [name for name in names if getattr(self, name) is not None]
            for names in (("bands", "rows"), ("recall", "rule"))
        )
        if by_hand and by_rule:
            chosen = f"{' and '.join(map(mention, by_rule))} {'chooses' if len(by_rule) == 1 else 'choose'}"
            yield not_together(*by_hand, *by_rule, why=f"{chosen} the bands and rows")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BuildRequest(_Tokens):
    """An artifact shall be built. kind: which. output: where to; None (from Python) keeps it in memory."""

    kind: ClassVar[str]

    output: Path | None = None
    lock_wait: float | None = None
    rebuild: bool | None = None
    checksum: bool | None = None
    ignore_ctime: bool | None = None
    ignore_inode: bool | None = None
    allow_shrink: bool | None = None
    dry_run: bool | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.dry_run and self.output is None:
            yield f"{mention('dry_run')} goes with {mention('output')}: name the artifact to compare with"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ShingleRequest(BuildRequest):
    """Make token sets."""

    question: ClassVar[str] = "shingle"
    kind: ClassVar[str] = "shingles"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SignatureRequest(BuildRequest, _Signatures):
    """Make signatures."""

    question: ClassVar[str] = "signature"
    kind: ClassVar[str] = "signatures"
    upstream: ClassVar[tuple[str, ...]] = ("shingles",)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class IndexRequest(BuildRequest, _Bands):
    """Make an index; of an index, one with other bands."""

    question: ClassVar[str] = "index"
    kind: ClassVar[str] = "index"
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures", "index")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DedupeRequest(_Bands):
    """Find near-duplicates: groups, all similar pairs, or lists of names or lines."""

    question: ClassVar[str] = "dedupe"
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures", "index")

    exact: bool | None = None
    verify: str | None = None
    cluster: str | None = None
    keep: str | None = None
    max_candidates: int | None = None
    against: Any = None
    changed: bool | None = None
    pairs: bool | None = None
    all_copies: bool | None = None
    list: str | None = None
    shingles: Any = None
    root: Path | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.pairs and self.list:
            yield not_together("pairs", "list", why=f"{mention('list')} lists documents, not pairs")
        for name, why in NOT_FOR_PAIRS.items():
            if self.pairs and getattr(self, name) is not None:
                yield not_together("pairs", name, why=why)
        if self.all_copies and not self.pairs:
            yield f"{mention('all_copies')} goes with {mention('pairs')}: add {mention('pairs')}"
        if self.cluster == "components":
            for name in ("pairs", "against", "max_candidates"):
                if getattr(self, name):
                    yield f"{mention(name)} and {mention('cluster')} components do not go together"
        if self.exact:
            for name, why in NOT_FOR_EXACT.items():
                if getattr(self, name) is not None:
                    yield not_together(name, "exact", why=why)
        if self.changed and self.against is not None:
            yield not_together("changed", "against", why=f"{mention('changed')} is about one index")

    def problems_beside_documents(self) -> Iterator[str]:
        """What does not go with documents that are read now."""
        yield from super().problems_beside_documents()
        if self.changed:
            news = suggested("dedupe", "X.index", changed=True)
            yield f"{mention('changed')} goes with an index, not with documents: build one, and use {news}"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class QueryRequest(ReadRequest):
    """Find the documents of an index that are nearly the same as these."""

    question: ClassVar[str] = "query"
    upstream: ClassVar[tuple[str, ...]] = ("shingles", "signatures")
    first_arguments: ClassVar[tuple[str, ...]] = ("X.index",)

    index: Any = None
    threshold: float | None = None
    verify: str | None = None
    top: int | None = None
    nearest: int | None = None
    changed: bool | None = None
    itself: bool | None = None
    list: str | None = None
    shingles: Any = None
    root: Path | None = None

    def _rules(self) -> Iterator[str]:
        yield from self._checked_argument("index", ArtifactName(("index",)))
        yield from super()._rules()
        if self.nearest is not None:
            for name, why in NOT_FOR_NEAREST.items():
                if getattr(self, name) is not None:
                    yield not_together("nearest", name, why=why)
        if self.changed and self.itself:
            yield not_together("changed", "itself", why="a document of the index would always match itself")
        for name in self.given() if self.changed else ():
            if name in (*_OF_WALKS, "max_size", *SEQUENCES):
                yield f"{mention(name)} goes with documents, not with {mention('changed')}"

    def _ways(self) -> Sequence[str]:
        return [*super()._ways(), "changed"] if self.changed else super()._ways()

    def problems_beside_documents(self) -> Iterator[str]:
        """Nothing: token sets and a root are those of the index."""
        yield from ()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ShowRequest(TokenRequest):
    """Show the shingles of one text and their tokens. file: its path, `-` for standard input."""

    question: ClassVar[str] = "show"

    file: Path = b""
    max_size: int | None = None

    def _rules(self) -> Iterator[str]:
        yield from self._checked_argument("file", PathName())
        if self.file == b"":
            yield "nothing to read: name a text, or - for standard input"
        yield from super()._rules()
        yield from self._language_without_stop_words()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SimilarityRequest(TokenRequest):
    """Compare two texts."""

    question: ClassVar[str] = "similarity"

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        yield from self._language_without_stop_words()


def of_group(group: type, given: Mapping[str, Any]) -> Any:
    """A group of parameters with those that were given; the others have their defaults."""
    return group(**{field.name: given[field.name] for field in fields(group) if field.name in given})


SEQUENCES = tuple(field.name for field in fields(Sequences))
