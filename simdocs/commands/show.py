"""show: the shingles of one text and their tokens, or what an artifact holds."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import checked
from simdocs.commands.resolve import is_artifact, opened, shingling_of
from simdocs.corpora.single_text import read_single_document
from simdocs.engines.run import Run
from simdocs.errors import UsageError
from simdocs.model.answer_blocks import TokenBlock
from simdocs.model.delivery import Delivery
from simdocs.model.shown_artifact import ShownArtifact
from simdocs.parameters import PARAMETERS
from simdocs.pipeline.shingling import show as shown_shingles
from simdocs.recipes import Sequences
from simdocs.requests.text_requests import ShowRequest

_AT_ONCE = 1 << 12


@dataclass(frozen=True, slots=True)
class ShownText:
    """The shingles of a text and their number.

    shingles: in text order, with repeats; empty if they were handed over in blocks.
    """

    shingles: tuple[tuple[str, int], ...]
    count: int


def answer(request: ShowRequest, run: Run | None, delivery: Delivery) -> ShownText | ShownArtifact:
    """Each shingle of a text with its token, in text order, or the view of an artifact that was requested.

    UsageError: the file has many texts, or the artifact has no such view. InputError: the text cannot be read, or the
    artifact has no document of a name. ArtifactError: the artifact cannot be opened.
    """
    if is_artifact(request.file):
        from simdocs.commands.show_artifact import shown

        assert run is not None
        return shown(request, checked(opened(request.file, tuple(FORMATS))), run)
    if problems := list(request.problems_beside_text()):
        raise UsageError(*problems)
    assert isinstance(request.file, bytes)
    limit = PARAMETERS["max_size"].default if request.max_size is None else request.max_size
    data, take = read_single_document(request.file, limit, Sequences()), delivery.take
    every, spelled, tokens, count = list[tuple[str, int]](), list[bytes](), list[int](), 0
    for shingle, token in shown_shingles(data, shingling_of(request.given())):
        count += 1
        if take is None:
            every.append((shingle, token))
            continue
        spelled.append(shingle.encode("utf-8", "surrogateescape"))
        tokens.append(token)
        if len(tokens) == _AT_ONCE:
            take(TokenBlock(spelled, tokens))
            spelled, tokens = [], []
    if take is not None:
        take(TokenBlock(spelled, tokens))
    return ShownText(tuple(every), count)
