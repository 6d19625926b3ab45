"""Bands that find fewer pairs than the stated recall bring a warning, from the command that chooses them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from typing import Any

import pytest

from tests.amounts import slow
from tests.cli.program import simdocs

COMMANDS = {
    "index": ("index", "docs", "-o", "new.index"),
    "index of an artifact": ("index", "x.signatures", "-o", "x.index"),
    "dedupe": ("dedupe", "docs"),
    "pairs": ("pairs", "docs"),
}
TOO_FEW = {
    "--bands 4 --rows 10": "4 bands of 10 rows find only 31.52% of the pairs at 0.8",
    "--bands 4": "4 bands of 32 rows find only 0.1763% of the pairs at 0.8",
    "--bands 1 --rows 2 -t 0.1": "1 band of 2 rows finds only 0.004517% of the pairs at 0.1",
    "--bands 2 --rows 1 -t 0.1": "2 bands of 1 row find only 19% of the pairs at 0.1",
    "--rule nearest": "8 bands of 16 rows find only 17.95% of the pairs at 0.8",
    "--rule nearest -t 0.6": "16 bands of 8 rows find only 21.96% of the pairs at 0.6",
}
ENOUGH = ["", "--bands 20 --rows 6", "--recall 0.3", "--rule recall", "--rule nearest --recall 0.17"]


def each_with_the_first(choices: Collection[str]) -> list[Any]:
    """Return a choice of bands and a command: `index` with each, the others with the first; in the long form all."""
    first, *others = choices
    commands = [command for command in COMMANDS if command != "index"]
    return [*product(choices, ["index"]), *product([first], commands), *slow(*product(others, commands))]


@pytest.mark.parametrize(("chosen", "command"), each_with_the_first(TOO_FEW))
def test_bands_below_the_stated_recall_bring_a_warning(built, command, chosen):
    """In a pipe as at a terminal: -q silences it."""
    done = simdocs(*COMMANDS[command], *chosen.split(), cwd=built)
    why = "less than the recall of 0.95: leave out --bands, --rows and --rule to reach it"
    assert (done.status, done.err) == (0, f"simdocs: warning: {TOO_FEW[chosen]}, {why}\n")
    assert simdocs(*COMMANDS[command], *chosen.split(), "-q", cwd=built) == (0, done.out, "")


@pytest.mark.parametrize(("chosen", "command"), each_with_the_first(ENOUGH))
def test_bands_that_reach_the_stated_recall_bring_no_warning(built, command, chosen):
    done = simdocs(*COMMANDS[command], *chosen.split(), cwd=built)
    assert (done.status, done.err) == (0, "")


def test_what_uses_an_index_does_not_repeat_the_warning_of_its_bands(built):
    assert simdocs("index", "docs", "--bands", "4", "--rows", "10", "-q", "-o", "few.index", cwd=built).status == 0
    for words in ("dedupe few.index", "query few.index more", "dedupe more --against few.index"):
        assert simdocs(*words.split(), cwd=built).err == ""


@pytest.mark.parametrize(
    ("chosen", "rule"),
    [
        ("", "recall"),
        ("--recall 0.5", "recall"),
        ("--rule nearest", "nearest"),
        ("--bands 4 --rows 10", "by hand"),
        ("--rows 10", "by hand"),
    ],
)
def test_info_says_by_which_rule_bands_were_chosen(here, chosen, rule):
    assert simdocs("index", "docs", *chosen.split(), "-q", "-o", "x.index", cwd=here).status == 0
    assert [b"rule", rule.encode()] in simdocs("info", "x.index", cwd=here).rows


def test_a_threshold_that_no_bands_serve_brings_the_exact_join_to_mind(here):
    done = simdocs("dedupe", "docs", "-t", "0.01", cwd=here)
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)
    assert "no bands and rows reach a recall of 0.95 at threshold 0.01 with --num-perm 128" in done.err
    assert done.err.endswith(": use --num-perm 299 or more, or --exact to find every pair\n")
    for remedy in (("--num-perm", "299"), ("--exact",)):
        assert simdocs("dedupe", "docs", "-t", "0.01", *remedy, cwd=here).status == 0
    less = simdocs("dedupe", "docs", "-t", "0.01", "--num-perm", "298", cwd=here)
    assert less.status == 2
