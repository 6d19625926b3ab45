"""Where an answer goes while it is found, and what happens before it is complete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simdocs.model.answer_blocks import Take
from simdocs.model.build_results import BuildResult

Conclude = Callable[[BuildResult], None]
"""Called with the complete result before it is published. If it raises an exception, nothing is published."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How an answer is handed over.

    take: is given the answer in blocks, in their final order; the result then has the counts alone where an answer may
    be larger than memory. outputs: files that are written, which must not be among the documents. conclude: is called
    with the result of a build before it is published. unchanged: a dry run lists unchanged documents, too. diff: a
    block of pairs has their differences, by `words` or `lines`.
    edits: two texts are compared by the edit distance, too, which takes the longest.
    """

    take: Take | None = None
    outputs: Sequence[str | None] = ()
    conclude: Conclude = lambda _: None
    unchanged: bool = False
    diff: str | None = None
    edits: bool = True


AS_A_WHOLE = Delivery()
"""The result has the whole answer."""
