"""Real texts with the exact similarity of their pairs, as arrays.

A corpus is a directory. It holds `docs.jsonl.gz`, with one object for each line (`id` and `text`). For characters and
for words it also holds `truth_c9.tsv.gz` and `truth_w3.tsv.gz`, which list every pair whose similarity is 0.4 or 0.5 or
more: id, id, and Jaccard similarity with six digits. The corpora are not part of this project. SIMDOCS_CORPORA names
the directory that holds them.
"""

from __future__ import annotations

import gzip
import json
import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simdocs.kernels.characters import IGNORABLE

NAMES = {
    "irplag": (
        "Java homework: originals, and copies disguised at six levels",
        "IR-Plag, O. Karnalim et al., Informatics in Education 16: oscarkarnalim/sourcecodeplagiarismdataset, commit"
        " f07e951; Apache-2.0",
    ),
    "tldr_short": (
        "a sample of short pages in 39 languages, from shared templates",
        "tldr-pages, © 2014-present the tldr-pages team and contributors: tldr-pages/tldr, commit 08e345f; CC-BY-4.0",
    ),
    "peps_history_pd": (
        "versions of those Python Enhancement Proposals that say that they are in the public domain",
        "history of github.com/python/peps; by their authors, public domain or CC0-1.0",
    ),
    "licences_scancode": (
        "licence texts and notices of 20 words or more, without front matter; one family has most of the similar pairs",
        "ScanCode licence data, © nexB Inc. and others: aboutcode-org/scancode-toolkit, src/licensedcode/data, commit"
        " bc78721; CC-BY-4.0",
    ),
}
"""For each corpus, what it is and where it comes from."""

BY_DOCUMENT = {"licences_scancode"}
"""Corpora that are scored by documents, because a few families have nearly all of their pairs."""

UNITS = {"char": 9, "word": 3}
"""Each unit with the k of the truth."""

NEAR = 0.0005
"""A pair that is nearer to the threshold than this, but not at it, is counted apart: two colliding tokens decide it."""

SIX_DIGITS = 5e-7

UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"}
"""Scripts that are written without spaces: words that occur in the Unicode names of their characters."""

Array = np.ndarray


def home() -> Path:
    """Return the directory that holds the corpora."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "corpora"
    return Path(os.environ.get("SIMDOCS_CORPORA") or beside)


def absent(name: str) -> str | None:
    """Return why this corpus cannot be measured, or None if it can."""
    if (home() / name / "docs.jsonl.gz").exists():
        return None
    return f"no corpus {name}: SIMDOCS_CORPORA names the directory that holds {name}/docs.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Truth:
    """The pairs of a corpus at a threshold or above (clear), and those too near to it to count, as `Corpus.keys`."""

    threshold: float
    clear: Array
    near: Array
    jaccard: Array
    """The similarities of the clear pairs."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a corpus that can be compared by this unit, and their similar pairs, rows left < right."""

    name: str
    unit: str
    lines: list[bytes]
    names: list[str]
    texts: list[str]
    left_out: int
    left: Array
    right: Array
    jaccard: Array

    @property
    def k(self) -> int:
        """The number of units in a shingle."""
        return UNITS[self.unit]

    def keys(self, left: Array, right: Array) -> Array:
        """Return one number for each pair of rows."""
        return left * len(self.names) + right

    def at(self, threshold: float) -> Truth:
        """Return the pairs that there are to find at a threshold."""
        off = self.jaccard - threshold
        clear = (np.abs(off) < SIX_DIGITS) | (off >= NEAR)
        near = ~clear & (np.abs(off) < NEAR)
        key = self.keys(self.left, self.right)
        order = np.argsort(key[clear])
        return Truth(threshold, key[clear][order], np.sort(key[near]), self.jaccard[clear][order])


def defined_otherwise(text: str, unit: str) -> bool:
    """Whether the truth shingles this text by another rule than simdocs does.

    The truth is of lower-case texts, where simdocs folds letters into others, and it keeps ignorable characters. Its
    words are `\\w+`: a combining mark ends a word, and a clause without spaces is a single word.
    """
    if text.lower() != text.casefold() or IGNORABLE.search(text):
        return True
    return unit != "char" and any(
        unicodedata.category(one) in {"Mn", "Mc"} or UNSPACED & set(unicodedata.name(one, "").split())
        for one in set(text.lower())
        if not one.isascii()
    )


def read(name: str, unit: str) -> Corpus:
    """Read a corpus, without the documents that the truth shingles by another rule."""
    lines, names, texts, left_out = [], [], [], 0
    with gzip.open(home() / name / "docs.jsonl.gz") as file:
        for line in file:
            document = json.loads(line)
            if defined_otherwise(document["text"], unit):
                left_out += 1
                continue
            lines.append(line)
            names.append(document["id"])
            texts.append(document["text"])
    row = {one: at for at, one in enumerate(names)}
    pairs = []
    with gzip.open(home() / name / f"truth_{unit[0]}{UNITS[unit]}.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            one, other, jaccard = line.rstrip("\n").split("\t")
            if one in row and other in row:
                pairs.append((row[one], row[other], float(jaccard)))
    left, right, jaccards = (np.array(column) for column in zip(*pairs, strict=True))
    assert (left < right).all(), f"{name}: the truth names documents in another order than docs.jsonl.gz"
    return Corpus(name, unit, lines, names, texts, left_out, left, right, jaccards)
