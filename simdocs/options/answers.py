"""Options about searches, answers and runs: what is looked for, and what becomes of what was found."""

from __future__ import annotations

from simdocs.options.declaration import OUTPUT, RUN, Group, option
from simdocs.options.families import CLUSTERS, DIFFS, ENGINES, FIGURES, KEEP, LISTS, MATCH_LISTS, MEASURES, VERIFY
from simdocs.options.file_formats import FORMATS
from simdocs.options.values import FLAG, FREE_TEXT, SECONDS, SETTINGS, SIZE, UNITS_OF_SIZE, choice, path_name, whole


class Deciding(Group):
    """How candidates are found and decided."""

    exact: bool = option(
        FLAG,
        default=False,
        help="Find every pair, without signatures and bands. Slower, and holds all tokens in memory.",
    )
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


class Comparing(Group):
    """By which measure documents are compared."""

    measure: str = option(
        choice(MEASURES),
        default="jaccard",
        help="What is compared with the threshold. Containment reads every document of the index again, or X.shingles;"
        " if the index stores a sketch for containment, only candidates.",
    )


class Memory(Group):
    """In how much memory documents are compared exactly; None: in all that there is."""

    max_memory: int | None = option(
        SIZE,
        default=None,
        described="the memory that is available",
        help=f"With --exact, refuse to begin if more than SIZE of memory is needed. {UNITS_OF_SIZE}",
        metavar="SIZE",
    )


class Sampling(Group):
    """How many documents are drawn for an audit."""

    sample: int = option(
        whole(1),
        default=2000,
        described="compare all pairs, or 2000 if these do not fit in memory",
        help="Draw N documents, compare each with all others, and estimate from them what is missed.",
        metavar="N",
    )


ANSWER = "Write the answer to PATH, completely or not at all: - is standard output, and NAME/ a directory of parts."

_HERE = "only answers, reports and rows are written to stores: copy it there afterwards"


