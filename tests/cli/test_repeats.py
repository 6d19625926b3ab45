"""simdocs passages: which passages occur in several documents, how often, and where."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import simdocs as public
from simdocs.commands import repeated as module
from simdocs.model.result import Look, tables_of
from tests.cli.program import Done, simdocs

FOOTER = "This newsletter is sent by the Harbour Office, Quay 5. To unsubscribe,\nwrite STOP to office@harbour.example"
QUOTE = "A lighthouse that nobody tends is still a lighthouse, said the keeper, and went to bed at noon."


def page(seed: int, words: int = 40) -> str:
    dice = random.Random(seed)
    return " ".join(f"{dice.choice(('bridge', 'lamp', 'river', 'nine'))}{dice.randrange(10_000)}" for _ in range(words))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for number in range(6):
        quote = f"{QUOTE}\n" * (number in (1, 4))
        footer = FOOTER.upper() if number == 3 else FOOTER
        text = f"{page(number)}\n{quote}{page(10 + number)} {'abcdef'[number]}!\n\n{footer}."
        (tmp_path / "docs" / f"{number}.txt").write_text(text)
    return tmp_path


def passages(here: Path, *arguments: str, **how: object) -> Done:
    return simdocs("passages", "docs", *arguments, cwd=here, **how)


def cells(done: Done) -> list[list[str]]:
    return [[cell.decode() for cell in row] for row in done.rows]


def test_the_bytes_are_the_same_for_any_number_of_workers(here):
    for number in range(300):
        (here / "docs" / f"more{number:03}.txt").write_text(f"{page(number)}\n{FOOTER}\n{page(number % 40)}")
    first = passages(here, "-j1", "--format", "jsonl")
    assert first.out
    assert passages(here, "-j3", "--format", "jsonl").out == first.out


@pytest.mark.parametrize(("change", "number"), [("gone", 0), ("changed", 1)])
def test_a_document_that_changes_before_it_is_read_again_has_no_place(here, monkeypatch, change, number):
    looked_up = module.places_of

    def later(*arguments):
        first = here / "docs" / f"{number}.txt"
        if change == "gone":
            first.unlink()
        else:
            first.write_text("something else, which is long enough, and has nothing in common with the other pages")
        return looked_up(*arguments)

    monkeypatch.setattr(module, "places_of", later)
    monkeypatch.chdir(here)
    found = public.passages("docs")
    left = [f"docs/{at}.txt" for at in range(6) if at != number]
    assert [row[0:2] + row[4:5] for row in found if row[0] == 1] == [(1, 5, name) for name in left]
    ((first, *_),) = map(list, tables_of(found, Look()))
    assert first[-1] == f"!\n\n{FOOTER}."
    assert found.skipped.counts == {"unverified": 1}


def test_python_has_the_same_answer(here, monkeypatch):
    monkeypatch.chdir(here)
    found = public.passages("docs")
    assert [[str(cell) for cell in row] for row in found.rows()] == cells(passages(here))
    counts = ("documents", "passages", "places", "matched", "min_passage", "in_passages")
    assert [found.summary()[name] for name in counts] == [6, 2, 8, 6, 60, 6 * 110 + 2 * 95]
    found.write("x.jsonl")
    assert Path("x.jsonl").read_bytes() == passages(here, "--format", "jsonl").out
