"""report: let me look at what dedupe found, as a page with groups, what differs in their pairs, and figures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.options.answers import Drawn, shown
from simdocs.options.declaration import option
from simdocs.options.families import FIGURES
from simdocs.options.values import SIZE, UNITS_OF_SIZE, choice, path_name

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.comparison import Difference
    from simdocs.model.groups import SavedAnswer
    from simdocs.model.report import GroupTable
    from simdocs.model.report import Report as ReportOfGroups


class Report(Drawn):
    """Show groups of near-duplicates as a page for a web browser.

    NAME.answer is what simdocs dedupe -o NAME.answer has saved. The page has a list of all groups to search and sort,
    the texts of pairs side by side with the words that differ, and figures. It is one file, and loads nothing from
    elsewhere.
    """

    command = "report"
    takes = MappingProxyType({"answer": ("NAME.answer", 1, False)})
    without = frozenset(("format", "header"))
    examples = (
        "simdocs report found.answer -o report.html",
        "simdocs report found.answer --report-size 100MB -o report.html",
        "simdocs report found.answer --figure similarities -o similarities.svg",
    )
    usual = ("figure", "report_size", "output")
    format, header = None, False

    answer: Any = b""

    figure: str | None = option(choice(FIGURES), help="Draw one figure alone, as an image for -o NAME.svg.")
    report_size: int = option(
        SIZE,
        default=20_000_000,
        described="20MB",
        help=f"Put at most SIZE of texts into a report, those of the largest groups first. {UNITS_OF_SIZE}",
        metavar="SIZE",
    )

    def _check(self) -> Iterator[str]:
        if self.path is not None and self.suffix not in (("html", "htm") if self.figure is None else ("svg",)):
            wanted = "a report is a page of HTML: name a file *.html, or choose an image with --figure"
            if self.figure is not None:
                wanted = "--figure draws an image in SVG: name a file *.svg"
            yield f"{shown(self)}: {wanted}"
        if not isinstance(self.answer, str | bytes | os.PathLike):
            from simdocs.model.groups import Deduplication, SavedAnswer

            if isinstance(self.answer, Deduplication | SavedAnswer):
                return
        values = path_name(wanted="what dedupe has found, an answer that was read, or the path of one")
        missing = (
            "nothing to report: name an answer, as in simdocs dedupe DOCS -o NAME.answer && simdocs report NAME.answer"
        )
        yield from self.checked_argument("answer", values, missing)

    @property
    def page(self) -> str:
        """A page, or an image of the one figure that was asked for."""
        return "html" if self.figure is None else "svg"


def answer(options: Report, run: Run) -> ReportOfGroups:  # noqa: ARG001  (as all answers)
    """The report of a saved answer, or of groups that were just found, of which texts in memory are shown, too.

    InputError, ArtifactError: the answer cannot be read.
    """
    from simdocs.artifacts.answer_file import read_answer
    from simdocs.model.figures import counted
    from simdocs.model.groups import Deduplication
    from simdocs.model.report import GroupTable, chosen_pairs, differences
    from simdocs.model.report import Report as ReportOfGroups
    from simdocs.model.skipped import Skipped

    answer, figure, held, skipped = options.answer, options.figure, dict[bytes, bytes](), Skipped()
    if isinstance(answer, Deduplication):
        documents = answer.documents
        held = {documents.raw_name(row): text for row, text in documents.held.items()}
        skipped = answer.skipped or skipped
        answer = answer.saved()
    elif isinstance(answer, bytes):
        answer = read_answer(answer)
    groups = GroupTable.of(answer)
    texts = _differences(answer, groups, {} if figure else dict(chosen_pairs(groups, options.report_size)), held)
    pairs, missing = differences(texts)
    facts = {
        **{name: getattr(answer, name) for name in ("documents", "kept", "groups", "duplicates")},
        **({} if answer.changed is None else {"changed": answer.changed}),
        "skipped": answer.skipped,
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
    given = answer, groups, texts, options.report_size, figure
    return ReportOfGroups(*given, facts=facts, lines=lines, notes=notes, skipped=skipped)


_NAMED = 3
"""Reasons that a note names."""

_UNIT = "words"
"""The unit of the differences."""


def _differences(
    answer: SavedAnswer, groups: GroupTable, chosen: Mapping[int, Sequence[int]], held: Mapping[bytes, bytes]
) -> dict[int, dict[int, Difference | str]]:
    """What is shown of these pairs: see Report. chosen: duplicates by group, as `chosen_pairs` has them."""
    from simdocs.commands.saving import texts_of
    from simdocs.matching.difference import difference
    from simdocs.model.comparison import Difference, Passage

    place_of = {int(groups.number[place]): place for place in chosen}
    pairs, met, at = list[tuple[int, int, Any]](), -1, 0
    for pair in answer.pairs():
        at = at + 1 if pair.group == met else 1
        met = pair.group
        place = place_of.get(met, -1)
        if place >= 0 and at in chosen[place]:
            pairs.append((place, at, pair))
    texts = texts_of(answer, (each for *_, pair in pairs for each in (pair.kept, pair.duplicate)), held)
    found: dict[int, dict[int, Difference | str]] = {place: {} for place in chosen}
    for place, at, pair in pairs:
        kept, duplicate = (texts[each.name, each.root] for each in (pair.kept, pair.duplicate))
        if isinstance(kept, str) or isinstance(duplicate, str):
            found[place][at] = ", ".join(dict.fromkeys(each for each in (kept, duplicate) if isinstance(each, str)))
        elif kept == duplicate:
            text = kept.decode("utf-8", "surrogateescape")
            found[place][at] = Difference(_UNIT, _UNIT, (Passage(True, text, text),) if text else ())
        else:
            found[place][at] = difference(kept, duplicate, answer.recipe.shingling, _UNIT)
    return found
