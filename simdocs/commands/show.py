"""show: the shingles of one text, and their tokens."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.commands.resolve import shingling_of
from simdocs.corpora.jsonl import is_jsonl
from simdocs.corpora.single_text import read_single_text
from simdocs.engines.run import Run
from simdocs.errors import UsageError
from simdocs.model.answer_blocks import TokenBlock
from simdocs.model.delivery import Delivery
from simdocs.model.names import display_name
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


def answer(request: ShowRequest, _run: Run | None, delivery: Delivery) -> ShownText:
    """Each shingle of a text with its token, in text order.

    UsageError: the file has many texts. InputError: the text cannot be read.
    """
    assert isinstance(request.file, bytes)
    limit = PARAMETERS["max_size"].default if request.max_size is None else request.max_size
    if is_jsonl(request.file, Sequences()):
        many = f"{display_name(request.file)}: this file has one document on each line"
        raise UsageError(f"{many}: give one text, or - for standard input")
    data, take = read_single_text(request.file, limit), delivery.take
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
