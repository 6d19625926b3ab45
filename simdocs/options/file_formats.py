"""The families of formats of files: containers and compressions that are read, and formats of answers."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from simdocs.options.declaration import Member


class ContainerFormat(NamedTuple):
    """A format of files that hold many documents.

    suffixes: how the names of such files end, unless they are compressed
    needs: the module of an optional library that reads them, and what for, such as `reading Parquet`; None: Python does
    may_be_compressed: whether a suffix of a compression may follow
    is_limited_whole: whether such a file is read whole, so that the largest size of a document is that of the file
    is_lines: whether documents are lines, so that such a file can be cut after any line
    """

    help: str
    suffixes: tuple[bytes, ...] = ()
    needs: tuple[str, str] | None = None
    may_be_compressed: bool = True
    is_limited_whole: bool = False
    is_lines: bool = False

    @property
    def endings(self) -> tuple[bytes, ...]:
        """How the names of such files end, compressed or not."""
        after = (b"", *(each.suffix for each in COMPRESSIONS.values())) if self.may_be_compressed else (b"",)
        return tuple(suffix + more for suffix in self.suffixes for more in after)


CONTAINERS = {
    "jsonl": ContainerFormat(
        "one JSON object per line",
        (b".jsonl", b".ndjson"),
        is_lines=True,
    ),
    "lines": ContainerFormat("plain text, of which each line is a document", is_lines=True),
    "json": ContainerFormat(
        "an array of JSON objects",
        (b".json",),
        is_limited_whole=True,
    ),
    "csv": ContainerFormat(
        "comma-separated values, with a header",
        (b".csv",),
    ),
    "tsv": ContainerFormat(
        "tab-separated values, with a header",
        (b".tsv",),
    ),
    "parquet": ContainerFormat(
        "Parquet, a row per document",
        (b".parquet",),
        needs=("pyarrow.parquet", "reading Parquet"),
        may_be_compressed=False,
    ),
    "arrow": ContainerFormat(
        "an Arrow file or stream, a row per document",
        (b".arrow",),
        needs=("pyarrow.ipc", "reading Arrow"),
        may_be_compressed=False,
    ),
}

TEXT_FORMAT = "text"

INPUT_FORMATS: dict[str, Any] = {TEXT_FORMAT: Member("each file is one text, whatever its name"), **CONTAINERS}
"""The formats that files and standard input can be said to have."""


class CompressionFormat(NamedTuple):
    """A compression of files, which reading/compression.py reads and writes.

    suffix: how the names of such files end
    module: the module of an optional library that it needs; empty if Python has it
    """

    help: str
    suffix: bytes
    module: str = ""

    @property
    def needs(self) -> tuple[str, str] | None:
        """The module that it needs, and what for: see ContainerFormat."""
        return (self.module, f"reading {self.help}") if self.module else None


_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"

COMPRESSIONS = {"gzip": CompressionFormat("gzip", b".gz"), "zstd": CompressionFormat("Zstandard", b".zst", _ZSTD)}

_COMPRESSION_OF_SUFFIX = {member.suffix: known for known, member in COMPRESSIONS.items()}

COMPRESSED_SUFFIXES = tuple(_COMPRESSION_OF_SUFFIX)
"""How the names of compressed files end."""


def compression_of(name: bytes) -> str:
    """The compression of a file with this name, in small or capital letters; empty if it has none."""
    return _COMPRESSION_OF_SUFFIX.get(name[name.rfind(b".") :].lower(), "")


_OF_LINES = frozenset(name for name, member in CONTAINERS.items() if member.is_lines)


def is_of_lines(container: str, name: bytes) -> bool:
    """Whether a file of this container can be read from any of its lines on: it has lines, and is not compressed."""
    return container in _OF_LINES and not compression_of(name)


def noun_of(container: str) -> str:
    """What messages call a document of this container, also before its number: `line 3`."""
    return "line" if container in _OF_LINES else "object" if container == "json" else "row"


ASSUMED_RATIO = 4
"""Assumed ratio of compression of a text. It only decides the sizes of tasks."""


def without_compression(name: bytes) -> bytes:
    """A name without the suffix of a compression."""
    known = compression_of(name)
    return name[: -len(COMPRESSIONS[known].suffix)] if known else name


class OutputFormat(NamedTuple):
    """A format of an answer.

    for_people: whether people read it, so that sentences and empty lines may stand between tables
    nested: whether a row may have other columns than the row before it
    binary: whether it is no text, so that a terminal cannot show it
    """

    help: str
    implementation: str
    for_people: bool = False
    nested: bool = False
    binary: bool = False


_FORMATS, _ARROW_FILES = "simdocs.views.output_formats", "simdocs.views.output_formats"

FORMATS = {
    "table": OutputFormat("a table for people", "simdocs.views.output_formats:DrawnTable", for_people=True),
    "tsv": OutputFormat("tab-separated, without a header", f"{_FORMATS}:Tsv"),
    "jsonl": OutputFormat("one JSON object per line", f"{_FORMATS}:Jsonl", nested=True),
    "csv": OutputFormat("RFC 4180, with a header", f"{_FORMATS}:Csv"),
    "parquet": OutputFormat("a Parquet file; needs pyarrow", f"{_ARROW_FILES}:Parquet", binary=True),
    "arrow": OutputFormat("an Arrow IPC file; needs pyarrow", f"{_ARROW_FILES}:Arrow", binary=True),
}

ON_TERMINAL, ELSEWHERE = "table", "tsv"
"""The formats of answers for which none is given."""


class FileFormat(NamedTuple):
    """A format for the answer to one question, chosen by the suffix of the output.

    Its implementation is a function that returns the bytes of a result, in one or more pieces.

    suffix: how the name of the output ends
    command: the command that offers it
    lacks: each parameter that cannot be combined with it, and why
    may_be_compressed: whether a suffix of a compression may follow
    nested: whether it holds several tables
    here: why it must be on this machine, and no object of a store; empty if it need not be
    needs: the module of an optional library that draws it, and what for; None: Python does
    """

    help: str
    implementation: str
    suffix: str
    command: str
    lacks: dict[str, str]
    may_be_compressed: bool = True
    nested: bool = False
    needs: tuple[str, str] | None = None
    here: str = ""


_WRITING_HTML = "jinja2", "writing HTML"

_ONLY_GROUPS = "has no place in .answer, which has groups: write another file"

FILE_FORMATS = {
    "compared.html": FileFormat(
        "a page with both texts side by side",
        "simdocs.views.report_page:compared_page",
        suffix="html",
        command="compare",
        lacks={
            "diff": "has no place in .html, which shows both texts side by side",
            "trace": "has no place in .html: write a table",
        },
        nested=True,
        needs=_WRITING_HTML,
    ),
    "groups.answer": FileFormat(
        "a saved answer, for simdocs act",
        "simdocs.artifacts.answer_file:lines_of",
        suffix="answer",
        command="dedupe",
        lacks=dict.fromkeys(("list", "nul"), _ONLY_GROUPS),
        may_be_compressed=False,
        here="simdocs act reads it from a disk",
    ),
    "report.html": FileFormat(
        "a page to look at",
        "simdocs.views.report_page:report_page",
        suffix="html",
        command="report",
        lacks={},
        needs=_WRITING_HTML,
    ),
    "report.svg": FileFormat(
        "a figure of a report",
        "simdocs.views.svg:figure_file",
        suffix="svg",
        command="report",
        lacks={},
    ),
}
