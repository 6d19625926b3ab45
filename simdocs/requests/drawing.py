"""The output options of commands: how an answer is drawn, where it is written, and what is said about the run."""

import os
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from simdocs.errors import Problem, mention, suggested
from simdocs.model.names import display_name
from simdocs.parameters.answers import Presentation
from simdocs.parameters.families import lists_groups
from simdocs.parameters.file_formats import (
    COMPRESSIONS,
    ELSEWHERE,
    FILE_FORMATS,
    FORMATS,
    FileFormat,
    without_compression,
)
from simdocs.parameters.values import is_uri
from simdocs.requests.request import Exclusion, Request, RequestRules, not_together

_COMPRESSED = ("gz", "zst", "bz2", "xz", "lz4", "br", "zip", "7z")
"""Suffixes that promise compressed files. Those of the family are written, if they are in lower case."""

_NOT_OFFERED = ("json", "ndjson", "xlsx", "htm", *dict.fromkeys(form.suffix for form in FILE_FORMATS.values()))
"""Suffixes that promise a format in which not every answer, or none, can be written."""

_BUILT_BY = {"shingles": "shingle", "signatures": "signature", "index": "index"}
"""The questions that build artifacts, by their suffixes."""

_ABOUT_ANSWERS = frozenset(("output", "format", "header", "diff", "nul"))
"""Parameters that ask for an answer."""


