"""Options about answers and runs: what is grouped, how it is drawn, where it is written, and what is said about it."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from simdocs.names import display_name, is_uri
from simdocs.options.declaration import OUTPUT, RUN, Group, Options, Rule, option, switch
from simdocs.options.families import (
    CLUSTERS,
    COMPRESSIONS,
    ELSEWHERE,
    FORMATS,
    KEEP,
    MEASURES,
    PAGES,
    VERIFY,
    compression_of,
    without_compression,
)
from simdocs.options.recipes import Rereading
from simdocs.options.values import SECONDS, SIZE, UNITS_OF_SIZE, artifact_name, choice, path_name, whole


class Deciding(Group):
    """How candidates are found and decided."""

    exact: bool = switch("Find every pair, without signatures and bands. Slower, and holds all tokens in memory.")
    verify: str = option(choice(VERIFY), default="exact", help="How candidate pairs are decided.")


class Grouping(Deciding):
    """How candidates are found and decided, and which documents are kept."""

    cluster: str = option(choice(CLUSTERS), default="greedy", help="What makes a group.")
    keep: str = option(choice(KEEP), default="first", help="Which of several near-duplicates is kept.")
    max_candidates: int = option(
        whole(1),
        default=10_000,
        help="Compare a document with at most N kept documents of each bucket. Exit with 3 if that limit was reached.",
        metavar="N",
    )


ANSWER = "Write the answer to PATH, completely or not at all. - is standard output."

_HERE = "only answers, reports and rows are written to stores: copy it there afterwards"


class Target(Group):
    """Where an artifact is written, and what it may replace."""

    allow_shrink: bool = switch(
        "Replace the artifact even if an argument has no documents any more, or less than half as many as before."
    )
    dry_run: bool = switch(
        "Write no artifact. Print which documents are changed, new, kept, renamed and removed; with -v, also those"
        " that are unchanged."
    )
    output: bytes | None = option(
        path_name(here=_HERE),
        help="Write the artifact to PATH, completely or not at all.",
        metavar="PATH",
        spellings=("-o", "--output"),
    )
    lock_wait: float = option(
        SECONDS,
        default=0.0,
        help="Wait up to SECONDS while another run writes the artifact, then exit with 75.",
        metavar="SECONDS",
    )


ROW_OUTPUTS = "kept_rows", "removed_rows", "flagged_rows"
"""The options that write rows of the documents' files."""


class Running(Group, shared=RUN):
    """How the work is done.

    jobs: worker processes; None: as many as there are cores.
    strict: whether it is an error if a document cannot be judged.
    """

    jobs: int | None = option(
        whole(1, 1024),
        described="all cores",
        help="Number of worker processes.",
        metavar="N",
        spellings=("-j", "--jobs"),
    )
    strict: bool = switch("Write nothing and exit with 2 if a document could not be compared.")


class Talking(Group, shared=RUN):
    """What is said about the run, on standard error or in a file."""

    summary_json: bytes | None = option(
        path_name(here=_HERE), help="Write the summary to FILE as one JSON object.", metavar="FILE"
    )
    quiet: bool = switch("Print only errors on standard error.", spellings=("-q", "--quiet"), shell=True)
    verbose: bool = switch(
        "List everything that was skipped, and print the summary.", spellings=("-v", "--verbose"), shell=True
    )
    summary: bool = switch("Print the summary even if standard error is not a terminal.", shell=True)
    debug: bool = switch("Show the traceback of an error.", shell=True)


_BUILT_BY = {"shingles": "shingle", "signatures": "signature", "index": "index"}
"""The commands that build artifacts, by their suffixes."""


def shown(options: Any) -> str:
    """`-o` and its path, for messages."""
    return f"-o {display_name(options.output or b'')}"


def output_suits(options: Drawn) -> str:
    """The name of the output may not promise another format than the one that is written."""
    suffix = options.suffix
    if suffix in _BUILT_BY:
        return f"{shown(options)}: this command writes an answer: simdocs {_BUILT_BY[suffix]} builds .{suffix}"
    if options.page:
        lacking = options.differ(("diff", "trace", "list", "nul"))
        return f"{lacking[0].flag} has no place in .{options.page}: write another file" if lacking else ""
    if suffix in PROMISED and options.format is None and not getattr(options, "nul", False):
        *most, last = (f".{name}" for name in (*FORMATS, *options.pages))
        known = f"{', '.join(most)} or {last}"
        return f"{shown(options)}: simdocs cannot write .{suffix} here: use {known}, or choose with --format"
    return ""


