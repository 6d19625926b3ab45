"""Every parameter, declared once: its name, the values that it takes, its default, and one sentence of help.

The command line, the Python API, the checks of manifests, the reference and the man pages derive from `PARAMETERS`. The
families name their members in a table each; a member's implementation is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from simdocs.errors import mention
from simdocs.families import (
    CLUSTERS,
    COLORS,
    FORMATS,
    KEEP,
    LANGUAGES,
    LISTS,
    MATCH_LISTS,
    MEASURES,
    RULES,
    SCHEMES,
    TUNE_LISTS,
    UNITS,
    VERIFY,
)
from simdocs.values import (
    MIB,
    ArtifactName,
    Choice,
    Flag,
    Fraction,
    FreeText,
    PathName,
    PatternList,
    Seconds,
    Seed,
    Size,
    Values,
    Whole,
)

MAX_NUM_PERM = 1 << 16
"""The largest number of places in a signature."""

DOCUMENTS, TEXT, SHINGLES, SIGNATURES = "Documents", "Normalised text", "Shingles", "Signatures and bands"
GROUPS, UPDATE, ANSWER, RUN = "Groups", "Update of an artifact", "Answer", "Run"


_THRESHOLD = (
    "Minimum similarity of near-duplicates. Similarity (Jaccard) is the fraction of their shingles that two documents"
    " have in common."
)

_UNITS = "K, M and G are powers of 1024; KB, MB and GB are powers of 1000."


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter.

    section: the heading under which help lists it. default: its value when it is not given; None if there is no default
    or if it depends on other parameters. described: the default in words, if the value alone does not say it. question:
    the only question for which this declaration counts; empty: it counts for all others.
    """

    name: str
    section: str
    values: Values
    help: str
    default: Any = None
    described: str | Callable[[], str] = ""
    question: str = ""

    @property
    def shown_default(self) -> str:
        """The default as help and the reference show it; empty if they show none."""
        described = self.described() if callable(self.described) else self.described
        if described or self.default is None or self.default == () or isinstance(self.values, Flag):
            return described
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)


