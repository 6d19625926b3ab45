"""The same bytes in every surrounding."""

from __future__ import annotations

import os
import random

import pytest

from tests.cli.program import environment, simdocs
from tests.cli.traps import trap

SURROUNDINGS = {
    "hash seed": {"PYTHONHASHSEED": "1"},
    "no writable home": {"HOME": "/nowhere", "TMPDIR": "/nowhere"},
    "a terminal's": {"TERM": "xterm", "COLUMNS": "20", "FORCE_COLOR": "1"},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Sixty texts, most like another, under names of all kinds."""
    dice = random.Random(5)
    root = tmp_path_factory.mktemp("corpus")
    heads = [
        [dice.choice(["Straße", "İstanbul", "ΣΑΣ", "word", "٣", "I", "é"]) + str(dice.random()) for _ in range(30)]
        for _ in range(9)
    ]
    for _ in range(60):
        words = list(dice.choice(heads))
        words[dice.randrange(30)] = "edit"
        directory = root / "docs" / dice.choice(["a", "é", "b\udcff"])
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{dice.random()}"
        path.write_text(" ".join(words))
        os.utime(path, (0, dice.randrange(3)))
    return root


ASKED = [["dedupe", "docs", "--keep", "newest"], ["pairs", "docs", "--format", "jsonl"]]


@pytest.fixture(scope="module")
def expected(corpus) -> list[bytes]:
    found = [simdocs(*how, "-t", "0.6", "-j1", cwd=corpus).out for how in ASKED]
    assert all(len(one.splitlines()) > 30 for one in found)
    return found


@pytest.mark.reliability("any locale")
@pytest.mark.reliability("PYTHONHASHSEED, PYTHONOPTIMIZE=2, -W error, -bb, -X dev")
@pytest.mark.reliability("no network, no writable HOME or TMPDIR")
@pytest.mark.parametrize("variables", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_answers_are_the_same_bytes_in_any_environment(corpus, expected, variables):
    env = environment(**variables)
    assert simdocs(*ASKED[0], "-t", "0.6", cwd=corpus, env=env) == (0, expected[0], "")


@pytest.mark.reliability("any number of workers, order of files and size of batches")
def test_answers_are_the_same_bytes_for_any_number_of_workers(corpus, expected):
    for how, out in zip(ASKED, expected, strict=True):
        assert simdocs(*how, "-t", "0.6", "-j3", cwd=corpus) == (0, out, "")


@pytest.mark.reliability("no network, no writable HOME or TMPDIR")
def test_nothing_is_left_beside_the_answer(corpus):
    before = sorted(os.walk(corpus))
    assert simdocs("dedupe", "docs", cwd=corpus, env=environment(HOME=str(corpus), TMPDIR=str(corpus))).status == 0
    assert sorted(os.walk(corpus)) == before


@pytest.mark.reliability("no network, no writable HOME or TMPDIR")
def test_no_network_is_used(corpus, expected, tmp_path):
    env = trap(tmp_path, "os.kill(main, 9)", "socket.connect")
    assert simdocs(*ASKED[0], "-t", "0.6", cwd=corpus, env=env) == (0, expected[0], "")
