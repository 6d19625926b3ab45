"""diff: where two texts differ, in Python as from the command."""

from __future__ import annotations

from pathlib import Path

import pytest

import simdocs
from simdocs.options.families import DIFFS
from tests.cli.corpus import A1, A, lay
from tests.cli.program import simdocs as program

FERRY, BOAT = "The ferry leaves at seven from the old pier.", "The ferry leaves at nine from the old pier."


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lay(tmp_path, {"docs/a": A, "docs/b": A1})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_difference_is_drawn_as_compare_draws_it(docs):
    for diff in DIFFS:
        done = program("compare", "docs/a", "docs/b", "--diff", diff)
        difference = simdocs.compare("docs/a", "docs/b", diff=diff).difference
        assert difference is not None
        assert difference.drawn(diff, ("docs/a", "docs/b")) == done.out.decode()
        assert difference.drawn(diff if diff == "unified" else None) != ""
    same = simdocs.compare(texts=[FERRY, FERRY], diff="unified").difference
    assert same is not None
    assert same.drawn("unified") == ""


def test_a_difference_can_only_be_drawn_by_the_units_that_were_compared():
    difference = simdocs.compare(texts=[FERRY, BOAT], diff="words").difference
    assert difference is not None
    expected = r"^a difference of words can be drawn as words, not '{}'$"
    for diff in ("unified", "other"):
        with pytest.raises(simdocs.UsageError, match=expected.format(diff)):
            difference.drawn(diff)


def test_an_unknown_way_to_draw_a_difference_is_refused():
    with pytest.raises(simdocs.UsageError, match=r"^--diff must be one of words, unified, not 'x'$"):
        simdocs.compare(texts=["a", "b"], diff="x")  # type: ignore[call-overload]
