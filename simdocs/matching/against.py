"""New documents against an index: what the index holds is kept, only new ones can be duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdocs.artifacts.reader import Artifact
from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.matching.concatenated import ConcatenatedCorpus
from simdocs.matching.corpus import Corpus
from simdocs.matching.distinct_texts import DistinctTexts, as_copies, in_keep_order
from simdocs.matching.greedy import greedy
from simdocs.matching.lookup import STAMPED, bounds, copies_of, keys_for, places
from simdocs.matching.prepared import Prepared
from simdocs.matching.verify import Verifier
from simdocs.model.documents import EMPTY, Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, ranges
from simdocs.parameters import Grouping


@dataclass(frozen=True, slots=True)
class Found:
    """Duplicates among new documents, by row of `documents`: those of the index that share a bucket with a new one,
    then the new ones. new: which are new, and not known to the index. known: rows of new documents that are. capped:
    kept ones that were not compared with all."""

    documents: ConcatenatedCorpus
    pairs: Pairs
    new: Mask
    known: Index
    capped: Index


def against(index: Artifact, every: Corpus, prepared: Prepared, judge: Verifier, grouping: Grouping) -> Found:
    """Groups in which every document of the index is kept. every: those documents.

    Copies of a text of the index are duplicates whatever a full bucket keeps from meeting.
    """
    new, documents = prepared.corpus, prepared.documents
    known = _known(every, new)
    there = _Standing(every, new, np.flatnonzero(~known), judge)
    judge.corpus = every
    original = np.where(known, -1, _originals(every, documents, there))
    copies = np.flatnonzero(original >= 0)
    nodes = in_keep_order(documents, grouping.keep, known | (original >= 0))
    keys = keys_for(index, prepared.signatures, nodes.first)
    begins, ends = bounds(index, keys)
    owners = index["band_rows"].at(ranges(begins.ravel(), (ends - begins).ravel())).astype(np.int64)
    owners = there.instead_of(owners, index["same_as"].all())
    of_key = np.repeat(np.arange(keys.size), (ends - begins).ravel())[owners >= 0]
    counts = np.bincount(of_key, minlength=keys.size).reshape(keys.shape)
    owners = owners[owners >= 0]
    rows = np.unique(np.concatenate((owners, original[copies])))
    both = ConcatenatedCorpus(every.some(rows), new)
    judge.corpus = both
    shared = _buckets(keys, counts, np.searchsorted(rows, owners), len(rows))
    pairs, capped = greedy(_after(len(rows), nodes), shared, judge, grouping.max_candidates, len(rows))
    twins = as_copies(np.searchsorted(rows, original[copies]), len(rows) + copies, judge.by_exact)
    of_new = np.concatenate((np.zeros(len(rows), bool), ~known))
    return Found(both, Pairs.concat([pairs, twins]).in_row_order(), of_new, np.flatnonzero(known), capped)


class _Standing:
    """Which documents of the index stand: not those whose files hold new documents by now, and, if they can be looked
    at, not those that are gone or have changed."""

    def __init__(self, every: Corpus, new: Corpus, unknown: Index, judge: Verifier) -> None:
        self._every, self._new, self._unknown, self._judge = every, new, unknown, judge
        self._inodes = new.facts(unknown)["inode"]

    def of(self, rows: Index) -> Mask:
        """Which of these rows do. The lost are noted."""
        standing = ~self._rewritten(rows)
        if self._judge.by_exact:
            standing[standing] = self._judge.sure(rows[standing])
        return standing

    def instead_of(self, firsts: Index, same_as: Array) -> Index:
        """For each of these, the first documents of their texts, the first one that stands; itself, if that alone may
        be gone, which is found out when it is read; -1, if its file holds a new document."""
        texts, number = np.unique(firsts, return_inverse=True)
        place, rows = copies_of(same_as, texts)
        rewritten = self._rewritten(rows)
        there = np.flatnonzero(~(rewritten | self._judge.lost_copies(rows, place)))[::-1]
        texts[place[rewritten & (rows == texts[place])]] = -1
        texts[place[there]] = rows[there]  # the last written, which is the first, remains
        return texts[number]

    def _rewritten(self, rows: Index) -> Mask:
        """Which of these rows were read from files, or lines of files, in which there is a new document."""
        now = places(self._every, rows)
        inodes = [place[1] for place in now if isinstance(place[1], int)]
        theirs = set(places(self._new, self._unknown[np.isin(self._inodes, inodes)]))
        return np.array([place in theirs for place in now], bool)


def _originals(every: Corpus, new: Documents, there: _Standing) -> Index:
    """For each new document the first of the index that has its tokens and stands, if one there has, or had, its text;
    else -1."""
    theirs = every.every_fact.all()
    of_text = _first_with(theirs["digest"], new.facts["digest"])
    found = (of_text >= 0) & ((new.facts["flags"] & EMPTY) == 0)
    # Another text before it may have the same set: it is as similar, and comes first.
    sets = theirs["set_digest"]
    wanted = sets[of_text[found]]
    rows = np.flatnonzero(np.isin(sets[:, 0], wanted[:, 0]))
    original = np.full(len(found), -1)
    original[found] = _first_with(sets, wanted, rows[~there.of(rows)])
    return original


def _first_with(digests: Array, wanted: Array, left_out: Index | None = None) -> Index:
    """The first row of digests (N, 2) that equals each one wanted (M, 2), or -1: (M,) int64; none of those left out."""
    rows = np.flatnonzero(np.isin(digests[:, 0], wanted[:, 0]))[::-1]
    if left_out is not None:
        rows = rows[~np.isin(rows, left_out)]
    first = dict(zip(map(tuple, digests[rows].tolist()), rows.tolist(), strict=True))
    return np.array([first.get(tuple(one), -1) for one in wanted.tolist()], np.int64)


def _known(every: Corpus, new: Corpus) -> Mask:
    """Which new documents are documents of the index: of the same text, and the same file, by inode and times or by
    where it is now."""
    facts, theirs = new.facts(np.arange(len(new))), every.every_fact.all()
    known = np.zeros(len(new), bool)
    rows = np.flatnonzero(np.isin(theirs["digest"][:, 0], facts["digest"][:, 0]) & (theirs["inode"] != 0))
    mine = np.flatnonzero(np.isin(facts["digest"][:, 0], theirs["digest"][rows, 0]))
    mine = mine[facts["inode"][mine] != 0]
    times = set(_with_text(theirs[rows][list(STAMPED)].tolist(), theirs[rows]))
    known[mine] = [one in times for one in _with_text(facts[mine][list(STAMPED)].tolist(), facts[mine])]
    mine = mine[~known[mine]]
    rows = rows[np.isin(theirs["digest"][rows, 0], facts["digest"][mine, 0])]
    there = set(_with_text(places(every, rows), theirs[rows]))
    known[mine] = [one in there for one in _with_text(places(new, mine), facts[mine])]
    return known


def _with_text(marks: Iterable[tuple[object, ...]], facts: NDArray[np.void]) -> Iterator[tuple[object, ...]]:
    """Each with the digest of its document."""
    return ((*mark, *digest) for mark, digest in zip(marks, facts["digest"].tolist(), strict=True))


def _buckets(keys: Keys, counts: Index, owners: Index, given: int) -> Ragged:
    """The buckets in which a new document meets another: members of the index (numbered below given), then new ones.

    keys: (B, M) of the new documents; counts: (B, M), how many of the index share each; owners: those, end to end.
    """
    starts = np.cumsum(counts.ravel()) - counts.ravel()
    members, lengths = [], []
    for band, key in enumerate(keys):
        order = np.argsort(key, kind="stable")
        begins, sizes = equal_runs(key[order])
        heads = band * keys.shape[1] + order[begins]
        ahead = counts.ravel()[heads]
        both = np.column_stack((ahead, sizes)).ravel()
        places = np.column_stack((starts[heads], len(owners) + begins)).ravel()
        inside = np.concatenate((owners, given + order))[ranges(places, both)]
        kept = ahead + sizes > 1
        members.append(inside[np.repeat(kept, ahead + sizes)])
        lengths.append((ahead + sizes)[kept])
    return Ragged.from_lengths(np.concatenate(members), np.concatenate(lengths))


def _after(given: int, nodes: DistinctTexts) -> DistinctTexts:
    """The nodes of new documents, numbered after as many that are given, which come before them in every order."""
    ours = np.arange(given)
    return DistinctTexts(
        np.concatenate((ours, given + nodes.first)),
        np.concatenate((ours, np.where(nodes.of >= 0, given + nodes.of, -1))),
        np.concatenate((ours, given + nodes.rank)),
    )
