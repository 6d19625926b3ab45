"""Questions about single texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from simdocs.requests.token_requests import TokenRequest
from simdocs.values import Path, PathName


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
