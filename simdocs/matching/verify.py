"""Verification of candidate pairs, for which their documents are read again; and warnings about lost documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial

import numpy as np

from simdocs.engines.engine import Run
from simdocs.kernels import jaccard
from simdocs.kernels.jaccard import bits_for
from simdocs.matching.corpus import Corpus, name_prefix
from simdocs.matching.verification_blocks import (
    BitmapFilter,
    TokenSources,
    blocks_of_pairs,
    make_bitmaps,
    numbered,
    verify_block,
)
from simdocs.model.artifact import Artifact
from simdocs.model.groups import NestedPairs, Pairs
from simdocs.model.ragged import BlockPlaces, Floats, Mask, Rows, TextNumbers, batches, distinct
from simdocs.model.skipped import ALTERED, GONE, WITHOUT_FILE, Skip
from simdocs.names import display_name, is_uri, path_from
from simdocs.pipeline.reload import found, of_unchanged_files, reload_texts

_TOGETHER = 1 << 16
"""Pairs that are verified before the bitmap filter checks the next ones."""

_MOST_DOCUMENTS = 1 << 14
"""The largest number of documents that are looked up together: their names and facts are Python objects then."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """Decides which candidate pairs of a corpus are similar. It counts and reports in its run.

    measure: what is compared with the threshold; containment needs the token sets in memory.
    exact: the exact similarity decides; otherwise the estimate.
    no_prefilter: compute the exact similarity of every candidate, however low its estimate is.
    """

    corpus: Corpus
    threshold: float
    run: Run
    _: KW_ONLY
    measure: str = "jaccard"
    exact: bool = True
    no_prefilter: bool = False
    _bitmaps: BitmapFilter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_bitmaps", BitmapFilter(len(self.corpus), self.threshold, self.measure))

    def for_corpus(self, corpus: Corpus) -> Verifier:
        """A verifier with the same rules, in the same run, for another corpus."""
        return replace(self, corpus=corpus)

    def similar(self, left: Rows, right: Rows) -> Pairs:
        """The candidate pairs at the threshold or above, in the order given."""
        tally, found = self.run.tally, list[Pairs]()
        for at in range(0, max(1, len(left)), _TOGETHER):
            lefts, rights = left[at : at + _TOGETHER], right[at : at + _TOGETHER]
            tally.candidates += len(lefts)
            if self.exact:
                pairs = self._measured(self._compared(lefts, rights))
                tally.verified += len(pairs)
                enough = pairs.score >= self.threshold
                self._bitmaps.learn(pairs.left[~enough], pairs.right[~enough])
            else:
                pairs = Pairs(lefts, rights, np.full(len(lefts), np.nan), self.corpus.estimates(lefts, rights))
                enough = pairs.score >= self.threshold
            tally.similar += int(np.count_nonzero(enough))
            if tally.watch is not None:
                tally.watch(tally)
            found.append(pairs if enough.all() else pairs.take(np.flatnonzero(enough)))
        return found[0] if len(found) == 1 else type(found[0]).concat(found)

    def _compared(self, left: Rows, right: Rows) -> Pairs:
        """Those of these pairs that may be similar and whose documents are as they were, with their exact similarity.

        In a crowd, most are dropped by bitmaps, in less time than an estimate takes.
        """
        self._make_bitmaps(self._bitmaps.lacking(left, right))
        likely = np.flatnonzero(~self._bitmaps.below(left, right))
        left, right = left[likely], right[likely]
        estimate = self.corpus.estimates(left, right)
        if not self.no_prefilter:
            likely = np.flatnonzero(~jaccard.below_prefilter(estimate, self.threshold, self.corpus.num_perm))
            left, right, estimate = left[likely], right[likely], estimate[likely]
        similarity = self.exact_jaccard(left, right)
        pairs = Pairs(left, right, similarity, estimate)
        return pairs.take(np.flatnonzero(~np.isnan(similarity)))

    def of_copies(self, left: Rows, right: Rows) -> Pairs:
        """Pairs of copies of a text."""
        pairs = Pairs.of_copies(left, right, exact=self.exact)
        return pairs if self.measure == "jaccard" else _nested(pairs, pairs.jaccard, pairs.jaccard)

    def _measured(self, pairs: Pairs) -> Pairs:
        """The pairs with the measure that is compared with the threshold, computed from their exact similarity."""
        if self.measure == "jaccard":
            return pairs
        assert self.corpus.sets_in_memory is not None
        sets, place = self.corpus.sets_in_memory
        left, right = (sets.lengths[place[rows]] for rows in (pairs.left, pairs.right))
        common = jaccard.overlaps_of(np.nan_to_num(pairs.jaccard), left, right)
        return _nested(pairs, jaccard.containments(common, left), jaccard.containments(common, right))

    def exact_jaccard(self, left: Rows, right: Rows) -> Floats:
        """The exact Jaccard similarity of pairs of rows, or NaN if a document is missing or has changed.

        Missing and changed documents are reported. Copies of a text have 1. They are checked again only if an earlier
        run read them.
        """
        similarity = np.ones(len(left))
        rows, places = numbered(np.concatenate((left, right)), len(self.corpus))
        facts = self.corpus.facts(rows)
        sizes, digests = facts["size"].copy(), facts["digest"].copy()
        del facts  # they would take as much memory as all that is looked up for the blocks below
        # From here on, documents are numbered by their places among the rows.
        lefts, rights = places[: len(left)], places[len(left) :]
        alike = digests[lefts, 0] == digests[rights, 0]
        some = np.flatnonzero(alike)
        alike[some] = (digests[lefts[some]] == digests[rights[some]]).all(axis=1)
        copies = distinct(np.concatenate((lefts[alike], rights[alike])))
        lost = copies[~self.unchanged(rows[copies])]
        similarity[alike & (np.isin(lefts, lost) | np.isin(rights, lost))] = np.nan
        unlike = np.flatnonzero(~alike)
        lefts, rights = lefts[unlike], rights[unlike]
        read = distinct(np.concatenate((lefts, rights)))  # copies were looked up above
        self.copy(rows[read])
        blocks = blocks_of_pairs(lefts, rights, sizes)
        work = partial(verify_block, shingling=self.corpus.recipe.shingling)

        def wanted() -> Iterator[tuple[TokenSources, BlockPlaces, BlockPlaces]]:
            for block in blocks:
                documents, places = numbered(np.concatenate((lefts[block], rights[block])), len(rows))
                yield self.corpus.sources(rows[documents]), places[: len(block)], places[len(block) :]

        missing = set[tuple[bytes, bytes]]()
        for block, (values, skips) in zip(blocks, self.run.engine.map(work, wanted()), strict=True):
            similarity[unlike[block]] = values
            missing |= self.report(skips)
        self.looked_for(int(self.corpus.recorded(rows[read]).sum()), missing)
        return similarity

    def confirmed(self, pairs: Pairs) -> Pairs:
        """The pairs without those of documents that are missing or have changed since an earlier run read them.

        Copies of a text need this check, because they are not read again.
        """
        if not self.exact:
            return pairs
        rows, _ = numbered(np.concatenate((pairs.left, pairs.right)), len(self.corpus))
        lost = rows[~self.unchanged(rows)]
        if not len(lost):
            return pairs
        return pairs.take(np.flatnonzero(~(np.isin(pairs.left, lost) | np.isin(pairs.right, lost))))

    def unchanged(self, rows: Rows) -> Mask:
        """Which documents are unchanged since an earlier run read them. The others are reported.

        Documents that this run has read count as unchanged.
        """
        good, missing = np.ones(len(rows), bool), set[tuple[bytes, bytes]]()
        recorded = np.flatnonzero(self.corpus.recorded(rows))
        for at in range(0, len(recorded), _MOST_DOCUMENTS):
            some = recorded[at : at + _MOST_DOCUMENTS]
            for places, request in self.corpus.requests(rows[some]):
                good[some[places]] = of_unchanged_files(request, range(len(places)))
        unsure = np.flatnonzero(~good)
        self.copy(rows[unsure])
        for cut in batches(self.corpus.facts(rows[unsure])["size"]):
            some = unsure[cut.start : cut.stop]
            for places, request in self.corpus.readings(rows[some]):
                texts, skips = reload_texts(request, list(range(len(places))), self.corpus.recipe.shingling)
                good[some[places[[place for place, _ in texts]]]] = True
                missing |= self.report(skips)
        self.looked_for(len(recorded), missing)
        return good

    def found(self, rows: Rows) -> Mask:
        """Which documents still have a file, changed or not. The others are reported. No file is read."""
        good = np.ones(len(rows), bool)
        recorded = np.flatnonzero(self.corpus.recorded(rows))
        for at in range(0, len(recorded), _MOST_DOCUMENTS):
            some = recorded[at : at + _MOST_DOCUMENTS]
            for places, request in self.corpus.requests(rows[some]):
                good[some[places]], skips = found(request)
                self.looked_for(len(places), self.report(skips))
        return good

    def copy(self, rows: Rows) -> None:
        """Copy those of these documents that cannot be read again where they are, before they are compared.

        OutputError: there is no room for the copies.
        """
        if self.exact:
            self.corpus.copy(rows, self.run)

    def lost_copies(self, rows: Rows, texts: TextNumbers) -> Mask:
        """Which documents with copies are missing or have changed since an earlier run read them.

        Only texts with several documents are checked, because another copy can take the place of a lost one. Documents
        without copies are checked when they are read again. texts: the number of each row's text.
        """
        lost = np.zeros(len(rows), bool)
        if self.exact and len(rows):
            copied = np.flatnonzero(np.bincount(texts)[texts] > 1)
            lost[copied] = ~self.unchanged(rows[copied])
        return lost

    def below_prefilter(self, left: Rows, right: Rows) -> Mask:
        """Which candidate pairs are dropped because of their estimates, without reading their documents."""
        if not self.exact or self.no_prefilter:
            return np.zeros(len(left), bool)
        return jaccard.below_prefilter(self.corpus.estimates(left, right), self.threshold, self.corpus.num_perm)

    def report(self, skips: list[Skip]) -> set[tuple[bytes, bytes]]:
        """Report documents that are missing or have changed, each once. Return the roots and names of missing ones."""
        tally = self.run.tally
        for skip in skips:
            if (skip.root, skip.name) not in tally.lost:
                tally.lost.add((skip.root, skip.name))
                tally.without_file += skip.detail == WITHOUT_FILE
                if skip.root:  # or else this run has read it
                    tally.outdated += skip.detail in (GONE, ALTERED)
                    tally.missing_from |= {skip.root} if skip.detail == GONE else set()
                self.run.skipped.add(skip._replace(root=name_prefix(None, skip.root)))
        return {(skip.root, skip.name) for skip in skips if skip.detail == GONE}

    def looked_for(self, documents: int, missing: set[tuple[bytes, bytes]]) -> None:
        """Record whether any of this number of documents of an artifact was found."""
        self.run.tally.located |= documents > len(missing)

    def _make_bitmaps(self, rows: Rows) -> None:
        """Make the bitmaps of these documents. Missing and changed documents are reported."""
        if not len(rows):
            return
        self.copy(rows)
        facts = self.corpus.facts(rows)
        self._bitmaps.bits = self._bitmaps.bits or bits_for(float(facts["length"].mean()), self.threshold)
        cuts = list(batches(facts["size"]))
        work = partial(make_bitmaps, shingling=self.corpus.recipe.shingling, bits=self._bitmaps.bits)
        wanted = (self.corpus.sources(rows[cut.start : cut.stop]) for cut in cuts)
        for cut, (maps, sizes, loaded, skips) in zip(cuts, self.run.engine.map(work, wanted), strict=True):
            self._bitmaps.add(rows[cut.start : cut.stop], maps, sizes, loaded)
            self.report(skips)


def outdated_warnings(run: Run, *artifacts: Artifact | None, texts: bool = False) -> list[str]:
    """Warnings that say what to do about documents of these artifacts that have no file, are gone or have changed.

    texts: whether the texts themselves are needed, so that token sets would be of no use.

    If the directory of all of them is missing, the warning replaces their skips.
    """
    tally, opened = run.tally, [artifact for artifact in artifacts if artifact is not None]
    names = " and ".join(artifact.name for artifact in opened)
    documents, warnings = sum(artifact.n_documents for artifact in opened), list[str]()
    if tally.without_file:
        warnings.append(
            f"{tally.without_file:,} of {documents:,} documents of {names} came from memory, standard input or a FIFO,"
            " and cannot be read again to be compared" + ("" if texts else ": give their token sets with --shingles")
        )
    if not tally.outdated:
        return warnings
    missing = {} if tally.located else {root: _missing(root, tally.lost) for root in sorted(tally.missing_from)}
    of = f" of {opened[0].name}" if len(opened) == 1 else ""
    if missing and all(missing.values()):
        run.skipped.explained.add("unverified")
        return warnings + [_nothing_found(of, root, gone) for root, gone in missing.items()]
    some = f"{tally.outdated:,} of {documents:,} documents"
    lost = "is gone or has changed" if tally.outdated == 1 else "are gone or have changed"
    built = "was built: build it again" if len(opened) == 1 else "were built: build them again"
    others = ", or give the directory where they are now with --root" if missing else ""
    return [*warnings, f"{some} {lost} since {names} {built}{others}"]


def _missing(root: bytes, lost: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The path of the missing directory because of which a lost document is gone; empty if none is missing."""
    gone = document = path_from(root, min(name for where, name in lost if where == root))
    if is_uri(gone):
        return b""
    while (above := os.path.dirname(gone)) != gone and not os.path.lexists(above):
        gone = above
    return b"" if gone == document else gone


def _nothing_found(of: str, root: bytes, gone: bytes) -> str:
    """The warning that no document was found below a root, because a directory is missing, and what to do."""
    wrong = f"no document{of} was found in {display_name(root)}, because {display_name(gone)} is missing"
    if len(gone) <= len(root):
        return f"{wrong}: if it was moved or renamed, give its new name with --root"
    moved = "if it was moved, give the directory where it is now with --root"
    return f"{wrong}: {moved}; if it was renamed, build the artifact again"


def _nested(pairs: Pairs, containment: Floats, converse: Floats) -> NestedPairs:
    return NestedPairs(
        left=pairs.left,
        right=pairs.right,
        jaccard=pairs.jaccard,
        estimate=pairs.estimate,
        containment=containment,
        converse=converse,
    )
