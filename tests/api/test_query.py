"""query answers what the command line answers, and reads no more of an index than it must."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import simdocs
from simdocs.artifacts.npy import MappedColumn
from tests.api.asking import DOCS, NEW, TEXTS, by_row, matched, printed
from tests.cli.corpus import A


@pytest.fixture
def index(here: Path) -> simdocs.BandIndex:
    found = simdocs.open("docs.index")
    assert isinstance(found, simdocs.BandIndex)
    return found


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [1, 2])
def test_query_answers_the_same_however_index_and_documents_are_given(index, jobs):
    expected = printed("query", "docs.index", "new")
    assert len(expected) == 4
    texts = [TEXTS[name].decode() for name in NEW]
    for given in (index, "docs.index", b"docs.index", Path("docs.index"), simdocs.index("docs")):
        assert matched(simdocs.query(given, "new", jobs=jobs), index) == expected
        assert matched(simdocs.query(given, texts=texts, names=NEW, jobs=jobs), index) == expected


def test_a_document_does_not_match_itself(index):
    docs, itself = simdocs.query(index, "docs"), simdocs.query(index, "docs", itself=True)
    assert {pair for pair in by_row(itself) if pair[0] == pair[1]} == {(row, row) for row in (0, 1, 2, 3, 5)}
    assert by_row(docs) == [pair for pair in by_row(itself) if pair[0] != pair[1]] != []
    apart, own = (simdocs.query(index, "docs", passages=True, itself=itself).rows() for itself in (False, True))
    assert list(apart) == [row for row in own if row[0] != row[4]] != []
    # Texts are nobody's files.
    assert by_row(simdocs.query(index, texts=[TEXTS[name] for name in DOCS])) == by_row(itself)


def test_query_reads_only_the_blocks_of_an_index_that_it_needs(index, monkeypatch):
    every = MappedColumn.all

    def no(stored: MappedColumn) -> np.ndarray:
        assert Path(stored.name).name not in ("signatures.npy", "band_keys.npy", "band_rows.npy", "documents.npy")
        return every(stored)

    monkeypatch.setattr(MappedColumn, "all", no)
    assert by_row(simdocs.query("docs.index", "new", threshold=0.8))
    with pytest.raises(AssertionError):
        simdocs.dedupe("docs.index")


def test_query_finds_documents_of_the_index_from_root(here, tmp_path, monkeypatch):
    expected = by_row(simdocs.query("docs.index", texts=[A]))
    monkeypatch.chdir(tmp_path)
    for given in (here / "docs.index", simdocs.open(here / "docs.index")):
        assert by_row(simdocs.query(given, texts=[A])) == expected
        lost = simdocs.query(given, texts=[A], root=tmp_path)
        assert {detail for _, detail in lost.skipped.by_reason["unverified"]} == {"gone"}
        assert len(lost.skipped.by_reason["unverified"]) == 4
        assert by_row(lost) == []
    # Relative to another place, with the same bytes: they are the same documents.
    shutil.copytree(here / "docs", tmp_path / "docs")
    assert by_row(simdocs.query(here / "docs.index", texts=[A], root=tmp_path)) == expected


def test_token_sets_of_other_documents_are_refused():
    index = simdocs.index(texts=["one text", "another text"], names=["a", "b"])
    for texts, how, said in (
        (["one text", "another text"], {"k": 5}, "k is 5, not 9"),
        (["one text", "other text"], {}, "does not have the documents of the index given"),
        (["one text"], {"names": ["a"]}, "does not have the documents of the index given"),
    ):
        token_sets = simdocs.shingle(texts=texts, **({"names": ["a", "b"]} | how))
        with pytest.raises(simdocs.ArtifactError, match=said):
            simdocs.dedupe(index, shingles=token_sets)
