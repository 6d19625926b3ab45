"""Answers as tables: which columns a request's answer has, and the rows of its blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simdocs.families import CLUSTERS, lists_lines
from simdocs.model.answers import (
    LINE,
    NAME,
    NUMBER,
    SIMILARITY,
    VALUE,
    Block,
    Cell,
    ChangeBlock,
    DifferenceBlock,
    ExplainedBlock,
    FactBlock,
    FigureBlock,
    LineBlock,
    NameBlock,
    PairBlock,
    Row,
    ShownColumn,
    TableColumn,
    TableHead,
    TokenBlock,
)
from simdocs.model.names import display_name, text_to_name
from simdocs.model.search_result import ExplainedDocument
from simdocs.requests.build_requests import BuildRequest
from simdocs.requests.read_request import Request
from simdocs.requests.search_requests import DedupeRequest, QueryRequest
from simdocs.requests.text_requests import ShowRequest


def _pairs(left: str, right: str, *more: str) -> TableHead:
    names = [TableColumn(name, NAME) for name in (left, right)]
    figures = [TableColumn(name, SIMILARITY) for name in ("jaccard", "estimate", *more)]
    return TableHead((*names, *figures), grouped=True)


GROUPS, PAIRS, MATCHES = _pairs("kept", "duplicate"), _pairs("document", "other"), _pairs("query", "match")
CONTAINING = _pairs("query", "match", "containment")
_NESTED = _pairs("document", "other", "containment")
NESTED = TableHead((*_NESTED.columns, TableColumn("contained", NAME)), grouped=True)
_EXPLAINED = (
    *(("kept", NAME), ("document", NAME), ("reason", NAME), ("compared_with", NAME)),
    *(("jaccard", SIMILARITY), ("estimate", SIMILARITY)),
    *(("bands_met", VALUE), ("bands", NUMBER), ("documents", NUMBER), ("smallest_to_kept", SIMILARITY)),
    *(("smallest_of_two", SIMILARITY), ("all_compared", NAME), ("links", VALUE)),
)
EXPLAINED_COMPONENTS = TableHead(tuple(TableColumn(*column) for column in _EXPLAINED))
EXPLAINED = TableHead(EXPLAINED_COMPONENTS.columns[:-3])
NAMES, LINES = TableHead((TableColumn("name", NAME),)), TableHead((TableColumn("line", LINE),))
SHINGLES = TableHead((TableColumn("shingle", NAME), TableColumn("token", NUMBER)))
CHANGES = TableHead((TableColumn("status", NAME), TableColumn("document", NAME)))
_FIGURES = ("", "_low", "_high")
CHOICES = TableHead(
    (
        *(TableColumn(name, NUMBER) for name in ("bands", "rows", "num_perm")),
        *(
            TableColumn(name, SIMILARITY)
            for name in ("threshold", "probability", "probability_below", "probability_above", "half", "steepest")
        ),
        TableColumn("bytes", NUMBER),
        *(TableColumn(f"misses{end}", SIMILARITY) for end in _FIGURES),
        *(TableColumn(f"false_candidates{end}", SIMILARITY) for end in _FIGURES),
        TableColumn("chosen", NAME),
    )
)
CURVE = TableHead(
    tuple(
        TableColumn(name, SIMILARITY)
        for name in (
            *("similarity", "probability", *(f"pairs{end}" for end in _FIGURES)),
            *("misses", "false_candidates"),
        )
    )
)
FACTS = TableHead((TableColumn("key", NAME), TableColumn("value", NAME)), keyed=True)


def head_of(request: Request) -> TableHead:
    """The columns of the answer to a request."""
    if isinstance(request, ShowRequest):
        return SHINGLES
    if isinstance(request, BuildRequest):
        return CHANGES
    if isinstance(request, DedupeRequest | QueryRequest) and request.list is not None:
        return LINES if lists_lines(request.list) else NAMES
    if isinstance(request, DedupeRequest) and request.explain:
        return EXPLAINED_COMPONENTS if _by_chains(request) else EXPLAINED
    if isinstance(request, DedupeRequest):
        if request.measure == "containment":
            return NESTED
        return PAIRS if request.pairs else GROUPS
    assert isinstance(request, QueryRequest)
    return CONTAINING if request.measure == "containment" else MATCHES


def _by_chains(request: DedupeRequest) -> bool:
    return CLUSTERS[request.cluster or request.parameter("cluster").default].by_chains


def with_passages(head: TableHead) -> TableHead:
    """The columns of pairs with their differences."""
    return TableHead((*head.columns, TableColumn("passages", VALUE)))


def rows_of(block: Block) -> list[Row]:
    """The rows of a block of an answer."""
    if isinstance(block, DifferenceBlock):
        pairs = zip(rows_of(block.pairs), block.differences, strict=True)
        return [(*row, difference) for row, difference in pairs]
    if isinstance(block, PairBlock):
        exact, *more = (map(_cell, column) for column in (block.jaccard.tolist(), *block.more))
        return list(zip(block.left, block.right, exact, block.estimate.tolist(), *more, strict=True))
    if isinstance(block, ExplainedBlock):
        return [_explained(one, of_component=block.of_components) for one in block.documents]
    if isinstance(block, NameBlock):
        return [(name,) for name in block.names]
    if isinstance(block, LineBlock):
        return [(line,) for line in block.lines]
    if isinstance(block, TokenBlock):
        return list(zip(block.shingles, block.tokens, strict=True))
    if isinstance(block, ChangeBlock):
        return [(status.encode(), name) for status, name in zip(block.statuses, block.names, strict=True)]
    if isinstance(block, FigureBlock):
        return [tuple(map(_cell, row)) for row in block.rows]
    assert isinstance(block, FactBlock)
    return [(key.encode(), _value(value)) for key, value in zip(block.keys, block.values, strict=True)]


def _value(value: str | float | None) -> Cell:
    return text_to_name(value) or None if isinstance(value, str) else value


def _explained(why: ExplainedDocument, *, of_component: bool) -> Row:
    """The cells of an explanation. Only connected components have the last three."""
    compared = None if why.compared_with is None else text_to_name(why.compared_with)
    common = (
        *(text_to_name(why.kept), text_to_name(why.document), why.reason.encode(), compared, why.jaccard, why.estimate),
        *(why.bands_met, why.bands, why.documents, why.smallest_to_kept),
    )
    if not of_component:
        return common
    complete = None if why.all_compared is None else b"yes" if why.all_compared else b"no"
    return *common, why.smallest_of_two, complete, why.links


def _cell(value: float | int | str | bytes) -> Cell:
    if isinstance(value, str | bytes):
        return value.encode() if isinstance(value, str) else value
    return None if math.isnan(value) else value


def head_of_shown(columns: Sequence[ShownColumn]) -> TableHead:
    """The head of a view of an artifact."""
    kinds = {bytes: NAME, str: NAME, int: NUMBER, float: SIMILARITY}
    return TableHead(tuple(TableColumn(display_name(name), kinds[kind]) for name, kind in columns))
