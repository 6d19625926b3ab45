"""The passages that occur in several documents, in the order of the answer, with their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from simdocs.commands.quoted import least_units
from simdocs.commands.resolve import Resolved
from simdocs.commands.searching import NamesOf, facts_at_end, facts_read, names_for, read_in_words, why_so_few
from simdocs.engines.engine import Run
from simdocs.kernels.buckets import equal_runs
from simdocs.matching.corpus import Corpus
from simdocs.matching.repeat_places import Excerpts, Occurrences, Places, occurrences_of, places_of
from simdocs.matching.repeats import repeated_chains, repeats_of
from simdocs.matching.unit_texts import UnitTexts
from simdocs.matching.verify import Verifier
from simdocs.model.comparison import Excerpt, counted_units
from simdocs.model.documents import Documents
from simdocs.model.figures import counted
from simdocs.model.ragged import Index, offsets_of, ranges
from simdocs.model.result import (
    AT_ONCE,
    EXCERPTS,
    NAME,
    NUMBER,
    PLAIN,
    REPEATING,
    Blocks,
    Look,
    Result,
    Row,
    Table,
    table_head,
)
from simdocs.model.skipped import Skipped
from simdocs.options.families import UNITS
from simdocs.pipeline.reading import Reading

PLACES = table_head(
    passage=NUMBER, documents=NUMBER, units=NUMBER, own=NUMBER, document=NAME, begin=NUMBER, end=NUMBER, line=NUMBER
)
"""The columns of passages that occur in several documents: a row for each place."""

TEXTS = PLACES.but(PLAIN, text=NAME)
"""The same with the text of each passage, in the row of its first place."""

QUOTED = table_head(
    REPEATING,
    passage=NUMBER,
    length=NAME,
    own=NUMBER,
    documents=NUMBER,
    places=NUMBER,
    first=EXCERPTS,
    excerpt=EXCERPTS,
)
"""The columns for people: a row for each passage, with its first places and its text."""

_SHOWN = 3
"""Places of a passage that people see."""


def repeated(plan: Resolved[Any], run: Run) -> Result:
    """The passages that occur in several documents: those first that take most text beside their first place.

    A row for each place has the number of the passage, of its documents, its units and those that are its own; the name
    of the document, begin, end and line. If they are drawn, the result does not hold them.

    UsageError: a shingle has more units than the shortest passage. OutputError: there is no room for temporary files.
    """
    recipe, look, intake = plan.recipe, run.look or Look(), replace(plan.intake, with_digests=False)
    unit, least = recipe.shingling.unit, least_units(plan.options.min_passage, recipe.shingling)
    texts, excerpts = UnitTexts(unit, least), None
    try:
        reading = Reading(intake, recipe, run)
        documents = texts.read(reading)
        reading.refuse_unusable(documents)
        repeats = repeats_of(texts, repeated_chains(texts, run.progress))
        some = occurrences_of(texts, repeats)
        texts.close()
        corpus = replace(Corpus.of(documents, recipe, limit=intake.walking.max_size), ignored=intake.ignored)
        verifier = Verifier(corpus, 1.0, run)  # which reads texts again
        if look.holds_all:
            excerpts = Excerpts(len(repeats.units))
        sizes, own = repeats.units[some.passage], repeats.own[some.passage]
        places = places_of(some, repeats.units, least, verifier, excerpts)
        listed = _listed(some, places, sizes, own)
        answer = _Answer(corpus, some, places, excerpts, unit, names_for(run, documents), *listed)
        head = QUOTED if look.for_people else TEXTS if look.nested else PLACES
        with_texts = run.table(head, answer.quoted() if look.for_people else answer.rows())
    finally:
        texts.close()
        if excerpts is not None:
            excerpts.close()
    table = Table(PLACES, lambda: ([row[: len(PLACES.columns)] for row in block] for block in with_texts.blocks()))
    found, matched = len(answer.numbers), len(np.unique(some.document[answer.at]))
    facts = {
        **facts_read(documents),
        "skipped": run.skipped.counts,
        "ignored_tokens": len(intake.ignored),
        "min_passage": least,
        "passages": found,
        "places": len(answer.at),
        "matched": matched,
        "units": int(documents.facts["length"].sum()),
        "in_passages": _covered(documents, some, answer),
        "parameters": recipe.as_dict(),
        **facts_at_end(documents),
    }

    return Result(
        "passages",
        table,
        drawn=lambda look: (with_texts if look.nested else table,),
        facts=facts,
        lines=lambda seconds, _verbose: _lines(facts, documents, run.skipped, unit, seconds),
        documents=documents,
        skipped=run.skipped,
        is_found=found > 0,
    )


def _lines(
    facts: Mapping[str, Any], documents: Documents, skipped: Skipped, unit: str, seconds: float
) -> Iterator[str]:
    """Yield the lines of the summary."""
    if why := why_so_few(documents, skipped, 2):
        yield f"nothing was compared: {why}"
    yield read_in_words(documents, skipped)
    if ignored := facts["ignored_tokens"]:
        yield f"{ignored:,} tokens of templates are left out: passages of hardly anything else are not listed"
    of_length = f"of {counted_units(facts['min_passage'], unit)} or more in several documents"
    if not facts["passages"]:
        shorter = "; --min-passage finds shorter ones" if facts["units"] and not why else ""
        yield f"no passages {of_length}, in {seconds:.2f} s{shorter}"
        return
    where = f"{counted(facts['places'], 'place')} in {counted(facts['matched'], 'document')}"
    share = f"{facts['in_passages'] / max(1, facts['units']):.1%} of all {UNITS[unit].plural}"
    yield f"{counted(facts['passages'], 'passage')} {of_length}: {where}, {share}, in {seconds:.2f} s"


def _listed(some: Occurrences, places: Places, units: Index, own: Index) -> tuple[Index, ...]:
    """The passages that are in several documents of those that could be read, in the order of the answer: see _Answer.

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
    return number[begins], sizes[ranks], new_units[ranks], documents[ranks], every, offsets_of(counts)


