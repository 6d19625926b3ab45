"""query gives the same answer as a comparison of every query with every document of the index."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.matching import lookup
from simdocs.model.result import Look
from tests import strategies as some
from tests.amounts import examples
from tests.asked import ASKED
from tests.commands.building import built
from tests.commands.deduping import CATCH_ALL, write_texts
from tests.reading.changing import CHANGES, STANDING, change
from tests.runs import answered
from tests.similar_texts import corpora, family
from tests.twins.answers import Signing
from tests.twins.text_answers import Choices, Row, Text, Twin

CHOICES = Choices("word", 2, False, 0.5)


def twin(ours: list[Text], theirs: list[Text], choices: Choices, signing: Signing | None = None) -> list[Row]:
    """Return for each of our texts, in order, the similar ones among theirs, the most similar first.

    Ties are in the order of names, which is row order here.
    """
    rows = Twin([*theirs, *ours], choices, len(theirs), signing).matches()
    return [(row - len(theirs), other, jaccard) for row, other, jaccard in rows]


class Answered(NamedTuple):
    """The rows of the answer to a query, and its result."""

    rows: list[Any]
    result: simdocs.SimilarPairs

    @property
    def skipped(self) -> Any:
        """Everything that was skipped."""
        return self.result.skipped

    @property
    def numbered(self) -> list[Row]:
        """The answer in row numbers, in which names end."""
        return [(int(left[-4:]), int(right[-4:]), jaccard) for left, right, jaccard, _ in self.rows]


def ask(
    index: Path, names: list[Path], threshold: float = 0.5, jobs: int = 1, listing: str | None = None, **options: object
) -> Answered:
    """Query an index with these documents, in this process."""
    request = ASKED["query"](index=index, documents=tuple(names), threshold=threshold, list=listing, **options)
    rows = list[Any]()
    result = answered(request, jobs, look=Look(), draw=rows.extend)
    return Answered(rows, result)


EXACT = {"bands": 1, "rows": 128}
"""Bands that find little beside copies. An exact join does not need them."""

each_means = pytest.mark.parametrize("means", [{}, {"exact": True}], ids=["bands", "exact"])


def asked(
    ours: list[Text], theirs: list[Text], choices: Choices, jobs: int = 1, *, exact: bool = False, **options: object
) -> list[Row]:
    """Write their texts and ours, index theirs, query with ours, and return the answer in row numbers."""
    means = {"exact": True} if exact else {}
    with tempfile.TemporaryDirectory() as place:
        index = laid(Path(place), ours, theirs, choices, **options)
        answered = ask(index, [index.parent / "ours"], choices.threshold, jobs, **means)
        rows = answered.numbered
        assert answered.skipped.counts == {}
        assert answered.result.summary()["matches"] == len(rows)
        assert answered.result.summary()["matched"] == len({row[0] for row in rows})
        return rows


def laid(place: Path, ours: list[Text], theirs: list[Text], choices: Choices, **options: object) -> Path:
    """Write two directories of texts, and an index of the second. Return the path of the index."""
    for name, texts in (("ours", ours), ("theirs", theirs)):
        (place / name).mkdir()
        write_texts(place / name, texts)
    parameters = {"unit": choices.unit, "k": choices.k, "multiset": choices.multiset, "threshold": choices.threshold}
    built(place / "x.index", [place / "theirs"], **(parameters | CATCH_ALL | options))
    return place / "x.index"


@some.each("unit")
@examples(6)
@given(texts=corpora(16), share=st.floats(0, 1), multiset=st.booleans(), scheme=some.one_of("scheme"))
def test_every_similar_document_is_found(unit, texts, share, multiset, scheme):
    cut = int(share * len(texts))
    choices = Choices(unit, some.small_k(unit), multiset, 0.5)
    assert asked(texts[cut:], texts[:cut], choices, scheme=scheme) == twin(texts[cut:], texts[:cut], choices)


@examples(10)
@given(
    texts=corpora(16),
    share=st.floats(0, 1),
    unit=st.sampled_from(["char", "word"]),
    threshold=st.sampled_from([0.3, 0.5, 2 / 3, 0.9, 1.0]),
)
def test_an_exact_query_finds_every_similar_document_whatever_the_bands(texts, share, unit, threshold):
    cut, choices = int(share * len(texts)), Choices(unit, some.small_k(unit), False, threshold)
    expected = twin(texts[cut:], texts[:cut], choices)
    assert asked(texts[cut:], texts[:cut], choices, exact=True, **EXACT) == expected


@examples(8)
@given(texts=corpora(16), share=st.floats(0, 1), bands=st.integers(1, 4), rows=st.integers(1, 4))
def test_matches_are_those_that_share_a_bucket(texts, share, bands, rows):
    cut, choices = int(share * len(texts)), Choices("word", 2, True, 0.5)
    found = asked(texts[cut:], texts[:cut], choices, num_perm=16, bands=bands, rows=rows)
    assert found == twin(texts[cut:], texts[:cut], choices, Signing("fss", 16, bands, rows))


@pytest.mark.reliability("a query with 100,000 matches")
@pytest.mark.parametrize("size", [1, 1 << 30])
@pytest.mark.parametrize("constant", ["_ASKED_AT_ONCE", "PAIRS_AT_ONCE"])
def test_matches_do_not_depend_on_how_many_are_looked_up_at_once(monkeypatch, constant, size):
    texts = family(5, 90)
    monkeypatch.setattr(lookup, constant, size)
    expected = twin(texts[50:], texts[:50], CHOICES)
    assert len(expected) > 50
    assert asked(texts[50:], texts[:50], CHOICES, jobs=2) == expected


@pytest.fixture
def there(tmp_path, monkeypatch) -> Path:
    """A directory with ours, theirs, and x.index, an index of the latter."""
    texts = family(8, 60)
    laid(tmp_path, texts[30:], texts[:30], CHOICES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@each_means
def test_a_document_does_not_match_itself_but_its_copies_do(there, means):
    texts = [Text(path.read_bytes()) for path in sorted((there / "theirs").iterdir())]
    every = twin(texts, texts, CHOICES)
    assert ask(there / "x.index", [Path("theirs")], **means).numbered == [row for row in every if row[0] != row[1]]
    assert ask(there / "x.index", [Path("theirs")], itself=True, **means).numbered == every
    assert len({row[0] for row in every if row[0] == row[1]}) > 20
    assert any(row[2] == 1.0 and row[0] != row[1] for row in every)


@pytest.mark.reliability("documents changed or gone since the build")
@each_means
@examples(10)
@given(texts=corpora(16), share=st.floats(0, 1), dice=st.randoms(use_true_random=False))
def test_files_of_the_index_that_have_changed_never_match(means, texts, share, dice):
    """Unchanged documents match others but not themselves. Changed ones are queries with their new text."""
    cut = int(share * len(texts))
    standing, asking = dict[bytes, Text](), dict[bytes, Text]()
    with tempfile.TemporaryDirectory() as place:
        index = laid(Path(place), texts[cut:], texts[:cut], CHOICES)
        for row, text in enumerate(texts[:cut]):
            path, what, other = Path(place, f"theirs/{row:04}"), dice.choice(CHANGES), dice.choice(texts)
            change(path, what, other.data)
            before, after = Twin([text, other], CHOICES).normalised
            if what in STANDING or (what != "removed" and before == after):
                standing[bytes(path)] = text
            if what != "removed":
                asking[bytes(path)] = text if what in STANDING else other
        asking |= {bytes(Path(place, f"ours/{row:04}")): text for row, text in enumerate(texts[cut:])}
        found = [row[:3] for row in ask(index, [Path(place, "theirs"), Path(place, "ours")], **means).rows]
    names = [*standing, *asking]
    rows = Twin([*standing.values(), *asking.values()], CHOICES, len(standing)).matches()
    matches = [(names[row], names[other], jaccard) for row, other, jaccard in rows]
    assert found == [match for match in matches if match[0] != match[1]]


@each_means
def test_lines_of_a_file_match_each_other_but_not_themselves(tmp_path, means):
    file = tmp_path / "x.jsonl"
    file.write_text('{"text": "one two three four"}\n' * 2)
    simdocs.index(file, output=tmp_path / "x.index")
    rows = ask(tmp_path / "x.index", [file], **means).rows
    assert [(row[0][-2:], row[1][-2:]) for row in rows] == [(b"#1", b"#2"), (b"#2", b"#1")]
