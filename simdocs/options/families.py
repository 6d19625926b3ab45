"""The families, such as units, signature schemes, keep policies and formats: one table for each.

The command line, its help, the Python API, the checks of manifests and the contract tests follow from these tables.
ARCHITECTURE.md says where members are implemented.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from math import inf
from typing import Any, NamedTuple

from simdocs.options.declaration import Member


class UnitFigures(NamedTuple):
    """Figures about the units of real texts, from which advice about k follows.

    Each pair has a figure for texts with spaces between words, and one for scripts without spaces.

    variety: the number of equally frequent units that would be as varied as those of real texts
    of_word: the number of units in a word
    of_link: the number of units that a short link adds
    unspaced_bytes: a text with more UTF-8 bytes per unit than the first figure, and at most the second, is in a script
        without spaces
    """

    variety: tuple[float, float]
    of_word: tuple[int, int]
    of_link: int
    unspaced_bytes: tuple[float, float]


class Unit(NamedTuple):
    """A unit of shingles, whose shingler is in kernels/shinglers.py.

    k: the default number of units in a shingle
    passage: the default number of units in a passage that texts have in common, if k is not larger
    plural: the word for several units
    by_lines: whether normalisation keeps the ends of lines
    may_ignore_stop_words: whether stop words can be left out
    begins_at_stop_words: whether each shingle begins at a stop word
    edited: the units of the edit distance, the finest first; by default, this unit
    varied: the unit to try if unrelated documents look alike; empty if there is none
    coarser: the unit to try if documents share a template; empty if there is none
    figures: None if nothing is advised about k
    """

    help: str
    k: int = 1
    passage: int = 10
    plural: str = "units"
    by_lines: bool = False
    may_ignore_stop_words: bool = False
    begins_at_stop_words: bool = False
    edited: tuple[str, ...] = ()
    varied: str = ""
    coarser: str = ""
    figures: UnitFigures | None = None


# 20 characters: Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.2.2. Kana and Thai letters are about
# as varied as 60, Han more. 5000 words: a rough vocabulary. Han, kana and Thai have 3 bytes per character, and in these
# scripts each character counts as a word. A link has 25 characters and a space before it.
_CHARACTERS = UnitFigures((20.0, 60.0), (6, 2), 26, (2.5, inf))
_WORDS = UnitFigures((5000.0, 5000.0), (1, 1), 4, (0.0, 4.2))

UNITS = {
    "char": Unit(
        "k characters in a row",
        9,
        passage=60,
        plural="characters",
        edited=("char", "word"),
        varied="word",
        coarser="line",
        figures=_CHARACTERS,
    ),
    "word": Unit("k words in a row", 5, plural="words", may_ignore_stop_words=True, coarser="line", figures=_WORDS),
    "line": Unit(
        "k lines in a row (with k = 1, a document is a set of lines)", 1, passage=3, plural="lines", by_lines=True
    ),
    "stopword": Unit(
        "a stop word and the k-1 words after it (for articles among advertisements)",
        3,
        plural="words",
        begins_at_stop_words=True,
        edited=("word",),
        varied="word",
        coarser="line",
    ),
}


def default_k(unit: str) -> int:
    """The number of units in a shingle when k is not given."""
    return UNITS[unit].k


def edited_units(unit: str) -> tuple[str, ...]:
    """The units in which an edit distance is computed, the finest first. A coarser one is used for long texts."""
    return UNITS[unit].edited or (unit,)


LANGUAGES = {
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


@cache
def stop_words() -> Mapping[str, tuple[str, ...]]:
    """The stop words of each language, which never change: other lists would give all documents other shingles.

    They are articles, pronouns, prepositions, conjunctions, auxiliary verbs and common adverbs, of which prose is full,
    and advertisements and menus are not: Theobald, Siddharth, Paepcke, "SpotSigs", SIGIR 2008. Each is a lower-case run
    of word characters in NFC; words with an apostrophe are there in pieces ("l", "qu", "ll").
    """
    from importlib.resources import files  # takes milliseconds

    lists = files("simdocs.options").joinpath("stop_words.txt").read_text("utf-8").split("\n\n")
    return {language: tuple(words) for language, *words in map(str.split, lists)}


SCHEMES = {
    "fss": Member("Fast Similarity Sketching: one pass over the tokens, with a smaller error"),
    "permutation": Member("K random hash functions, as textbooks describe MinHash; slower"),
}
"""The signature schemes, which pipeline/signing.py implements."""

RULES = {
    "recall": Member("the most rows that still find --recall of the pairs at --threshold"),
    "nearest": Member("bands b and rows r with (1/b)^(1/r) nearest to --threshold, as in textbooks"),
}

MEASURES = {
    "jaccard": Member("the share of both documents' shingles that they have in common, for near-duplicates"),
    "containment": Member("the share of the one document's shingles that the other has, for excerpts and quotes"),
}

SIMILARITIES = {
    "jaccard": Member("the share of the shingles of both that they have in common"),
    "containment": Member("the share of the shingles of a that b has"),
    "overlap": Member("the larger containment, of a in b or of b in a"),
    "cosine": Member("of the angle between the counts of their shingles"),
    "edit": Member("the share of both texts that remains in order"),
}
"""The similarities of two texts a and b, which matching/measures.py computes."""

VERIFY = {"exact": Member("compare the token sets"), "estimate": Member("compare the signatures only")}


KEEP = {
    "first": Member("the first: by the order of DOCS, then by path"),
    "longest": Member("the one with the most bytes"),
    "shortest": Member("the one with the fewest bytes"),
    "newest": Member("the one modified last"),
    "oldest": Member("the one modified first"),
}
"""Which document of a group is kept. The orders are in kernels/grouping.py."""


CLUSTERS = {
    "greedy": Member("every duplicate is similar to the document that is kept for it"),
    "components": Member("all documents that a chain of similar pairs connects"),
}


LISTS = {
    "kept": Member("the names of documents that are kept"),
    "duplicates": Member("the names of duplicates"),
    "groups": Member("all documents, each with the number of its group"),
}

MATCH_LISTS = {"matches": Member("the names of all matches, each once")}


DIFFS = {
    "words": Member("words that differ, within the text"),
    "unified": Member("lines that differ, with three lines around them"),
}

COMPARED = {"words": "words", "unified": "lines"}
"""The units that are compared for each of DIFFS."""

FIGURES = {
    "similarities": Member("how similar duplicates are to the documents that are kept"),
    "sizes": Member("how many groups have how many documents"),
    "directories": Member("which directories have duplicates of documents in which"),
}
"""The figures of a report. `figure` in views/svg.py draws them."""


class ContainerFormat(NamedTuple):
    """A format of files that hold many documents.

    suffixes: how the names of such files end, unless they are compressed
    needs: the module of an optional library that reads them, and what for, such as `reading Parquet`; None: Python does
    may_be_compressed: whether a suffix of a compression may follow
    is_lines: whether documents are lines, so that such a file can be cut after any line
    """

    help: str
    suffixes: tuple[bytes, ...] = ()
    needs: tuple[str, str] | None = None
    may_be_compressed: bool = True
    is_lines: bool = False

    @property
    def endings(self) -> tuple[bytes, ...]:
        """How the names of such files end, compressed or not."""
        after = (b"", *(each.suffix for each in COMPRESSIONS.values())) if self.may_be_compressed else (b"",)
        return tuple(suffix + more for suffix in self.suffixes for more in after)


CONTAINERS = {
    "jsonl": ContainerFormat("one JSON object per line", (b".jsonl", b".ndjson"), is_lines=True),
    "lines": ContainerFormat("plain text, of which each line is a document", is_lines=True),
    "json": ContainerFormat("an array of JSON objects", (b".json",)),
    "csv": ContainerFormat("comma-separated values, with a header", (b".csv",)),
    "tsv": ContainerFormat("tab-separated values, with a header", (b".tsv",)),
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


_TEXT, _FORMATS = "simdocs.views.output", "simdocs.views.output_formats"

FORMATS = {
    "table": OutputFormat("a table for people", f"{_FORMATS}:DrawnTable", for_people=True),
    "tsv": OutputFormat("tab-separated, without a header", f"{_TEXT}:Tsv"),
    "jsonl": OutputFormat("one JSON object per line", f"{_TEXT}:Jsonl", nested=True),
    "csv": OutputFormat("RFC 4180, with a header", f"{_TEXT}:Csv"),
    "parquet": OutputFormat("a Parquet file; needs pyarrow", f"{_FORMATS}:Parquet", binary=True),
    "arrow": OutputFormat("an Arrow IPC file; needs pyarrow", f"{_FORMATS}:Arrow", binary=True),
}

ON_TERMINAL, ELSEWHERE = "table", "tsv"
"""The formats of answers for which none is given."""


PAGES: Mapping[str, tuple[str, ...]] = {"compare": ("html",), "dedupe": ("answer",), "report": ("html", "svg")}
"""The suffixes that choose an output which is no table, by the command that writes it. `Drawing` finds who draws it."""
