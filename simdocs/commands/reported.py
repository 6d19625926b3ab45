"""A report of what dedupe found: its groups, and what differs in their pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from simdocs.commands.saved_texts import texts_of
from simdocs.errors import UsageError
from simdocs.kernels import jaccard
from simdocs.matching.difference import difference
from simdocs.matching.measures import token_sets
from simdocs.model.figures import counted
from simdocs.model.groups import Deduplication
from simdocs.model.passages import Difference, Passage
from simdocs.model.ragged import Floats
from simdocs.model.report import (
    MOST_IN_MATRIX,
    GroupTable,
    Report,
    ShownGroup,
    chosen_pairs,
    pairs_shown,
    unreadable,
)
from simdocs.model.saved_answer import SavedAnswer, SavedDocument
from simdocs.model.skipped import Skipped
from simdocs.options.answers import Reporting
from simdocs.options.families import FIGURES

_NAMED = 3
"""Reasons that a note names."""

_UNIT = "words"
"""The unit of the differences."""


def report_of(found: Deduplication, reporting: Reporting) -> Report:
    """The report of groups that were just found. Texts that were in memory are shown, too."""
    held = {found.documents.raw_name(row): text for row, text in found.documents.held.items()}
    return reported(found.saved(), reporting, held, found.skipped)


def reported(
    answer: SavedAnswer,
    reporting: Reporting,
    held: Mapping[bytes, bytes] | None = None,
    skipped: Skipped | None = None,
) -> Report:
    """The report of an answer, or what one figure needs of it.

    held: texts that are in memory, by name. skipped: the documents that this run did not compare, if it did compare.
    UsageError: the figure cannot show the group.
    """
    groups, figure, most_bytes = GroupTable.of(answer), reporting.figure, reporting.report_size
    if figure is None:
        shown = tuple(_shown(answer, groups, dict(chosen_pairs(groups, most_bytes)), held or {}))
    else:
        place = _place(groups, reporting.group) if FIGURES[figure].of_group else None
        chosen = {} if place is None else {place: range(1, int(groups.sizes[place]))}
        shown, most_bytes = tuple(_shown(answer, groups, chosen, held or {}, differ=False)), 0
    missing, pairs = unreadable(shown), pairs_shown(shown)
    counts = {name: getattr(answer, name) for name in ("documents", "kept", "groups", "duplicates")}
    facts = {
        **counts,
        **({} if answer.changed is None else {"changed": answer.changed}),
        "skipped": dict(answer.skipped),
        "pairs_shown": pairs,
        "unreadable": len(missing),
        "seconds": None,
    }

    def lines(seconds: float, _verbose: bool) -> Iterator[str]:
        kept = f"{answer.kept:,} kept" if answer.changed is None else f"{answer.changed:,} new or changed"
        found = f"{counted(answer.documents, 'document')}, {kept}; "
        found += f"{counted(answer.duplicates, 'duplicate')} in {counted(answer.groups, 'group')}"
        what = f": figure {figure}" if figure else f"; what differs is shown for {counted(pairs, 'pair')}"
        yield f"{found}{what}, in {seconds:.2f} s"

    notes = list[str]()
    if missing:
        more = f", and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
        notes.append(f"some texts are not in the report: {'; '.join(missing[:_NAMED])}{more}")
    of_report = answer, groups, shown, most_bytes, figure
    return Report(*of_report, facts=facts, lines=lines, notes=notes, skipped=skipped or Skipped())


def _place(groups: GroupTable, number: int | None) -> int | None:
    """The place of a group whose documents are all compared; by default, of the largest. None: there is none.

    UsageError: no group has this number, or it is too large.
    """
    if number is None:
        small = np.flatnonzero(groups.sizes <= MOST_IN_MATRIX)
        return int(small[0]) if len(small) else None
    found = np.flatnonzero(groups.number == number)
    if not len(found):
        there = f"groups are numbered from 0 to {len(groups) - 1:,}" if len(groups) else "there are no groups"
        raise UsageError(f"--group {number}: {there}")
    if (size := int(groups.sizes[found[0]])) > MOST_IN_MATRIX:
        problem = f"it has {size:,} documents, and a figure shows {MOST_IN_MATRIX} at most"
        raise UsageError(f"--group {number}: {problem}")
    return int(found[0])


def _shown(
    answer: SavedAnswer,
    groups: GroupTable,
    chosen: Mapping[int, Sequence[int]],
    held: Mapping[bytes, bytes],
    *,
    differ: bool = True,
) -> Iterator[ShownGroup]:
    """Yield what is shown of these pairs, group by group. chosen: duplicates by group, as `chosen_pairs` has them.

    differ: whether differences are shown, and not only which texts cannot be.
    """
    members = _members(answer, groups, chosen)
    wanted = [document for each in members.values() for document in each.values()]
    texts = texts_of(answer, wanted, held)
    for place, of_group in members.items():
        found = {at: texts[document.name, document.root] for at, document in of_group.items()}
        pairs = {at: (found[0], found[at]) for at in chosen[place]}
        if not differ:
            pairs = {at: pair for at, pair in pairs.items() if str in map(type, pair)}
        differences = {at: _difference(answer, *pair) for at, pair in pairs.items()}
        complete = len(found) == int(groups.sizes[place]) <= MOST_IN_MATRIX and (not differ or len(found) > 2)
        yield ShownGroup(place, differences, _matrix(answer, list(found.values())) if complete else None)


def _members(
    answer: SavedAnswer, groups: GroupTable, chosen: Mapping[int, Sequence[int]]
) -> dict[int, dict[int, SavedDocument]]:
    """The chosen documents of each group: the kept one at 0, and its duplicates from 1."""
    place_of = {int(groups.number[place]): place for place in chosen}
    found = dict[int, dict[int, SavedDocument]]({place: {} for place in chosen})
    met, at = -1, 0
    for pair in answer.pairs():
        at = at + 1 if pair.group == met else 1
        met, place = pair.group, place_of.get(pair.group, -1)
        if place < 0 or at not in chosen[place]:
            continue
        found[place].setdefault(0, pair.kept)
        found[place][at] = pair.duplicate
    return found


def _difference(answer: SavedAnswer, kept: bytes | str, duplicate: bytes | str) -> Difference:
    """The difference of two texts as UTF-8, or why one of them cannot be shown."""
    if isinstance(kept, str) or isinstance(duplicate, str):
        return Difference(_UNIT, "", (), ", ".join(each for each in (kept, duplicate) if isinstance(each, str)))
    if kept == duplicate:
        text = kept.decode("utf-8", "surrogateescape")
        return Difference(_UNIT, _UNIT, (Passage(True, text, text),) if text else ())
    return difference(kept, duplicate, answer.recipe.shingling, _UNIT)


def _matrix(answer: SavedAnswer, texts: Sequence[bytes | str]) -> Floats | None:
    """How similar each two of these texts are; None if one of them cannot be read."""
    read = [text for text in texts if isinstance(text, bytes)]
    if len(read) < len(texts):
        return None
    sets = token_sets(read, answer.recipe.shingling, answer.ignored)
    left, right = np.triu_indices(len(sets), 1)
    found = np.eye(len(sets))
    found[left, right] = found[right, left] = jaccard.exact(sets, left, right)
    return found