_DECLARED = (
    # Documents
    Parameter(
        "files_from",
        DOCUMENTS,
        PathName(),
        "Read the names of documents from FILE, one per line. A FILE of - is standard input.",
    ),
    Parameter(
        "files0_from",
        DOCUMENTS,
        PathName(),
        "Read the names of documents from FILE, each ended by NUL. A FILE of - is standard input.",
    ),
    Parameter(
        "include",
        DOCUMENTS,
        PatternList(),
        "In directories, only read files whose name matches GLOB. A GLOB with a slash is compared with the path below"
        " DOCS. May be repeated.",
        (),
    ),
    Parameter(
        "exclude",
        DOCUMENTS,
        PatternList(),
        "Skip files and directories that match GLOB. A GLOB with a slash is compared with the path below DOCS."
        " May be repeated.",
        (),
    ),
    Parameter("hidden", DOCUMENTS, Flag(), "Also read files and directories whose name begins with a dot.", False),
    Parameter("follow", DOCUMENTS, Flag(), "Follow symbolic links in directories.", False),
    Parameter("one_file_system", DOCUMENTS, Flag(), "Do not enter directories on other file systems.", False),
    Parameter("max_size", DOCUMENTS, Size(), f"Skip larger documents, and exit with 3. {_UNITS}", 256 * MIB, "256M"),
    Parameter("max_size", DOCUMENTS, Size(), f"Refuse a larger text. {_UNITS}", 256 * MIB, "256M", question="show"),
    Parameter("text_field", DOCUMENTS, FreeText(), "Field that holds the text in JSON Lines.", "text"),
    Parameter("id_field", DOCUMENTS, FreeText(), "Field that holds the id in JSON Lines, as in PATH#ID.", "id"),
    Parameter("plain", DOCUMENTS, Flag(), "Read each *.jsonl and *.ndjson file as one text.", False),
    Parameter("jsonl", DOCUMENTS, Flag(), "Read standard input as JSON Lines.", False),
    Parameter(
        "shingles",
        DOCUMENTS,
        ArtifactName(("shingles",)),
        "Verify with the token sets in X.shingles instead of reading the documents of the index again.",
    ),
    Parameter(
        "shingles",
        DOCUMENTS,
        ArtifactName(("shingles",)),
        "Verify with the token sets in X.shingles instead of reading the artifact's documents again."
        f" With {mention('against')}, this is for the documents of Y.index.",
        question="dedupe",
    ),
    Parameter(
        "root",
        DOCUMENTS,
        PathName(directories=True),
        "Look for the documents of the index in DIR.",
        described="the directory where it was built",
    ),
    Parameter(
        "root",
        DOCUMENTS,
        PathName(directories=True),
        f"Look for the artifact's documents in DIR. With {mention('against')}, this is for the documents of Y.index.",
        described="the directory where it was built",
        question="dedupe",
    ),
    Parameter(
        "changed",
        DOCUMENTS,
        Flag(),
        "Only look for pairs with a document that was new or changed when the index was last updated.",
        False,
    ),
    Parameter(
        "changed",
        DOCUMENTS,
        Flag(),
        "Look up the documents of the index that were new or changed when it was last updated, instead of DOCS.",
        False,
        question="query",
    ),
    # Normalised text
    Parameter("nfkc", TEXT, Flag(), "Convert the text to Unicode normal form NFKC first.", False),
    Parameter("keep_case", TEXT, Flag(), "Do not convert the text to lower case.", False),
    Parameter(
        "strip_accents",
        TEXT,
        Flag(),
        "Remove accents. These are all nonspacing marks, also Indic and Thai vowel signs.",
        False,
    ),
    Parameter("strip_punctuation", TEXT, Flag(), "Replace punctuation and symbols with spaces.", False),
    Parameter("mask_digits", TEXT, Flag(), "Replace every digit with 0.", False),
    # Shingles
    Parameter("unit", SHINGLES, Choice(UNITS), "Unit of a shingle.", "char"),
    Parameter(
        "k",
        SHINGLES,
        Whole(1, 1000),
        "Units in a shingle.",
        described=lambda: ", ".join(f"{name} {unit.k}" for name, unit in UNITS.items()),
    ),
    Parameter("language", SHINGLES, Choice(LANGUAGES), "Language of the stop words.", "en"),
    Parameter("multiset", SHINGLES, Flag(), "Count repeated shingles: multisets instead of sets.", False),
    Parameter("seed", SHINGLES, Seed(), "Seed of all hash functions. random chooses an unpredictable seed.", 0),
    # Signatures and bands
    Parameter(
        "num_perm",
        SIGNATURES,
        Whole(1, MAX_NUM_PERM),
        "Number of places in a signature. More places make estimates more precise, and signatures larger.",
        128,
    ),
    Parameter("scheme", SIGNATURES, Choice(SCHEMES), "How signatures are computed.", "fss"),
    Parameter("threshold", SIGNATURES, Fraction(), _THRESHOLD, 0.8),
    Parameter(
        "threshold",
        SIGNATURES,
        Fraction(),
        f"{_THRESHOLD} With an index, the default is that of the index.",
        0.8,
        question="dedupe",
    ),
    Parameter(
        "threshold",
        SIGNATURES,
        Fraction(),
        f"{_THRESHOLD} With an index, the default is that of the index.",
        0.8,
        question="tune",
    ),
    Parameter("threshold", SIGNATURES, Fraction(), _THRESHOLD, None, "the index's", question="query"),
    Parameter("recall", SIGNATURES, Fraction(), "Minimum fraction of the pairs at the threshold to find.", 0.95),
    Parameter("rule", SIGNATURES, Choice(RULES), "How the bands are chosen.", "recall"),
    Parameter("bands", SIGNATURES, Whole(1, MAX_NUM_PERM), "Number of bands, instead of a rule."),
    Parameter("rows", SIGNATURES, Whole(1, MAX_NUM_PERM), "Number of rows in a band, instead of a rule."),
    # Groups
    Parameter("keep", GROUPS, Choice(KEEP), "Which of several near-duplicates is kept.", "first"),
    Parameter("cluster", GROUPS, Choice(CLUSTERS), "What makes a group.", "greedy"),
    Parameter(
        "measure",
        GROUPS,
        Choice(MEASURES),
        "What is compared with the threshold. Containment reads every document of the index again, or X.shingles.",
        "jaccard",
    ),
    Parameter("verify", GROUPS, Choice(VERIFY), "How candidate pairs are decided.", "exact"),
    Parameter(
        "exact",
        GROUPS,
        Flag(),
        "Find every pair, without signatures and bands. Slower, and holds all tokens in memory.",
        False,
    ),
    Parameter(
        "max_candidates",
        GROUPS,
        Whole(1),
        "Compare with at most N kept documents of those that agree in a band. Exit with 3 if that limit was reached.",
        1000,
    ),
    Parameter(
        "against",
        GROUPS,
        ArtifactName(("index",)),
        "Index of documents that are always kept. Only DOCS can be duplicates.",
    ),
    # Update of an artifact
    Parameter(
        "rebuild", UPDATE, Flag(), "Read every document again, and take nothing from the artifact that is there.", False
    ),
    Parameter(
        "checksum",
        UPDATE,
        Flag(),
        "Tell by its content whether a file has changed, and not by its size, times and inode.",
        False,
    ),
    Parameter(
        "ignore_ctime",
        UPDATE,
        Flag(),
        "Take a file for unchanged even if its change time is another, as after a rename or chmod.",
        False,
    ),
    Parameter(
        "ignore_inode",
        UPDATE,
        Flag(),
        "Take a file for unchanged even if its inode is another, as on some network file systems.",
        False,
    ),
    Parameter(
        "keep_unreadable",
        UPDATE,
        Flag(),
        "Keep what the artifact has of files and directories that cannot be read now. Exit with 3 if there are any.",
        False,
    ),
    Parameter(
        "allow_shrink",
        UPDATE,
        Flag(),
        "Replace the artifact even if an argument gives no documents any more, or less than half as many.",
        False,
    ),
    Parameter(
        "dry_run",
        UPDATE,
        Flag(),
        f"Write no artifact. Print which documents are changed, new, kept and removed; with {mention('verbose')}, also"
        " those that are unchanged.",
        False,
    ),
    # Answer
    Parameter("pairs", ANSWER, Flag(), "List all pairs of near-duplicates instead of groups.", False),
    Parameter(
        "all_copies",
        ANSWER,
        Flag(),
        f"With {mention('pairs')}, also list all pairs of identical texts.",
        False,
    ),
    Parameter("list", ANSWER, Choice(LISTS), "List only names, or lines of JSON Lines files."),
    Parameter("top", ANSWER, Whole(1), "List at most N matches for each document."),
    Parameter("nearest", ANSWER, Whole(1), "List the N most similar documents, even below the threshold."),
    Parameter("itself", ANSWER, Flag(), "Let a document that is in the index match itself.", False),
    Parameter("list", ANSWER, Choice(MATCH_LISTS), "List only names.", question="query"),
    Parameter("list", ANSWER, Choice(TUNE_LISTS), "What to list.", "choices", question="tune_report"),
    Parameter("nul", ANSWER, Flag(), f"With {mention('list')}, end names with NUL instead of a line feed.", False),
    Parameter("output", ANSWER, PathName(), "Write the artifact to PATH, completely or not at all."),
    Parameter(
        "output",
        ANSWER,
        PathName(),
        "Write the answer to PATH, completely or not at all. A PATH of - is standard output.",
        question="report",
    ),
    Parameter(
        "output",
        ANSWER,
        PathName(),
        "Write the answer to PATH; an image if it ends in .svg.",
        question="tune_report",
    ),
    Parameter(
        "format",
        ANSWER,
        Choice(FORMATS),
        "Format of the answer.",
        described="table on a terminal, else tsv; or the suffix of -o",
    ),
    Parameter("header", ANSWER, Flag(), "Begin TSV with the names of the columns.", False),
    Parameter("color", ANSWER, Choice(COLORS), "When to use colours.", "auto"),
    Parameter("exit_code", RUN, Flag(), "Exit with 1 if near-duplicates were found.", False),
    # Run
    Parameter("jobs", RUN, Whole(1, 1024), "Number of worker processes.", described="all cores"),
    Parameter("quiet", RUN, Flag(), "Print only errors on standard error.", False),
    Parameter("verbose", RUN, Flag(), "List everything that was skipped, and print the summary.", False),
    Parameter("summary", RUN, Flag(), "Print the summary even if standard error is not a terminal.", False),
    Parameter("summary_json", RUN, PathName(), "Write the summary to FILE as one JSON object."),
    Parameter("strict", RUN, Flag(), "Write nothing and exit with 2 if a document could not be compared.", False),
    Parameter(
        "lock_wait", RUN, Seconds(), "Wait up to SECONDS while another run writes the artifact, then exit with 75.", 0.0
    ),
    Parameter("debug", RUN, Flag(), "Show the traceback of an error.", False),
)

PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {f"{parameter.question}.{parameter.name}".removeprefix("."): parameter for parameter in _DECLARED}
)
"""Every parameter by name (by `question.name` if it belongs to one question), in the order in which help lists them."""
