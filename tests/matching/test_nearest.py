"""query --nearest: the most similar documents of an index by signature, whatever the threshold."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.kernels.compare.agreement import agreements

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
    (tmp_path / "docs/other").write_text("0123456789" * 9)
    (tmp_path / "asked").write_text(text(0, 12) + " indeed")
    monkeypatch.chdir(tmp_path)
    simdocs.index("docs", output="docs.index", unit="word", k=2)
    return tmp_path


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), max_size=9),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
)
def test_agreements_count_equal_positions(rows: list[list[int]], row: list[int]) -> None:
    signatures = np.array(rows, np.uint32).reshape(-1, 4)
    expected = [sum(a == b for a, b in zip(each, row, strict=True)) for each in rows]
    assert agreements(signatures, np.array(row, np.uint32)).tolist() == expected


@pytest.mark.parametrize("number", [1, 3, 8, 99])
def test_the_nearest_are_those_with_the_highest_estimates(there: Path, number: int) -> None:
    index = simdocs.open("docs.index")
    signature = simdocs.signature("asked", unit="word", k=2).signatures[0]
    agree = (index.signatures == signature).mean(axis=1)
    order = sorted(np.flatnonzero(agree).tolist(), key=lambda row: (-agree[row], row))
    found = simdocs.query("docs.index", "asked", nearest=number)
    assert sorted(found.pairs.right.tolist()) == sorted(order[:number])
    assert {row[1] for row in found.rows()} == {index.documents.name(row) for row in order[:number]}
    for _, name, jaccard, estimate in found.rows():
        ours, theirs = Path("asked").read_text(), Path(name).read_text()
        assert jaccard == simdocs.similarity(ours, theirs, unit="word", k=2) > 0
        assert estimate == agree[int(Path(name).name)]


def test_the_nearest_are_ordered_by_exact_similarity_then_name(there: Path) -> None:
    rows = list(simdocs.query("docs.index", "asked", nearest=9).rows())
    assert rows == sorted(rows, key=lambda row: (-row[2], row[1]))


def test_documents_below_the_threshold_are_found_and_do_not_count_as_similar(there: Path) -> None:
    found = simdocs.query("docs.index", "asked", nearest=5)
    above = sum(row[2] >= 0.8 for row in found.rows())
    assert (found.found, found.similar) == (5, above)
    assert above < 5


def test_a_document_of_the_index_is_not_its_own_nearest(there: Path) -> None:
    assert "docs/03" not in [row[1] for row in simdocs.query("docs.index", "docs/03", nearest=99).rows()]
    first = next(simdocs.query("docs.index", "docs/03", nearest=1, itself=True).rows())
    assert first == ("docs/03", "docs/03", 1.0, 1.0)


def test_the_next_document_takes_the_place_of_a_missing_one(there: Path) -> None:
    expected = [row[1] for row in simdocs.query("docs.index", "asked", nearest=4).rows()]
    os.remove(expected[0])
    found = simdocs.query("docs.index", "asked", nearest=3)
    assert [row[1] for row in found.rows()] == expected[1:]
    assert found.skipped.counts == {"unverified": 1}


def test_documents_that_have_nothing_in_common_are_not_listed(there: Path) -> None:
    names = [row[1] for row in simdocs.query("docs.index", "asked", nearest=99).rows()]
    assert "docs/empty" not in names
    assert "docs/other" not in names


def test_nearest_documents_by_estimate_are_not_read_again(there: Path) -> None:
    expected = [row[1] for row in simdocs.query("docs.index", "asked", nearest=3, verify="estimate").rows()]
    for name in expected:
        os.remove(name)
    found = list(simdocs.query("docs.index", "asked", nearest=3, verify="estimate").rows())
    assert [row[1] for row in found] == expected
    assert all(np.isnan(row[2]) for row in found)