PROMISED = ("json", "ndjson", "html", "xlsx", "npy", "svg", "answer")
"""Suffixes that promise a format which no, or only another, command writes."""

COMPRESSED = ("bz2", "xz", "zip")
"""Suffixes of compressions that no command writes."""


def compressed_once(options: Drawn) -> str:
    """Binary formats have a compression of their own, and others know two."""
    path, chosen = options.output or b"", options.format or options.suffix
    ending = os.fsdecode(path.removeprefix(without_compression(path)))
    if ending and (options.page == "answer" or (chosen in FORMATS and FORMATS[chosen].binary)):
        return f"{shown(options)}: a .{chosen} file is not compressed: leave {ending} out"
    if options.suffix in COMPRESSED and not compression_of(path):
        known = " or ".join(os.fsdecode(each.suffix) for each in COMPRESSIONS.values())
        return f"{shown(options)}: simdocs cannot write .{options.suffix}: use {known}, or write to a pipe"
    return ""


def answer_on_disk(options: Drawn) -> str:
    """Some files are of no use in a store."""
    if options.page == "answer" and is_uri(options.output or b""):
        return f"{shown(options)}: a .answer file must be on this machine: simdocs act reads it from a disk"
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
    if options.quiet and (options.verbose or options.summary):
        return "-q cannot be combined with -v or --summary"
    return ""


def summary_is_a_file(options: Any) -> str:
    """The summary is a file of its own."""
    path, output = options.summary_json, options.output
    if path == b"-":
        return "--summary-json must be a file, not -, because the answer goes to standard output"
    if path and output and os.path.realpath(path) == os.path.realpath(output):
        return "-o and --summary-json name the same file"
    return ""


class Drawn(Options, Talking, shared=OUTPUT, shell=True):
    """A question whose answer is a table, which may be written to a file."""

    rules: ClassVar[tuple[Rule, ...]] = (
        *(output_suits, compressed_once, answer_on_disk),
        *(quiet_or_not, summary_is_a_file),
    )

    output: bytes | None = option(path_name(), help=ANSWER, metavar="PATH", spellings=("-o", "--output"))
    format: str | None = option(
        choice(FORMATS), described="table on a terminal, else tsv; or the suffix of -o", help="Format of the answer."
    )
    header: bool = switch("Begin TSV with the names of the columns.")

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
    def pages(self) -> tuple[str, ...]:
        """The suffixes that choose an output which is no table."""
        return PAGES.get(self.command or getattr(self, "asked", ""), ())

    @property
    def page(self) -> str:
        """The suffix of the output if it chooses one that is no table; empty if it does not."""
        return self.suffix if self.format is None and self.suffix in self.pages else ""


NUL: Any = switch(
    "With --list, end names with NUL instead of a line feed.", spellings=("-0",), shared=OUTPUT, shell=True
)


class Searching(Rereading):
    """Which pairs are looked for, and where their documents are verified. max_memory: None: all that there is."""

    max_memory: int | None = option(
        SIZE,
        described="the memory that is available",
        help=f"With --exact, refuse to begin if more than SIZE of memory is needed. {UNITS_OF_SIZE}",
        metavar="SIZE",
    )
    measure: str = option(
        choice(MEASURES),
        default="jaccard",
        help="What is compared with the threshold. Containment reads every document of the index again, or X.shingles;"
        " if the index stores a sketch for containment, only candidates.",
    )
    against: Any = option(
        artifact_name("index"),
        help="Index of documents that are always kept. Only DOCS can be duplicates.",
        metavar="Y.index",
    )
    changed: bool = switch(
        "Only look for pairs with a document that was new or changed when the index was last updated."
    )
    exit_code: bool = switch("Exit with 1 if near-duplicates were found.", shared=RUN, shell=True)


class Written(Drawn):
    """A result of Python that is written to a file. asked: the command whose formats it may have."""

    asked: str = ""
    list: str | None = None
    nul: bool = False
