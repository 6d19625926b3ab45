"""diff: where two texts differ, in Python as from the command."""

from __future__ import annotations

from pathlib import Path

import pytest

import simdocs
from simdocs.options.families import DIFFS
from tests.cli.corpus import A1, A, lay
from tests.cli.program import simdocs as program


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
        assert difference.drawn(("docs/a", "docs/b")) == done.out.decode()
    same = simdocs.compare(texts=["The ferry leaves.", "The ferry leaves."], diff="unified").difference
    assert same is not None
    assert same.drawn() == ""


def test_an_unknown_way_to_draw_a_difference_is_refused():
    with pytest.raises(simdocs.UsageError, match=r"^--diff must be one of words, unified, not 'x'$"):
        simdocs.compare(texts=["a", "b"], diff="x")  # type: ignore[call-overload]
