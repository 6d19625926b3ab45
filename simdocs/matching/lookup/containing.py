"""Documents of an index that contain documents asked about.

Signatures say nothing about that. So either a sketch of the index tells the candidates, or all documents are read
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simdocs.errors import mention, suggested
from simdocs.kernels.compare.containment import Parts, containers, containments
from simdocs.kernels.compare.jaccard import of_overlaps
from simdocs.matching.documents.concatenated import ConcatenatedCorpus
from simdocs.matching.lookup.index_matches import Lookup, MatchBlock, ranked
from simdocs.matching.lookup.index_texts import IndexTexts
from simdocs.matching.lookup.sketched import sketch_candidates
from simdocs.matching.verification.token_sets import token_sets
from simdocs.matching.verification.verify import Verifier
from simdocs.model.groups import ContainedPairs
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Ragged, offsets_of, row_blocks

_BYTES_AT_ONCE = 1 << 23
"""Text of the documents asked about that are looked for at once, while the index is read: at most 1 token a byte."""


def find_containing(lookup: Lookup, *, by_sketch: bool = False) -> Iterator[MatchBlock]:
    """Yield all documents of the index that contain a document asked about, block by block, in row order.

    by_sketch: find candidates by the sketch of the index, and read only these. With the probability that the recall of
    the index states, no match is missed. Without it, no match is missed, and the whole index is read for each block.
    """
    indexed, asked, verifier = lookup.indexed, lookup.asked, lookup.verifier
    wholes, filled = _Wholes(lookup), lookup.filled
    for begin, end in row_blocks(offsets_of(asked.documents.facts["size"][filled]), _BYTES_AT_ONCE):
        pairs = _contained(wholes, filled[begin:end], by_sketch=by_sketch)
        if not lookup.itself:
            pairs = pairs.take(np.flatnonzero(~lookup.same(pairs.left, pairs.right)))
        rows, place = np.unique(pairs.right, return_inverse=True)
        both = ConcatenatedCorpus(indexed.some(rows), asked.corpus)
        pairs = replace(pairs, left=len(rows) + pairs.left, right=place)
        pairs = replace(pairs, estimate=both.estimates(pairs.left, pairs.right))
        yield MatchBlock(both, ranked(both, verifier.for_corpus(both).confirmed(pairs), lookup.top), rows)


class _Wholes:
    """The texts of the index, which may contain others. All of them are listed when they are first needed."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self._all: IndexTexts | None = None

    def some(self, firsts: Rows) -> IndexTexts:
        """The texts whose first documents in the index these are."""
        return IndexTexts.of(self.lookup.index, self.lookup.indexed, self.lookup.verifier, firsts)

    def all(self, why: str) -> IndexTexts:
        """All texts. why: this is needed, for people who want explanations."""
        if self._all is None:
            lookup = self.lookup
            self._all = IndexTexts.of(lookup.index, lookup.indexed, lookup.verifier)
            if lookup.indexed.sets is None:
                lookup.verifier.run.explain(f"reading all {len(self._all.firsts):,} texts of the index again, {why}")
        return self._all


def _contained(wholes: _Wholes, rows: Rows, *, by_sketch: bool) -> ContainedPairs:
    """The pairs of these documents asked about with those of the index that contain them, with all copies."""
    lookup, verifier = wholes.lookup, wholes.lookup.verifier
    sets = Ragged.concat([sets for _, sets in token_sets(verifier.for_corpus(lookup.asked.corpus), rows)], np.uint32)
    if not by_sketch:
        why, sketch = f"because {mention('exact')} compares with every text", ""
        if not verifier.no_prefilter:  # no exact join is asked for, which would read all texts in any case
            why, sketch = "because it has no sketch", f"build it with {suggested('index', containment=True)}, or "
        why += f": to avoid that, {sketch}give its token sets with {mention('shingles')}"
        return _compared(verifier, wholes.all(why), rows, sets)
    found = sketch_candidates(lookup.index, sets, verifier.threshold, lookup.index.recipe.banding.recall)
    near, undecided = np.flatnonzero(~found.undecided), np.flatnonzero(found.undecided)
    verifier.run.tally.candidates += len(found.places)
    texts = wholes.some(found.firsts)
    pairs = _compared(verifier, texts, near, sets.take(near), len(found.places))
    # Whether a pair is found must not depend on what else is asked about.
    same_as = lookup.index["same_as"].all()
    pairs = pairs.take(np.flatnonzero(found.have(pairs.left, same_as[pairs.right].astype(np.int64))))
    pairs = replace(pairs, left=rows[pairs.left])
    if not len(undecided):
        return pairs
    verifier.run.tally.undecided += len(undecided)
    short = "document is" if len(undecided) == 1 else "documents are"
    why = f"because {len(undecided):,} {short} too short for its sketch"
    return ContainedPairs.concat([pairs, _compared(verifier, wholes.all(why), rows[undecided], sets.take(undecided))])


def _compared(
    verifier: Verifier, texts: IndexTexts, rows: Rows, asked: Ragged, pairs: int | None = None
) -> ContainedPairs:
    """The pairs of these sets with the texts that contain them, with all copies of each text.

    rows: the number of each set, for the result. pairs: how many pairs count as verified; None: all.
    """
    tally, parts = verifier.run.tally, Parts.of(asked, verifier.threshold)
    found = [ContainedPairs.empty()]
    for at, sets in token_sets(verifier, texts.firsts):
        left, right, common = containers(parts, sets)
        sizes = parts.sets.lengths[left]
        jaccard = of_overlaps(common, sizes, sets.lengths[right])
        found.append(ContainedPairs(rows[left], at + right, jaccard, jaccard, containments(common, sizes)))
        tally.verified += len(sets) * len(asked) if pairs is None else 0
    tally.verified += pairs or 0
    contained = ContainedPairs.concat(found)
    copies = texts.copies.take(contained.right)
    return replace(contained.take(np.repeat(np.arange(len(contained)), copies.lengths)), right=copies.values)
