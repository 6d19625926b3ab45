"""Similar pairs, streamed in row order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from simdocs.kernels.lsh.buckets import candidate_pairs
from simdocs.matching.distinct_texts import as_copies
from simdocs.matching.prepared import Prepared
from simdocs.matching.verify import Verifier
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Mask, Ragged

Buckets = Callable[[Index, Index | None], Ragged]
"""Of documents, by row, and, if they are the first ones of each text, the number of every document: see Prepared."""


def similar_pairs(
    prepared: Prepared, buckets: Buckets, judge: Verifier, left_out: Mask | None, *, all_copies: bool
) -> Iterator[Pairs]:
    """Pairs at the threshold or above, the document before the other, ascending, in blocks.

    Copies of one text stand for themselves by their first, and are chained to it: each copy with the next. With
    all_copies every copy has all its pairs. left_out: (N,) the documents that are in none.
    """
    firsts, text = prepared.documents.distinct_texts(left_out)
    if all_copies:
        yield from _every_pair(buckets, firsts, text, judge)
        return
    chain = _chain(text)
    done = 0
    for left, right in candidate_pairs(buckets(firsts, text), len(firsts)):
        similar = judge.similar(firsts[left], firsts[right])
        # All pairs of a document are in one block: links up to its last document come out with it.
        upto = int(np.searchsorted(chain[0], firsts[left[-1]], side="right"))
        links = as_copies(chain[0][done:upto], chain[1][done:upto], judge.by_exact)
        done = upto
        yield Pairs.concat([similar, links]).in_row_order()
    yield as_copies(chain[0][done:], chain[1][done:], judge.by_exact)


def _chain(text: Index) -> tuple[Index, Index]:
    """Each document with the next copy of its text: two columns of rows, ascending by the first."""
    order = np.argsort(text, kind="stable")
    linked = (text[order][1:] == text[order][:-1]) & (text[order][1:] >= 0)
    left, right = order[:-1][linked], order[1:][linked]
    by_left = np.argsort(left)
    return left[by_left], right[by_left]


def _every_pair(buckets: Buckets, firsts: Index, text: Index, judge: Verifier) -> Iterator[Pairs]:
    nodes = np.flatnonzero(text >= 0)
    for a, b in candidate_pairs(buckets(nodes, None), len(nodes)):
        left, right = nodes[a], nodes[b]
        same = text[left] == text[right]
        copies = as_copies(left[same], right[same], judge.by_exact)
        left, right = left[~same], right[~same]
        key = text[left] * len(firsts) + text[right]
        unique, place = np.unique(key, return_inverse=True)
        similar = judge.similar(firsts[unique // len(firsts)], firsts[unique % len(firsts)])
        values = np.full(len(unique), -1)
        values[np.searchsorted(unique, text[similar.left] * len(firsts) + text[similar.right])] = np.arange(
            len(similar)
        )
        found = values[place]
        hit = found >= 0
        others = Pairs(left[hit], right[hit], similar.jaccard[found[hit]], similar.estimate[found[hit]])
        yield Pairs.concat([copies, others]).in_row_order()
