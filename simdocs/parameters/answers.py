"""Parameters about searches, answers and runs: what is looked for, and what becomes of what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simdocs.errors import mention
from simdocs.parameters.declaration import ANSWER, GROUPS, RUN, UPDATE, Group, parameter
from simdocs.parameters.families import (
    CLUSTERS,
    DIFFS,
    ENGINES,
    FIGURES,
    KEEP,
    LISTS,
    MATCH_LISTS,
    MEASURES,
    TUNE_LISTS,
    VERIFY,
)
from simdocs.parameters.file_formats import FORMATS
from simdocs.parameters.texts import PASSAGES, UNITS_OF_SIZE
from simdocs.parameters.values import Choice, Flag, FreeText, PathName, Seconds, Size, Whole


class Grouping(Group, section=GROUPS):
    """How candidates are found and decided, and which documents are kept."""

    exact: bool = parameter(
        Flag(),
        default=False,
        help="Find every pair, without signatures and bands. Slower, and holds all tokens in memory.",
        helps={
            "query": f"Compare with every document of the index, which are all read again. Unless {mention('nearest')}"
            f", {mention('passages')} or {mention('measure')} containment is given, all tokens are held in memory."
        },
    )
    verify: str = parameter(Choice(VERIFY), default="exact", help="How candidate pairs are decided.", before="exact")
    cluster: str = parameter(Choice(CLUSTERS), default="greedy", help="What makes a group.", before="verify")
    keep: str = parameter(
        Choice(KEEP), default="first", help="Which of several near-duplicates is kept.", before="cluster"
    )
    max_candidates: int = parameter(
        Whole(1),
        default=10_000,
        help="Compare a document with at most N kept documents of each bucket. Exit with 3 if that limit was reached.",
    )


class Comparing(Group, section=GROUPS):
    """By which measure documents are compared, and in how much memory; None: in all that there is."""

    measure: str = parameter(
        Choice(MEASURES),
        default="jaccard",
        help="What is compared with the threshold. Containment reads every document of the index again, or X.shingles;"
        " if the index stores a sketch for containment, only candidates.",
        helps={
            "pairs": "What is compared with the threshold. With containment, every pair is found as with"
            f" {mention('exact')}.",
            "compare": "What is compared with the threshold, and is in the matrix of several texts.",
        },
        before="verify",
    )
    max_memory: int | None = parameter(
        Size(),
        default=None,
        described="the memory that is available",
        help=f"With {mention('exact')}, refuse to begin if more than SIZE of memory is needed. {UNITS_OF_SIZE}",
        helps={
            "pairs": f"With {mention('exact')} or {mention('measure')} containment, refuse to begin if more than SIZE"
            f" of memory is needed. {UNITS_OF_SIZE}",
            "audit": f"Audit a sample if comparing all pairs needs more than SIZE of memory. {UNITS_OF_SIZE}",
        },
        before="max_candidates",
    )


class Sampling(Group, section=GROUPS):
    """How many documents are drawn for an audit."""

    sample: int = parameter(
        Whole(1),
        default=2000,
        described="compare all pairs, or 2000 if these do not fit in memory",
        help="Draw N documents, compare each with all others, and estimate from them what is missed.",
        before="max_candidates",
    )


_ANSWER = "Write the answer to PATH, completely or not at all: - is standard output, and NAME/ a directory of parts."

_HERE = "only answers, reports and rows are written to stores: copy it there afterwards"

_OUTPUT = parameter(
    PathName(),
    default=None,
    help=_ANSWER,
    helps={
        "compare_report": f"{_ANSWER} If it ends in .html, it is a page with both texts side by side.",
        "tune_report": "Write the answer to PATH; an image if it ends in .svg.",
        "report_report": f"{_ANSWER} It is a page of HTML, or with {mention('figure')} an image in SVG.",
        "dedupe_report": f"{_ANSWER} If it ends in .answer, it is for simdocs act.",
    },
    section=ANSWER,
    before="format",
)
_DRY_RUN = parameter(
    Flag(),
    default=False,
    help="Write no artifact. Print which documents are changed, new, kept, renamed and removed; with"
    f" {mention('verbose')}, also those that are unchanged.",
    section=UPDATE,
)


class Target(Group, section=UPDATE):
    """Where an artifact is written, and what it may replace."""

    allow_shrink: bool = parameter(
        Flag(),
        default=False,
        help="Replace the artifact even if an argument has no documents any more, or less than half as many as before.",
        helps={"merge": "Replace the artifact even if it, or an argument, loses more than half of its documents."},
    )
    dry_run: bool = _DRY_RUN
    output: bytes | None = parameter(
        PathName(here=_HERE), default=None, help="Write the artifact to PATH, completely or not at all.", section=ANSWER
    )
    lock_wait: float = parameter(
        Seconds(),
        default=0.0,
        help="Wait up to SECONDS while another run writes the artifact, then exit with 75.",
        section=RUN,
        before="debug",
    )


_DIFF = parameter(Choice(DIFFS), default=None, help="Print where texts differ.", section=ANSWER, before="nul")


class DedupeAnswer(Group, section=ANSWER):
    """What the answer of dedupe lists."""

    list: str | None = parameter(Choice(LISTS), default=None, help="List names or groups.")


class PairsAnswer(Group, section=ANSWER):
    """Which pairs are listed."""

    all_copies: bool = parameter(Flag(), default=False, help="Also list all pairs of identical texts.")


_EVERY_COLUMN = "with all columns, in the format of PATH's suffix. Several files, or a directory, make a directory."


class RowOutputs(Group, section=ANSWER):
    """Where the rows of the documents' files are written."""

    kept_rows: bytes | None = parameter(
        PathName(),
        default=None,
        help=f"Write the rows that are kept to PATH, {_EVERY_COLUMN} Rows that could not be compared are kept.",
        before="diff",
    )
    removed_rows: bytes | None = parameter(
        PathName(),
        default=None,
        help=f"Write the rows that are duplicates to PATH, {_EVERY_COLUMN}",
        before="diff",
    )
    flagged_rows: bytes | None = parameter(
        PathName(),
        default=None,
        help=f"Write all rows to PATH with the columns duplicate_of, similarity and group, and {_EVERY_COLUMN}",
        before="diff",
    )


