"""The twin of answers about texts in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests import strategies as some
from tests.twins.answers import Answers, Criteria, Document, Row, Signing

__all__ = ["Choices", "Row", "Text", "Twin"]


class Text(NamedTuple):
    """A document: its bytes and its modification time."""

    data: bytes
    mtime_ns: int = 0


class Choices(NamedTuple):
    """What decides an answer, except for LSH."""

    unit: str = "char"
    k: int = 3
    multiset: bool = False
    threshold: float = 0.5
    keep: str = "first"


class Twin(Answers):
    """The answers about these texts, in row order, which their names follow.

    given: the first `given` texts are those of an index. signing: compare only texts that share a bucket; by default
    all are compared.
    """

    def __init__(self, texts: Sequence[Text], choices: Choices, given: int = 0, signing: Signing | None = None) -> None:
        documents = [Document(b"%04d" % row, *text) for row, text in enumerate(texts)]
        shingling = some.shingling(unit=choices.unit, k=choices.k, multiset=choices.multiset)
        exact = signing is None
        super().__init__(
            documents, Criteria(shingling, choices.threshold, choices.keep, signing or Signing(), exact), given
        )
