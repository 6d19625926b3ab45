"""dedupe with `passages`: which passages occur in several documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simdocs.commands.blocks import PrintedNames, RecordedNames, given_names_of
from simdocs.commands.passages import least_units
from simdocs.commands.resolve import Resolved
from simdocs.corpora.containers.recognise import looking_like
from simdocs.engines.run import Run
from simdocs.matching.corpus import Corpus
from simdocs.matching.repeats.places import Excerpts, Occurrences, Places, occurrences_of, places_of
from simdocs.matching.repeats.repeated_texts import repeats_of
from simdocs.matching.repeats.repeated_windows import repeated_chains
from simdocs.matching.repeats.unit_texts import UnitTexts
from simdocs.matching.verification.verify import Verifier
from simdocs.model.answers import Delivery
from simdocs.model.common_passages import Excerpt, counted_units
from simdocs.model.documents import Documents
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Index, offsets_of, ranges, row_blocks
from simdocs.model.repeated_passages import RepeatedPassage, RepeatedPassages, RepeatPlace, block_of
from simdocs.parameters.recipes import SignatureRecipe
from simdocs.pipeline.prepare import files_of, refuse_unusable
from simdocs.pipeline.reading import Reading
from simdocs.requests.searching import DedupeRequest

_AT_ONCE = 1 << 12
"""Rows of an answer in one block."""

_SHOWN = 3
"""Places of a passage that people see."""


class _Listed(NamedTuple):
    """P passages in the order of the answer.

    numbers: int64 (P,), by which their texts are kept. units, documents: int64 (P,).
    rows: the rows of their occurrences, those of one passage after the other. offsets: int64 (P+1,).
    """

    numbers: Index
    units: Index
    documents: Index
    rows: Index
    offsets: Index


def repeated_passages(plan: Resolved[DedupeRequest, SignatureRecipe], run: Run, delivery: Delivery) -> RepeatedPassages:
    """The passages that occur in several documents.

    delivery: if it takes the answer in blocks, the result does not hold it. UsageError: a shingle has more units than
    the shortest passage. OutputError: there is no room for temporary files.
    """
    recipe, intake = plan.recipe, plan.intake
    unit, least = recipe.shingling.unit, least_units(plan.request.in_common, recipe.shingling)
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
        sizes = repeats.units[some.passage]
        some, places = places_of(some, repeats.units, verifier, least, excerpts)
        listed = _listed(some, places, sizes)
        answer = _Answer(corpus, some, places, listed, excerpts, unit)
        passages = answer.deliver(run, delivery, RecordedNames(documents, given_names_of(None)))
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


def _listed(some: Occurrences, places: Places, units: Index) -> _Listed:
    """The passages that are in several documents of those that could be read, in the order of the answer.

    units: the number of units of each occurrence.
    """
    rows = np.flatnonzero(places.read & places.counts)
    rows = rows[np.lexsort((some.unit[rows], some.document[rows], some.passage[rows]))]
    number, document = some.passage[rows], some.document[rows]
    new = np.append(True, np.diff(number) != 0)[: len(rows)]
    begins = np.flatnonzero(new)
    ends = np.append(begins[1:], len(rows))
    first_of_document = new | np.append(True, np.diff(document) != 0)[: len(rows)]
    documents = np.add.reduceat(first_of_document, begins, dtype=np.int64) if len(begins) else begins
    kept = np.flatnonzero(documents > 1)
    begins, ends, documents = begins[kept], ends[kept], documents[kept]
    heads = rows[begins]
    sizes = units[heads]
    ranks = np.lexsort((sizes, some.unit[heads], some.document[heads], -(documents - 1) * sizes))
    begins, ends = begins[ranks], ends[ranks]
    every = rows[ranges(begins, ends - begins)]
    return _Listed(number[begins], sizes[ranks], documents[ranks], every, offsets_of(ends - begins))


def _covered(documents: Documents, some: Occurrences, listed: _Listed) -> int:
    """How many units are in a passage that is listed."""
    before = offsets_of(documents.facts["length"])
    begins = before[some.document[listed.rows]] + some.unit[listed.rows]
    ends = begins + np.repeat(listed.units, np.diff(listed.offsets))
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], ends[order]
    reached = np.append(0, np.maximum.accumulate(ends)[:-1])[: len(ends)]
    return int(np.maximum(ends - np.maximum(begins, reached), 0).sum())


class _Answer(NamedTuple):
    """What the answer is made of."""

    corpus: Corpus
    some: Occurrences
    places: Places
    listed: _Listed
    excerpts: Excerpts | None
    unit: str

    def deliver(self, run: Run, delivery: Delivery, recorded: RecordedNames) -> tuple[RepeatedPassage, ...]:
        """Hand over the passages in blocks, or return them."""
        if delivery.take is None:
            return tuple(passage for block in self._blocks(recorded, None) for passage in block)
        look = delivery.look
        if not look.for_people:
            delivery.take(block_of((), look))
        for block in self._blocks(PrintedNames(run.skipped), _SHOWN if look.for_people else None):
            delivery.take(block_of(block, look))
        return ()

    def _blocks(self, names: PrintedNames | RecordedNames, most: int | None) -> Iterator[list[RepeatedPassage]]:
        listed = self.listed
        for first, end in row_blocks(listed.offsets, _AT_ONCE):
            rows = listed.rows[listed.offsets[first] : listed.offsets[end]]
            named, fit = names.of(self.corpus, self.some.document[rows], kept=True)
            columns = (each[rows].tolist() for each in self.places[:3])
            if isinstance(names, RecordedNames):
                named = [name_to_text(each) if isinstance(each, bytes) else each for each in named]
            every = list(map(RepeatPlace, named, *columns))
            can_be = fit.tolist()
            block = list[RepeatedPassage]()
            for at in range(first, end):
                begin, stop = (int(listed.offsets[each] - listed.offsets[first]) for each in (at, at + 1))
                printed = [every[place] for place in range(begin, stop) if can_be[place]]
                block.append(self._passage(at, printed, most))
            yield block

    def _passage(self, at: int, places: list[RepeatPlace], most: int | None) -> RepeatedPassage:
        listed, units = self.listed, int(self.listed.units[at])
        parts: tuple[Any, ...] = (b"", b"", b"")
        if self.excerpts is not None:
            parts = self.excerpts.of(int(listed.numbers[at]))
        before, passage, after = (each.decode("utf-8", "surrogateescape") for each in parts)
        excerpt = Excerpt(counted_units(units, self.unit), before, passage, after)
        return RepeatedPassage(at + 1, int(listed.documents[at]), units, len(places), tuple(places[:most]), excerpt)
