"""Texts in memory come from any iterable, array or Series, and their names are any hashable objects."""

from __future__ import annotations

import math
import os
import sys
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.errors import MissingExtraError
from simdocs.reading import read_tasks
from tests.cli.corpus import A1, A, B, lay

WORDS = [text.decode() for text in (A, A1, B, A.upper())]
TEXTS = [WORDS[0], WORDS[2], WORDS[1], "", WORDS[3]]
UUIDS = [uuid.UUID(int=at) for at in range(len(TEXTS))]
NUMBERS = [10, 20, 30, 40, 50]


class Stream:
    """A column that only hands over a stream of Arrow data."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.column.__arrow_c_stream__(requested_schema)


class OneArray:
    """A column that only hands over one Arrow array."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.column.__arrow_c_array__(requested_schema)


def library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"no {name} here")


MAKERS: dict[str, Callable[[list[str]], Any]] = {
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "bytes": lambda texts: [text.encode() for text in texts],
    "keys": lambda texts: dict.fromkeys(texts).keys(),
    "objects": lambda texts: np.array(texts, object),
    "NumPy": lambda texts: np.array(texts, str) if texts else np.array([], "U1"),
    "StringDType": lambda texts: np.array(texts, np.dtypes.StringDType()),
    "pyarrow": lambda texts: library("pyarrow").array(texts, "string"),
    "pyarrow, chunked": lambda texts: library("pyarrow").chunked_array([texts[:1], texts[1:]], "string"),
    "pyarrow, large": lambda texts: library("pyarrow").array(texts, "large_string"),
    "pyarrow, views": lambda texts: library("pyarrow").array(texts, "string_view"),
    "pyarrow, dictionary": lambda texts: library("pyarrow").array(texts, "string").dictionary_encode(),
    "Arrow stream": lambda texts: Stream(library("pyarrow").chunked_array([texts], "string")),
    "Arrow array": lambda texts: OneArray(library("pyarrow").array(texts, "string")),
    "pandas": lambda texts: library("pandas").Series(texts, dtype="string", index=range(3, 3 + len(texts))),
    "pandas, objects": lambda texts: library("pandas").Series(texts, dtype=object),
    "pandas, categories": lambda texts: library("pandas").Series(texts, dtype="string").astype("category"),
    "Polars": lambda texts: library("polars").Series(texts, dtype=library("polars").String),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_texts_give_the_same_answer_whatever_holds_them(kind):
    for texts in (TEXTS, []):
        expected = simdocs.dedupe(texts=texts, threshold=0.5)
        found = simdocs.dedupe(texts=MAKERS[kind](texts), threshold=0.5)
        assert list(found.rows()) == list(expected.rows())
        assert found.labels.tolist() == expected.labels.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: {"a": "b"}, "texts must be an iterable of texts, not dict: use texts=list(d.values()), names=list(d)"),
        (lambda: memoryview(b"ab"), "texts must be an iterable of texts, such as a list, not memoryview"),
        (lambda: np.array("ab"), "texts must be an iterable of texts, such as a list, not ndarray"),
        (lambda: 3, "texts must be an iterable of texts, such as a list, not int"),
        (lambda: bytearray(b"ab"), "texts must be an iterable of texts, such as a list, not bytearray"),
        (lambda: ["a", "b", 5], "texts[2] is of type int: a text must be str or bytes"),
        (lambda: library("pandas").DataFrame({"t": ["a"]}), "texts is a table (DataFrame), not a column: use one of"),
        (lambda: library("pyarrow").table({"t": ["a"]}), "texts is a table (Table), not a column: use one of its"),
        (lambda: Stream(library("pyarrow").table({"t": ["a"]})), "texts is a table (Stream), not a column: use one of"),
        (lambda: library("pyarrow").array(["a", None]), "texts[1] is of type NoneType: a text must be"),
    ],
)
def test_what_holds_no_texts_is_refused(make, message):
    values = make()
    for call in (simdocs.dedupe, simdocs.index, simdocs.compare):
        with pytest.raises(simdocs.UsageError) as caught:
            call(texts=values)
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "there must be as many names as texts, 3, not 2"),
        ([1, "1", 2], "names[0] and names[1] read the same, '1': each text needs a name of its own"),
        ([1, 2.0, math.nan], "names[2] is null: give each text a name"),
        ([1, np.datetime64("NaT"), None], "names[1] is null: give each text a name"),
        ([1, type("NA", (), {"__str__": lambda _: "<NA>"})(), 3], "names[1] is null: give each text a name"),
        ([b"\xff", "\udcff", 3], "names[0] and names[1] read the same, '\\udcff': each text needs a name of its own"),
    ],
)
def test_names_that_do_not_name_texts_are_refused(names, message):
    for given_names in (names, iter(names)):
        with pytest.raises(simdocs.UsageError) as caught:
            simdocs.dedupe(texts=iter("abc"), names=given_names)
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize("names", [UUIDS, NUMBERS, [(at, "x") for at in NUMBERS], [0.5, "nan", 3, b"c", "d"]])
def test_answers_have_the_names_as_they_were_given(names):
    plain = simdocs.dedupe(texts=TEXTS, threshold=0.5)
    found = simdocs.dedupe(texts=TEXTS, names=names, threshold=0.5)
    row_of = {str(row): row for row in range(len(TEXTS))}
    # Names that are bytes are str in answers, as they always were.
    expected = [name.decode() if isinstance(name, bytes) else name for name in names]

    def named(text: Any) -> Any:
        return None if text is None else expected[row_of[text]]

    assert [row[:2] for row in found.rows()] == [(named(a), named(b)) for a, b, *_ in plain.rows()] != []
    assert found.kept_names == list(map(named, plain.kept_names))
    assert found.duplicate_names == list(map(named, plain.duplicate_names))
    assert [found.documents.name(row) for row in range(len(TEXTS))] == expected
    assert [row[0] for row in found.rows("groups")] == expected
    pairs = simdocs.pairs(texts=TEXTS, names=names, threshold=0.5)
    assert {row[:2] for row in pairs.rows()} >= {row[:2] for row in found.rows()}
    matrix = simdocs.compare(texts=TEXTS, names=names)
    assert [row[1] for row in matrix.rows()] == expected
    assert simdocs.compare(texts=TEXTS[:2], names=names[:2]).names == tuple(expected[:2])