_FIGURE = parameter(
    Choice(FIGURES),
    default=None,
    help=f"Draw one figure alone, as an image for {mention('output')} NAME.svg.",
    section=ANSWER,
    before="diff",
)


class Reporting(Group, section=ANSWER):
    """What a report shows. figure: the one figure that is drawn alone; None: the whole report. group: the number of
    the group that it shows, if it shows one; None: the largest that fits."""

    figure: str | None = _FIGURE
    group: int | None = parameter(
        Whole(0),
        default=None,
        described="the largest of at most 50 documents",
        help=f"Draw the group with the number N, with {mention('figure')} matrix or links.",
        before="diff",
    )
    report_size: int = parameter(
        Size(),
        default=20_000_000,
        described="20MB",
        help=f"Put at most SIZE of texts into a report, those of the largest groups first. {UNITS_OF_SIZE}",
        before="diff",
    )


class ShowAnswer(Group, section=ANSWER):
    """What is shown of an artifact."""

    matrix: bool = parameter(Flag(), default=False, help="Show which of up to 20 documents has which shingle.")
    buckets: bool = parameter(Flag(), default=False, help="List the buckets that two or more documents share.")
    candidates: bool = parameter(Flag(), default=False, help="List candidate pairs, and how similar they are.")


class QueryAnswer(Group, section=ANSWER):
    """Which matches the answer of query lists."""

    all_copies: bool = parameter(
        Flag(),
        default=False,
        help=f"With {mention('nearest')}, list all documents that have one of these texts.",
    )
    top: int | None = parameter(Whole(1), default=None, help="List at most N matches for each document.")
    nearest: int | None = parameter(
        Whole(1),
        default=None,
        help="List the N most similar texts, even below the threshold, with one document each. Only the documents"
        f" whose signatures agree most are compared, unless {mention('exact')} is given.",
    )
    itself: bool = parameter(Flag(), default=False, help="Let a document that is in the index match itself.")
    list: str | None = parameter(Choice(MATCH_LISTS), default=None, help="List only names.")


_TRACE = parameter(
    Flag(),
    default=False,
    help=f"Show how MinHash computes the signatures, row by row. Needs {mention('scheme')} permutation,"
    f" {mention('functions')} or {mention('permutation_file')}.",
    section=ANSWER,
    before="nul",
)


class CompareAnswer(Group, section=ANSWER):
    """How two texts are compared in detail."""

    diff: str | None = _DIFF
    trace: bool = _TRACE


