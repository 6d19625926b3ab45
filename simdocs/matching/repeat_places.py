"""Where passages are in the documents as they were decoded, for which the documents are read again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from simdocs.engines.engine import WorkerState
from simdocs.kernels.buckets import equal_runs
from simdocs.matching.difference import line_begins
from simdocs.matching.passage_search import MappedText
from simdocs.matching.repeats import Repeats
from simdocs.matching.unit_texts import UnitTexts
from simdocs.matching.verify import Verifier
from simdocs.model.comparison import excerpt_of
from simdocs.model.ragged import Array, Index, Mask, Ragged, Rows, Tokens, batches, offsets_of
from simdocs.model.skipped import Skip
from simdocs.options.families import UNITS
from simdocs.options.recipes import Shingling
from simdocs.pipeline.again import ReloadRequest, reload_texts
from simdocs.storage.spilled import SpilledArray


class Occurrences(NamedTuple):
    """R occurrences of passages in documents. Each is int64 (R,).

    passage: the number of the passage. document: the row of the document. unit: the unit of the document with which it
    begins.
    """

    passage: Index
    document: Rows
    unit: Index

    def take(self, some: Array) -> Occurrences:
        """These occurrences."""
        return Occurrences(*(each[some] for each in self))


def occurrences_of(texts: UnitTexts, repeats: Repeats) -> Occurrences:
    """All occurrences of passages, by document, then by passage and place."""
    owners = Ragged.from_lengths(
        np.argsort(texts.text, kind="stable")[np.count_nonzero(texts.text < 0) :], texts.copies
    )
    text = texts.text_at(repeats.places.values)
    copies = texts.copies[text]
    passage = np.repeat(np.repeat(np.arange(len(repeats.units)), repeats.places.lengths), copies)
    found = Occurrences(
        passage, owners.take(text).values, np.repeat(repeats.places.values - texts.offsets[text], copies)
    )
    return found.take(np.lexsort((found.unit, found.passage, found.document)))


class Places(NamedTuple):
    """Where R occurrences are.

    begin, end, line: int64 (R,), characters of the decoded text, and the line in which it begins.
    read: bool (R,), whether the document could be read again, and was the same.
    counts: bool (R,), whether it has as many tokens that are not left out as the shortest passage has.
    """

    begin: Index
    end: Index
    line: Index
    read: Mask
    counts: Mask


class Excerpts:
    """The texts of passages, in a file: each with what is around it."""

    def __init__(self, passages: int) -> None:
        self._bytes = SpilledArray(np.uint8)
        self._cuts = np.full((passages, 4), -1)

    def has(self) -> Mask:
        """Which passages have a text."""
        return self._cuts[:, 0] >= 0

    def add(self, passage: int, parts: tuple[bytes, bytes, bytes]) -> None:
        """Add a passage, with what is before and after it, in UTF-8."""
        self._cuts[passage] = len(self._bytes) + offsets_of(np.array(list(map(len, parts))))
        self._bytes.add(np.frombuffer(b"".join(parts), np.uint8))

    def of(self, passage: int) -> tuple[bytes, bytes, bytes]:
        """What is before a passage, the passage, and what is after it."""
        first, begin, end, last = self._cuts[passage].tolist()
        data = self._bytes.read(first, last).tobytes()
        return data[: begin - first], data[begin - first : end - first], data[end - first :]

    def close(self) -> None:
        """Remove the file."""
        self._bytes.close()


_Spans: TypeAlias = tuple[ReloadRequest, Ragged, Index, Mask]
"""Documents to read again; the first units of passages in each, their numbers of units, and which texts are wanted."""

_InDocument: TypeAlias = tuple[int, Array, Mask, list[tuple[int, tuple[bytes, bytes, bytes]]]]
"""The place of a document, and for its passages: where they are, whether they count, and wanted texts."""


def _placed(
    spans: _Spans, _state: WorkerState, shingling: Shingling, ignored: Tokens, least: int
) -> tuple[list[_InDocument], list[Skip]]:
    """The places of passages in these documents, and the skips of those that cannot be read again."""
    request, units, sizes, wanted = spans
    read, skips = reload_texts(request, shingling)
    found = list[_InDocument]()
    for place, raw in read:
        first, end = units.offsets[place : place + 2].tolist()
        begins, stops = units[place], units[place] + sizes[first:end]
        mapped = MappedText.of(raw, shingling)
        counts = np.ones(len(begins), bool)
        if len(ignored):
            counted = mapped.counted(shingling, ignored)
            left = np.searchsorted(counted, stops - shingling.k + 1) - np.searchsorted(counted, begins)
            # Shingles that begin at stop words are fewer than windows, so any of them counts.
            counts = left > (0 if UNITS[shingling.unit].begins_at_stop_words else least - shingling.k)
        characters = mapped.origins.begins[mapped.units.starts[begins]]
        lines = np.searchsorted(line_begins(mapped.text)[:-1], characters, side="right")
        where = np.column_stack((characters, mapped.origins.ends[mapped.units.stops[stops - 1] - 1], lines))
        here = np.flatnonzero(wanted[first:end]).tolist()
        texts = [(at, _excerpt(mapped.text, *where[at, :2].tolist())) for at in here]
        found.append((place, where, counts, texts))
    return found, skips


def _excerpt(text: str, begin: int, end: int) -> tuple[bytes, bytes, bytes]:
    """What is before a passage, the passage, and what is after it."""
    before, passage, after = (each.encode("utf-8", "surrogateescape") for each in excerpt_of(text, begin, end, "")[1:])
    return before, passage, after


def places_of(some: Occurrences, units: Index, least: int, verifier: Verifier, excerpts: Excerpts | None) -> Places:
    """The places of occurrences. Documents that are gone or have changed are reported.

    some: by document. units: the number of units of each passage, at least `least`. excerpts: collects the texts of all
    passages that have a place.
    """
    sizes, rows = units[some.passage], np.arange(len(some.passage))
    out = Places(*np.zeros((3, len(rows)), np.int64), *np.zeros((2, len(rows)), bool))
    while len(rows):
        _read(some, rows, sizes[rows], least, verifier, excerpts, out)
        # The document that had the first place may be gone.
        rows = rows[:0] if excerpts is None else np.flatnonzero(out.read & ~excerpts.has()[some.passage])
    return out


def _read(
    some: Occurrences,
    rows: Index,
    sizes: Index,
    least: int,
    verifier: Verifier,
    excerpts: Excerpts | None,
    out: Places,
) -> None:
    """Write the places of these occurrences. sizes: their numbers of units."""
    corpus, run = verifier.corpus, verifier.run
    every, out.read[rows] = some.take(rows), False
    begins, _ = equal_runs(every.document)
    bounds = np.append(begins, len(rows))
    documents = every.document[begins]
    wanted = np.zeros(len(rows), bool)
    if excerpts is not None:
        _, first = np.unique(every.passage, return_index=True)
        wanted[first] = True
    corpus.copy(documents, run, texts=True)
    cuts = list(batches(corpus.facts(documents)["size"]))

    def tasks() -> Iterator[_Spans]:
        for cut in cuts:
            ((_, request),) = corpus.readings(documents[cut.start : cut.stop])
            here = slice(int(bounds[cut.start]), int(bounds[cut.stop]))
            spans = Ragged(every.unit[here], bounds[cut.start : cut.stop + 1] - bounds[cut.start])
            yield request, spans, sizes[here], wanted[here]

    shingling = corpus.recipe.shingling
    work = partial(_placed, shingling=shingling, ignored=corpus.ignored, least=least)
    for cut, (found, skips) in zip(cuts, run.engine.map(work, tasks()), strict=True):
        verifier.report(skips)
        for place, where, counts, texts in found:
            begin = int(bounds[cut.start + place])
            these = rows[begin : int(bounds[cut.start + place + 1])]
            out.begin[these], out.end[these], out.line[these] = where.T
            out.read[these], out.counts[these] = True, counts
            for at, parts in texts:
                if excerpts is not None:
                    excerpts.add(int(every.passage[begin + at]), parts)
        run.progress("reading again", cut.stop, len(documents))
