"""Every parameter that decides an answer: one frozen dataclass a stage, every default, spelt once.

The tables name the members of each family with one line of help, so that the command line can offer and explain them
without importing NumPy; a contract test holds each table equal to the kernels that carry it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from unicodedata import unidata_version

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

UNITS: Mapping[str, str] = MappingProxyType(
    {
        "char": "k characters in a row",
        "word": "k words in a row",
        "line": "k lines in a row: with k = 1, sets of items, one a line",
        "stopword": "a stop word and the k-1 words after it: prose among advertisements",
    }
)

DEFAULT_K: Mapping[str, int] = MappingProxyType({"char": 9, "word": 5, "line": 1, "stopword": 3})

LOCK_WAIT = 0.0
"""Seconds to wait for another run that writes the same artifact."""

MAX_K = 1000
"""Units in a shingle."""

MOST_JOBS = 1024
"""Worker processes: more are a slip of the keyboard, and would take all of a machine's memory."""

MAX_PLACES = 1 << 16
"""Places in a signature."""

LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "en": "English",
        "de": "German",
        "fr": "French",
        "es": "Spanish",
        "it": "Italian",
        "pt": "Portuguese",
        "nl": "Dutch",
        "sv": "Swedish",
        "da": "Danish",
        "no": "Norwegian",
        "fi": "Finnish",
        "ru": "Russian",
    }
)

SCHEMES: Mapping[str, str] = MappingProxyType(
    {
        "fss": "Fast Similarity Sketching: one pass over the tokens, smaller error",
        "permutation": "K random hash functions, as the lectures teach: slower",
    }
)

RULES: Mapping[str, str] = MappingProxyType(
    {
        "recall": "the most rows that still find --recall of the pairs at --threshold",
        "nearest": "the lectures' rule: (1/b)^(1/r) nearest to --threshold",
    }
)

VERIFY: Mapping[str, str] = MappingProxyType(
    {
        "exact": "compare the token sets themselves",
        "estimate": "trust the signatures",
    }
)

KEEP: Mapping[str, str] = MappingProxyType(
    {
        "first": "the first in row order",
        "longest": "the one of most bytes",
        "shortest": "the one of fewest bytes",
        "newest": "the one changed last",
        "oldest": "the one not changed for longest",
    }
)

CLUSTERS: Mapping[str, str] = MappingProxyType(
    {
        "greedy": "every duplicate is similar to the document kept in its stead",
        "components": "whatever a chain of similar documents connects",
    }
)


@dataclass(frozen=True, slots=True)
class Normalisation:
    """What is made of a text before it is cut into units: DESIGN order, all off by default."""

    nfkc: bool = False
    keep_case: bool = False
    strip_accents: bool = False
    strip_punctuation: bool = False
    mask_digits: bool = False


@dataclass(frozen=True, slots=True)
class Shingling:
    """How a text becomes tokens."""

    unit: str = "char"
    k: int = DEFAULT_K["char"]
    language: str = "en"
    multiset: bool = False
    seed: int = 0
    normalisation: Normalisation = field(default_factory=Normalisation)


@dataclass(frozen=True, slots=True)
class Sketching:
    """How tokens become a signature; its seed is that of the tokens."""

    scheme: str = "fss"
    num_perm: int = 128


@dataclass(frozen=True, slots=True)
class Banding:
    """How signatures are cut into bands: by rule for a threshold and a recall, or by hand."""

    threshold: float = 0.8
    recall: float = 0.95
    rule: str = "recall"
    bands: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Sequences:
    """Which files hold many documents, one a line, and where in a line its text and its name stand."""

    text_field: str = "text"
    id_field: str = "id"
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that an artifact was made by: what its documents were taken from, and the stages that it has behind it."""

    sequences: Sequences
    shingling: Shingling
    sketching: Sketching | None = None
    banding: Banding | None = None
    unicode: str = unidata_version


@dataclass(frozen=True, slots=True)
class Grouping:
    """What is decided about candidates."""

    exact: bool = False
    verify: str = "exact"
    cluster: str = "greedy"
    keep: str = "first"
    max_candidates: int = 1000


@dataclass(frozen=True, slots=True)
class Walking:
    """Which files of a tree are documents."""

    hidden: bool = False
    follow: bool = False
    one_file_system: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_size: int = 256 * MIB
