"""The families, such as shinglers, signature schemes, keep policies and output formats: one table for each.

A new member is one entry here, or one call of `register`, that names its implementation. The command line, its help,
the Python API, the checks of manifests and the contract tests follow from the tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.errors import mention
from simdocs.family import Family, Member

_SHINGLERS = "simdocs.kernels.tokens.shinglers"
_ORDERS = "simdocs.kernels.group.greedy_rounds"


@dataclass(frozen=True, slots=True)
class Unit(Member):
    """A unit of shingles. k: the default number of units in a shingle."""

    k: int = 1


UNITS = Family(
    {
        "char": Unit("k characters in a row", f"{_SHINGLERS}:CHAR", 9),
        "word": Unit("k words in a row", f"{_SHINGLERS}:WORD", 5),
        "line": Unit("k lines in a row (with k = 1, a document is a set of lines)", f"{_SHINGLERS}:LINE", 1),
        "stopword": Unit(
            "a stop word and the k-1 words after it (for articles among advertisements)", f"{_SHINGLERS}:STOPWORD", 3
        ),
    }
)


def default_k(unit: str) -> int:
    """The number of units in a shingle when k is not given."""
    return UNITS[unit].k


LANGUAGES = Family(
    {
        "en": Member("English"),
        "de": Member("German"),
        "fr": Member("French"),
        "es": Member("Spanish"),
        "it": Member("Italian"),
        "pt": Member("Portuguese"),
        "nl": Member("Dutch"),
        "sv": Member("Swedish"),
        "da": Member("Danish"),
        "no": Member("Norwegian"),
        "fi": Member("Finnish"),
        "ru": Member("Russian"),
    }
)

SCHEMES = Family(
    {
        "fss": Member(
            "Fast Similarity Sketching: one pass over the tokens, with a smaller error",
            "simdocs.kernels.sketch.fss:FSS",
        ),
        "permutation": Member(
            "K random hash functions, as textbooks describe MinHash; slower",
            "simdocs.kernels.sketch.permutation:PERMUTATION",
        ),
    }
)

RULES = Family(
    {
        "recall": Member(f"the most rows that still find {mention('recall')} of the pairs at {mention('threshold')}"),
        "nearest": Member(f"bands b and rows r with (1/b)^(1/r) nearest to {mention('threshold')}, as in textbooks"),
    }
)

MEASURES = Family(
    {
        "jaccard": Member("the share of both documents' shingles that they have in common, for near-duplicates"),
        "containment": Member("the share of the one document's shingles that the other has, for excerpts and quotes"),
    }
)

VERIFY = Family(
    {
        "exact": Member("compare the token sets"),
        "estimate": Member("compare the signatures only"),
    }
)

KEEP = Family(
    {
        "first": Member("the first: by the order of DOCS, then by path", f"{_ORDERS}:first"),
        "longest": Member("the one with the most bytes", f"{_ORDERS}:longest"),
        "shortest": Member("the one with the fewest bytes", f"{_ORDERS}:shortest"),
        "newest": Member("the one modified last", f"{_ORDERS}:newest"),
        "oldest": Member("the one modified first", f"{_ORDERS}:oldest"),
    }
)

CLUSTERS = Family(
    {
        "greedy": Member("every duplicate is similar to the document that is kept for it"),
        "components": Member("all documents that a chain of similar pairs connects"),
    }
)

LISTS = Family(
    {
        "kept": Member("the names of documents that are kept"),
        "duplicates": Member("the names of duplicates"),
        "kept-lines": Member("the JSON Lines of kept documents, byte for byte"),
        "duplicate-lines": Member("the JSON Lines of duplicates, byte for byte"),
    }
)

MATCH_LISTS = Family({"matches": Member("the names of all matches, each once")})

TUNE_LISTS = Family(
    {
        "choices": Member("numbers of bands and rows, and what they find"),
        "curve": Member("the S-curve of the chosen bands, and how many pairs have which similarity"),
    }
)

FORMATS = Family(
    {
        "table": Member("a table for people", "simdocs.views.table:Table"),
        "tsv": Member("tab-separated, without a header", "simdocs.views.output_formats:Tsv"),
        "jsonl": Member("one JSON object per line", "simdocs.views.output_formats:Jsonl"),
        "csv": Member("RFC 4180, with a header", "simdocs.views.output_formats:Csv"),
    }
)


@dataclass(frozen=True, slots=True)
class Diff(Member):
    """A way to draw the difference of two texts. compared: the units that are compared, `words` or `lines`."""

    compared: str = "lines"


DIFFS = Family(
    {
        "words": Diff("words that differ, within the text", compared="words"),
        "lines": Diff("lines that differ, within the text"),
        "unified": Diff("lines that differ, with three lines around them"),
        "side-by-side": Diff(
            "words that differ, with the texts in two columns; as words if fewer than 60 characters fit",
            compared="words",
        ),
    }
)

COLORS = Family(
    {
        "auto": Member("on a terminal, unless NO_COLOR is set"),
        "always": Member("also in files and pipes"),
        "never": Member("nowhere"),
    }
)
