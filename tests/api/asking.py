"""Documents to ask about, and answers of the API and of the program in the same words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import simdocs
from tests.cli.corpus import A1, A2, A, B
from tests.cli.program import simdocs as program

TEXTS = {
    "docs/a.txt": A,
    "docs/b.txt": A1,
    "docs/c.txt": B,
    "docs/copy.txt": A.upper(),
    "docs/empty.txt": b"",
    "docs/more/d.txt": A2,
    "docs/more/e.txt": b"  ",
    "new/1.txt": A2.replace(b"red", b"blue"),
    "new/2.txt": B,
    "new/3.txt": b"Nothing of the kind.",
    "new/4.txt": b"",
}

DOCS, NEW = ([name for name in sorted(TEXTS) if name.startswith(place)] for place in ("docs", "new"))

KINDS = ("shingles", "signatures", "index")

BUILD = {"shingles": simdocs.shingle, "signatures": simdocs.signature, "index": simdocs.index}

Row = tuple[str, ...]


def rows(lefts: Any, pairs: Any, rights: Any) -> list[Row]:
    """Pairs as the program prints them."""
    columns = (pairs.left.tolist(), pairs.right.tolist(), pairs.jaccard.tolist(), pairs.estimate.tolist())
    return [
        (lefts.name(left), rights.name(right), f"{jaccard:.6f}", f"{estimate:.6f}")
        for left, right, jaccard, estimate in zip(*columns, strict=True)
    ]


def decided(found: simdocs.Deduplication) -> list[Row]:
    """Every duplicate with the document kept instead."""
    return rows(found.documents, found.pairs, found.documents)


def matched(found: simdocs.Matches, index: simdocs.BandIndex) -> list[Row]:
    """Every document with its matches."""
    return rows(found.documents, found.pairs, index.documents)


def by_row(found: simdocs.Deduplication | simdocs.Matches) -> list[tuple[int, int]]:
    """Pairs as row numbers."""
    return list(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True))


def printed(*arguments: str) -> list[Row]:
    """What the program prints, in the working directory."""
    return _printed(Path.cwd(), *arguments)


@cache
def _printed(cwd: Path, *arguments: str) -> list[Row]:
    done = program(*arguments, "-q", "-j", "1", cwd=cwd)
    assert done.status == 0, done.err
    return [tuple(field.decode() for field in row) for row in done.rows]
