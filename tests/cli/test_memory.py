"""Memory grows with the largest document, by 16 bytes a character, and not with the corpus."""

from __future__ import annotations

import os
import random
import subprocess

import pytest

from tests.cli.program import PROGRAM, environment

MIB = 1 << 20
CHARACTERS = 8 * MIB
BATCHES = 48 * MIB
"""What a few batches take."""


def peak(*arguments: object) -> int:
    """Bytes that a run of one process held at most."""
    process = subprocess.Popen([PROGRAM, "dedupe", "-j1", *map(str, arguments)], env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss * 1024


def words(vocabulary: str) -> str:
    dice = random.Random(1)
    some = ["".join(dice.choices(vocabulary, k=dice.randint(2, 9))) for _ in range(3000)]
    line = " ".join(dice.choices(some, k=200_000))
    return (line * (CHARACTERS // len(line) + 1))[:CHARACTERS]


TEXTS = {
    "ASCII": words("abcdefghijklmnop"),
    "accents": words("abcdeéüabcdefghi"),
    "Cyrillic": words("абвгдежзийклмноп"),
    "Chinese": words("一丁七万丈三上下不与丑专且世丘丙业"),
    "capitals and lines": words("abcdefghijklmnop").title().replace(" ", "\n"),
    "a few words again and again": ("the same again and again\n" * CHARACTERS)[:CHARACTERS],
    "one letter": "a" * CHARACTERS,
}


@pytest.fixture(scope="module")
def little(tmp_path_factory) -> int:
    path = tmp_path_factory.mktemp("little") / "text"
    path.write_text("hardly any text")
    return peak(path)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["char", "word", "line", "stopword"])
@pytest.mark.parametrize("kind", TEXTS)
def test_of_the_largest_document(tmp_path, little, kind, unit):
    (tmp_path / "text").write_text(TEXTS[kind])
    assert peak(tmp_path, "--unit", unit) - little <= 16 * CHARACTERS + BATCHES


@pytest.mark.slow
def test_not_of_the_corpus(tmp_path, little):
    size = 1 << 14
    for at in range(CHARACTERS // size):
        (tmp_path / str(at)).write_text(TEXTS["ASCII"][at * size : (at + 1) * size] + str(at))
    assert peak(tmp_path, "--pairs") - little <= BATCHES
