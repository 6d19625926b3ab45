"""The API answers what the command line answers, of paths, texts, nouns and artifacts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simdocs
from tests.api.asking import BUILD, DOCS, KINDS, TEXTS, by_row, decided, printed
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
