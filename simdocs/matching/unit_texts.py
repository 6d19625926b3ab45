"""The distinct texts of a collection as units, which are numbers, in a file; and where their anchors are."""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from simdocs.engines.engine import WorkerState
from simdocs.kernels import characters as kinds
from simdocs.kernels.shinglers import SHINGLERS, unit_numbers
from simdocs.kernels.units import are_stop_words, word_hashes
from simdocs.kernels.windows import anchors
from simdocs.model.documents import Documents
from simdocs.model.ragged import (
    NO_TOKENS,
    Array,
    GrowingArray,
    Index,
    Keys,
    Mask,
    Ragged,
    TextNumbers,
    Texts,
    offsets_of,
    ranges,
)
from simdocs.options.families import UNITS
from simdocs.options.recipes import Recipe, Shingling
from simdocs.pipeline.reading import Read, Reading, read_task
from simdocs.pipeline.signing import Shingled, normalised, record_texts
from simdocs.reading.read_tasks import ToRead
from simdocs.storage.spilled import KEY_PARTS, SpilledArray, SpilledRecords, key_parts

_NO_TOKENS = Ragged(NO_TOKENS, np.zeros(1, np.int64))


def numbered(texts: Texts, shingling: Shingling) -> Ragged:
    """The units of N texts as numbers, the same for equal units: N rows. All but characters are hashes of 64 bits."""
    if by_characters(shingling.unit):
        return texts.codepoints
    words = UNITS[shingling.unit].begins_at_stop_words
    rows = unit_numbers(texts, "word" if words else shingling.unit, shingling)
    found = Ragged.from_rows(rows, np.uint64)
    if not shingling.ignore_stop_words:
        return found
    return found.keep(~are_stop_words(word_hashes(texts, shingling.seed).values, shingling))


def opening(numbers: Array, unit: str) -> Mask:
    """Which units a window may begin and end with: all but spaces."""
    if not by_characters(unit):
        return np.ones(len(numbers), bool)
    return np.asarray((kinds.character_kinds(numbers.astype(np.uint32)) & kinds.WHITE) == 0)


def by_characters(unit: str) -> bool:
    """Whether the units are characters, some of which are spaces."""
    return SHINGLERS[unit].numbers is not None


NumberedTexts: TypeAlias = tuple[Ragged, list[bytes], Index, Keys]
"""The texts of the documents of a task as N rows of numbers, in which those of a text that is shorter than a window are
left out; digests of them; and where their anchors are, counted from the first unit of all, and the keys of these."""


def _number_task(task: ToRead, worker: WorkerState, recipe: Recipe, least: int) -> tuple[Read, NumberedTexts]:
    read = read_task(task, recipe.sequences, with_digests=False)
    shingling = recipe.shingling
    parts, places = list[Ragged](), [np.empty(0, np.int64)]
    for some, texts in normalised(read.raws, shingling):
        units = numbered(texts, shingling)
        record_texts(read.facts, Shingled(some, texts, _NO_TOKENS, units.lengths), shingling.k)
        places.append(some)
        parts.append(units)
    read.raws = []
    worker.tell(0.5)
    units = Ragged.concat(parts, np.uint64).take(np.argsort(np.concatenate(places)))
    lengths = np.where(units.lengths < least, 0, units.lengths)
    if lengths.sum() < len(units.values):
        units = Ragged.from_lengths(units.values[ranges(units.offsets[:-1], lengths)], lengths)
    dtype = np.uint32 if by_characters(shingling.unit) else np.uint64
    units = Ragged(units.values.astype(dtype), units.offsets)
    digests = [blake2b(units[row].tobytes(), digest_size=16).digest() for row in range(len(units))]
    return read, (units, digests, *anchors(units, opening(units.values, shingling.unit), least))


class UnitTexts:
    """The distinct texts of documents, as units that are numbers, end to end; and their anchors.

    least: the number of units in a window. unit: what the units are.
    units: of all texts. offsets: int64 (D+1,), where each text begins.
    text: int64 (N,), for each document the number of its text; -1 if it is shorter than a window.
    copies: int64 (D,), how many documents have each text.
    anchors: their keys and places among all units.
    """

    def __init__(self, unit: str, least: int) -> None:
        self.unit, self.least = unit, least
        self.units = SpilledArray(np.uint32 if by_characters(unit) else np.uint64)
        self.anchors = SpilledRecords(KEY_PARTS, 2)
        self._known = dict[bytes, int]()
        self._lengths, self._text = GrowingArray(np.int64), GrowingArray(np.int64)
        self.offsets = self.copies = self.text = np.empty(0, np.int64)

    def read(self, reading: Reading) -> Documents:
        """Read all documents."""
        work = partial(_number_task, recipe=reading.recipe, least=self.least)
        for made, taken, _ in reading.in_order(work, "reading"):
            assert made is not None, "nothing is taken over"
            self._add(*made, taken)
        self.offsets, self.text = offsets_of(self._lengths.all()), self._text.all()
        self.copies = np.bincount(self.text[self.text >= 0], minlength=len(self.offsets) - 1)
        self._known = {}
        return reading.documents()

    def _add(self, units: Ragged, digests: list[bytes], anchors: Index, keys: Keys, rows: Index) -> None:
        """Add the texts in these rows of a task: see NumberedTexts."""
        numbers, new = np.full(len(rows), -1), list[int]()
        long = units.lengths > 0
        for place, row in enumerate(rows.tolist()):
            if long[row]:
                count = len(self._known)
                numbers[place] = self._known.setdefault(digests[row], count)
                if len(self._known) > count:
                    new.append(row)
        self._text.add(numbers)
        if not new:
            return
        # Anchors keep their order, and move to where the units of their text are.
        lengths = units.lengths[new]
        begin = np.full(len(units), -1)
        begin[new] = len(self.units) + offsets_of(lengths)[:-1]
        owner = np.searchsorted(units.offsets, anchors, side="right") - 1
        some = np.flatnonzero(begin[owner] >= 0)
        owner = owner[some]
        places = anchors[some] - units.offsets[owner] + begin[owner]
        keys = keys[some]
        self.anchors.add(np.column_stack((keys, places.astype(np.uint64))), key_parts(keys))
        self._lengths.add(lengths)
        self.units.add(units.take(np.array(new)).values)

    def text_at(self, places: Index) -> TextNumbers:
        """The texts in which these units are."""
        return np.searchsorted(self.offsets, places, side="right") - 1

    def ends(self, low: int, high: int) -> Index:
        """For each unit from `low` to `high` - 1 where its text ends, counted from `low`."""
        first, last = self.text_at(np.array([low, high - 1])).tolist()
        bounds = self.offsets[first : last + 2]
        cut: Index = np.clip(bounds, low, high)
        return np.repeat(bounds[1:] - low, cut[1:] - cut[:-1])

    def close(self) -> None:
        """Remove all files."""
        self.units.close()
        self.anchors.close()
