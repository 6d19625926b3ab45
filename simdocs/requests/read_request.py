"""Questions about documents: where they come from, and how the work is done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from simdocs.errors import mention, suggested
from simdocs.recipes import Walking
from simdocs.requests.checked_request import CheckedRequest
from simdocs.requests.exclusions import not_together
from simdocs.requests.source_request import SourceRequest
from simdocs.values import Path

OF_WALKS = tuple(name for name in Walking.__slots__ if name != "max_size")
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