def test_a_text_in_memory_is_not_the_file_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(lay(tmp_path, {"docs/a": TEXTS[0].encode()}))
    simdocs.index("docs", output="x.index")
    found = simdocs.dedupe(texts=[TEXTS[0]], names=["docs/a"], against="x.index")
    assert [row[:2] for row in found.rows()] == [("docs/a", "docs/a")]
    index = simdocs.index(texts=[TEXTS[0]], names=["docs/a"])
    for found in (simdocs.dedupe("docs", against=index), simdocs.query(index, "docs")):
        assert [row[:2] for row in found.rows()] == [("docs/a", "docs/a")]
        assert found.skipped.counts == {}
    names = [str(at) for at in range(40)]
    lay(tmp_path, dict.fromkeys(names, A))
    assert not list(simdocs.dedupe(texts=[uuid.UUID(int=at**9).hex for at in range(40)], names=names, threshold=1))


def test_a_new_document_is_not_the_lost_one_of_its_name(tmp_path, monkeypatch):
    lay(tmp_path, {"old/docs/a": A, "new/docs/a": B, "new/docs/b": A1})
    monkeypatch.chdir(tmp_path / "old")
    simdocs.index("docs", output="x.index")
    monkeypatch.chdir(tmp_path / "new")
    os.remove("../old/docs/a")
    found = simdocs.dedupe("docs", against="../old/x.index")
    assert (list(found.rows()), found.kept_names) == ([], ["docs/a", "docs/b"])
    assert found.skipped.counts == {"unverified": 1}
    found = simdocs.dedupe("../old/x.index")
    assert (found.summary()["kept"], found.skipped.counts) == (0, {"unverified": 1})


