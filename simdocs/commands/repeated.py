"""The passages that occur in several documents, in the order of the answer, with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from simdocs.commands.blocks import PrintedNames, RecordedNames, given_names_of
from simdocs.commands.quoted import least_units
from simdocs.commands.resolve import Resolved
from simdocs.corpora.containers.recognise import looking_like
from simdocs.engines.run import Run
from simdocs.kernels.buckets import equal_runs
from simdocs.matching.corpus import Corpus
from simdocs.matching.repeat_places import Excerpts, Occurrences, Places, occurrences_of, places_of
from simdocs.matching.repeats import repeated_chains, repeats_of
from simdocs.matching.unit_texts import UnitTexts
from simdocs.matching.verify import Verifier
from simdocs.model.common_passages import Excerpt, counted_units
from simdocs.model.documents import Documents
from simdocs.model.ragged import Index, offsets_of, ranges
from simdocs.model.repeated_passages import RepeatedPassage, RepeatedPassages, RepeatPlace, block_of
from simdocs.names import name_to_text
from simdocs.pipeline.prepare import files_of, refuse_unusable
from simdocs.pipeline.reading import Reading

_AT_ONCE = 1 << 12
"""Rows of an answer in one block."""

_SHOWN = 3
"""Places of a passage that people see."""


class _Listed(NamedTuple):
    """P passages in the order of the answer.

    numbers: int64 (P,), by which their texts are kept. units, own, documents: int64 (P,).
    rows: the rows of their occurrences, those of one passage after the other. offsets: int64 (P+1,).
    """

    numbers: Index
    units: Index
    own: Index
    documents: Index
    rows: Index
    offsets: Index


def repeated(plan: Resolved[Any], run: Run) -> RepeatedPassages:
    """The passages that occur in several documents. If they are taken in blocks, the result does not hold them.

    UsageError: a shingle has more units than the shortest passage. OutputError: there is no room for temporary files.
    """
    recipe, intake, delivery = plan.recipe, plan.intake, run.delivery
    unit, least = recipe.shingling.unit, least_units(plan.options.min_passage, recipe.shingling)
    texts, excerpts = UnitTexts(unit, least), None
    try:
        reading = Reading(files_of(intake, run), intake.walking.max_size, recipe, run)
        documents = texts.read(reading)
        refuse_unusable(documents, intake, reading)
        repeats = repeats_of(texts, repeated_chains(texts, run.progress))
        some = occurrences_of(texts, repeats)
        texts.close()
        corpus = replace(Corpus.of(documents, recipe, limit=intake.walking.max_size), ignored=intake.ignored)
        verifier = Verifier(corpus, plan.threshold, run)
        if delivery.take is None or delivery.look.holds_all:
            excerpts = Excerpts(len(repeats.units))
        sizes, own = repeats.units[some.passage], repeats.own[some.passage]
        some, places = places_of(some, repeats.units, least, verifier, excerpts)
        listed = _listed(some, places, sizes, own)
        passages = _Answer(corpus, some, places, listed, excerpts, unit).deliver(run)
    finally:
        texts.close()
        if excerpts is not None:
            excerpts.close()
    return RepeatedPassages(
        documents=documents,
        passages=passages,
        recipe=recipe,
        least=least,
        found=len(listed.numbers),
        places=len(listed.rows),
        matched=len(np.unique(some.document[listed.rows])),
        covered=_covered(documents, some, listed),
        total=int(documents.facts["length"].sum()),
        skipped=run.skipped,
        looks_like=tuple(looking_like(documents)),
        ignored=len(intake.ignored),
    )


def _listed(some: Occurrences, places: Places, units: Index, own: Index) -> _Listed:
    """The passages that are in several documents of those that could be read, in the order of the answer.

    units, own: those of each occurrence.
    """
    rows = np.flatnonzero(places.read & places.counts)
    rows = rows[np.lexsort((some.unit[rows], some.document[rows], some.passage[rows]))]
    number, document = some.passage[rows], some.document[rows]
    begins, counts = equal_runs(number)
    first_of_document = np.append(True, np.diff(document) != 0)[: len(rows)]
    first_of_document[begins] = True
    documents = np.add.reduceat(first_of_document, begins, dtype=np.int64) if len(begins) else begins
    kept = np.flatnonzero(documents > 1)
    begins, counts, documents = begins[kept], counts[kept], documents[kept]
    heads = rows[begins]
    sizes, new_units = units[heads], own[heads]
    saved, more = (documents - 1) * new_units, (documents - 1) * sizes
    ranks = np.lexsort((sizes, some.unit[heads], some.document[heads], -more, -saved))
    begins, counts = begins[ranks], counts[ranks]
    every = rows[ranges(begins, counts)]
    return _Listed(number[begins], sizes[ranks], new_units[ranks], documents[ranks], every, offsets_of(counts))


def _covered(documents: Documents, some: Occurrences, listed: _Listed) -> int:
    """How many units are in a passage that is listed."""
    before = offsets_of(documents.facts["length"])
    begins = before[some.document[listed.rows]] + some.unit[listed.rows]
    ends = begins + np.repeat(listed.units, np.diff(listed.offsets))
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], ends[order]
    reached = np.append(0, np.maximum.accumulate(ends)[:-1])[: len(ends)]
    return int(np.maximum(ends - np.maximum(begins, reached), 0).sum())


class _Piece(NamedTuple):
    """Some places of a passage: the passage, and from which to which place of all."""

    passage: int
    begin: int
    end: int


class _Answer(NamedTuple):
    """What the answer is made of."""

    corpus: Corpus
    some: Occurrences
    places: Places
    listed: _Listed
    excerpts: Excerpts | None
    unit: str

    def deliver(self, run: Run) -> tuple[RepeatedPassage, ...]:
        """Hand over the passages in blocks, or return them."""
        take, look = run.delivery.take, run.delivery.look
        if take is None:
            recorded = RecordedNames(self.corpus.documents, given_names_of(None))
            return tuple(self._passages(list(self._pieces(None, None)), recorded))
        names = PrintedNames(run.skipped)
        if not look.for_people:
            take(block_of((), look))
        waiting, size = list[_Piece](), 0
        for piece in self._pieces(_SHOWN if look.for_people else None, _AT_ONCE):
            waiting.append(piece)
            size += piece.end - piece.begin
            if size >= _AT_ONCE:
                take(block_of(self._passages(waiting, names), look))
                waiting, size = [], 0
        if waiting:
            take(block_of(self._passages(waiting, names), look))
        return ()

    def _pieces(self, most: int | None, at_once: int | None) -> Iterator[_Piece]:
        """Yield the first places of each passage, or all, some at a time."""
        for at, (first, end) in enumerate(pairwise(self.listed.offsets.tolist())):
            stop = end if most is None else min(end, first + most)
            for begin in range(first, stop, at_once or stop - first):
                yield _Piece(at, begin, min(stop, begin + at_once) if at_once else stop)

    def _passages(self, pieces: Sequence[_Piece], names: PrintedNames | RecordedNames) -> list[RepeatedPassage]:
        """Passages with some of their places. A place whose document has no name to print is left out."""
        listed = self.listed
        begins, ends = (np.array([each[side] for each in pieces], np.int64) for side in (1, 2))
        rows = listed.rows[ranges(begins, ends - begins)]
        named, fit = names.of(self.corpus, self.some.document[rows], kept=True)
        if isinstance(names, RecordedNames):
            named = [name_to_text(each) if isinstance(each, bytes) else each for each in named]
        places = map(RepeatPlace, named, *(each[rows].tolist() for each in self.places[:3]))
        every = list(zip(places, fit.tolist(), strict=True))
        found, done = list[RepeatedPassage](), 0
        for at, begin, end in pieces:
            first, total = int(listed.offsets[at]), int(listed.offsets[at + 1] - listed.offsets[at])
            printed = tuple(place for place, can_be in every[done : done + end - begin] if can_be)
            done += end - begin
            documents, units, own = (int(each[at]) for each in (listed.documents, listed.units, listed.own))
            excerpt = self._excerpt(at) if begin == first else None
            found.append(RepeatedPassage(at + 1, documents, units, own, total, printed, excerpt))
        return found

    def _excerpt(self, at: int) -> Excerpt | None:
        """A passage as it is at its first place."""
        if self.excerpts is None:
            return None
        before, passage, after = (
            each.decode("utf-8", "surrogateescape") for each in self.excerpts.of(int(self.listed.numbers[at]))
        )
        return Excerpt(counted_units(int(self.listed.units[at]), self.unit), before, passage, after)
