"""Distinct texts in keep order. Grouping compares all copies of a text as a single text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.kernels.group.keep_order import keep_order
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.numbering import Rows, TextNumbers
from simdocs.model.ragged import Index, Mask


@dataclass(frozen=True, slots=True)
class DistinctTexts:
    """M distinct texts, numbered in keep order by their first copy. Empty documents have no number.

    first: (M,) the row of that copy. number: (N,) the number of each document's text, or -1. rank: (N,) the position
    of each document in keep order.
    """

    first: Rows
    number: TextNumbers
    rank: Index

    def __len__(self) -> int:
        return len(self.first)

    @property
    def copies(self) -> Rows:
        """The rows that are not the first copy of their text, ascending."""
        is_first = np.zeros(len(self.number), bool)
        is_first[self.first] = True
        return np.flatnonzero(~is_first & (self.number >= 0))


def in_keep_order(documents: Documents, policy: str, left_out: Mask | None = None) -> DistinctTexts:
    """The distinct texts of the documents in the keep order of this policy. Documents left out have no number."""
    order = keep_order(policy, documents.facts["size"], documents.mtimes())
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    _, text = documents.distinct_texts(left_out)
    ranked = order[text[order] >= 0]
    texts, place = np.unique(text[ranked], return_index=True)
    by_first = np.argsort(place)
    number = np.full(int(text.max(initial=-1)) + 2, -1)  # the -1 of an empty document selects the last entry
    number[texts[by_first]] = np.arange(len(place))
    return DistinctTexts(ranked[place[by_first]], number[text], rank)


def pairs_of_copies(left: Rows, right: Rows, exact: bool) -> Pairs:
    """Pairs of copies of a text. Their similarity is 1, which counts as computed only if answers are exact."""
    ones = np.ones(len(left))
    return Pairs(left, right, ones if exact else np.full(len(left), np.nan), ones)