class Target(Group):
    """Where an artifact is written, and what it may replace."""

    allow_shrink: bool = option(
        FLAG,
        default=False,
        help="Replace the artifact even if an argument has no documents any more, or less than half as many as before.",
    )
    dry_run: bool = option(
        FLAG,
        default=False,
        help="Write no artifact. Print which documents are changed, new, kept, renamed and removed; with -v, also those"
        " that are unchanged.",
    )
    output: bytes | None = option(
        path_name(here=_HERE),
        default=None,
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


class GroupsAnswer(Group, shell=True):
    """What is listed of groups."""

    list: str | None = option(
        choice(LISTS), default=None, help="List names, or all documents with their groups.", metavar="WHAT"
    )


class PairsAnswer(Group):
    """Which pairs are listed."""

    all_copies: bool = option(FLAG, default=False, help="Also list all pairs of identical texts.")


_EVERY_COLUMN = "with all columns, in the format of PATH's suffix. Several files, or a directory, make a directory."


class RowOutputs(Group):
    """Where the rows of the documents' files are written."""

    kept_rows: bytes | None = option(
        path_name(),
        default=None,
        help=f"Write the rows that are kept to PATH, {_EVERY_COLUMN} Rows that could not be compared are kept.",
        metavar="PATH",
    )
    removed_rows: bytes | None = option(
        path_name(), default=None, help=f"Write the rows that are duplicates to PATH, {_EVERY_COLUMN}", metavar="PATH"
    )
    flagged_rows: bytes | None = option(
        path_name(),
        default=None,
        help=f"Write all rows to PATH with the columns duplicate_of, similarity and group, and {_EVERY_COLUMN}",
        metavar="PATH",
    )


class Reporting(Group):
    """What a report shows. figure: the one figure that is drawn alone; None: the whole report. group: the number of
    the group that it shows, if it shows one; None: the largest that fits."""

    figure: str | None = option(
        choice(FIGURES), default=None, help="Draw one figure alone, as an image for -o NAME.svg."
    )
    group: int | None = option(
        whole(0),
        default=None,
        described="the largest of at most 50 documents",
        help="Draw the group with the number N, with --figure matrix or links.",
        metavar="N",
    )
    report_size: int = option(
        SIZE,
        default=20_000_000,
        described="20MB",
        help=f"Put at most SIZE of texts into a report, those of the largest groups first. {UNITS_OF_SIZE}",
        metavar="SIZE",
    )


class ShowAnswer(Group):
    """What is shown of an artifact."""

    matrix: bool = option(FLAG, default=False, help="Show which of up to 20 documents has which shingle.")
    buckets: bool = option(FLAG, default=False, help="List the buckets that two or more documents share.")
    candidates: bool = option(FLAG, default=False, help="List candidate pairs, and how similar they are.")


class QueryAnswer(Group):
    """Which matches the answer of query lists, and whether it has the differences of pairs."""

    all_copies: bool = option(
        FLAG, default=False, help="With --nearest, list all documents that have one of these texts."
    )
    top: int | None = option(whole(1), default=None, help="List at most N matches for each document.", metavar="N")
    nearest: int | None = option(
        whole(1),
        default=None,
        help="List the N most similar texts, even below the threshold, with one document each. Only the documents"
        " whose signatures agree most are compared, unless --exact is given.",
        metavar="N",
    )
    itself: bool = option(
        FLAG, default=False, help="Let a document that is in the index match itself.", spellings=("--self",)
    )


class MatchesAnswer(Group, shell=True):
    """What is listed of matches."""

    list: str | None = option(choice(MATCH_LISTS), default=None, help="List only names.", metavar="WHAT")


class CompareAnswer(Group):
    """How two texts are compared in detail."""

    diff: str | None = option(choice(DIFFS), default=None, help="Print where texts differ.")
    trace: bool = option(
        FLAG,
        default=False,
        help="Show how MinHash computes the signatures, row by row. Needs --scheme permutation, --functions or"
        " --permutation-file.",
    )


class Running(Group, shared=RUN):
    """How the work is done.

    jobs: worker processes, or tasks of Spark at a time; None: as many as there are cores.
    engine: where the work runs.
    spark_master, spark_conf: the cluster and the settings of the session that is made for it, if there is none.
    strict: whether it is an error if a document cannot be judged.
    """

    jobs: int | None = option(
        whole(1, 1024),
        default=None,
        described="all cores",
        help="Number of worker processes.",
        metavar="N",
        spellings=("-j", "--jobs"),
    )
    engine: str = option(
        choice(ENGINES),
        default="local",
        help="Where the work runs. The answer is the same. With spark, -j is the number of tasks at a time.",
    )
    spark_master: str | None = option(
        FREE_TEXT,
        default=None,
        described="local[*]; or that of spark-submit",
        help="Cluster of Spark, such as yarn or spark://HOST:7077.",
        metavar="URL",
    )
    spark_conf: tuple[str, ...] = option(
        SETTINGS, default=(), help="Setting of Spark. This option may be repeated.", metavar="KEY=VALUE"
    )
    strict: bool = option(
        FLAG, default=False, help="Write nothing and exit with 2 if a document could not be compared."
    )


class Talking(Group, shared=RUN, shell=True):
    """What is said about the run on standard error."""

    quiet: bool = option(FLAG, default=False, help="Print only errors on standard error.", spellings=("-q", "--quiet"))
    verbose: bool = option(
        FLAG,
        default=False,
        help="List everything that was skipped, and print the summary.",
        spellings=("-v", "--verbose"),
    )
    summary: bool = option(FLAG, default=False, help="Print the summary even if standard error is not a terminal.")


class Summarising(Group, shared=RUN):
    """Whether the summary is written to a file."""

    summary_json: bytes | None = option(
        path_name(here=_HERE), default=None, help="Write the summary to FILE as one JSON object.", metavar="FILE"
    )


class Debugging(Group, shared=RUN, shell=True):
    """What is said about an error."""

    debug: bool = option(FLAG, default=False, help="Show the traceback of an error.")


class Judging(Group, shared=RUN, shell=True):
    """Whether the exit status says that something was found."""

    exit_code: bool = option(FLAG, default=False, help="Exit with 1 if near-duplicates were found.")


class Printed(Group, shared=OUTPUT, shell=True):
    """How an answer is drawn."""

    format: str | None = option(
        choice(FORMATS),
        default=None,
        described="table on a terminal, else tsv; or the suffix of -o",
        help="Format of the answer.",
    )
    header: bool = option(FLAG, default=False, help="Begin TSV with the names of the columns.")


class Printing(Printed, shared=OUTPUT, shell=True):
    """How an answer is drawn, and where it is written."""

    output: bytes | None = option(path_name(), default=None, help=ANSWER, metavar="PATH", spellings=("-o", "--output"))


class Names(Group, shared=OUTPUT, shell=True):
    """How lists of names are written."""

    nul: bool = option(
        FLAG, default=False, help="With --list, end names with NUL instead of a line feed.", spellings=("-0",)
    )
