"""Where passages are in the documents as they were decoded, for which the documents are read again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np

from simdocs.engines.engine import WorkerState
from simdocs.kernels.buckets import equal_runs
from simdocs.matching.difference import line_begins
from simdocs.matching.passage_search import MappedText
from simdocs.matching.repeats import Repeats
from simdocs.matching.unit_texts import UnitTexts, by_characters
from simdocs.matching.verify import Verifier
from simdocs.model.comparison import excerpt_of
from simdocs.model.ragged import Array, Index, Mask, Ragged, Rows, Tokens, batches, offsets_of, ranges
from simdocs.model.skipped import Skip
from simdocs.options.families import UNITS
from simdocs.options.recipes import Shingling
from simdocs.pipeline.again import ReloadRequest
from simdocs.pipeline.reload import reload_texts
from simdocs.storage.spilled import SpilledArray

_UNITS_AT_ONCE = 1 << 16
"""Units that are copied at once."""

_END = np.uint32(0xFFFFFFFF)
"""Stands after each unit of a passage before its digest is computed."""


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
    digest: uint64 (R, 2), equal for equal units.
    read: bool (R,), whether the document could be read again, and was the same.
    counts: bool (R,), whether it has as many tokens that are not left out as the shortest passage has.
    """

    begin: Index
    end: Index
    line: Index
    digest: Array
    read: Mask
    counts: Mask

    @classmethod
    def none(cls, count: int) -> Places:
        """The places of occurrences of which nothing is known."""
        begin, end, line = (np.zeros(count, np.int64) for _ in range(3))
        return cls(begin, end, line, np.zeros((count, 2), np.uint64), np.zeros(count, bool), np.zeros(count, bool))


class Excerpts:
    """The texts of passages, in a file: each with what is around it."""

    def __init__(self, passages: int) -> None:
        self._bytes = SpilledArray(np.uint8)
        self._cuts = np.full((passages, 4), -1)

    def make_room(self, passages: int) -> None:
        """Let there be this number of passages."""
        more = np.full((max(0, passages - len(self._cuts)), 4), -1)
        self._cuts = np.concatenate((self._cuts, more))

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

_InDocument: TypeAlias = tuple[int, Array, bytes, Mask, list[tuple[int, tuple[bytes, bytes, bytes]]]]
"""The place of a document, and for its passages: where they are, digests, whether they count, and wanted texts."""


def _placed(
    spans: _Spans, _state: WorkerState, shingling: Shingling, ignored: Tokens, least: int
) -> tuple[list[_InDocument], list[Skip]]:
    """The places of passages in these documents, and the skips of those that cannot be read again."""
    request, units, sizes, wanted = spans
    read, skips = reload_texts(request, list(range(len(units))), shingling)
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
        digests = _digests(mapped, begins, stops, marked=not by_characters(shingling.unit))
        found.append((place, where, digests, counts, texts))
    return found, skips


def _excerpt(text: str, begin: int, end: int) -> tuple[bytes, bytes, bytes]:
    """What is before a passage, the passage, and what is after it."""
    before, passage, after = (each.encode("utf-8", "surrogateescape") for each in excerpt_of(text, begin, end, "")[1:])
    return before, passage, after


def _digests(mapped: MappedText, begins: Index, stops: Index, *, marked: bool) -> bytes:
    """The digests of the units of passages, 16 bytes each. marked: there is a mark after each unit."""
    points = mapped.normal.codepoints.values
    if marked:
        starts, sizes = mapped.units.starts, mapped.units.stops - mapped.units.starts
        cuts = offsets_of(sizes + 1)
        flat = np.full(cuts[-1], _END)
        for at in range(0, len(starts), _UNITS_AT_ONCE):
            some = slice(at, at + _UNITS_AT_ONCE)
            flat[ranges(cuts[:-1][some], sizes[some])] = points[ranges(starts[some], sizes[some])]
        begins, stops = cuts[begins], cuts[stops]
    else:
        flat = points.astype(np.uint32)
    data = flat.view(np.uint8).data
    each = zip((4 * begins).tolist(), (4 * stops).tolist(), strict=True)
    return b"".join(blake2b(data[begin:end], digest_size=16).digest() for begin, end in each)


def places_of(
    some: Occurrences, units: Index, least: int, verifier: Verifier, excerpts: Excerpts | None
) -> tuple[Occurrences, Places]:
    """The places of occurrences. Documents that are gone or have changed are reported.

    The occurrences are returned, too: units that differ may have equal hashes, and then those of them that are equal
    become a passage with another number. some: by document. units: the number of units of each passage, at least
    `least`. excerpts: collects the texts of all passages that have a place.
    """
    out = Places.none(len(some.passage))
    _read(some, np.arange(len(some.passage)), units[some.passage], least, verifier, excerpts, out)
    sizes = units[some.passage]
    some = some._replace(passage=_told_apart(some.passage, out, len(units)))
    while excerpts is not None:
        # The document that had the first place may be gone.
        excerpts.make_room(int(some.passage.max(initial=0)) + 1)
        lacking = np.flatnonzero(out.read & ~excerpts.has()[some.passage])
        if not len(lacking):
            break
        _read(some, lacking, sizes[lacking], least, verifier, excerpts, out)
    return some, out


def _told_apart(passage: Index, places: Places, count: int) -> Index:
    """The passages of occurrences, with numbers from `count` on for those that differ from the first one."""
    read = np.flatnonzero(places.read)
    found, first = np.unique(passage[read], return_index=True)
    heads = read[first[np.searchsorted(found, passage[read])]]
    others = read[(places.digest[read] != places.digest[heads]).any(axis=1)]
    if not len(others):
        return passage
    keys = np.column_stack((passage[others].astype(np.uint64), places.digest[others]))
    _, number = np.unique(keys, axis=0, return_inverse=True)
    passage = passage.copy()
    passage[others] = count + number.ravel()
    return passage


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
    every = some.take(rows)
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
        for place, where, digests, counts, texts in found:
            begin = int(bounds[cut.start + place])
            these = rows[begin : int(bounds[cut.start + place + 1])]
            out.begin[these], out.end[these], out.line[these] = where.T
            out.digest[these] = np.frombuffer(digests, np.uint64).reshape(-1, 2)
            out.read[these], out.counts[these] = True, counts
            for at, parts in texts:
                if excerpts is not None:
                    excerpts.add(int(every.passage[begin + at]), parts)
        run.progress("reading again", cut.stop, len(documents))
