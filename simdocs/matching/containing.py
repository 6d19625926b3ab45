"""Documents of an index that contain documents asked about. Signatures say nothing about that: all are read again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simdocs.errors import mention
from simdocs.kernels.compare.containment import Parts, containers, containments
from simdocs.kernels.compare.jaccard import of_overlaps
from simdocs.matching.concatenated import ConcatenatedCorpus
from simdocs.matching.corpus import Corpus
from simdocs.matching.index_matches import Lookup, MatchBlock, ranked
from simdocs.matching.index_texts import IndexTexts
from simdocs.matching.token_sets import token_sets
from simdocs.matching.verify import Verifier
from simdocs.model.groups import ContainedPairs
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Ragged, offsets_of, row_blocks

_BYTES_AT_ONCE = 1 << 23
"""Text of the documents asked about that are looked for at once, while the index is read: at most 1 token a byte."""


def find_containing(lookup: Lookup) -> Iterator[MatchBlock]:
    """Yield all documents of the index that contain a document asked about, block by block, in row order.

    No match is missed. The whole index is read for each block.
    """
    indexed, asked, verifier = lookup.indexed, lookup.asked, lookup.verifier
    texts, filled = IndexTexts.of(lookup.index, indexed, verifier), lookup.filled
    if indexed.sets is None:
        verifier.run.explain(
            f"reading all {len(texts.firsts):,} texts of the index again, because signatures do not tell the"
            f" containment: with {mention('shingles')} that is not needed"
        )
    for begin, end in row_blocks(offsets_of(asked.documents.facts["size"][filled]), _BYTES_AT_ONCE):
        pairs = _with_copies(texts, _contained(verifier, texts.firsts, asked.corpus, filled[begin:end]))
        if not lookup.itself:
            pairs = pairs.take(np.flatnonzero(~lookup.same(pairs.left, pairs.right)))
        rows, place = np.unique(pairs.right, return_inverse=True)
        both = ConcatenatedCorpus(indexed.some(rows), asked.corpus)
        pairs = replace(pairs, left=len(rows) + pairs.left, right=place)
        pairs = replace(pairs, estimate=both.estimates(pairs.left, pairs.right))
        yield MatchBlock(both, ranked(both, verifier.for_corpus(both).confirmed(pairs), lookup.top), rows)


def _with_copies(texts: IndexTexts, pairs: ContainedPairs) -> ContainedPairs:
    """The pairs with all copies of the text on the right, instead of its number."""
    copies = texts.copies.take(pairs.right)
    return replace(pairs.take(np.repeat(np.arange(len(pairs)), copies.lengths)), right=copies.values)


def _contained(verifier: Verifier, wholes: Rows, asked: Corpus, rows: Rows) -> ContainedPairs:
    """The pairs of these rows of `asked` with the documents that contain them, as places among `wholes`."""
    tally, of_asked = verifier.run.tally, verifier.for_corpus(asked)
    parts = Parts.of(Ragged.concat([sets for _, sets in token_sets(of_asked, rows)], np.uint32), verifier.threshold)
    found = [ContainedPairs.empty()]
    for at, sets in token_sets(verifier, wholes):
        left, right, common = containers(parts, sets)
        sizes = parts.sets.lengths[left]
        jaccard = of_overlaps(common, sizes, sets.lengths[right])
        found.append(ContainedPairs(rows[left], at + right, jaccard, jaccard, containments(common, sizes)))
        tally.verified += len(sets) * len(parts.sets)
    return ContainedPairs.concat(found)