class DrawnRequest(Request, Presentation, init=False):
    """The output options of a command. Each command accepts some of them; the others have their defaults.

    takes: the parameters that are accepted.
    listing: what the answer lists, if anything.
    row_paths: where rows are written, which may be wanted instead of the answer.
    """

    question: ClassVar[str] = "drawing"
    takes: ClassVar[tuple[str, ...]] = ("debug",)

    listing: str | None = None
    row_paths: tuple[bytes, ...] | None = None

    @classmethod
    def _accept(cls, accepted: Mapping[str, Any]) -> None:
        super()._accept(dict(accepted) | {name: cls.parameters[name] for name in cls.takes})

    def _hold(self, checked: Mapping[str, Any]) -> None:
        missing = (name for name in Presentation.defaults if name not in checked)
        self.__dict__.update(dict(checked) | {name: Presentation.defaults[name] for name in missing})

    @property
    def has_report(self) -> bool:
        """Whether the command reports about its run."""
        return "summary_json" in self.accepts

    @property
    def is_wanted(self) -> bool:
        """Whether the answer itself is wanted. It is not if rows are written and no option is about the answer."""
        asked = self.listing or self.given.keys() & _ABOUT_ANSWERS
        return not self.row_paths or bool(asked)

    @property
    def path(self) -> str | None:
        """The file to which the answer is written; None for standard output."""
        return None if self.output is None or self.output == b"-" else os.fsdecode(self.output)

    @property
    def suffix(self) -> str:
        """The suffix of the output's name in lower case, without its dot. If it is compressed, the one before."""
        name = os.fsdecode(without_compression(os.fsencode(self.path or "")))
        return os.path.splitext(name)[1].removeprefix(".").lower()

    @property
    def file_format(self) -> FileFormat | None:
        """The format that only this question offers and that the output's suffix chooses, if there is one."""
        return self._file_formats().get(self.suffix) if self.format is None else None

    def _file_formats(self) -> dict[str, FileFormat]:
        return {form.suffix: form for form in FILE_FORMATS.values() if form.question == self.question}

    @property
    def _output(self) -> str:
        return f"{mention('output')} {display_name(self.output or b'')}"

    def _output_suits(self) -> Iterator[Problem]:
        """The name of the output may not promise another format than the one that is written."""
        suffix = self.suffix
        if suffix in _BUILT_BY:
            build = suggested(_BUILT_BY[suffix], "DOCS", output=display_name(self.output or b""))
            what = "an index: to build one" if suffix == "index" else f"{suffix}: to build them"
            yield Problem(f"{self._output}: this command writes an answer, not {what}, use {build}", "output")
        meant = [name for name, form in FORMATS.items() if self.path in (name, *form.also)]
        for name in meant if self.format is None else ():  # as a name of a file, `json` was hardly meant
            named = "" if FORMATS[name].for_people else f", or {mention('output')} NAME.{name}"
            yield Problem(f"{self._output}: did you mean {mention('format')} {name}{named}?", "output", "format")
        if suffix in _COMPRESSED:
            known = " or ".join(os.fsdecode(each.suffix) for each in COMPRESSIONS.values())
            why = f"simdocs cannot write .{suffix}: for a compressed output, use {known}, or write to a pipe"
            yield Problem(f"{self._output}: {why}", "output")
        suffix_decides = self.format is None and not self.nul
        if suffix in _NOT_OFFERED and suffix not in self._file_formats() and suffix_decides:
            suited = (name for name, form in self._file_formats().items() if not any(self._lacking(form)))
            *most, last = (f".{name}" for name in (*FORMATS, *suited))
            others = f"use {', '.join(most)} or {last}, or choose with {mention('format')}"
            yield Problem(f"{self._output}: simdocs cannot write .{suffix}: {others}", "output", "format")
        if (form := self.file_format) is not None:
            yield from (Problem(f"{mention(name)} {form.lacks[name]}", name) for name in self._lacking(form))

    def _lacking(self, form: FileFormat) -> Iterator[str]:
        """Yield the parameters that were given and cannot be combined with a format."""
        yield from (name for name in form.lacks if self.has(name) or (name == "list" and self.listing))

    def _compressed_once(self) -> Iterator[Problem]:
        """A binary format has a compression of its own."""
        path, chosen = self.output or b"", self.format or self.suffix
        ending = os.fsdecode(path.removeprefix(without_compression(path)))
        form = self.file_format
        if ending and form is not None and not form.may_be_compressed:
            yield Problem(f"{self._output}: a .{chosen} file is not compressed: leave {ending} out", "output")
        if ending and chosen in FORMATS and FORMATS[chosen].binary:
            why = f"programs that read .{chosen} files do not decompress them first: leave {ending} out"
            yield Problem(f"{self._output}: {why}", "output")

    @property
    def has_parts(self) -> bool:
        """Whether the answer is written in parts, to a directory or below a prefix of a store."""
        return (self.output or b"").endswith(b"/")

    @property
    def ending(self) -> str:
        """The suffix of the names of the parts, with its dot; empty for names that end with NUL."""
        return "" if self.nul else f".{self.format or ELSEWHERE}"

    def _parts_have_rows(self) -> Iterator[Problem]:
        if self.has_parts and self.format is not None and FORMATS[self.format].for_people:
            text = f"{self._output}: a {self.format} has no parts: name a file, or choose another {mention('format')}"
            yield Problem(text, "output", "format")

    def _is_here(self) -> Iterator[Problem]:
        """Some files are of no use in a store."""
        if (form := self.file_format) is not None and form.here and is_uri(self.output or b""):
            yield Problem(f"{self._output}: a .{form.suffix} file must be on this machine: {form.here}", "output")

    def _summary_is_a_file(self) -> Iterator[Problem]:
        if self.summary_json == b"-":
            text = f"{mention('summary_json')} must be a file, not -, because the answer goes to standard output"
            yield Problem(text, "summary_json")

    def _two_files(self) -> Iterator[Problem]:
        named = {name: getattr(self, name) for name in ("output", "summary_json")}
        met = dict[bytes, str]()
        for name, path in named.items():
            if path and path != b"-" and (first := met.setdefault(os.path.realpath(path), name)) != name:
                yield Problem(f"{mention(first)} and {mention(name)} name the same file", first, name)

    def _marked_texts(self) -> Iterator[Problem]:
        """Marked texts need a format that has room for them."""
        chosen = self.format or self.suffix
        form = FORMATS.get(chosen)
        if self.diff is not None and form is not None and not (form.for_people or form.nested):
            nested = " or ".join(name for name, each in FORMATS.items() if each.nested)
            both = f"use {mention('format')} {nested}, or leave the format out"
            text = f"{mention('diff')} prints marked texts, which have no place in {chosen}: {both}"
            yield Problem(text, "diff", "format")

    def _of_lists(self) -> Iterator[Problem]:
        """Lists of names cannot be drawn in every way."""
        nul, listed = mention("nul"), f"{mention('list')} {self.listing}"
        if self.nul and self.listing is None:
            yield Problem(f"{nul} needs a list of names: add {mention('list')}", "nul", "list")
        if self.nul and lists_groups(self.listing):
            yield Problem(f"{nul} needs a list of names, not {listed}", "nul", "list")
        if self.nul and self.format:
            yield not_together("nul", "format", why=f"{nul} writes plain names")
        known = self.suffix in (*FORMATS, *_NOT_OFFERED)
        if self.nul and known and self.suffix != ELSEWHERE:
            yield Problem(f"{nul} and {self._output} cannot be combined: {nul} writes plain names", "nul", "output")

    rules: ClassVar[RequestRules] = (
        _output_suits,
        _compressed_once,
        _parts_have_rows,
        _is_here,
        Exclusion("quiet", "verbose"),
        Exclusion("quiet", "summary"),
        _summary_is_a_file,
        _two_files,
        _marked_texts,
        _of_lists,
    )


