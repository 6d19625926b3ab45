"""Explanations: for each document, why it is kept, or a duplicate of another one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from simdocs.commands.blocks import PrintedNames, RecordedNames
from simdocs.kernels.lsh.bucket_sample import bands_that_agree
from simdocs.matching.groups.decision import Decision
from simdocs.model import documents as flags
from simdocs.model import explanation as why
from simdocs.model.answers import Block
from simdocs.model.deduplication import ComponentFacts
from simdocs.model.explanation import EXPLAINED, EXPLAINED_COMPONENTS, ExplainedDocument, Link
from simdocs.model.groups import Pairs
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Array, Floats, Index, Mask, Rows
from simdocs.parameters.recipes import Bands

_COLUMNS = [column.name for column in EXPLAINED_COMPONENTS.columns]

_AT_ONCE = 1 << 10
"""Documents in one block. The links of their chains take 70 MB at most."""


def explanations(
    decision: Decision, bands: Bands | None, names: PrintedNames | RecordedNames, *, in_groups: bool
) -> Iterator[list[ExplainedDocument]]:
    """Yield why documents are kept or duplicates, in blocks.

    bands: the bands that found candidates, if any.
    names: makes the names. A document whose name cannot be printed is left out.
    in_groups: begin each group with its kept document; otherwise documents are in the order of their rows.
    """
    rows = _Rows.of(decision, in_groups=in_groups)
    explainer = _Explainer(decision, bands, names)
    for at in range(0, len(rows.kept), _AT_ONCE):
        yield explainer.of(rows.take(slice(at, at + _AT_ONCE)))


def explained_blocks(decision: Decision, bands: Bands | None, printed: PrintedNames) -> Iterator[Block]:
    """Yield the explanations of all documents, group by group, with the names of those that can be printed."""
    head = EXPLAINED if decision.components is None else EXPLAINED_COMPONENTS
    yield Block(head, [])
    for some in explanations(decision, bands, printed, in_groups=True):
        yield Block(head, [document.row(len(head.columns)) for document in some])


def explained_documents(decision: Decision, bands: Bands | None, names: RecordedNames) -> tuple[ExplainedDocument, ...]:
    """The explanations of all documents, in the order of the documents."""
    return tuple(chain.from_iterable(explanations(decision, bands, names, in_groups=False)))


@dataclass(frozen=True, slots=True)
class _Rows:
    """The documents to explain.

    kept: the kept document of each one's group.
    pairs: each document (right) with the one that it was compared with (left; -1: none).
    """

    kept: Rows
    pairs: Pairs

    @classmethod
    def of(cls, decision: Decision, *, in_groups: bool) -> _Rows:
        kept = np.union1d(decision.kept(), decision.pairs.left)
        unknown = np.full(len(kept), np.nan)
        alone = Pairs(np.full(len(kept), -1), kept, unknown, unknown)
        if (near := decision.nearest) is not None:
            found = near.take(np.flatnonzero(np.isin(near.right, kept)))
            alone = Pairs.concat([alone.take(np.flatnonzero(~np.isin(kept, found.right))), found])
        of_group, every = np.concatenate((alone.right, decision.pairs.left)), Pairs.concat([alone, decision.pairs])
        grouped = (every.right, of_group != every.right, of_group)
        order = np.lexsort(grouped) if in_groups else np.argsort(every.right)
        return cls(of_group[order], every.take(order))

    def take(self, cut: slice) -> _Rows:
        return _Rows(self.kept[cut], self.pairs.take(np.arange(len(self.kept))[cut]))

    @property
    def is_kept(self) -> Mask:
        return np.asarray(self.kept == self.pairs.right)


class _Explainer:
    def __init__(self, decision: Decision, bands: Bands | None, names: PrintedNames | RecordedNames) -> None:
        self._decision, self._bands, self._name = decision, bands, names
        size = len(decision.corpus)
        pairs = decision.pairs if decision.every_pair is None else decision.every_pair
        self._documents = np.bincount(pairs.left, minlength=size) + 1
        self._to_kept = np.full(size, np.nan)
        np.fmin.at(self._to_kept, pairs.left, pairs.score)

    def of(self, rows: _Rows) -> list[ExplainedDocument]:
        """Why these documents are kept or duplicates."""
        pairs, is_kept = rows.pairs, rows.is_kept
        kept, fit = self._names(rows.kept, kept=True)
        names, compared = kept.copy(), [None if alone else name for name, alone in zip(kept, is_kept, strict=True)]
        links = self._links(rows, fit)
        self._replace(names, np.flatnonzero(~is_kept), pairs.right, fit, kept=False)
        self._replace(compared, np.flatnonzero(is_kept & (pairs.left >= 0)), pairs.left, fit, kept=True)
        columns = zip(
            *(kept, names, self._reasons(rows), compared),
            *(_known(pairs.jaccard), _known(pairs.estimate), self._met(pairs)),
            [None if self._bands is None else self._bands.bands] * len(kept),
            *(self._documents[rows.kept].tolist(), _known(self._to_kept[rows.kept])),
            *(*self._looseness(rows.kept), links),
            strict=True,
        )
        fitting = (row for row, fits in zip(columns, fit.tolist(), strict=True) if fits)
        return [ExplainedDocument(**dict(zip(_COLUMNS, row, strict=True))) for row in fitting]

    def _names(self, rows: Rows, *, kept: bool) -> tuple[list[Any], Mask]:
        names, fit = self._name.of(self._decision.corpus, rows, kept=kept)
        return [name_to_text(name) if isinstance(name, bytes) else name for name in names], fit

    def _replace(self, names: list[Any], places: Index, rows: Rows, fit: Mask, *, kept: bool) -> None:
        """Put the names of rows[places] in these places. Where one cannot be printed, it is not fit."""
        found, fits = self._names(rows[places], kept=kept)
        fit[places] &= fits
        for place, name in zip(places.tolist(), found, strict=True):
            names[place] = name

    def _reasons(self, rows: _Rows) -> list[str]:
        decision, right, is_kept = self._decision, rows.pairs.right, rows.is_kept
        its, own = decision.corpus.facts(rows.kept), decision.corpus.facts(right)
        cases = {
            why.INDEXED: right < len(decision.of_index),
            why.EMPTY: own["flags"] & flags.EMPTY != 0,
            why.IGNORED: own["flags"] & flags.IGNORED != 0,
            why.CAPPED: np.isin(right, decision.capped),
            why.UNVERIFIED: is_kept & self._lost(right),
            why.CHOSEN: is_kept & (self._documents[right] > 1),
            why.UNMATCHED: is_kept,
            why.IDENTICAL: (its["digest"] == own["digest"]).all(axis=1),
            why.SIMILAR: rows.pairs.score >= decision.verifier.threshold,
        }
        reasons: list[str] = np.select(list(cases.values()), list(cases), why.LINKED).tolist()
        return reasons

    def _lost(self, rows: Rows) -> Mask:
        """Which of these documents, which this run has read, were gone or had changed when they were read again."""
        lost = {name for root, name in self._decision.verifier.run.tally.lost if not root}
        return np.array([name in lost for name in self._decision.corpus.names(rows)] if lost else [False] * len(rows))

    def _met(self, pairs: Pairs) -> list[tuple[int, ...] | None]:
        """The numbers of the bands, from 1, in which each pair agrees; None for a document that is in no pair."""
        if self._bands is None:
            return [None] * len(pairs)
        of_pair = np.flatnonzero(pairs.left >= 0)
        left, right = (self._decision.corpus.signature_rows(side[of_pair]) for side in (pairs.left, pairs.right))
        met: list[tuple[int, ...] | None] = [None] * len(pairs)
        for place, agree in zip(of_pair.tolist(), bands_that_agree(left, right, self._bands), strict=True):
            met[place] = tuple((np.flatnonzero(agree) + 1).tolist())
        return met

    def _looseness(self, kept: Rows) -> tuple[list[float | None], list[bool | None]]:
        """The smallest similarity of any two documents of these components, and whether all pairs were compared."""
        components = self._decision.components
        if components is None or not len(components.kept):
            return [None] * len(kept), [None] * len(kept)
        place = np.minimum(np.searchsorted(components.kept, kept), len(components.kept) - 1)
        grouped = components.kept[place] == kept
        complete = zip(components.complete[place].tolist(), grouped.tolist(), strict=True)
        smallest = np.where(grouped, components.pairwise[place], np.nan)
        return _known(smallest), [one if known else None for one, known in complete]

    def _links(self, rows: _Rows, fit: Mask) -> list[tuple[Link, ...] | None]:
        """The chain of each duplicate; None for a kept document. Where a name cannot be printed, it is not fit."""
        links: list[tuple[Link, ...] | None] = [None] * len(rows.kept)
        if (chains := self._decision.chains) is None:
            return links
        linked = np.flatnonzero(~rows.is_kept)
        found = [Pairs.empty(), *map(chains.to, rows.pairs.right[linked].tolist())]
        every, ends = Pairs.concat(found), list(accumulate(map(len, found)))
        names, fits = self._names(every.right, kept=False)
        of_all = list(map(Link, names, _known(every.jaccard), every.estimate.tolist()))
        for row, (begin, end) in zip(linked.tolist(), pairwise(ends), strict=True):
            links[row] = tuple(of_all[begin:end])
            fit[row] &= fits[begin:end].all()
        return links


def _known(values: Floats | Array) -> list[float | None]:
    """The values, with None for NaN."""
    return [None if math.isnan(value) else value for value in values.tolist()]


def component_facts(decision: Decision) -> tuple[ComponentFacts, ...] | None:
    """The facts of each component, the loosest first; None if there are no components."""
    found = decision.components
    if found is None:
        return None
    order = sorted(range(len(found.kept)), key=lambda at: (found.pairwise[at], found.kept[at]))
    return tuple(
        ComponentFacts(
            decision.corpus.printed_names(found.kept[at : at + 1])[0],
            int(found.size[at]),
            _rounded(found.to_kept[at]),
            _rounded(found.pairwise[at]),
            bool(found.complete[at]),
        )
        for at in order
    )


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 6)
