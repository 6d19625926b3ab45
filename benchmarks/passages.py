"""Measure `simdocs query --passages`: which planted quotes it finds, what it lists besides, and what a query costs.

Letters are made of words of another text and a quote of a document, as it is or with one word in 25 or in 10 replaced.
A quote is found if a passage is listed that is part of it at both places. A passage is false if the texts differ there
when normalised; it is another one if both texts have it by themselves.

usage: SIMDOCS_CORPORA=/path/to/corpora python benchmarks/passages.py [--letters 200] [--generated 100000]
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import corpora, texts

SIMDOCS = str(Path(sys.executable).with_name("simdocs"))
SIZES = (50, 100, 200, 500)
EDITS = (0, 25, 10)
"""One word in this many is replaced; 0: none."""

UNITS = ("char", "word")
FILLER = 150
"""Words of a letter before and after the quote."""


class Letter(NamedTuple):
    """A text with a quote: the document that it is from, and the characters that it has there and in the letter."""

    text: str
    document: int
    there: tuple[int, int]
    here: tuple[int, int]


def prose(name: str) -> list[str]:
    """Return the last version of each family of a corpus, without short ones."""
    corpus = corpora.read(name, "char")
    last = {name.partition("@")[0]: text for name, text in zip(corpus.names, corpus.texts, strict=True)}
    return [text for text in last.values() if len(text.split()) > max(SIZES)]


def letters(documents: Sequence[str], words: Sequence[str], size: int, edit: int, count: int) -> Iterator[Letter]:
    """Yield letters that quote this number of words. words: what they have beside the quote, and replace words with."""
    rng = random.Random(f"{size} {edit}")
    for _ in range(count):
        document = rng.randrange(len(documents))
        spans = [match.span() for match in re.finditer(r"\S+", documents[document])]
        first = rng.randrange(len(spans) - size + 1) if len(spans) > size else 0
        begin, end = spans[first][0], spans[min(first + size, len(spans)) - 1][1]
        quote = documents[document][begin:end]
        if edit:
            every = list(re.finditer(r"\S+", quote))
            for match in reversed(rng.sample(every, max(1, len(every) // edit))):
                quote = quote[: match.start()] + rng.choice(words) + quote[match.end() :]
        before, after = (" ".join(rng.choices(words, k=FILLER)) for _ in range(2))
        here = len(before) + 2, len(before) + 2 + len(quote)
        yield Letter(f"{before}\n\n{quote}\n\n{after}\n", document, (begin, end), here)


def overlaps(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two intervals overlap."""
    return one[0] < other[1] and other[0] < one[1]


def query(index: Path, names: Sequence[Path], *options: str) -> tuple[list[list[str]], str, float]:
    """Return the rows of a query, its summary, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [SIMDOCS, "query", index, *names, "--passages", "-v", "--format", "tsv", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [line.split("\t") for line in done.stdout.splitlines()], done.stderr, seconds


def measure(index: Path, documents: Sequence[str], made: Sequence[Letter], scratch: Path, *options: str) -> str:
    """Return part of a row of the table: found letters, false passages, and other passages for each letter."""
    names = [scratch / f"{number}.letter" for number in range(len(made))]
    for name, letter in zip(names, made, strict=True):
        name.write_text(letter.text)
    rows, _, _ = query(index, names, *options)
    found, others, false = set[int](), 0, 0
    for a, *places, units in rows:
        number, (a_begin, a_end, _) = int(Path(a).stem), map(int, places[:3])
        document, (b_begin, b_end, _) = int(Path(places[3]).stem), map(int, places[4:7])
        letter = made[number]
        left, right = letter.text[a_begin:a_end], documents[document][b_begin:b_end]
        # Words are compared without the signs between them.
        alike = [re.findall(r"\w+", text.lower()) for text in (left, right)]
        false += alike[0] != alike[1] or int(units) < 1
        if document == letter.document and overlaps((b_begin, b_end), letter.there):
            found.add(number)
        elif not overlaps((a_begin, a_end), letter.here):
            others += 1
    return f"{len(found) / len(made):.1%} | {false} | {others / len(made):.2f}"


def main() -> None:
    """Print a table of what is found in a corpus, and what a query costs in generated pages; 0: leave it out."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--letters", type=int, default=200)
    parser.add_argument("--generated", type=int, default=100_000)
    given = parser.parse_args()
    words = texts.vocabulary(random.Random(5))
    with tempfile.TemporaryDirectory() as home:
        if given.letters:
            _quality(given.letters, words, Path(home))
        if given.generated:
            _cost(given.generated, words, Path(home))


def _quality(count: int, words: Sequence[str], scratch: Path) -> None:
    """Print what is found of this number of letters for each size of a quote."""
    documents, docs = prose("peps_history_pd"), scratch / "docs"
    docs.mkdir()
    for number, text in enumerate(documents):
        (docs / f"{number}.txt").write_text(text)
    print(f"{len(documents):,} documents")
    print("| unit | words quoted | replaced | found by the sketch | false | others | found with --exact |")
    for unit in UNITS:
        index = scratch / f"{unit}.index"
        subprocess.run([SIMDOCS, "index", docs, "-o", index, "--unit", unit, "--containment", "-q"], check=True)
        for size in SIZES:
            for edit in EDITS:
                made = list(letters(documents, words, size, edit, count))
                by_sketch = measure(index, documents, made, scratch)
                exactly = measure(index, documents, made, scratch, "--exact").partition(" |")[0]
                replaced = f"1 in {edit}" if edit else "none"
                print(f"| {unit} | {size} | {replaced} | {by_sketch} | {exactly} |", flush=True)


def _cost(count: int, words: Sequence[str], scratch: Path) -> None:
    """Print what a letter against generated pages costs."""
    pages = scratch / "pages"
    pages.mkdir()
    size = 0
    for number, text in enumerate(texts.texts(count, 3000, 3)):
        if number % 1000 == 0:
            (pages / str(number // 1000)).mkdir()
        (pages / str(number // 1000) / f"{number}.txt").write_text(text)
        size += len(text)
    quoted = (pages / "0" / "7.txt").read_text()
    letter = scratch / "letter.txt"
    letter.write_text(next(letters([quoted], words, 100, 0, 1)).text)
    for options in (("--containment",), ()):
        index = scratch / f"pages{len(options)}.index"
        subprocess.run([SIMDOCS, "index", pages, "-o", index, *options, "-q"], check=True)
        for _ in range(2):
            begun = time.monotonic()
            rows, said, seconds = query(index, [letter])
            took = time.monotonic() - begun
            kind = "with a sketch" if options else "without one"
            print(
                f"{count:,} pages, {size:,} bytes, {kind}: {took:.2f} s, {seconds:.2f} s of CPU, {len(rows)} passages"
            )
            print(said, end="")


if __name__ == "__main__":
    main()