def _covered(documents: Documents, some: Occurrences, listed: _Answer) -> int:
    """How many units are in a passage that is listed."""
    before = offsets_of(documents.facts["length"])
    begins = before[some.document[listed.at]] + some.unit[listed.at]
    ends = begins + np.repeat(listed.units, np.diff(listed.offsets))
    order = np.argsort(begins, kind="stable")
    begins, ends = begins[order], ends[order]
    reached = np.append(0, np.maximum.accumulate(ends)[:-1])[: len(ends)]
    return int(np.maximum(ends - np.maximum(begins, reached), 0).sum())


class _Answer(NamedTuple):
    """P passages in the order of the answer, and what its rows are made of.

    numbers: int64 (P,), by which their texts are kept. units, own, documents: int64 (P,).
    at: the rows of their occurrences, those of one passage after the other. offsets: int64 (P+1,).
    """

    corpus: Corpus
    some: Occurrences
    places: Places
    excerpts: Excerpts | None
    unit: str
    names: NamesOf
    numbers: Index
    units: Index
    own: Index
    documents: Index
    at: Index
    offsets: Index

    def rows(self) -> Blocks:
        """Yield a row for each place, and in the first of each passage its text, if texts are wanted.

        A place whose document has no name to print is left out.
        """
        last = -1
        passages = np.repeat(np.arange(len(self.numbers)), np.diff(self.offsets))
        for at in range(0, len(passages), AT_ONCE):
            of, block = passages[at : at + AT_ONCE], list[Row]()
            figures = (each[of].tolist() for each in (self.documents, self.units, self.own))
            places, fit = self._places(self.at[at : at + AT_ONCE])
            for passage, *row, place, fits in zip(of.tolist(), *figures, places, fit, strict=True):
                if not fits:
                    continue
                if self.excerpts is None:
                    block.append((passage + 1, *row, *place))
                else:
                    text = None if passage == last else self._excerpt(passage).passage
                    block.append((passage + 1, *row, *place, text))
                last = passage
            yield block

    def quoted(self) -> Blocks:
        """Yield a row for people for each passage, with its first places."""
        for at in range(0, len(self.numbers), AT_ONCE):
            begins, counts = self.offsets[at : at + AT_ONCE + 1][:-1], np.diff(self.offsets[at : at + AT_ONCE + 1])
            shown = np.minimum(counts, _SHOWN)
            places, fit = self._places(self.at[ranges(begins, shown)])
            ends, block = np.cumsum(shown).tolist(), list[Row]()
            for passage, total, end, size in zip(count(at), counts.tolist(), ends, shown.tolist(), strict=False):
                cut = slice(end - size, end)
                first = tuple(place for place, fits in zip(places[cut], fit[cut], strict=True) if fits)
                units, own, documents = (int(each[passage]) for each in (self.units, self.own, self.documents))
                excerpt = self._excerpt(passage)
                new = None if own == units else own
                block.append((passage + 1, excerpt.length, new, documents, total, first, excerpt))
            yield block

    def _places(self, rows: Index) -> tuple[list[tuple[Any, ...]], list[bool]]:
        """The places in these rows: document, begin, end and line; and which of them can be printed."""
        named, fit = self.names(self.corpus, self.some.document[rows], kept=True)
        return list(zip(named, *(each[rows].tolist() for each in self.places[:3]), strict=True)), fit.tolist()

    def _excerpt(self, passage: int) -> Excerpt:
        """A passage as it is at its first place."""
        assert self.excerpts is not None
        parts = self.excerpts.of(int(self.numbers[passage]))
        before, text, after = (part.decode("utf-8", "surrogateescape") for part in parts)
        return Excerpt(counted_units(int(self.units[passage]), self.unit), before, text, after)
