"""Parameters about updates, answers and runs: what is done with what was found."""

from __future__ import annotations

from simdocs.errors import mention
from simdocs.families import COLORS, DIFFS, FORMATS, LISTS, MATCH_LISTS, TUNE_LISTS
from simdocs.parameter_declaration import ANSWER, RUN, UPDATE, Parameter
from simdocs.values import Choice, Flag, PathName, Seconds, Whole

_ANSWER_TO_PATH = "Write the answer to PATH, completely or not at all. A PATH of - is standard output."

OF_ANSWERS = (
    # Update of an artifact
    Parameter(
        "rebuild", UPDATE, Flag(), "Read every document again, and take nothing from the artifact that is there.", False
    ),
    Parameter(
        "checksum",
        UPDATE,
        Flag(),
        "Detect changes by content instead of size, times and inode.",
        False,
    ),
    Parameter(
        "ignore_ctime",
        UPDATE,
        Flag(),
        "Treat a file as unchanged even if its ctime differs, as after a rename or chmod.",
        False,
    ),
    Parameter(
        "ignore_inode",
        UPDATE,
        Flag(),
        "Treat a file as unchanged even if its inode differs, as on some network file systems.",
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
        "Replace the artifact even if an argument has no documents any more, or less than half as many as before.",
        False,
    ),
    Parameter(
        "dry_run",
        UPDATE,
        Flag(),
        f"Write no artifact. Print which documents are changed, new, kept, renamed and removed; with"
        f" {mention('verbose')}, also those that are unchanged.",
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
    Parameter(
        "all_copies",
        ANSWER,
        Flag(),
        f"With {mention('nearest')}, list all documents that have one of these texts.",
        False,
        question="query",
    ),
    Parameter(
        "explain",
        ANSWER,
        Flag(),
        "List all documents, and say why each is kept, or a duplicate of another one.",
        False,
    ),
    Parameter("list", ANSWER, Choice(LISTS), "List only names, or lines of JSON Lines files."),
    Parameter("matrix", ANSWER, Flag(), "Show which of up to 20 documents has which token.", False),
    Parameter("buckets", ANSWER, Flag(), "List the buckets that two or more documents share.", False),
    Parameter("candidates", ANSWER, Flag(), "List candidate pairs, and how similar they are.", False),
    Parameter("sketch", ANSWER, Flag(), "List how many tokens the sketch for containment holds, or which.", False),
    Parameter("top", ANSWER, Whole(1), "List at most N matches for each document."),
    Parameter(
        "nearest",
        ANSWER,
        Whole(1),
        "List the N most similar texts, even below the threshold, with one document each. Only the documents whose"
        f" signatures agree most are compared, unless {mention('exact')} is given.",
    ),
    Parameter("itself", ANSWER, Flag(), "Let a document that is in the index match itself.", False),
    Parameter("list", ANSWER, Choice(MATCH_LISTS), "List only names.", question="query"),
    Parameter("list", ANSWER, Choice(TUNE_LISTS), "What to list.", "choices", question="tune_report"),
    Parameter("diff", ANSWER, Choice(DIFFS), "Print where texts differ."),
    Parameter(
        "trace",
        ANSWER,
        Flag(),
        f"Show how MinHash computes the signatures, row by row. Needs {mention('scheme')} permutation.",
        False,
    ),
    Parameter("nul", ANSWER, Flag(), f"With {mention('list')}, end names with NUL instead of a line feed.", False),
    Parameter("output", ANSWER, PathName(), "Write the artifact to PATH, completely or not at all."),
    Parameter("output", ANSWER, PathName(), _ANSWER_TO_PATH, question="report"),
    Parameter("output", ANSWER, PathName(), _ANSWER_TO_PATH, question="audit_report"),
    Parameter("output", ANSWER, PathName(), _ANSWER_TO_PATH, question="compare_report"),
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
    Parameter(
        "exit_code",
        RUN,
        Flag(),
        "Exit with 1 if the interval of the recall ends below the stated recall.",
        False,
        question="audit_report",
    ),
    # Run
    Parameter("jobs", RUN, Whole(1, 1024), "Number of worker processes.", described="all cores"),
    Parameter("quiet", RUN, Flag(), "Print only errors on standard error.", False),
    Parameter("verbose", RUN, Flag(), "List everything that was skipped, and print the summary.", False),
    Parameter("verbose", RUN, Flag(), "Show all measures in a table.", False, question="compare_report"),
    Parameter("summary", RUN, Flag(), "Print the summary even if standard error is not a terminal.", False),
    Parameter("summary_json", RUN, PathName(), "Write the summary to FILE as one JSON object."),
    Parameter("strict", RUN, Flag(), "Write nothing and exit with 2 if a document could not be compared.", False),
    Parameter(
        "lock_wait", RUN, Seconds(), "Wait up to SECONDS while another run writes the artifact, then exit with 75.", 0.0
    ),
    Parameter("debug", RUN, Flag(), "Show the traceback of an error.", False),
)
