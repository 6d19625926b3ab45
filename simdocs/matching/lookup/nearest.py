"""The nearest documents of an index: those whose signatures are most similar, whatever the threshold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdocs.kernels.compare.agreement import agreements
from simdocs.matching.documents.concatenated import ConcatenatedCorpus
from simdocs.matching.documents.corpus import Corpus
from simdocs.matching.lookup.index_matches import Lookup, MatchBlock, ranked
from simdocs.model.groups import Pairs
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Index, Tokens

_ROWS_AT_ONCE = 1 << 14
"""Signatures of the index that are read at once: 8 MiB at K = 128."""


def find_nearest(lookup: Lookup, number: int) -> Iterator[MatchBlock]:
    """Yield for each document asked about the `number` documents of the index whose signatures agree most with its own.

    They are ordered by their exact similarity. A document that is missing or has changed is reported, and the next one
    takes its place. Fewer are yielded if no others have anything in common with it. Every signature of the index is
    compared with every signature asked about.
    """
    for row in lookup.filled.tolist():
        yield _nearest(lookup, row, number)
        lookup.verifier.run.progress("looking up", row + 1, len(lookup.asked.documents))


def _nearest(lookup: Lookup, row: int, number: int) -> MatchBlock:
    order = _by_agreement(lookup.indexed, lookup.asked.signatures[row])
    found, rows, at = Pairs.empty(), np.empty(0, np.int64), 0
    while len(rows) < number and at < len(order):
        more = order[at : at + number - len(rows)]
        at += len(more)
        if not lookup.itself:
            more = more[~lookup.same(np.full(len(more), row), more)]
        pairs = _verified(lookup, row, more)
        rows = np.concatenate((rows, more[pairs.right]))
        found = Pairs.concat([found, pairs])
    corpus = ConcatenatedCorpus(lookup.indexed.some(rows), lookup.asked.corpus)
    placed = Pairs(np.full(len(rows), len(rows) + row), np.arange(len(rows)), found.jaccard, found.estimate)
    return MatchBlock(corpus, ranked(corpus, placed, number), rows)


def _verified(lookup: Lookup, row: int, rows: Rows) -> Pairs:
    """The pairs of a document with those of these rows that are unchanged and have something in common with it.

    The pairs refer to the rows by their places.
    """
    corpus, verifier = ConcatenatedCorpus(lookup.indexed.some(rows), lookup.asked.corpus), lookup.verifier
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
