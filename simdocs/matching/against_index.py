"""Group new documents with those of an index, which are always kept, so that only new ones can be duplicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from simdocs.kernels.buckets import equal_runs
from simdocs.matching.candidates import BucketCandidates
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups import Decision, DistinctTexts, greedy, in_keep_order
from simdocs.matching.lookup import bounds, copies_of, in_same_place, index_of, owners_at, recognised
from simdocs.matching.verify import Verifier
from simdocs.model.documents import WITHOUT_TOKENS, Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Array, Index, Keys, Mask, Ragged, Rows, TextNumbers, distinct, ranges
from simdocs.options.answers import Grouping


def decide_against(indexed: Corpus, verifier: Verifier, grouping: Grouping) -> Decision:
    """Group new documents with documents of an index, all of which are kept.

    The corpus of the decision holds the documents of the index that share a bucket with a new one, and then the new
    ones. Copies of a text of the index are duplicates even if a full bucket prevents the comparison.

    indexed: the documents of the index
    verifier: for the new documents
    """
    new, index = verifier.corpus, index_of(indexed)
    known = recognised(new, indexed)
    unknown, of_index = np.flatnonzero(~known), verifier.for_corpus(indexed)

    def rewritten(rows: Rows) -> Mask:
        return in_same_place(indexed, rows, new, unknown)

    original = np.where(known, -1, _originals(of_index, new.documents, rewritten))
    copies = np.flatnonzero(original >= 0)
    texts = in_keep_order(new.documents, grouping.keep, known | (original >= 0))
    keys, begins, ends = bounds(index, new.signatures.all(), texts.first)
    owners = owners_at(index, ranges(begins.ravel(), (ends - begins).ravel()))
    owners = _copies_for(owners, of_index, rewritten)
    of_key = np.repeat(np.arange(keys.size), (ends - begins).ravel())[owners >= 0]
    counts = np.bincount(of_key, minlength=keys.size).reshape(keys.shape)
    owners = owners[owners >= 0]
    rows = distinct(np.concatenate((owners, original[copies])))
    of_both = verifier.for_corpus(indexed.select(rows).followed_by(new))
    shared = _buckets(keys, counts, np.searchsorted(rows, owners), len(rows))
    ours = _after(len(rows), texts)
    of_both.copy(ours.first[distinct(shared.values)])
    candidates = BucketCandidates(shared, len(ours.first), grouping.max_candidates, len(rows))
    found = greedy(ours, candidates, of_both)
    of_copies = Pairs.of_copies(np.searchsorted(rows, original[copies]), len(rows) + copies, exact=of_both.exact)
    decision = replace(
        found,
        pairs=Pairs.concat([found.pairs, of_copies]).in_row_order(),
        eligible=np.concatenate((np.zeros(len(rows), bool), ~known)),
        known=len(rows) + np.flatnonzero(known),
    )
    return decision.confirmed(of_both)


_Rewritten: TypeAlias = Callable[[Rows], Mask]
"""Returns which of these rows were read from files, or lines of files, in which there is a new document."""


def _copies_for(firsts: Rows, verifier: Verifier, rewritten: _Rewritten) -> Rows:
    """For each of these first documents of a text, the first copy of the text that can be matched.

    A document without copies is returned itself: it may turn out to be missing when it is read. -1: its file holds a
    new document, and no copy can be matched. verifier: for the documents of the index.
    """
    chosen, number = np.unique(firsts, return_inverse=True)
    text, rows = copies_of(index_of(verifier.corpus)["same_as"].all(), chosen)
    gone = rewritten(rows)
    standing = np.flatnonzero(~(gone | verifier.lost_copies(rows, text)))[::-1]
    chosen[text[gone & (rows == chosen[text])]] = -1
    chosen[text[standing]] = rows[standing]  # the last one written, which is the first copy, remains
    return chosen[number]


def _originals(verifier: Verifier, new: Documents, rewritten: _Rewritten) -> Rows:
    """For each new document, the first document of the index that has its tokens and can be matched, or -1.

    Only documents whose text is, or was, in the index are looked up. Of those that may be meant, missing and changed
    ones are reported. verifier: for the documents of the index.
    """
    theirs = verifier.corpus.every_fact.all()
    of_text = _first_with(theirs["digest"], new.facts["digest"])
    found = (of_text >= 0) & ((new.facts["flags"] & WITHOUT_TOKENS) == 0)
    # An earlier document with another text may have the same set. It is just as similar, and comes first.
    sets = theirs["set_digest"]
    wanted = sets[of_text[found]]
    rows = np.flatnonzero(np.isin(sets[:, 0], wanted[:, 0]))
    original = np.full(len(found), -1)
    standing = ~rewritten(rows)
    if verifier.exact:
        standing[standing] = verifier.unchanged(rows[standing])
    original[found] = _first_with(sets, wanted, rows[~standing])
    return original


def _first_with(digests: Array, wanted: Array, left_out: Rows | None = None) -> Rows:
    """The first row of digests (N, 2) that equals each wanted one (M, 2), or -1: (M,) int64. left_out: rows to skip."""
    rows = np.flatnonzero(np.isin(digests[:, 0], wanted[:, 0]))[::-1]
    if left_out is not None:
        rows = rows[~np.isin(rows, left_out)]
    first = dict(zip(map(tuple, digests[rows].tolist()), rows.tolist(), strict=True))
    return np.array([first.get(tuple(digest), -1) for digest in wanted.tolist()], np.int64)


def _buckets(keys: Keys, counts: Index, owners: TextNumbers, given: int) -> Ragged:
    """The buckets that a new text shares with another one: texts of the index, numbered below `given`, then new ones.

    keys: (B, M), of the new texts
    counts: (B, M), the number of texts of the index that share each key
    owners: these texts, end to end
    """
    starts = np.cumsum(counts.ravel()) - counts.ravel()
    members, lengths = [], []
    for band, key in enumerate(keys):
        order = np.argsort(key, kind="stable")
        begins, sizes = equal_runs(key[order])
        heads = band * keys.shape[1] + order[begins]
        ahead = counts.ravel()[heads]
        both = np.column_stack((ahead, sizes)).ravel()
        from_where = np.column_stack((starts[heads], len(owners) + begins)).ravel()
        inside = np.concatenate((owners, given + order))[ranges(from_where, both)]
        shared = ahead + sizes > 1
        members.append(inside[np.repeat(shared, ahead + sizes)])
        lengths.append((ahead + sizes)[shared])
    return Ragged.from_lengths(np.concatenate(members), np.concatenate(lengths))


def _after(given: int, texts: DistinctTexts) -> DistinctTexts:
    """The texts of new documents, numbered after `given` texts of the index, which come first in keep order."""
    ours = np.arange(given)
    return DistinctTexts(
        np.concatenate((ours, given + texts.first)),
        np.concatenate((ours, np.where(texts.number >= 0, given + texts.number, -1))),
        np.concatenate((ours, given + texts.rank)),
    )
