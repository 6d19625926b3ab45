"""Every parameter, declared once: its name, the values that it takes, its default, and one sentence of help.

The command line, the Python API, the checks of manifests, the reference and the man pages derive from `PARAMETERS`. The
families name their members in a table each; a member's implementation is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from simdocs.answer_parameters import OF_ANSWERS
from simdocs.errors import mention
from simdocs.families import CLUSTERS, KEEP, LANGUAGES, MEASURES, RULES, SCHEMES, UNITS, VERIFY
from simdocs.parameter_declaration import DOCUMENTS, GROUPS, SHINGLES, SIGNATURES, TEXT, Parameter
from simdocs.values import (
    MIB,
    ArtifactName,
    Choice,
    Flag,
    Fraction,
    FreeText,
    PathList,
    PathName,
    PatternList,
    Seed,
    Several,
    Size,
    Whole,
)

MAX_NUM_PERM = 1 << 16
"""The largest number of places in a signature."""


_THRESHOLD = (
    "Minimum similarity of near-duplicates. Similarity (Jaccard) is the fraction of their shingles that two documents"
    " have in common."
)

_UNITS = "K, M and G are powers of 1024; KB, MB and GB are powers of 1000."


def _default_k() -> str:
    """The default of k in words: it depends on the unit."""
    return ", ".join(f"{name} {unit.k}" for name, unit in UNITS.items())


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
    Parameter("max_size", DOCUMENTS, Size(), f"Refuse a larger text. {_UNITS}", 256 * MIB, "256M", question="compare"),
    Parameter("text_field", DOCUMENTS, FreeText(), "Field that holds the text in JSON Lines.", "text"),
    Parameter("id_field", DOCUMENTS, FreeText(), "Field that holds the id in JSON Lines, as in PATH#ID.", "id"),
    Parameter(
        "plain",
        DOCUMENTS,
        Flag(),
        "Read each *.jsonl and *.ndjson file as one text, and do not warn about tables.",
        False,
    ),
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
        "root",
        DOCUMENTS,
        PathName(directories=True),
        "Look for the artifact's documents in DIR.",
        described="the directory where it was built",
        question="compare",
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
    Parameter(
        "renamed",
        DOCUMENTS,
        Flag(),
        f"With {mention('changed')}, renamed documents count as changed.",
        False,
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
        described=_default_k,
    ),
    Parameter(
        "unit",
        SHINGLES,
        Several(Choice(UNITS)),
        "Unit of a shingle. Several units, separated by commas, give a table.",
        ("char",),
        "char",
        question="compare",
    ),
    Parameter(
        "k",
        SHINGLES,
        Several(Whole(1, 1000)),
        "Units in a shingle. Several numbers, separated by commas, give a table.",
        described=_default_k,
        question="compare",
    ),
    Parameter("language", SHINGLES, Choice(LANGUAGES), "Language of the stop words.", "en"),
    Parameter(
        "ignore_stop_words",
        SHINGLES,
        Flag(),
        f"Leave out stop words. Needs {mention('unit')} word.",
        False,
    ),
    Parameter(
        "stop_words",
        SHINGLES,
        PathName(),
        f"Read the stop words from FILE, instead of those of {mention('language')}. With {mention('unit')} word they"
        " are left out.",
    ),
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
    Parameter(
        "ignore_common",
        SIGNATURES,
        Fraction(),
        "Leave out tokens that occur in more than this fraction of the documents. 1 leaves out none.",
        1.0,
    ),
    Parameter(
        "template",
        SIGNATURES,
        PathList(),
        "Leave out the tokens of the text in FILE, such as a form or a page header. May be repeated.",
        (),
    ),
    Parameter(
        "containment",
        SIGNATURES,
        Flag(),
        "Also store a sketch of each document, so that a query for containment reads only candidates again.",
        False,
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
    Parameter(
        "threshold",
        SIGNATURES,
        Fraction(),
        f"Minimum similarity of near-duplicates. {mention('exit_code')} and the choice of bands depend on it. With an"
        " index, the default is that of the index.",
        0.8,
        question="compare",
    ),
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
        "What is compared with the threshold. Containment reads every document of the index again, or X.shingles;"
        " if the index stores a sketch for containment, only candidates.",
        "jaccard",
    ),
    Parameter(
        "measure",
        GROUPS,
        Choice(MEASURES),
        f"What is compared with the threshold. Containment needs {mention('pairs')}, and finds every pair as"
        f" {mention('exact')} does.",
        "jaccard",
        question="dedupe",
    ),
    Parameter(
        "measure",
        GROUPS,
        Choice(MEASURES),
        "What is compared with the threshold, and is in the matrix of several texts.",
        "jaccard",
        question="compare",
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
        "exact",
        GROUPS,
        Flag(),
        f"Compare with every document of the index, which are all read again. Unless {mention('nearest')} or"
        f" {mention('measure')} containment is given, all tokens are held in memory.",
        False,
        question="query",
    ),
    Parameter(
        "max_memory",
        GROUPS,
        Size(),
        f"With {mention('exact')}, refuse to begin if more than SIZE of memory is needed. {_UNITS}",
        described="the memory that is available",
    ),
    Parameter(
        "max_memory",
        GROUPS,
        Size(),
        f"With {mention('exact')} or {mention('measure')} containment, refuse to begin if more than SIZE of memory is"
        f" needed. {_UNITS}",
        described="the memory that is available",
        question="dedupe",
    ),
    Parameter(
        "max_memory",
        GROUPS,
        Size(),
        f"Audit a sample if comparing all pairs needs more than SIZE of memory. {_UNITS}",
        described="the memory that is available",
        question="audit",
    ),
    Parameter(
        "sample",
        GROUPS,
        Whole(1),
        "Draw N documents, compare each with all others, and estimate from them what is missed.",
        2000,
        "compare all pairs, or 2000 if these do not fit in memory",
    ),
    Parameter(
        "max_candidates",
        GROUPS,
        Whole(1),
        "Compare a document with at most N kept documents of each bucket. Exit with 3 if that limit was reached.",
        10_000,
    ),
    Parameter(
        "against",
        GROUPS,
        ArtifactName(("index",)),
        "Index of documents that are always kept. Only DOCS can be duplicates.",
    ),
    *OF_ANSWERS,
)

PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {f"{parameter.question}.{parameter.name}".removeprefix("."): parameter for parameter in _DECLARED}
)
"""Every parameter by name (by `question.name` if it belongs to one question), in the order in which help lists them."""
