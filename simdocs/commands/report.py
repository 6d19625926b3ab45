"""report: let me look at what dedupe found, as a page with figures, groups and what differs in their pairs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.commands.act import checked_path
from simdocs.options.answers import Drawn, Reporting, shown
from simdocs.options.families import FIGURES
from simdocs.options.file_formats import FileFormat
from simdocs.options.values import path_name

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.report import Report as ReportOfGroups


def group_of_a_figure(options: Report) -> str:
    """Only some figures show one group."""
    if options.group is None or (options.figure is not None and FIGURES[options.figure].of_group):
        return ""
    return f"--group needs --figure {' or '.join(name for name, each in FIGURES.items() if each.of_group)}"


def output_is_a_page(options: Report) -> str:
    """The output is a page, or an image of one figure."""
    suffix, wanted = options.suffix, ("html", "htm") if options.figure is None else ("svg",)
    if options.path is None or suffix in wanted:
        return ""
    if options.figure is not None:
        return f"{shown(options)}: --figure draws an image in SVG: name a file *.svg"
    image = ", or choose an image with --figure" if suffix == "svg" else ""
    return f"{shown(options)}: a report is a page of HTML: name a file *.html{image}"


class Report(Reporting, Drawn):
    """Show groups of near-duplicates as a page for a web browser.

    NAME.answer is what simdocs dedupe -o NAME.answer has saved. The page has figures, a list of all groups to search
    and sort, and the texts of pairs side by side with the words that differ. It is one file, and loads nothing from
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
    usual = ("figure", "group", "report_size", "output")
    rules = (group_of_a_figure, output_is_a_page)
    format, header = None, False

    answer: Any = b""

    def _check(self) -> Iterator[str]:
        if not isinstance(self.answer, str | bytes | os.PathLike):
            from simdocs.model.groups import Deduplication
            from simdocs.model.saved_answer import SavedAnswer

            if isinstance(self.answer, Deduplication | SavedAnswer):
                return
        values = path_name(wanted="what dedupe has found, an answer that was read, or the path of one")
        missing = (
            "nothing to report: name an answer, as in simdocs dedupe DOCS -o NAME.answer && simdocs report NAME.answer"
        )
        yield from checked_path(self, "answer", missing, values)

    @property
    def file_format(self) -> FileFormat:
        """A page, or an image of the one figure that was asked for."""
        return self.file_formats()["html" if self.figure is None else "svg"]


def answer(options: Report, run: Run) -> ReportOfGroups:  # noqa: ARG001  (as all answers)
    """The report of a saved answer, or of groups that were just found.

    UsageError: the figure cannot show the group. InputError, ArtifactError: the answer cannot be read.
    """
    from simdocs.artifacts.answer_file import read_answer
    from simdocs.commands.reported import report_of, reported
    from simdocs.model.groups import Deduplication

    reporting, given = Reporting.of(options.fields()), options.answer
    if isinstance(given, Deduplication):
        return report_of(given, reporting)
    return reported(read_answer(given) if isinstance(given, bytes) else given, reporting)
