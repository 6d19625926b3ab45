"""Distinct texts in keep order: what grouping works on. Copies of one text stand and fall together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.group.keep_order import keep_order
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Index, Mask


@dataclass(frozen=True, slots=True)
class DistinctTexts:
    """M distinct texts, numbered in keep order by their first copy; empty documents have none.

    first: (M,) the row of that copy. of: (N,) the node of each document, or -1. rank: (N,) the place of each document
    in keep order.
    """

    first: Index
    of: Index
    rank: Index

    def __len__(self) -> int:
        return len(self.first)

    @property
    def copies(self) -> Index:
        """The rows that are not the first copy of their text, ascending."""
        is_first = np.zeros(len(self.of), bool)
        is_first[self.first] = True
        return np.flatnonzero(~is_first & (self.of >= 0))


def in_keep_order(documents: Documents, policy: str, left_out: Mask | None = None) -> DistinctTexts:
    """The distinct texts of the documents in the keep order of this policy; those left out have no node."""
    order = keep_order(policy, documents.facts["size"], documents.facts["mtime_ns"])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    _, text = documents.distinct_texts(left_out)
    ranked = order[text[order] >= 0]
    texts, place = np.unique(text[ranked], return_index=True)
    by_first = np.argsort(place)
    number = np.full(int(text.max(initial=-1)) + 2, -1)  # the last is what an empty document's -1 picks
    number[texts[by_first]] = np.arange(len(place))
    return DistinctTexts(ranked[place[by_first]], number[text], rank)


def as_copies(left: Index, right: Index, exact: bool) -> Pairs:
    """Pairs of copies of one text: similarity 1, not computed where nothing exact is."""
    ones = np.ones(len(left))
    return Pairs(left, right, ones if exact else np.full(len(left), np.nan), ones)
