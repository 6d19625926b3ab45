"""The API answers what the command line answers, of paths, texts, nouns and artifacts, and reads no more for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.artifacts.npy import MappedColumn
from tests.api.asking import BUILD, DOCS, KINDS, NEW, TEXTS, by_row, decided, matched, printed
from tests.cli.corpus import A1, A
from tests.commands.building import content


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [1, 2])
def test_dedupe_of_paths_answers_as_the_command_line(here, jobs):
    found = simdocs.dedupe("docs", Path("new"), b"new/3.txt", jobs=jobs)
    assert decided(found) == printed("dedupe", "docs", "new") != []
    kept = [found.documents.name(row) for row in found.kept]
    assert kept == [name for (name,) in printed("dedupe", "docs", "new", "--list", "kept")]
    assert found.skipped.by_reason == {"again": [("new/3.txt", "")]}


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("kind", [str, bytes])
def test_dedupe_of_texts_answers_as_of_their_files(here, kind, jobs):
    texts = [TEXTS[name].decode() if kind is str else TEXTS[name] for name in DOCS]
    names = [name if kind is str else name.encode() for name in DOCS]
    named = simdocs.dedupe(texts=texts, names=names, jobs=jobs)
    assert decided(named) == printed("dedupe", "docs") != []
    nameless = simdocs.dedupe(texts=texts, jobs=jobs)
    assert [nameless.documents.name(row) for row in range(len(texts))] == [str(row) for row in range(len(texts))]
    assert by_row(nameless) == by_row(named)
    assert nameless.kept.tolist() == named.kept.tolist()


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [1, 2])
def test_each_text_keeps_its_row_number(jobs):
    texts = ["", A, "\0" + A.decode(), b"\0\0\0", "\ufeff", b"\xff\xfe\0", "\ud800x", A1, ""]
    found = simdocs.shingle(texts=texts, names=[f"{row}.jsonl" for row in range(len(texts))], jobs=jobs)
    assert len(found.documents) == len(found.tokens) == len(texts)
    assert found.skipped.counts == {}
    assert found.documents.facts["flags"].tolist() == [1, 0, 0, 2, 1, 8 | 2, 4 | 2, 0, 1]
    assert by_row(simdocs.dedupe(texts=texts, jobs=jobs)) == [(1, 2), (1, 7)]
    assert len(simdocs.dedupe(texts=[], jobs=jobs).kept) == 0


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("kind", KINDS)
def test_dedupe_of_artifacts_answers_as_of_their_documents(here, kind):
    made, opened = BUILD[kind]("docs", jobs=2), simdocs.open(f"docs.{kind}")
    assert_same(made, opened)
    assert made.root == opened.root == os.fsencode(here)
    expected = printed("dedupe", f"docs.{kind}")
    assert expected == printed("dedupe", "docs")
    for given in (made, opened, f"docs.{kind}", os.fsencode(f"docs.{kind}"), here / f"docs.{kind}"):
        assert decided(simdocs.dedupe(given, jobs=2)) == expected


def assert_same(one: Any, other: Any) -> None:
    """Two artifacts are of one kind and hold the same: arrays of the same dtypes, the same recipe."""
    assert type(one) is type(other)
    assert (one.kind, one.recipe, one.made_from) == (other.kind, other.recipe, other.made_from)
    assert (one.n_documents, one.columns.keys()) == (other.n_documents, other.columns.keys())
    for name in one.columns:
        mine, theirs = one[name].all(), other[name].all()
        assert mine.dtype == theirs.dtype, name
        assert np.array_equal(mine, theirs), name


@pytest.mark.parametrize(("start", "end"), [("shingles", "signatures"), ("shingles", "index"), ("signatures", "index")])
def test_the_result_of_one_stage_is_taken_by_the_next(here, start, end):
    target = here / f"{start}.{end}"
    for given in (BUILD[start]("docs"), simdocs.open(f"docs.{start}"), f"docs.{start}"):
        assert_same(BUILD[end](given), simdocs.open(f"docs.{end}"))
        assert_same(BUILD[end](given, output=target), simdocs.open(f"docs.{end}"))
        assert content(target) == content(here / f"docs.{end}")


def test_texts_in_memory_are_verified_from_memory(here):
    texts, expected = [TEXTS[name] for name in DOCS], decided(simdocs.dedupe("docs"))
    for kind in KINDS:
        for output in (None, f"texts.{kind}"):
            made = BUILD[kind](texts=texts, names=DOCS, output=output)
            assert decided(simdocs.dedupe(made)) == expected
    # From the disk they cannot be had.
    assert simdocs.dedupe("texts.index").skipped.counts == {"unverified": 3}
    assert decided(simdocs.dedupe("texts.index", shingles="texts.shingles")) == expected


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
