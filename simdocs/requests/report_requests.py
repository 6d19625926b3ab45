"""What the command line does with an answer: how it is drawn, where it is written, and what is said about the run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from simdocs.errors import mention, suggested
from simdocs.model.names import display_name
from simdocs.parameters.answers import TuneAnswer
from simdocs.parameters.families import DIFFS, ELSEWHERE, FILE_FORMATS, FORMATS, FileFormat, lists_lines
from simdocs.requests.checked_request import CheckedRequest, not_together

_COMPRESSED = ("gz", "zst", "bz2", "xz")

_NOT_OFFERED = (
    *("json", "ndjson", "xml", "yaml", "yml", "toml", "html", "htm", "md", "rst", "tex", "docx", "pdf"),
    *("parquet", "arrow", "feather", "avro", "orc", "npy", "npz", "pkl", "sqlite", "db", "xlsx", "xls", "ods"),
    *("dot", "gv", "graphml", "gexf", "gml", "svg", "png", "jpg", "jpeg", "gif", "webp"),
)
"""Suffixes that promise a format that simdocs cannot write."""

_BUILT_BY = {"shingles": "shingle", "signatures": "signature", "index": "index"}
"""The questions that build artifacts, by their suffixes."""

_OF_LINES = ("jsonl", "ndjson")
"""Suffixes that promise JSON Lines."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DebugRequest(CheckedRequest):
    """Whether an error shows its traceback."""

    question: ClassVar[str] = "report"

    debug: bool | None = None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class FormatRequest(DebugRequest):
    """How a table is drawn."""

    format: str | None = None
    header: bool | None = None
    color: str | None = None

    @property
    def path(self) -> str | None:
        """The file to which the table is written; None for standard output."""
        return None

    @property
    def suffix(self) -> str:
        """The suffix of the output's name in lower case, without its dot."""
        return os.path.splitext(self.path or "")[1].removeprefix(".").lower()


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TableRequest(FormatRequest):
    """How a table is drawn, and where it is written."""

    output: bytes | None = None

    @property
    def path(self) -> str | None:
        """The file to which the table is written; None for standard output."""
        return None if self.output is None or self.output == b"-" else os.fsdecode(self.output)

    @property
    def file_format(self) -> FileFormat | None:
        """The format that only this question offers and that the output's suffix chooses, if there is one."""
        return self._file_formats().get(self.suffix) if self.format is None else None

    def _file_formats(self) -> dict[str, FileFormat]:
        return {name: form for name, form in FILE_FORMATS.items() if form.question == self.question}

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        suffix, output = self.suffix, mention("output")
        if suffix in _BUILT_BY:
            build = suggested(_BUILT_BY[suffix], "DOCS", output=self._shown_output)
            what = "an index: to build one" if suffix == "index" else f"{suffix}: to build them"
            yield f"{output} {self._shown_output}: this command writes an answer, not {what}, use {build}"
        meant = [name for name, form in FORMATS.items() if self.path in (name, *form.also)]
        for name in meant if self.format is None else ():  # as a name of a file, `json` was hardly meant
            named = "" if FORMATS[name].for_people else f", or {output} NAME.{name}"
            yield f"{output} {self._shown_output}: did you mean {mention('format')} {name}{named}?"
        if suffix in _COMPRESSED:
            yield f"{output} {self._shown_output}: simdocs does not compress its output: write to a pipe"
        offered = (*FORMATS, *self._file_formats())
        if suffix in _NOT_OFFERED and suffix not in offered and self._suffix_decides():
            *most, last = (f".{name}" for name in offered)
            others = f"use {', '.join(most)} or {last}, or choose with {mention('format')}"
            yield f"{output} {self._shown_output}: simdocs cannot write .{suffix}: {others}"
        for name, why in () if self.file_format is None else self.file_format.lacks.items():
            if getattr(self, name):
                yield f"{mention(name)} {why}"

    @property
    def _shown_output(self) -> str:
        return display_name(self.output or b"")

    def _suffix_decides(self) -> bool:
        """Whether the suffix decides the format."""
        return self.format is None


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ReportRequest(DebugRequest):
    """What is said about a run, and where its summary is written."""

    quiet: bool | None = None
    verbose: bool | None = None
    summary: bool | None = None
    summary_json: bytes | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        for loud in ("verbose", "summary"):
            if self.quiet and getattr(self, loud):
                yield not_together("quiet", loud)
        if self.summary_json == b"-":
            yield f"{mention('summary_json')} must be a file, not -, because the answer goes to standard output"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BuildReportRequest(ReportRequest, FormatRequest):
    """What is said about the build of an artifact. A dry run has an answer, which is drawn."""

    dry_run: bool | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        for name in ("format", "header", "color"):
            if getattr(self, name) is not None and not self.dry_run:
                yield f"{mention(name)} needs {mention('dry_run')}: without it, nothing is printed"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DifferenceRequest(TableRequest):
    """How differences of texts are drawn, if they are asked for."""

    diff: str | None = None

    @property
    def unit_of_difference(self) -> str | None:
        """What is compared for a difference: `words` or `lines`; None if nobody asks for one."""
        return None if self.diff is None else DIFFS[self.diff].compared

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        chosen = self.format or self.suffix
        form = FORMATS.get(chosen)
        if self.diff is not None and form is not None and not (form.for_people or form.nested):
            nested = " or ".join(name for name, each in FORMATS.items() if each.nested)
            both = f"use {mention('format')} {nested}, or leave the format out"
            yield f"{mention('diff')} prints marked texts, which have no place in {chosen}: {both}"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class AnswerRequest(ReportRequest, TableRequest):
    """How the answer of a run is drawn, and what is said about the run."""

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        paths = [os.path.realpath(path) for path in (self.output, self.summary_json) if path and path != b"-"]
        if len(set(paths)) < len(paths):
            yield f"{mention('output')} and {mention('summary_json')} name the same file"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DrawRequest(DifferenceRequest, AnswerRequest):
    """How the answer of a run is drawn, and what is said about the run.

    listing: what the answer lists, if anything. explained: whether it explains groups.
    """

    listing: str | None = None
    explained: bool | None = None
    nul: bool | None = None
    exit_code: bool | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.diff and self.listing is not None:
            yield not_together("diff", "list", why=f"{mention('diff')} shows pairs of documents")
        if self.diff and self.explained:
            yield not_together("diff", "explain", why="ask for one of them at a time")
        if self.nul and self.listing is None:
            yield f"{mention('nul')} needs a list of names: add {mention('list')}"
        if self.nul and self._lists_lines:
            yield f"{mention('nul')} needs a list of names, not {mention('list')} {self.listing}"
        if self.nul and self.format:
            yield not_together("nul", "format", why=f"{mention('nul')} writes plain names")
        if self._lists_lines and self.suffix in (*FORMATS, *_NOT_OFFERED) and self.suffix not in _OF_LINES:
            lines = f"{mention('list')} {self.listing} writes JSON Lines as they are"
            yield f"{lines}, which is not .{self.suffix}: name a file *.jsonl, not {self._shown_output}"
        if self._lists_lines and self.format:
            yield f"{mention('list')} {self.listing} writes lines as they are, without {mention('format')}"
        if self.nul and self.suffix in (*FORMATS, *_NOT_OFFERED) and self.suffix != ELSEWHERE:
            shown = f"{mention('output')} {self._shown_output}"
            yield f"{mention('nul')} and {shown} cannot be combined: {mention('nul')} writes plain names"

    @property
    def _lists_lines(self) -> bool:
        return lists_lines(self.listing)

    def _suffix_decides(self) -> bool:
        return self.format is None and not self.nul and not self._lists_lines


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TuneDrawRequest(AnswerRequest):
    """How the choices of bands are drawn, and what is said about the run. list: what is listed."""

    question: ClassVar[str] = "tune_report"
    own = (TuneAnswer,)

    list: str | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.list is not None and self.format is not None and FORMATS[self.format].for_people:
            *others, last = (name for name, form in FORMATS.items() if not form.for_people)
            yield f"{mention('list')} needs {', '.join(others)} or {last}: a {self.format} always shows both"


@dataclass(frozen=True, init=False, eq=False, repr=False)
class CompareDrawRequest(DifferenceRequest):
    """How a comparison is drawn. verbose: with every measure."""

    question: ClassVar[str] = "compare_report"

    trace: bool | None = None
    quiet: bool | None = None
    verbose: bool | None = None
    exit_code: bool | None = None

    def _rules(self) -> Iterator[str]:
        yield from super()._rules()
        if self.quiet and self.verbose:
            yield not_together("quiet", "verbose")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ShowDrawRequest(TableRequest):
    """How the shingles of one text are drawn."""

    quiet: bool | None = None
