"""Questions about single texts and artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from simdocs.errors import mention
from simdocs.parameters.values import Path, PathName
from simdocs.requests.checked_request import CheckedRequest, not_together
from simdocs.requests.token_requests import TokenRequest

_VIEWS = ("matrix", "buckets", "candidates", "sketch")
"""Views of an artifact."""

_OF_TEXTS = (*(field.name for field in fields(TokenRequest)), "max_size")
"""Parameters that an artifact has already."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ShowRequest(TokenRequest):
    """Show what a text is compared by, or what an artifact holds.

    file: the path of a text, `-` for standard input, or an artifact. documents: names of documents of the artifact.
    """

    question: ClassVar[str] = "show"

    documents: tuple[Path, ...] = ()
    file: Any = b""
    max_size: int | None = None
    matrix: bool | None = None
    buckets: bool | None = None
    candidates: bool | None = None
    sketch: bool | None = None
    shingles: Any = None
    root: Path | None = None

    def _rules(self) -> Iterator[str]:
        if not hasattr(self.file, "recipe"):
            yield from self._checked_argument("file", PathName())
        if self.file == b"":
            yield "nothing to read: name a text, - for standard input, or an artifact"
        if b"-" == self.file == self.stop_words:
            yield "- names standard input, which can be read only once"
        try:
            object.__setattr__(self, "documents", tuple(map(PathName().check, self.documents)))
        except ValueError as wanted:
            yield f"each name of a document must be {wanted}"
        yield from super()._rules()
        views = [name for name in _VIEWS if getattr(self, name)]
        if len(views) > 1:
            yield not_together(*views, why="choose one")
        for name in ("shingles", "root"):
            if getattr(self, name) is not None and not self.candidates:
                yield f"{mention(name)} needs {mention('candidates')}"
        yield from self._stop_words_of_no_use()

    def problems_beside_text(self) -> Iterator[str]:
        """What needs an artifact."""
        if self.documents:
            yield "names of documents need an artifact, not a text"
        for name in _VIEWS:
            if getattr(self, name):
                yield f"{mention(name)} needs {'shingles' if name == 'matrix' else 'an index'}, not a text"

    def problems_beside_artifact(self, kind: str) -> Iterator[str]:
        """What cannot be combined with an artifact of this kind."""
        for name in self.given():
            if name in _OF_TEXTS:
                yield f"{mention(name)} needs a text, not an artifact"
            elif name in ("buckets", "candidates", "sketch") and kind != "index":
                yield f"{mention(name)} needs an index, not {kind}"
            elif name == "matrix" and kind != "shingles":
                yield f"{mention(name)} needs shingles, not {kind}"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SimilarityRequest(TokenRequest):
    """Compare two texts."""

    question: ClassVar[str] = "similarity"

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        yield from self._stop_words_of_no_use()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class InfoRequest(CheckedRequest):
    """Show what an artifact is. artifact: its path."""

    question: ClassVar[str] = "info"

    artifact: bytes = b""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CheckRequest(CheckedRequest):
    """Check that artifacts are undamaged. artifacts: their paths."""

    question: ClassVar[str] = "check"

    artifacts: tuple[bytes, ...] = ()
