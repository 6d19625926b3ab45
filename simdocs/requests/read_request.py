"""Questions about documents: where they come from, and how the work is done."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from simdocs.errors import mention, suggested
from simdocs.parameters.texts import Walking
from simdocs.parameters.values import Path
from simdocs.requests.checked_request import CheckedRequest, not_together


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SourceRequest(CheckedRequest):
    """A question about documents: paths, an artifact, or texts in memory with their names."""

    lists: ClassVar[tuple[str, ...]] = ()
    """Parameters that name a list of documents."""
    wanted: ClassVar[str] = "files or directories"
    """What the documents can be, in words."""
    of_paths: ClassVar[tuple[str, ...]] = ()
    """Parameters that texts in memory do not need."""

    documents: tuple[Any, ...] = ()
    texts: Sequence[str | bytes] | None = None
    names: Sequence[str | bytes] | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        yield from self._rules_of_sources()

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
                texts = ", or texts as texts=[...]" if isinstance(document, list | tuple) else ""
                kind = type(document).__name__
                wrong.append(f"{kind} is not a path: pass each path as a separate argument{texts}")
        yield from wrong
        object.__setattr__(self, "documents", tuple(documents))
        ways = self._ways()
        if len(ways) > 1:
            yield not_together(*ways, why="name documents in one way")
        if not ways and not wrong:
            yield f"nothing to read: give {self.wanted}, or {mention('texts')}"
        if documents.count(b"-") > 1:
            yield "- names standard input, which can be read only once"
        yield from self._rules_of_texts()

    def _ways(self) -> Sequence[str]:
        """The ways in which documents are named. No texts at all are a way, too."""
        ways = [name for name in ("documents", *self.lists) if getattr(self, name)]
        return ways if self.texts is None else [*ways, "texts"]

    def _rules_of_texts(self) -> Iterator[str]:
        for name, values in (("texts", self.texts), ("names", self.names)):
            if values is not None and (isinstance(values, str | bytes) or not isinstance(values, Sequence)):
                yield f"{name} must be a sequence of texts, such as a list, not {type(values).__name__}"
            elif wrong := [row for row, value in enumerate(values or ()) if not isinstance(value, str | bytes)]:
                yield f"{name}[{wrong[0]}] is neither str nor bytes"
        if self.texts is None:
            if self.names is not None:
                yield "names need texts"
            return
        if self.names is not None and len(self.names) != len(self.texts):
            yield f"there must be as many names as texts, {len(self.texts)}, not {len(self.names)}"
        for name in self.given():
            if name in self.of_paths:
                yield f"{mention(name)} needs paths, not texts"


OF_WALKS = tuple(name for name in Walking.parameters if name != "max_size")
"""Parameters about which files of a directory are documents."""

_OF_PATHS = (*OF_WALKS, "files_from", "files0_from", "jsonl", "max_size")
"""Parameters about finding documents, which neither an artifact nor texts in memory need."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Request(CheckedRequest):
    """A question. jobs: worker processes. strict: UnjudgedError if a document cannot be judged."""

    jobs: int | None = None
    strict: bool | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ReadRequest(SourceRequest, Request):
    """A question about many documents, which may also be found in directories or named in a list."""

    lists: ClassVar[tuple[str, ...]] = ("files_from", "files0_from")
    of_paths: ClassVar[tuple[str, ...]] = _OF_PATHS
    upstream: ClassVar[tuple[str, ...]] = ()
    """The kinds of artifact that can stand in the place of documents."""
    first_arguments: ClassVar[tuple[str, ...]] = ()
    """What stands before the documents in a call that a message suggests."""

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
        if self.plain and self.jsonl:
            yield not_together("plain", "jsonl")
        if self.jsonl and self._ways() and b"-" not in self.documents:
            piped = suggested(self.question, *self.first_arguments, "-", jsonl=True)
            yield f"{mention('jsonl')} applies to standard input: name a file *.jsonl, or pipe it into {piped}"

    def problems_beside_artifact(self) -> Iterator[str]:
        """What cannot be combined with an artifact in the place of documents."""
        if len(self.documents) > 1:
            yield "an artifact cannot be mixed with other arguments: name one artifact, or only documents"
        for name in self.given():
            if name in _OF_PATHS:
                yield f"{mention(name)} needs documents, not an artifact"

    def problems_beside_documents(self) -> Iterator[str]:
        """What cannot be combined with documents that are read now."""
        for name in ("shingles", "root"):
            if getattr(self, name, None) is not None and getattr(self, "against", None) is None:
                yield f"{mention(name)} needs an artifact, not documents"
