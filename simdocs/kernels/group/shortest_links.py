"""The shortest chains of links from the first member of each connected component to its other members."""

from __future__ import annotations

import numpy as np

from simdocs.model.ragged import Index, ranges


def shortest_links(labels: Index, left: Index, right: Index) -> tuple[Index, Index]:
    """The member before each one in a shortest chain from the first member of its component, and the link between.

    labels: int64 (M,), the first member of each one's component. left, right: (P,) the links, which connect the members
    of each component. Returns two arrays of int64 (M,): a member, and the number of a link; both are -1 for the first
    members. Of several members before it, it is the smallest. The method is breadth-first search: a step for each link
    of the longest chain, which takes time for the members that it reaches.
    """
    ends = np.concatenate((left, right))
    order = np.argsort(ends, kind="stable")
    other, link = np.concatenate((right, left))[order], order % max(len(left), 1)
    begins = np.searchsorted(ends[order], np.arange(len(labels) + 1))
    before, by = np.full(len(labels), -1), np.full(len(labels), -1)
    reached = labels == np.arange(len(labels))
    some = np.flatnonzero(reached)
    while len(some):
        counts = begins[some + 1] - begins[some]
        places, behind = ranges(begins[some], counts), np.repeat(some, counts)
        new = np.flatnonzero(~reached[other[places]])
        # Members ascend, so the smallest member before each one comes first.
        some, first = np.unique(other[places[new]], return_index=True)
        before[some], by[some], reached[some] = behind[new[first]], link[places[new[first]]], True
    return before, by
