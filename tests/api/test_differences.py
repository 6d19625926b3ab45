"""diff: where the documents of each pair differ, in Python as from the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simdocs
from simdocs.parameters.families import DIFFS
from tests.cli.corpus import A1, A2, A, B, lay
from tests.cli.program import simdocs as program

FERRY, BOAT = "The ferry leaves at seven from the old pier.", "The ferry leaves at nine from the old pier."


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lay(tmp_path, {"docs/a": A, "docs/b": A1, "docs/c": B, "docs/d": A2, "docs/e": A})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def passages(found: simdocs.Deduplication | simdocs.SimilarPairs | simdocs.Matches) -> list[list[dict[str, str]]]:
    """The differences as JSON Lines have them."""
    assert found.differences is not None
    return [
        [{"passage": ("differs", "shared")[each.shared], "a": each.a, "b": each.b} for each in one.passages]
        for one in found.differences
    ]


def printed(*words: str) -> list[list[dict[str, str]]]:
    done = program(*words, "--format", "jsonl", "-q", "-j1")
    assert done.status == 0, done.err
    return [json.loads(line)["passages"] for line in done.out.splitlines()]


@pytest.mark.parametrize("diff", DIFFS)
def test_differences_are_those_that_the_commands_print(docs, diff):
    simdocs.index("docs/a", "docs/b", "docs/c", output="x.index", threshold=0.3)
    asked = [
        (simdocs.dedupe("docs", threshold=0.3, diff=diff), ("dedupe", "docs", "-t", "0.3")),
        (simdocs.dedupe("docs", against="x.index", diff=diff), ("dedupe", "docs", "--against", "x.index")),
        (simdocs.query("x.index", "docs", diff=diff), ("query", "x.index", "docs")),
        (simdocs.query("x.index", "docs/d", nearest=2, diff=diff), ("query", "x.index", "docs/d", "--nearest", "2")),
    ]
    for found, words in asked:
        assert len(found) > 0
        assert passages(found) == printed(*words, "--diff", diff)
        assert {one.asked for one in found.differences or ()} == {DIFFS[diff].compared}


def test_a_difference_is_the_last_of_a_row():
    found = simdocs.dedupe(texts=[FERRY, BOAT], threshold=0.4, diff="words")
    (row,) = found
    kept, duplicate, *_, difference = row
    assert (kept, duplicate, difference) == ("0", "1", (found.differences or ())[0])
    assert [(each.a, each.b) for each in difference.passages if not each.shared] == [("seven ", "nine ")]
    assert len(row) == 5
    assert len(next(simdocs.dedupe(texts=[FERRY, BOAT], threshold=0.4).rows())) == 4
    assert simdocs.dedupe(texts=[FERRY, BOAT], threshold=0.4).differences is None
    assert simdocs.dedupe(texts=[FERRY], diff="words").differences == ()


def test_tables_have_the_differences():
    pytest.importorskip("pyarrow")
    (row,) = simdocs.dedupe(texts=[FERRY, BOAT], threshold=0.4, diff="words").to_arrow().to_pylist()
    assert list(row) == ["kept", "duplicate", "jaccard", "estimate", "passages"]
    assert row["passages"][1] == {"passage": "differs", "a": "seven ", "b": "nine "}


def test_a_difference_is_drawn_as_compare_draws_it(docs):
    for diff, each in DIFFS.items():
        done = program("compare", "docs/a", "docs/b", "--diff", diff)
        difference = simdocs.compare("docs/a", "docs/b", diff=diff).difference
        assert difference is not None
        assert difference.drawn(diff, ("docs/a", "docs/b")) == done.out.decode()
        assert difference.drawn(diff if each.is_patch else None) != ""
    same = simdocs.compare(texts=[FERRY, FERRY], diff="unified").difference
    assert same is not None
    assert same.drawn("unified") == ""


def test_a_difference_can_only_be_drawn_by_the_units_that_were_compared():
    (difference,) = simdocs.dedupe(texts=[FERRY, BOAT], threshold=0.4, diff="words").differences or ()
    expected = r"^a difference of words can be drawn as words, not '{}'$"
    for diff in ("unified", "other"):
        with pytest.raises(simdocs.UsageError, match=expected.format(diff)):
            difference.drawn(diff)


def test_a_text_that_is_gone_has_no_difference_but_the_reason(docs):
    sets = simdocs.shingle("docs", output="x.shingles")
    index = simdocs.index("docs", output="x.index", threshold=0.3)
    Path("docs/b").unlink()
    found = simdocs.dedupe(index, shingles=sets, diff="words")
    of_b = [one for row, one in zip(found.rows(), found.differences or (), strict=True) if "docs/b" in row[:2]]
    assert [one.missing for one in of_b] == ["docs/b is gone"]
    assert of_b[0].drawn() == "[no difference: docs/b is gone]\n"


def test_differences_need_pairs():
    with pytest.raises(simdocs.UsageError, match=r"^diff and list cannot be combined: diff shows pairs of documents$"):
        simdocs.dedupe(texts=["a"], diff="words", list="kept")
    with pytest.raises(simdocs.UsageError, match=r"^diff must be one of words, unified, not 'x'$"):
        simdocs.dedupe(texts=["a"], diff="x")  # type: ignore[call-overload]
