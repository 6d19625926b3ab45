"""query --nearest N: what is this like?"""

from __future__ import annotations

import json

import pytest

from tests.cli.corpus import A1, A2, A, B, jaccard, lay
from tests.cli.program import simdocs

FAR = A[:150] + B[:60]
"""A text that is a little like A, far below the threshold."""

LIKE_FAR = [("far", "docs/a.txt", jaccard(FAR, A)), ("far", "docs/b.txt", jaccard(FAR, A1))]


@pytest.fixture
def asked(here):
    assert simdocs("index", "docs", "-o", "x.index", cwd=here) == (0, b"", "")
    return lay(here, {"far": FAR, "near": A2, "other": b"0123456789" * 9})


def nearest(where, *arguments):
    done = simdocs("query", "x.index", *arguments, cwd=where)
    assert (done.status, done.err) == (0, "")
    return [tuple(field.decode() for field in row[:3]) for row in done.rows]


def test_documents_below_the_threshold_are_found(asked):
    assert nearest(asked, "far") == []
    assert max(float(row[2]) for row in LIKE_FAR) < 0.6
    assert nearest(asked, "far", "--nearest", "2") == sorted(LIKE_FAR, key=lambda row: row[2], reverse=True)
    assert len(nearest(asked, "far", "--nearest", "1")) == 1


def test_list_and_estimate_can_be_combined_with_nearest(asked):
    listed = simdocs("query", "x.index", "far", "near", "--nearest", "2", "--list", "matches", cwd=asked)
    assert listed == (0, b"docs/a.txt\ndocs/b.txt\n", "")
    rows = simdocs("query", "x.index", "far", "--nearest", "2", "--verify", "estimate", cwd=asked).rows
    assert [row[2] for row in rows] == [b"", b""]


def test_exit_code_asks_for_matches_at_the_threshold(asked):
    assert simdocs("query", "x.index", "far", "--nearest", "2", "--exit-code", cwd=asked).status == 0
    assert simdocs("query", "x.index", "near", "--nearest", "2", "--exit-code", cwd=asked).status == 1


def test_exact_compares_with_every_document_and_all_copies_are_listed_if_asked_for(asked):
    lay(asked, {"docs/copy": A1, "docs/z": B})
    assert simdocs("index", "docs", "-o", "x.index", cwd=asked) == (0, b"", "")
    once = nearest(asked, "far", "--nearest", "2", "--exact")
    assert once == nearest(asked, "far", "--nearest", "2") == sorted(LIKE_FAR, key=lambda row: row[2], reverse=True)
    every = nearest(asked, "far", "--nearest", "2", "--exact", "--all-copies")
    copy = ("far", "docs/copy", jaccard(FAR, A1))
    assert every == sorted([*once, copy], key=lambda row: (-float(row[2]), row[1]))
    assert nearest(asked, "far", "--nearest", "2", "--all-copies") == every
    for options, left_out in (((), 1), (("--all-copies",), 0)):
        ask = ("query", "x.index", "far", "--nearest", "2", "--exact", *options)
        done = simdocs(*ask, "--summary", "--summary-json", "note", cwd=asked)
        assert "whatever the threshold; every text was compared" in done.err
        assert ("1 more match is a copy" in done.err) == bool(left_out)
        assert json.loads((asked / "note").read_bytes())["copies_left_out"] == left_out


@pytest.mark.parametrize("options", [(), ("--nearest", "2"), ("--measure", "containment")])
def test_texts_that_are_too_short_for_a_match_are_told(asked, options):
    lay(asked, {"empty": b" \n", "short": b"A cat."})
    empty, short = "\n1 document is empty, so it matches nothing\n", "\n1 document is shorter than a shingle (-k 9): "
    for names, told in ((["empty"], [empty]), (["short"], [short]), (["empty", "short"], [empty, short])):
        done = simdocs("query", "x.index", *names, *options, "--summary", cwd=asked)
        assert [line for line in (empty, short) if line in done.err] == told
        assert "--measure containment finds" not in done.err
    done = simdocs("query", "x.index", "far", "short", "--nearest", "1", "--summary", cwd=asked)
    assert short not in done.err