_TABLE = ("output", "format", "header", "debug")
_RUN = ("quiet", "verbose", "summary", "summary_json")


class TableRequest(DrawnRequest, init=False):
    """The output options of a command that prints a table."""

    takes = _TABLE


class ShowDrawRequest(DrawnRequest, init=False):
    """The output options of show."""

    takes = (*_TABLE, "quiet")


class CompareDrawRequest(DrawnRequest, init=False):
    """The output options of compare. verbose: show every measure."""

    question = "compare_report"
    takes = (*_TABLE, "diff", "trace", "passages", "quiet", "verbose", "exit_code")


class RunDrawRequest(DrawnRequest, init=False):
    """The output options of a table, and of the summary. A new question needs no others."""

    takes: ClassVar[tuple[str, ...]] = (*_TABLE, *_RUN)


class DrawRequest(RunDrawRequest, init=False):
    """The output options of query."""

    takes = (*RunDrawRequest.takes, "nul", "exit_code")


class DedupeDrawRequest(DrawRequest, init=False):
    """The output options of dedupe."""

    question = "dedupe_report"

    def _one_to_standard_output(self) -> Iterator[Problem]:
        """Rows are not written between the lines of an answer."""
        if b"-" in (self.row_paths or ()) and self.is_wanted and self.path is None:
            why = "rows and the answer cannot both go to standard output"
            yield Problem(f"{why}: add {mention('output')} PATH for the answer", "output")

    rules: ClassVar[RequestRules] = (*DrawRequest.rules, _one_to_standard_output)


class ReportDrawRequest(DrawnRequest, init=False):
    """The output options of report. figure: the one that is drawn alone."""

    question = "report_report"
    takes = ("output", "figure", "debug", *_RUN)

    @property
    def file_format(self) -> FileFormat:
        """A page, or an image of the one figure that was asked for."""
        return self._file_formats()["html" if self.figure is None else "svg"]

    def _output_is_a_page(self) -> Iterator[Problem]:
        wanted = ("html", "htm") if self.figure is None else ("svg",)
        if self.path is None or self.suffix in wanted:
            return
        if self.figure is not None:
            text = f"{mention('figure')} draws an image in SVG: name a file *.svg"
        else:
            text = "a report is a page of HTML: name a file *.html"
            text += f", or choose an image with {mention('figure')}" if self.suffix == "svg" else ""
        yield Problem(f"{self._output}: {text}", "output", "figure")

    rules: ClassVar[RequestRules] = (_output_is_a_page, *DrawnRequest.rules[1:])


class PairsDrawRequest(RunDrawRequest, init=False):
    """The output options of pairs."""

    question = "pairs_report"
    takes = (*RunDrawRequest.takes, "exit_code")


class PassagesDrawRequest(PairsDrawRequest, init=False):
    """The output options of passages."""

    question = "passages_report"


class AuditDrawRequest(RunDrawRequest, init=False):
    """The output options of audit."""

    question = "audit_report"
    takes = (*RunDrawRequest.takes, "exit_code")


class TuneDrawRequest(RunDrawRequest, init=False):
    """The output options of tune."""

    question = "tune_report"
    takes = (*RunDrawRequest.takes, "list")

    def _whole_table(self) -> Iterator[Problem]:
        if self.has("list") and self.format is not None and FORMATS[self.format].for_people:
            *others, last = (name for name, form in FORMATS.items() if not form.for_people)
            text = f"{mention('list')} needs {', '.join(others)} or {last}: a {self.format} always shows both"
            yield Problem(text, "list", "format")

    rules: ClassVar[RequestRules] = (*DrawnRequest.rules, _whole_table)


class BuildReportRequest(DrawnRequest, init=False):
    """The output options of shingle, signature and index. Only a dry run has an answer that is drawn."""

    takes = ("format", "header", "debug", *_RUN, "dry_run")

    def _printed(self) -> Iterator[Problem]:
        for name in ("format", "header"):
            if name in self.given and not self.dry_run:
                text = f"{mention(name)} needs {mention('dry_run')}: without it, nothing is printed"
                yield Problem(text, name, "dry_run")

    rules: ClassVar[RequestRules] = (*DrawnRequest.rules, _printed)


class MergeReportRequest(DrawnRequest, init=False):
    """The output options of merge, which has no answer that is drawn."""

    takes = ("debug", *_RUN)
