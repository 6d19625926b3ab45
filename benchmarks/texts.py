"""Generate texts to measure: random prose from a Zipf vocabulary, partly edited versions of earlier texts.

The same seed gives the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path

VOCABULARY = 30_000
EDITED = 0.3
"""The share of the documents that are edited versions of another one."""

RATES = (0.0, 0.001, 0.002, 0.004, 0.006, 0.009, 0.012, 0.015, 0.02, 0.03, 0.05)
"""The share of the words that an edit changes. The Jaccard similarities are between 1 and about 0.4."""

ONSETS = (*"bcdfghjklmnprstvwz", "br", "ch", "cl", "dr", "fl", "gr", "pl", "pr", "sh", "sl", "st", "th", "tr")
NUCLEI = tuple("aeiou")
CODAS = ("", "n", "r", "s", "t")


def vocabulary(rng: random.Random) -> list[str]:
    """Return distinct pronounceable words, the short ones first."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        syllables = 1 + (len(words) > 100) + (len(words) > 3000) * rng.randrange(2)
        word = "".join(rng.choice(ONSETS) + rng.choice(NUCLEI) for _ in range(syllables))
        words[word + rng.choice(CODAS)] = None
    return list(words)


def texts(count: int, mean_bytes: int, seed: int) -> Iterator[str]:
    """Yield `count` texts of about mean_bytes, between a quarter and twice as much."""
    rng = random.Random(seed)
    words = vocabulary(rng)
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    originals: list[list[str]] = []
    for _ in range(count):
        if originals and rng.random() < EDITED:
            yield prose(edited(rng.choice(originals), rng.choice(RATES), words, weights, rng), rng)
        else:
            size = int(mean_bytes / 5.3 * rng.uniform(0.25, 1.75))
            originals.append(punctuated(rng.choices(words, cum_weights=weights, k=size), rng))
            yield prose(originals[-1], rng)


def crowd(count: int, mean_bytes: int, own: float, kind: str, seed: int) -> Iterator[str]:
    """Yield `count` texts on one template, of about mean_bytes, any two of which are about equally similar.

    own: the share of its words in which a text differs from the template. kind: these words are together at its `end`,
    or `scattered` in it. At k = 9, a share of 0.125 at the end, or of 0.0325 scattered, gives similarities of about
    0.78.
    """
    rng = random.Random(seed)
    words = vocabulary(rng)
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    size = int(mean_bytes / 5.3)
    template = rng.choices(words, cum_weights=weights, k=size)
    changed = int(own * size)
    for _ in range(count):
        places = range(size - changed, size) if kind == "end" else rng.sample(range(size), changed)
        text = list(template)
        for place, word in zip(places, rng.choices(words, cum_weights=weights, k=changed), strict=True):
            text[place] = word
        yield " ".join(text) + "\n"


def edited(original: list[str], rate: float, words: list[str], weights: list[float], rng: random.Random) -> list[str]:
    """Return the words with some of them replaced, dropped or inserted."""
    out: list[str] = []
    for word in original:
        if rng.random() >= rate:
            out.append(word)
            continue
        kind = rng.randrange(3)
        if kind == 1:
            out.append(word)
        if kind < 2:
            out += rng.choices(words, cum_weights=weights, k=1)
    return out


def punctuated(words: list[str], rng: random.Random) -> list[str]:
    """Return the words as sentences, with capitals, commas and full stops."""
    out, start = [], True
    for word in words:
        mark = rng.choices(("", ",", "."), (86, 6, 8))[0]
        out.append((word.capitalize() if start else word) + mark)
        start = mark == "."
    return out


def prose(words: list[str], rng: random.Random) -> str:
    """Return the words as lines. Where lines end differs from one version to the next."""
    lines, line = [], ""
    width = rng.randrange(60, 90)
    for word in words:
        line += word + " "
        if len(line) > width:
            lines.append(line.rstrip())
            line = ""
    return "\n".join([*lines, line.rstrip()]) + "\n"


def write(directory: Path, every: Iterable[str]) -> int:
    """Write texts as files, 1,000 in each directory, and return their bytes."""
    total = 0
    for number, text in enumerate(every):
        path = directory / f"{number // 1000:03d}" / f"{number:06d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        total += path.write_bytes(text.encode())
    return total
