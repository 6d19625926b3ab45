"""query --nearest: the most similar documents of an index by signature, whatever the threshold."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels.jaccard import least_agreements
from simdocs.matching import nearest
from tests.amounts import examples
from tests.twins.signatures import below

WORDS = ("the", "ferry", "leaves", "its", "northern", "quay", "at", "seven", "every", "morning", "but", "on", "sundays")


def text(first: int, count: int) -> str:
    """Return some words of a cyclic text. Two results have more in common if they overlap more."""
    return " ".join(WORDS[(first + at) % len(WORDS)] for at in range(count))


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of documents that overlap more and more, an index of it, and a document to ask about."""
    (tmp_path / "docs").mkdir()
    for number in range(12):
        (tmp_path / f"docs/{number:02}").write_text(text(number, 12))
    (tmp_path / "docs/empty").write_text("")
    (tmp_path / "docs/0other").write_text("0123456789" * 9)
    (tmp_path / "asked").write_text(text(0, 12) + " indeed")
    monkeypatch.chdir(tmp_path)
    simdocs.index("docs", output="docs.index", unit="word", k=2)
    return tmp_path


@given(st.lists(st.sampled_from([0.0, 0.01, 0.25, 0.5, 0.9, 1.0]), max_size=4), st.sampled_from([1, 8, 128, 500]))
def test_signatures_agree_at_fewer_positions_as_rarely_as_asked(similarities: list[float], places: int) -> None:
    for missed in (0.3, 0.01, 1e-6):
        for similarity, least in zip(
            similarities, least_agreements(np.array(similarities), places, missed).tolist(), strict=True
        ):
            assert below(least, places, similarity) <= missed < below(least + 1, places, similarity)


def closest(asked: str, number: int) -> list[float]:
    """The similarities of the most similar texts, from all their tokens."""
    scores = {name.read_text(): simdocs.similarity(asked, name.read_text(), unit="word", k=2) for name in files()}
    return sorted((score for score in scores.values() if score), reverse=True)[:number]


def files() -> list[Path]:
    return sorted(Path("docs").iterdir())


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("number", [1, 3, 8, 99])
@pytest.mark.parametrize("small", [False, True])
def test_the_nearest_are_those_with_the_highest_similarities(
    there: Path, number: int, exact: bool, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_ROWS_AT_ONCE", "_PAIRS_AT_ONCE", "_FIRST", "_LEAST_FIRST") if small else ():
        monkeypatch.setattr(nearest, name, 1)
    found = list(simdocs.query("docs.index", "asked", nearest=number, exact=exact).rows())
    assert [row[2] for row in found] == closest(Path("asked").read_text(), number)
    for _, name, jaccard, _ in found:
        assert jaccard == simdocs.similarity(Path("asked").read_text(), Path(name).read_text(), unit="word", k=2)
    others = [row[1:3] for row in simdocs.query("docs.index", "docs/05", nearest=number, exact=exact).rows()]
    assert [score for _, score in others] == closest(Path("docs/05").read_text(), number + 1)[1:]
    assert "docs/05" not in dict(others)


def test_no_more_texts_are_compared_than_the_limit(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for most, least, number, compared in ((2, 0, 3, 6), (1, 5, 2, 5), (1, 5, 5, 5)):
        monkeypatch.setattr(nearest, "_MOST", most)
        monkeypatch.setattr(nearest, "_LEAST_MOST", least)
        monkeypatch.setattr(nearest, "_MISSED", 0.0)
        found = simdocs.query("docs.index", "asked", nearest=number)
        assert [row[2] for row in found.rows()] == closest(Path("asked").read_text(), number)
        assert [found.summary()[name] for name in ("candidates", "verified")] == [compared, compared]
    assert simdocs.query("docs.index", "asked", nearest=3, exact=True).summary()["verified"] == 13


@pytest.mark.parametrize("exact", [False, True])
def test_a_copy_takes_the_place_of_a_missing_one_and_of_the_document_itself(there: Path, exact: bool) -> None:
    for copy in ("aa", "zz"):
        Path("docs", copy).write_text(text(0, 12))
    simdocs.index("docs", output="docs.index", unit="word", k=2)
    itself = simdocs.query("docs.index", "docs/00", nearest=1, exact=exact)
    assert next(itself.rows())[1:3] == ("docs/aa", 1.0)
    every = simdocs.query("docs.index", "docs/00", nearest=1, all_copies=True, exact=exact).rows()
    assert [row[1] for row in every] == ["docs/aa", "docs/zz"]
    os.remove("docs/00")
    found = simdocs.query("docs.index", "asked", nearest=1, exact=exact)
    assert [each.summary()["copies_left_out"] for each in (itself, found)] == [1, 1]  # docs/zz
    for options in ({"nearest": 1, "all_copies": True}, {"threshold": 0.9}):
        found = simdocs.query("docs.index", "asked", exact=exact, **options)
        assert [row[1] for row in found.rows()] == ["docs/aa", "docs/zz"]
        assert found.skipped.counts == {"unverified": 1}


@examples(20)
@given(
    st.lists(st.lists(st.sampled_from(WORDS[:6]), max_size=5).map(" ".join), min_size=1, max_size=40),
    st.integers(1, 6),
    st.booleans(),
    st.booleans(),
)
def test_exact_answers_equal_those_of_all_pairs(texts: list[str], number: int, all_copies: bool, few: bool) -> None:
    index = simdocs.index(texts=texts[1:], unit="word", k=1, num_perm=2 if few else 128)
    exact = simdocs.query(index, texts=texts[:1], nearest=number, exact=True, all_copies=all_copies)
    expected = sorted(
        (-simdocs.similarity(texts[0], other, unit="word", k=1), row) for row, other in enumerate(texts[1:])
    )
    places: dict[str, None] = {}
    listed = []
    for score, row in expected:
        other = texts[1:][row]
        if score and (other not in places or all_copies) and (other in places or len(places) < number):
            places[other] = None
            listed.append((row, -score))
    assert sorted(zip(exact.pairs.right.tolist(), exact.pairs.jaccard.tolist(), strict=True)) == sorted(listed)