class Settings:
    """Settings of Spark, each as KEY=VALUE; on a command line one at a time, in Python also as a mapping."""

    prefix = "spark."
    wanted = f"KEY=VALUE, with a KEY that begins with {prefix}"

    def check(self, value: Any) -> tuple[str, ...]:
        """The settings, each as KEY=VALUE."""
        given = [f"{key}={each}" for key, each in value.items()] if isinstance(value, Mapping) else value
        return tuple(map(self.parse, given if isinstance(given, tuple | list) else (given,)))

    def parse(self, text: Any) -> str:
        """One setting."""
        key, equals, value = text.partition("=") if isinstance(text, str) else ("", "", "")
        if not equals or not key.startswith(self.prefix) or key == self.prefix or "\0" in text:
            raise ValueError(self.wanted)
        return f"{key}={value}"

    def shown(self, given: object) -> object:
        """What messages show of a wrong value, which may be secret: the key."""
        first = next(iter(given), "") if isinstance(given, tuple | list | Mapping) else given
        return first.partition("=")[0] if isinstance(first, str) else first


class Running(Group, section=RUN):
    """How the work is done.

    jobs: worker processes, or tasks of Spark at a time; None: as many as there are cores.
    engine: where the work runs.
    spark_master, spark_conf: the cluster and the settings of the session that is made for it, if there is none.
    strict: whether it is an error if a document cannot be judged.
    """

    jobs: int | None = parameter(
        Whole(1, 1024), default=None, described="all cores", help="Number of worker processes."
    )
    engine: str = parameter(
        Choice(ENGINES),
        default="local",
        help=f"Where the work runs. The answer is the same. With spark, {mention('jobs')} is the number of tasks at a"
        " time.",
    )
    spark_master: str | None = parameter(
        FreeText(),
        default=None,
        described="local[*]; or that of spark-submit",
        help="Cluster of Spark, such as yarn or spark://HOST:7077.",
    )
    spark_conf: tuple[str, ...] = parameter(
        Settings(), default=(), help="Setting of Spark. This option may be repeated."
    )
    strict: bool = parameter(
        Flag(), default=False, help="Write nothing and exit with 2 if a document could not be compared."
    )


_SUMMARY_JSON = parameter(
    PathName(here=_HERE),
    default=None,
    help="Write the summary to FILE as one JSON object.",
    section=RUN,
    before="strict",
)


class Summarising(Group, section=RUN):
    """Whether the summary is written to a file."""

    summary_json: bytes | None = _SUMMARY_JSON


class Presentation(Group, section=ANSWER):
    """How an answer is drawn, where it is written, and what is said about the run."""

    dry_run: bool = _DRY_RUN
    list: str = parameter(Choice(TUNE_LISTS), default="choices", help="What to list.", before="diff")
    diff: str | None = _DIFF
    trace: bool = _TRACE
    passages: bool = PASSAGES
    figure: str | None = _FIGURE
    nul: bool = parameter(
        Flag(), default=False, help=f"With {mention('list')}, end names with NUL instead of a line feed."
    )
    output: bytes | None = _OUTPUT
    format: str | None = parameter(
        Choice(FORMATS),
        default=None,
        described="table on a terminal, else tsv; or the suffix of -o",
        help="Format of the answer.",
    )
    header: bool = parameter(Flag(), default=False, help="Begin TSV with the names of the columns.")
    exit_code: bool = parameter(
        Flag(),
        default=False,
        help="Exit with 1 if near-duplicates were found.",
        helps={
            "passages_report": "Exit with 1 if passages were found.",
            "audit_report": "Exit with 1 if the interval of the recall ends below the stated recall.",
        },
        section=RUN,
        before="jobs",
    )
    quiet: bool = parameter(
        Flag(), default=False, help="Print only errors on standard error.", section=RUN, before="strict"
    )
    verbose: bool = parameter(
        Flag(),
        default=False,
        help="List everything that was skipped, and print the summary.",
        helps={"compare_report": "Show all measures in a table."},
        section=RUN,
        before="strict",
    )
    summary: bool = parameter(
        Flag(),
        default=False,
        help="Print the summary even if standard error is not a terminal.",
        section=RUN,
        before="strict",
    )
    summary_json: bytes | None = _SUMMARY_JSON
    debug: bool = parameter(Flag(), default=False, help="Show the traceback of an error.", section=RUN)
