"""The passages that a text has in common with others, and where they are in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simdocs.kernels import characters as kinds
from simdocs.kernels.common_runs import Edges, common_runs
from simdocs.kernels.normalise import Origins, origins
from simdocs.kernels.shinglers import SHINGLERS, normalised_texts, text_tokens
from simdocs.kernels.units import Units
from simdocs.matching.difference import line_begins
from simdocs.model.comparison import CommonPassage
from simdocs.model.ragged import NO_TOKENS, Array, Index, Mask, Texts, Tokens, joined
from simdocs.options.recipes import Shingling

_UNITS_AT_ONCE = 1 << 16
"""Units that are Python objects at the same time."""

_ABSENT = -1
"""The number of a unit that the first text does not have."""


class PlacedUnits(NamedTuple):
    """The U units of one text, and their places in the text as it was decoded.

    text: the decoded text.
    numbers: (U,) integers, equal for equal units.
    starts, stops: int64 (U,), the code points of the normalised text that each unit has.
    opens, closes: bool (U,), whether a passage can begin or end with the unit: it is no space, and is not made of a
        part of a character.
    signs: bool (n,), which code points of the normalised text are in no unit, and neither spaces nor parts of words.
    codepoints: (n,), the normalised text.
    origins: where they come from.
    lines: int64, where the lines of the text begin.
    counted: int64, the first unit of each shingle that is not left out, ascending; None: no shingle is.
    """

    text: str
    numbers: Array
    starts: Index
    stops: Index
    opens: Mask
    closes: Mask
    signs: Mask
    codepoints: Array
    origins: Origins
    lines: Index
    counted: Index | None


class MappedText(NamedTuple):
    """A text with its units, and where they come from.

    text: as it was decoded. normal: as it was normalised, alone in its batch. units, origins: of that.
    """

    text: str
    normal: Texts
    units: Units
    origins: Origins

    @classmethod
    def of(cls, raw: bytes, shingling: Shingling) -> MappedText:
        """A text in UTF-8."""
        normal = normalised_texts(joined([raw]), shingling)
        text = raw.decode("utf-8", "surrogateescape")
        mapped = origins(text, joined([raw]), shingling.normalisation, lines=shingling.by_lines)
        return cls(text, normal, SHINGLERS[shingling.unit].units(normal, shingling), mapped)

    def counted(self, shingling: Shingling, ignored: Tokens) -> Index:
        """The first unit of each shingle that is not left out: int64, ascending."""
        layout = SHINGLERS[shingling.unit].layout(self.normal, self.units, shingling)
        return layout.firsts[~np.isin(text_tokens(self.normal, shingling).values, ignored)]


class PassageSearch:
    """Finds the passages of at least a number of units that texts have in common with others.

    They are the runs of `common_runs`, of units that are equal when normalised. Units are compared themselves and not
    their hashes. A passage of characters neither begins nor ends with spaces. One of words has also the signs before
    and after it that both texts have there, up to the next space.

    firsts: the first texts.
    """

    def __init__(self, firsts: Sequence[bytes], shingling: Shingling, least: int, ignored: Tokens = NO_TOKENS) -> None:
        """firsts: UTF-8. least: the number of units, at least k. ignored: tokens that are left out; a passage of no
        other tokens is not found."""
        self._shingling, self._least, self._ignored = shingling, least, ignored
        self._known = dict[bytes, int]()
        self.firsts = [self.placed(text, is_first=True) for text in firsts]

    def placed(self, raw: bytes, *, is_first: bool = False) -> PlacedUnits:
        """The units of a text in UTF-8. is_first: it is one of the first ones."""
        mapped = MappedText.of(raw, self._shingling)
        text, texts, units, found = mapped
        codepoints = texts.codepoints.values
        kind = kinds.character_kinds(codepoints)
        inside = np.zeros(len(codepoints) + 1, np.int8)
        inside[units.starts] += 1
        inside[units.stops] -= 1
        other = kinds.WHITE | kinds.WORD | kinds.MARK
        return PlacedUnits(
            text=text,
            numbers=self._numbers(texts, units, grows=is_first),
            starts=units.starts,
            stops=units.stops,
            opens=found.opens[units.starts] & ((kind[units.starts] & kinds.WHITE) == 0),
            closes=found.closes[units.stops - 1] & ((kind[units.stops - 1] & kinds.WHITE) == 0),
            signs=((kind & other) == 0) & (np.cumsum(inside, dtype=np.int8)[:-1] == 0),
            codepoints=codepoints,
            origins=found,
            lines=line_begins(text)[:-1],
            counted=mapped.counted(self._shingling, self._ignored) if is_first and len(self._ignored) else None,
        )

    def _numbers(self, texts: Texts, units: Units, *, grows: bool) -> Array:
        """A number for each unit, the same for equal ones. grows: those that are new get a number, and not _ABSENT."""
        numbers = SHINGLERS[self._shingling.unit].numbers
        if numbers is not None:
            return numbers(texts)[0].astype(np.uint32)
        out, known, data = np.empty(len(units.starts), np.int64), self._known, texts.data.tobytes()
        for at in range(0, len(out), _UNITS_AT_ONCE):
            some = slice(at, at + _UNITS_AT_ONCE)
            begins, sizes = (each.tolist() for each in texts.byte_spans(units.starts[some], units.stops[some]))
            words = [data[begin : begin + size] for begin, size in zip(begins, sizes, strict=True)]
            if grows:
                out[some] = [known.setdefault(word, len(known)) for word in words]
            else:
                out[some] = [known.get(word, _ABSENT) for word in words]
        return out

    def passages(self, number: int, other: PlacedUnits) -> list[CommonPassage]:
        """The passages that one of the first texts has in common with another one: those with most units first, and
        then in the order of the first text.

        A run is cut once more if the other text has only a part of a character at its ends.
        """
        first, found = self.firsts[number], list[CommonPassage]()
        edges = Edges.of(first.opens, first.closes, self._least)
        if first.counted is not None:  # a passage must also have a shingle that is not left out
            never = len(first.opens)
            shingle = np.append(first.counted, never)[np.searchsorted(first.counted, np.arange(never + 1))]
            edges = edges._replace(least=np.maximum(edges.least, shingle + self._shingling.k))
        runs = common_runs(first.numbers, other.numbers, self._least, edges)
        for a, b, size in zip(*(each.tolist() for each in runs), strict=True):
            opens = first.opens[a : a + size] & other.opens[b : b + size]
            closes = first.closes[a : a + size] & other.closes[b : b + size]
            skipped, last = int(opens.argmax()), size - 1 - int(closes[::-1].argmax())
            if opens[skipped] and closes[last] and a + last + 1 >= edges.least[a + skipped]:
                found.append(_passage(first, other, (a + skipped, b + skipped), last - skipped + 1))
        return sorted(found, key=lambda passage: (-passage.units, passage.a_begin))


def _passage(a: PlacedUnits, b: PlacedUnits, firsts: tuple[int, int], units: int) -> CommonPassage:
    """The passage of this number of units from these on, with the signs at its ends that both texts have."""
    begins = [int(text.starts[first]) for text, first in zip((a, b), firsts, strict=True)]
    ends = [int(text.stops[first + units - 1]) for text, first in zip((a, b), firsts, strict=True)]
    before, after = _common_signs(a, b, begins, -1), _common_signs(a, b, ends, 1)
    (a_begin, a_end, a_line), (b_begin, b_end, b_line) = (
        _place(text, begin - before, end + after) for text, begin, end in zip((a, b), begins, ends, strict=True)
    )
    return CommonPassage(a_begin, a_end, a_line, b_begin, b_end, b_line, units)


def _place(text: PlacedUnits, begin: int, end: int) -> tuple[int, int, int]:
    """Where these code points of a normalised text begin and end in the decoded one, and in which line they begin."""
    first = int(text.origins.begins[begin])
    return first, int(text.origins.ends[end - 1]), int(np.searchsorted(text.lines, first, side="right"))


def _common_signs(a: PlacedUnits, b: PlacedUnits, edges: list[int], step: int) -> int:
    """How many signs both texts have after these edges (step 1), or before them (step -1)."""
    left, right = (edge if step > 0 else edge - 1 for edge in edges)
    count = most = 0
    while 0 <= left < len(a.signs) and 0 <= right < len(b.signs) and a.signs[left] and b.signs[right]:
        if a.codepoints[left] != b.codepoints[right]:
            break
        count += 1
        fits = (each.closes if step > 0 else each.opens for each in (a.origins, b.origins))
        if all(ends[place] for ends, place in zip(fits, (left, right), strict=True)):
            most = count
        left, right = left + step, right + step
    return most
