"""Bands that find fewer pairs than the stated recall bring a warning, from the command that chooses them."""

from __future__ import annotations

import pytest

from tests.cli.program import simdocs

TOO_FEW = {
    "index docs -o new.index --bands 4": "4 bands of 32 rows find only 0.1763% of the pairs at 0.8",
    "index docs -o new.index --bands 12 --rows 7": "12 bands of 7 rows find only 94.07% of the pairs at 0.8",
    "index docs -o new.index --bands 2 --rows 1 -t 0.1": "2 bands of 1 row find only 19% of the pairs at 0.1",
    "index x.signatures -o x.index --rule nearest -t 0.6": "16 bands of 8 rows find only 21.96% of the pairs at 0.6",
    "dedupe docs --bands 1 --rows 2 -t 0.1": "1 band of 2 rows finds only 0.004517% of the pairs at 0.1",
    "pairs docs --bands 4 --rows 10": "4 bands of 10 rows find only 31.52% of the pairs at 0.8",
}


@pytest.mark.parametrize("asked", TOO_FEW)
def test_bands_below_the_stated_recall_bring_a_warning(built, asked):
    done = simdocs(*asked.split(), cwd=built)
    why = "less than the recall of 0.95: leave out --bands, --rows and --rule to reach it"
    assert (done.status, done.err) == (0, f"simdocs: warning: {TOO_FEW[asked]}, {why}\n")
    assert simdocs(*asked.split(), "-q", cwd=built) == (0, done.out, "")


def test_what_uses_an_index_does_not_repeat_the_warning_of_its_bands(built):
    assert simdocs("index", "docs", "--bands", "4", "--rows", "10", "-q", "-o", "few.index", cwd=built).status == 0
    for words in ("dedupe few.index", "query few.index more", "dedupe more --against few.index"):
        assert simdocs(*words.split(), cwd=built).err == ""


@pytest.mark.parametrize(
    ("chosen", "rule"),
    [("--recall 0.3", "recall"), ("--rule nearest --recall 0.1", "nearest"), ("--bands 13 --rows 7", "by hand")],
)
def test_info_says_by_which_rule_bands_were_chosen_and_enough_bring_no_warning(here, chosen, rule):
    assert simdocs("index", "docs", *chosen.split(), "-o", "x.index", cwd=here) == (0, b"", "")
    assert [b"rule", rule.encode()] in simdocs("info", "x.index", cwd=here).rows


def test_a_threshold_that_no_bands_serve_brings_the_exact_join_to_mind(here):
    done = simdocs("dedupe", "docs", "-t", "0.01", cwd=here)
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)
    assert "no bands and rows reach a recall of 0.95 at threshold 0.01 with --num-perm 128" in done.err
    assert done.err.endswith(": use --num-perm 299 or more, or --exact to find every pair\n")
    for remedy, status in (("--num-perm=299", 0), ("--num-perm=298", 2), ("--exact", 0)):
        assert simdocs("dedupe", "docs", "-t", "0.01", remedy, cwd=here).status == status