def test_an_index_in_memory_has_the_names_of_its_texts():
    index = simdocs.index(texts=TEXTS, names=NUMBERS, threshold=0.5)
    assert index.documents.name(1) == 20
    found = simdocs.query(index, texts=[TEXTS[0]], names=["20"])
    assert [row[:2] for row in found.rows()] == [("20", 10), ("20", 50), ("20", 30)]
    assert sorted(simdocs.query(index, texts=[TEXTS[0]]).rows("matches")) == [(10,), (30,), (50,)]
    assert {row[0] for row in simdocs.query(index, changed=True).rows()} == {10, 30, 50}
    # A document of the index may have the same name as a text that is compared with it.
    against = simdocs.dedupe(texts=[TEXTS[2], "new", "also new"], names=[7, 10, "8"], against=index)
    assert [row[:2] for row in against.rows()] == [(30, 7)]
    assert against.kept_names == [10, "8"]
    assert [row[:3] for row in against.rows("groups")] == [(7, 2, 30), (10, 0, 10), ("8", 1, "8")]
    assert list(simdocs.dedupe(index).rows()) == list(simdocs.dedupe(texts=TEXTS, names=NUMBERS, threshold=0.5).rows())


def test_artifacts_on_disk_and_tables_have_names_as_text(tmp_path):
    kept = simdocs.shingle(texts=TEXTS, names=UUIDS, output=tmp_path / "x.shingles")
    assert kept.documents.name(0) == UUIDS[0]
    assert simdocs.open(tmp_path / "x.shingles").documents.name(0) == str(UUIDS[0])
    library("pyarrow")
    table = simdocs.dedupe(texts=TEXTS, names=UUIDS).to_arrow("groups")
    assert table.column("document").to_pylist() == list(map(str, UUIDS))


def test_a_column_that_only_pyarrow_can_read_says_so(monkeypatch):
    column = Stream(None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"^reading texts of type Stream needs pyarrow: pip install "):
        simdocs.dedupe(texts=column)


def test_texts_of_artifacts_in_memory_are_compared_when_these_are_merged():
    merged = simdocs.merge(simdocs.index(texts=[B, A], names=["b", 7]), simdocs.index(texts=[A1], names=[8]))
    assert [row[:2] for row in simdocs.dedupe(merged, threshold=0.5)] == [(7, 8)]


def test_texts_are_read_a_task_at_a_time_and_none_looks_like_a_table(monkeypatch):
    for name in ("BATCH_BYTES", "_TASK_BYTES"):
        monkeypatch.setattr(read_tasks, name, 1)
    texts = ["id,text\n1,one\n2,two\n", *WORDS[:2], WORDS[2]]
    found = simdocs.dedupe(texts=texts)
    assert ([row[:2] for row in found], found.warnings) == ([("1", "2")], ())


def test_a_copy_is_no_duplicate_of_a_document_that_is_kept_after_it():
    k, a, c = (" ".join(f"w{at}" for at in some) for some in (range(91), range(100), range(3, 103)))
    found = simdocs.dedupe(texts=[k, a, a, c, a], names=list("kabcd"), unit="word", k=1, threshold=0.88)
    assert [row[:2] for row in found] == [("k", "a"), ("k", "b"), ("c", "d")]
    for cluster in ("greedy", "components"):
        found = simdocs.dedupe(texts=[a, a, k, k], verify="estimate", cluster=cluster)
        assert all(math.isnan(row[2]) for row in found)
    # Of two that are as similar, the one that is kept earlier counts, and not the one that stands earlier.
    c, k = (" ".join(f"w{at}" for at in some) for some in (range(10, 100), range(90)))
    texts = [c + " " * 200, a, k + " " * 999, a + " " * 500]
    found = simdocs.dedupe(texts=texts, names=list("cdkb"), unit="word", k=1, threshold=0.85, keep="longest")
    assert [row[:3] for row in found] == [("k", "d", 0.9), ("k", "b", 0.9)]
