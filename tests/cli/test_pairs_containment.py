"""pairs --measure containment: which documents are part of others?"""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.cli.corpus import A, B, jaccard, lay
from tests.cli.program import simdocs
from tests.cli.test_query_containment import containment

PART, LONG = A[:150], A + b" " + B
PAIRS = ("--measure", "containment")
HEADER = ["document", "other", "jaccard", "estimate", "containment", "contained"]

FOUND = [
    ["docs/a.txt", "docs/copy.txt", "1.000000", "1.000000", "both"],
    ["docs/a.txt", "docs/long.txt", jaccard(A, LONG), "1.000000", "document"],
    ["docs/a.txt", "docs/part", jaccard(A, PART), "1.000000", "other"],
    ["docs/long.txt", "docs/part", jaccard(LONG, PART), "1.000000", "other"],
]


@pytest.fixture
def mixed(here):
    lay(
        here,
        {
            "docs/b.txt": b"something else",
            "docs/c.txt": b"and nothing else at all",
            "docs/copy.txt": A.upper(),
            "docs/long.txt": LONG,
        },
    )
    lay(here, {"docs/part": PART, "docs/empty": b""})
    return here


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


@pytest.mark.parametrize("artifact", ["x.shingles", "x.signatures", "x.index"])
def test_an_artifact_gives_the_same_pairs(mixed, artifact):
    assert simdocs(artifact[2:].removesuffix("s"), "docs", "-o", artifact, cwd=mixed).status == 0
    assert found(mixed, artifact) == FOUND


def test_a_lower_threshold_finds_more(mixed):
    half = B[: len(B) // 2] + b" and nothing of the rest" * 4
    lay(mixed, {"docs/half.txt": half})
    (row,) = [row for row in found(mixed, "docs", "--threshold", "0.3") if "docs/half.txt" in row]
    assert row == ["docs/half.txt", "docs/long.txt", jaccard(half, LONG), containment(half, LONG), "document"]
    assert row not in found(mixed, "docs")


def test_all_formats_have_the_columns(mixed):
    lines = simdocs("pairs", "docs", *PAIRS, "--header", cwd=mixed).rows
    assert [field.decode() for field in lines[0]] == HEADER
    objects = list(map(json.loads, simdocs("pairs", "docs", *PAIRS, "--format", "jsonl", cwd=mixed).out.splitlines()))
    assert [list(one) for one in objects] == [HEADER] * len(FOUND)
    assert [[one["document"], one["other"], one["contained"]] for one in objects] == [[*r[:2], r[4]] for r in FOUND]
    assert simdocs("pairs", "docs", *PAIRS, "-o", "x.csv", cwd=mixed).status == 0
    rows = list(csv.reader(io.StringIO((mixed / "x.csv").read_text(), newline="")))
    assert rows[0] == HEADER
    assert [[*row[:3], *row[4:]] for row in rows[1:]] == FOUND
    table = simdocs("pairs", "docs", *PAIRS, "--format", "table", cwd=mixed).out.decode().splitlines()
    assert table[0].split() == ["jaccard", "estimate", "containment", "contained", "document,", "other"]
    assert table[4].split()[2:] == ["1.000000", "document", "docs/long.txt"]


def test_the_summary_says_which_pairs_were_counted(mixed):
    done = simdocs("pairs", "docs", *PAIRS, "--summary-json", "facts.json", "--summary", "--exit-code", cwd=mixed)
    assert done.status == 1
    assert "every pair is found; 3 candidates\n" in done.err
    assert "\n4 pairs with a containment of 0.8 or more, in " in done.err
    facts = json.loads((mixed / "facts.json").read_text())
    assert (facts["measure"], facts["pairs"], facts["pairs_left_out"], facts["bands"]) == ("containment", 4, 2, None)
    assert facts["parameters"]["grouping"]["exact"] is True


def test_a_document_that_is_gone_is_reported_and_the_rest_is_found(mixed):
    assert simdocs("index", "docs", "-o", "x.index", cwd=mixed).status == 0
    (mixed / "docs/long.txt").unlink()
    done = simdocs("pairs", "x.index", *PAIRS, cwd=mixed)
    assert done.status == 3
    assert "docs/long.txt: skipped: its file is gone" in done.err
    assert [row[:2] for row in done.rows] == [[field.encode() for field in row[:2]] for row in (FOUND[0], FOUND[2])]
