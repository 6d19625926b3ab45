"""pairs --measure containment: which documents are part of others?"""

from __future__ import annotations

import json

import pytest

from tests.cli.corpus import A, B, jaccard, lay
from tests.cli.program import simdocs
from tests.cli.test_query_containment import containment

PART, LONG = A[:150], A + b" " + B
PAIRS = ("--measure", "containment")

FOUND = [
    ["docs/a.txt", "docs/copy.txt", "1.000000", "1.000000", "both"],
    ["docs/a.txt", "docs/long.txt", jaccard(A, LONG), "1.000000", "document"],
    ["docs/a.txt", "docs/part", jaccard(A, PART), "1.000000", "other"],
    ["docs/long.txt", "docs/part", jaccard(LONG, PART), "1.000000", "other"],
]


@pytest.fixture
def mixed(here):
    lay(here, {"docs/b.txt": b"something else", "docs/c.txt": b"and nothing else at all", "docs/copy.txt": A.upper()})
    return lay(here, {"docs/long.txt": LONG, "docs/part": PART, "docs/empty": b""})


def found(where, *arguments):
    done = simdocs("pairs", *arguments, *PAIRS, cwd=where)
    assert (done.status, done.err) == (0, "")
    return [[field.decode() for field in (*row[:3], *row[4:])] for row in done.rows]


def test_every_pair_is_listed_with_the_larger_containment_and_which_document_it_is(mixed):
    assert found(mixed, "docs") == FOUND
    assert found(mixed, "docs", "--exact") == FOUND
    more = found(mixed, "docs", "--all-copies")
    copies = [["docs/copy.txt", *row[1:]] for row in FOUND[1:3]]
    assert more == [*FOUND[:3], *copies, FOUND[3]]


def test_an_index_gives_the_same_pairs(mixed):
    assert simdocs("index", "docs", "-o", "x.index", cwd=mixed).status == 0
    assert found(mixed, "x.index") == FOUND


def test_a_lower_threshold_finds_more(mixed):
    half = B[: len(B) // 2] + b" and nothing of the rest" * 4
    lay(mixed, {"docs/half.txt": half})
    (row,) = [row for row in found(mixed, "docs", "--threshold", "0.3") if "docs/half.txt" in row]
    assert row == ["docs/half.txt", "docs/long.txt", jaccard(half, LONG), containment(half, LONG), "document"]
    assert row not in found(mixed, "docs")


def test_the_summary_says_which_pairs_were_counted(mixed):
    done = simdocs("pairs", "docs", *PAIRS, "--summary-json", "facts.json", "--summary", "--exit-code", cwd=mixed)
    assert done.status == 1
    assert "every pair is found; 3 candidates\n" in done.err
    assert "\n4 pairs with a containment of 0.8 or more, in " in done.err
    facts = json.loads((mixed / "facts.json").read_text())
    assert (facts["measure"], facts["pairs"], facts["pairs_left_out"], facts["bands"]) == ("containment", 4, 2, None)
    assert facts["parameters"]["grouping"]["exact"] is True
