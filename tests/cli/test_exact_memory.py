"""An exact join says what memory it needs, and is refused if there is not enough."""

from __future__ import annotations

import re

from tests.cli.program import simdocs

NEEDED = r"comparing 3 texts exactly needs about \d+ KB of memory"


def test_too_little_memory_is_an_error_of_one_line_that_says_what_to_do(here):
    done = simdocs("dedupe", "docs", "--exact", "--max-memory", "100", cwd=here)
    assert (done.status, done.out) == (2, b"")
    expected = rf"simdocs: error: {NEEDED}, and --max-memory allows 100 bytes: leave out --exact, .*, or allow more\n"
    assert re.fullmatch(expected, done.err)


def test_all_pairs_by_containment_are_refused_as_well(here):
    arguments = ("pairs", "docs", "--measure", "containment", "--max-memory")
    done = simdocs(*arguments, "100", cwd=here)
    expected = rf"simdocs: error: {NEEDED}, and --max-memory allows 100 bytes: leave out --measure, .*\n"
    assert (done.status, done.out) == (2, b"")
    assert re.fullmatch(expected, done.err)
    assert re.match(rf"simdocs: {NEEDED}, of 1,074 MB allowed", simdocs(*arguments, "1G", "-v", cwd=here).err)


def test_an_exact_query_is_refused_as_well(here):
    assert simdocs("index", "docs", "-o", "x.index", cwd=here).status == 0
    done = simdocs("query", "x.index", "docs/a.txt", "--exact", "--max-memory", "100", cwd=here)
    assert (done.status, done.out) == (2, b"")
    assert re.match(r"simdocs: error: comparing 4 texts exactly needs about \d+ KB", done.err)


def test_an_artifact_says_how_many_tokens_there_are(here):
    assert simdocs("signature", "docs", "-o", "x.signatures", cwd=here).status == 0
    done = simdocs("dedupe", "x.signatures", "--exact", "-v", cwd=here)
    facts = dict(row.split("\t") for row in simdocs("info", "x.signatures", cwd=here).out.decode().splitlines())
    assert re.match(rf"simdocs: {NEEDED}, of [\d,]+ MB available: {facts['tokens']} tokens", done.err)
