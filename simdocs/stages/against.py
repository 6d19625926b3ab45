"""New documents against an index: what the index holds is kept, only new ones can be duplicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdocs.artifacts.shelf import Shelf
from simdocs.kernels.collide import runs
from simdocs.model.documents import EMPTY, Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, ranges
from simdocs.parameters import Grouping
from simdocs.stages.corpus import Corpus
from simdocs.stages.greedy import greedy
from simdocs.stages.joined import Two
from simdocs.stages.lookup import STAMPED, bounds, copies_of, keys_for, places
from simdocs.stages.ordering import Nodes, as_copies, in_keep_order
from simdocs.stages.prepare import Prepared
from simdocs.stages.shingle import Progress
from simdocs.stages.verify import Judge


@dataclass(frozen=True, slots=True)
class Found:
    """Duplicates among new documents, by row of `documents`: those of the index that share a bucket with a new one,
    then the new ones. new: which are new, and no files of the index. known: rows of new documents that are. capped:
    kept ones that were not compared with all."""

    documents: Two
    pairs: Pairs
    new: Mask
    known: Index
    capped: Index


def against(
    index: Shelf, every: Corpus, prepared: Prepared, judge: Judge, grouping: Grouping, progress: Progress
) -> Found:
    """Groups in which every document of the index is kept. every: those documents.

    Copies of a text of the index are duplicates whatever a full bucket keeps from meeting.
    """
    known = _known(every, prepared.corpus)
    judge.corpus = every
    original = np.where(known, -1, _originals(every, prepared.documents, judge))
    copies = np.flatnonzero(original >= 0)
    nodes = in_keep_order(prepared.documents, grouping.keep, known | (original >= 0))
    keys = keys_for(index, prepared.signatures, nodes.first)
    begins, ends = bounds(index, keys)
    owners = index["band_rows"].at(ranges(begins.ravel(), (ends - begins).ravel())).astype(np.int64)
    owners = _standing_in(index, owners, judge)
    rows = np.unique(np.concatenate((owners, original[copies])))
    documents = Two(every.some(rows), prepared.corpus)
    judge.corpus = documents
    shared = _buckets(keys, ends - begins, np.searchsorted(rows, owners), len(rows))
    both = _after(len(rows), nodes)
    pairs, capped = greedy(both, shared, judge, grouping.max_candidates, progress, len(rows))
    twins = as_copies(np.searchsorted(rows, original[copies]), len(rows) + copies, judge.by_exact)
    new = np.concatenate((np.zeros(len(rows), bool), ~known))
    return Found(documents, Pairs.concat([pairs, twins]).in_row_order(), new, np.flatnonzero(known), capped)


def _standing_in(index: Shelf, firsts: Index, judge: Judge) -> Index:
    """For each of these, the first documents of their texts, the first one that is still what it was; or itself, if
    none is."""
    texts, number = np.unique(firsts, return_inverse=True)
    place, rows = copies_of(index["same_as"].all(), texts)
    there = np.flatnonzero(~judge.lost_copies(rows, place))[::-1]
    texts[place[there]] = rows[there]  # the last written, which is the first, remains
    return texts[number]


def _originals(every: Corpus, new: Documents, judge: Judge) -> Index:
    """For each new document the first of the index that has its tokens and is still what it was, if one there has, or
    had, its text; else -1."""
    theirs = every.every_fact.all()
    of_text = _first_with(theirs["digest"], new.facts["digest"])
    found = (of_text >= 0) & ((new.facts["flags"] & EMPTY) == 0)
    # Another text before it may have the same set: it is as similar, and comes first.
    sets = theirs["set_digest"]
    wanted = sets[of_text[found]]
    rows = np.flatnonzero(np.isin(sets[:, 0], wanted[:, 0]))
    lost = rows[~judge.sure(rows)] if judge.by_exact else rows[:0]
    original = np.full(len(found), -1)
    original[found] = _first_with(sets, wanted, lost)
    return original


def _first_with(digests: Array, wanted: Array, left_out: Index | None = None) -> Index:
    """The first row of digests (N, 2) that equals each one wanted (M, 2), or -1: (M,) int64; none of those left out."""
    rows = np.flatnonzero(np.isin(digests[:, 0], wanted[:, 0]))[::-1]
    if left_out is not None:
        rows = rows[~np.isin(rows, left_out)]
    first = dict(zip(map(tuple, digests[rows].tolist()), rows.tolist(), strict=True))
    return np.array([first.get(tuple(one), -1) for one in wanted.tolist()], np.int64)


def _known(every: Corpus, new: Corpus) -> Mask:
    """Which new documents are documents of the index: the same file, by inode and times or by where it is now."""
    facts, theirs = new.facts(np.arange(len(new))), every.every_fact.all()
    known = np.zeros(len(new), bool)
    rows = np.flatnonzero(np.isin(theirs["inode"], facts["inode"]) & (theirs["inode"] != 0))
    mine = np.flatnonzero(np.isin(facts["inode"], theirs["inode"][rows]))
    times = set(theirs[rows][list(STAMPED)].tolist())
    known[mine] = [time in times for time in facts[mine][list(STAMPED)].tolist()]
    mine = mine[~known[mine]]
    rows = rows[np.isin(theirs["inode"][rows], facts["inode"][mine])]
    there = set(places(every, rows))
    known[mine] = [place in there for place in places(new, mine)]
    return known


def _buckets(keys: Keys, counts: Index, owners: Index, given: int) -> Ragged:
    """The buckets in which a new document meets another: members of the index (numbered below given), then new ones.

    keys: (B, M) of the new documents; counts: (B, M), how many of the index share each; owners: those, end to end.
    """
    starts = np.cumsum(counts.ravel()) - counts.ravel()
    members, lengths = [], []
    for band, key in enumerate(keys):
        order = np.argsort(key, kind="stable")
        begins, sizes = runs(key[order])
        heads = band * keys.shape[1] + order[begins]
        ahead = counts.ravel()[heads]
        both = np.column_stack((ahead, sizes)).ravel()
        places = np.column_stack((starts[heads], len(owners) + begins)).ravel()
        inside = np.concatenate((owners, given + order))[ranges(places, both)]
        kept = ahead + sizes > 1
        members.append(inside[np.repeat(kept, ahead + sizes)])
        lengths.append((ahead + sizes)[kept])
    return Ragged.of(np.concatenate(members), np.concatenate(lengths))


def _after(given: int, nodes: Nodes) -> Nodes:
    """The nodes of new documents, numbered after as many that are given, which come before them in every order."""
    ours = np.arange(given)
    return Nodes(
        np.concatenate((ours, given + nodes.first)),
        np.concatenate((ours, np.where(nodes.of >= 0, given + nodes.of, -1))),
        np.concatenate((ours, given + nodes.rank)),
    )
