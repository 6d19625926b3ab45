"""What commands are asked about their answers: in which format they are drawn, and where they are written."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from simdocs.names import display_name, is_uri
from simdocs.options.answers import Debugging, Printing, Talking
from simdocs.options.declaration import Options, Rule
from simdocs.options.file_formats import (
    COMPRESSIONS,
    ELSEWHERE,
    FILE_FORMATS,
    FORMATS,
    FileFormat,
    compression_of,
    without_compression,
)

_BUILT_BY = {"shingles": "shingle", "signatures": "signature", "index": "index"}
"""The commands that build artifacts, by their suffixes."""


def shown(options: Any) -> str:
    """`-o` and its path, for messages."""
    return f"-o {display_name(options.output or b'')}"


def output_suits(options: Drawn) -> str:
    """The name of the output may not promise another format than the one that is written."""
    suffix, form = options.suffix, options.file_format
    if suffix in _BUILT_BY:
        return f"{shown(options)}: this command writes an answer: simdocs {_BUILT_BY[suffix]} builds .{suffix}"
    if form is not None:
        lacking = options.differ(tuple(form.lacks))
        return f"{lacking[0].flag} {form.lacks[lacking[0].name]}" if lacking else ""
    if suffix and suffix not in FORMATS and options.format is None and not getattr(options, "nul", False):
        *most, last = (f".{name}" for name in (*FORMATS, *options.file_formats()))
        if suffix in PROMISED or suffix in {each.suffix for each in FILE_FORMATS.values()}:
            known = f"{', '.join(most)} or {last}"
            return f"{shown(options)}: simdocs cannot write .{suffix} here: use {known}, or choose with --format"
    return ""


PROMISED = ("json", "ndjson", "html", "xlsx", "npy", "svg", "answer")
"""Suffixes that promise a format which no, or only another, command writes."""


def compressed_once(options: Drawn) -> str:
    """Binary formats have a compression of their own, and others know two."""
    path, chosen = options.output or b"", options.format or options.suffix
    ending = os.fsdecode(path.removeprefix(without_compression(path)))
    form = options.file_format
    whole = form is not None and not form.may_be_compressed
    if ending and (whole or (chosen in FORMATS and FORMATS[chosen].binary)):
        return f"{shown(options)}: a .{chosen} file is not compressed: leave {ending} out"
    if options.suffix in ("bz2", "xz", "zip") and not compression_of(path):
        known = " or ".join(os.fsdecode(each.suffix) for each in COMPRESSIONS.values())
        return f"{shown(options)}: simdocs cannot write .{options.suffix}: use {known}, or write to a pipe"
    return ""


def parts_have_rows(options: Drawn) -> str:
    """A table for people has no parts, and some files are of no use in a store."""
    if options.has_parts and options.format is not None and FORMATS[options.format].for_people:
        return f"{shown(options)}: a {options.format} has no parts: name a file, or choose another --format"
    if (form := options.file_format) is not None and form.here and is_uri(options.output or b""):
        return f"{shown(options)}: a .{form.suffix} file must be on this machine: {form.here}"
    return ""


def names_with_nul(options: Any) -> str:
    """Only plain names can end with NUL."""
    if not options.nul:
        return ""
    if options.list is None or options.list == "groups":
        return "-0 needs a list of names: add --list kept or --list duplicates"
    if options.format or (options.suffix in (*FORMATS, *PROMISED) and options.suffix != ELSEWHERE):
        return "-0 writes plain names, without --format and without a suffix of -o that promises another format"
    return ""


def quiet_or_not(options: Talking) -> str:
    """One cannot have both."""
    if options.quiet and (options.verbose or getattr(options, "summary", False)):
        return "-q cannot be combined with -v or --summary"
    return ""


def summary_is_a_file(options: Any) -> str:
    """The summary is a file of its own."""
    path, output = getattr(options, "summary_json", None), getattr(options, "output", None)
    if path == b"-":
        return "--summary-json must be a file, not -, because the answer goes to standard output"
    if path and output and os.path.realpath(path) == os.path.realpath(output):
        return "-o and --summary-json name the same file"
    return ""


class Drawn(Options, Printing, Talking, Debugging):
    """A question whose answer is a table, which may be written to a file."""

    rules: ClassVar[tuple[Rule, ...]] = (
        output_suits,
        compressed_once,
        parts_have_rows,
        quiet_or_not,
        summary_is_a_file,
    )

    @property
    def path(self) -> str | None:
        """The file to which the answer is written; None for standard output."""
        return None if self.output is None or self.output == b"-" else os.fsdecode(self.output)

    @property
    def suffix(self) -> str:
        """The suffix of the output's name in lower case, without its dot. If it is compressed, the one before."""
        name = os.fsdecode(without_compression(os.fsencode(self.path or "")))
        return os.path.splitext(name)[1].removeprefix(".").lower()

    def file_formats(self) -> dict[str, FileFormat]:
        """The formats that only this command offers, by their suffixes."""
        command = self.command or getattr(self, "asked", "")
        return {form.suffix: form for form in FILE_FORMATS.values() if form.command == command}

    @property
    def file_format(self) -> FileFormat | None:
        """The format that only this command offers and that the output's suffix chooses, if there is one."""
        return self.file_formats().get(self.suffix) if self.format is None else None

    @property
    def has_parts(self) -> bool:
        """Whether the answer is written in parts, to a directory or below a prefix of a store."""
        return (self.output or b"").endswith(b"/")

    @property
    def ending(self) -> str:
        """The suffix of the names of the parts, with its dot; empty for names that end with NUL."""
        return "" if getattr(self, "nul", False) else f".{self.format or ELSEWHERE}"


class Written(Drawn):
    """A result of Python that is written to a file. asked: the command whose formats it may have."""

    asked: str = ""
    list: str | None = None
    nul: bool = False
