"""query --nearest N: what is this like?"""

from __future__ import annotations

import json
import os

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


def test_each_document_has_its_own_nearest(asked):
    both = nearest(asked, "near", "far", "--nearest", "1")
    assert both == nearest(asked, "near", "--nearest", "1") + nearest(asked, "far", "--nearest", "1")
    assert nearest(asked, "other", "--nearest", "9") == []


def test_list_and_estimate_can_be_combined_with_nearest(asked):
    listed = simdocs("query", "x.index", "far", "near", "--nearest", "2", "--list", "matches", cwd=asked)
    assert listed == (0, b"docs/a.txt\ndocs/b.txt\n", "")
    rows = simdocs("query", "x.index", "far", "--nearest", "2", "--verify", "estimate", cwd=asked).rows
    assert [row[2] for row in rows] == [b"", b""]


@pytest.mark.parametrize("wrong", ["0", "-1", "many"])
def test_nearest_is_a_whole_number(asked, wrong):
    done = simdocs("query", "x.index", "far", "--nearest", wrong, cwd=asked)
    assert (done.status, done.out) == (2, b"")
    assert f"--nearest must be a whole number, 1 or more, not '{wrong}'" in done.err


def test_exit_code_asks_for_matches_at_the_threshold(asked):
    assert simdocs("query", "x.index", "far", "--nearest", "2", "--exit-code", cwd=asked).status == 0
    assert simdocs("query", "x.index", "near", "--nearest", "2", "--exit-code", cwd=asked).status == 1


def test_a_missing_document_is_named(asked):
    os.remove(asked / "docs/a.txt")
    done = simdocs("query", "x.index", "far", "--nearest", "1", cwd=asked)
    assert (done.status, done.names) == (3, [("far", "docs/b.txt")])
    assert "docs/a.txt: skipped: its file is gone" in done.err


def test_the_summary_says_that_the_nearest_were_asked_for(asked):
    """It promises nothing about bands, which are not used."""
    done = simdocs("query", "x.index", "far", "--nearest", "2", "--summary", "--summary-json", "note", cwd=asked)
    assert "the most similar 2 texts, whatever the threshold; " in done.err
    assert "band" not in done.err
    note = json.loads((asked / "note").read_bytes())
    assert (note["nearest"], note["matches"]) == (2, 2)
    assert "nearest" not in json.loads(
        simdocs("query", "x.index", "far", "--summary-json", "/dev/stdout", cwd=asked).out
    )


def test_exact_is_offered_if_no_signature_is_like_a_text(asked):
    lay(asked, {"other": b"zzzz qqqq wwww vvvv 9999 kkkk jjjj"})
    words = ("query", "x.index", "other", "--nearest", "1", "--summary")
    assert "--exact compares with every document" in simdocs(*words, cwd=asked).err
    assert "every document" not in simdocs(*words, "--exact", cwd=asked).err


def test_exact_compares_with_every_document_and_all_copies_are_listed_if_asked_for(asked):
    lay(asked, {"docs/copy": A1, "docs/z": B})
    assert simdocs("index", "docs", "-o", "x.index", cwd=asked) == (0, b"", "")
    once = nearest(asked, "far", "--nearest", "2", "--exact")
    assert once == nearest(asked, "far", "--nearest", "2") == sorted(LIKE_FAR, key=lambda row: row[2], reverse=True)
    every = nearest(asked, "far", "--nearest", "2", "--exact", "--all-copies")
    copy = ("far", "docs/copy", jaccard(FAR, A1))
    assert every == sorted([*once, copy], key=lambda row: (-float(row[2]), row[1]))
    assert nearest(asked, "far", "--nearest", "2", "--all-copies") == every
    done = simdocs("query", "x.index", "far", "--nearest", "2", "--exact", "--summary", cwd=asked)
    assert "whatever the threshold; every text was compared" in done.err


def test_the_summary_counts_the_copies_that_all_copies_adds(asked):
    lay(asked, {"docs/copy": A1, "docs/copy2": A1, "docs/z": B})
    assert simdocs("index", "docs", "-o", "x.index", cwd=asked) == (0, b"", "")
    every = nearest(asked, "far", "near", "docs/copy", "--nearest", "2", "--all-copies")
    once = nearest(asked, "far", "near", "docs/copy", "--nearest", "2")
    lists = "of these (--all-copies lists every copy)\n"
    for options, left_out in ((["--exact"], len(every) - len(once)), ([], 5), (["--all-copies"], 0)):
        asking = ("query", "x.index", "far", "near", "docs/copy", "--nearest", "2", *options)
        done = simdocs(*asking, "--summary", "--summary-json", "note", cwd=asked)
        assert (f"\n{left_out} more matches are copies {lists}" in done.err) == (left_out > 0) == (lists in done.err)
        assert json.loads((asked / "note").read_bytes())["copies_left_out"] == left_out
    done = simdocs("query", "x.index", "docs/copy", "--nearest", "1", "--summary", cwd=asked)
    assert f"\n1 more match is a copy {lists}" in done.err


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


def test_all_copies_needs_nearest(asked):
    done = simdocs("query", "x.index", "far", "--all-copies", cwd=asked)
    assert done == (2, b"", "simdocs: error: --all-copies needs --nearest\n")
