"""The nearest documents of an index: those whose signatures are most similar, whatever the threshold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.corpora.identity import same_documents
from simdocs.kernels.compare.agreement import agreements
from simdocs.matching.concatenated import ConcatenatedCorpus
from simdocs.matching.corpus import Corpus
from simdocs.matching.index_matches import MatchBlock, ranked
from simdocs.matching.prepared import Prepared
from simdocs.matching.verify import Verifier
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.groups import Pairs
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Index, Tokens

_ROWS_AT_ONCE = 1 << 14
"""Signatures of the index that are read at once: 8 MiB at K = 128."""


def find_nearest(
    indexed: Corpus,
    asked: Prepared,
    verifier: Verifier,
    number: int,
    *,
    itself: bool = False,
    own: Rows | None = None,
) -> Iterator[MatchBlock]:
    """Yield for each document asked about the `number` documents of the index whose signatures agree most with its own.

    They are ordered by their exact similarity. A document that is missing or has changed is reported, and the next one
    takes its place. Fewer are yielded if no others have anything in common with it. Every signature of the index is
    compared with every signature asked about. itself, own: as of `find_matches`.
    """
    filled = np.flatnonzero((asked.documents.facts["flags"] & WITHOUT_TOKENS) == 0)
    for row in filled.tolist():
        order = _by_agreement(indexed, asked.signatures[row])
        if own is not None:
            order = order[order != own[row]]
        yield _nearest(indexed, asked, verifier, row, number, order, itself)
        verifier.run.progress("looking up", row + 1, len(asked.documents))


def _nearest(
    indexed: Corpus, asked: Prepared, verifier: Verifier, row: int, number: int, order: Index, itself: bool
) -> MatchBlock:
    found, rows, at = Pairs.empty(), np.empty(0, np.int64), 0
    while len(rows) < number and at < len(order):
        more = order[at : at + number - len(rows)]
        at += len(more)
        if not itself:
            more = more[~same_documents(asked.corpus, np.full(len(more), row), indexed, more)]
        pairs = _verified(indexed, asked, verifier, row, more)
        rows = np.concatenate((rows, more[pairs.right]))
        found = Pairs.concat([found, pairs])
    corpus = ConcatenatedCorpus(indexed.some(rows), asked.corpus)
    placed = Pairs(np.full(len(rows), len(rows) + row), np.arange(len(rows)), found.jaccard, found.estimate)
    return MatchBlock(corpus, ranked(corpus, placed, number), rows)


def _verified(indexed: Corpus, asked: Prepared, verifier: Verifier, row: int, rows: Rows) -> Pairs:
    """The pairs of a document with those of these rows that are unchanged and have something in common with it.

    The pairs refer to the rows by their places.
    """
    corpus = ConcatenatedCorpus(indexed.some(rows), asked.corpus)
    left, right = np.full(len(rows), len(rows) + row), np.arange(len(rows))
    verifier.run.tally.candidates += len(rows)
    estimate = corpus.estimates(left, right)
    if not verifier.exact:
        return Pairs(left, right, np.full(len(rows), np.nan), estimate)
    similarity = verifier.for_corpus(corpus).exact_jaccard(left, right)
    verifier.run.tally.verified += len(rows) - int(np.isnan(similarity).sum())
    common = np.flatnonzero(np.nan_to_num(similarity) > 0)
    return Pairs(left[common], right[common], similarity[common], estimate[common])


def _by_agreement(indexed: Corpus, signature: Tokens) -> Index:
    """The rows of the index that agree with a signature in at least one place, the most similar first, ties by row."""
    parts = [
        agreements(np.asarray(indexed.signatures.cut(at, min(at + _ROWS_AT_ONCE, len(indexed)))), signature)
        for at in range(0, len(indexed), _ROWS_AT_ONCE)
    ]
    agree = np.concatenate(parts) if parts else np.empty(0, np.int64)
    rows = np.flatnonzero(agree)
    order: Index = rows[np.argsort(-agree[rows], kind="stable")]
    return order
