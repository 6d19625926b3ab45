"""Every result says its own tables, summary and views, and has the same rows in Python, in Arrow and in JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import simdocs
from simdocs.model.groups import WrittenRows
from simdocs.model.result import Look, Result, lines_of, tables_of
from simdocs.views.output import Jsonl
from tests.cli.corpus import A1, A, B

TEXTS = [A, A1, B, A]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("built") / "x.index"
    simdocs.index(texts=TEXTS, output=path)
    return path


ASKED = {
    "dedupe": lambda _: simdocs.dedupe(texts=TEXTS),
    "pairs": lambda _: simdocs.pairs(texts=TEXTS, measure="containment"),
    "query": lambda index: simdocs.query(index, texts=TEXTS, nearest=2, verify="exact"),
    "compare": lambda _: simdocs.compare(texts=TEXTS[:2]),
    "matrix": lambda _: simdocs.compare(texts=TEXTS),
    "trace": lambda _: simdocs.compare(texts=TEXTS[:2], trace=True, scheme="permutation", num_perm=4),
    "tune": lambda _: simdocs.tune(texts=TEXTS),
    "audit": lambda _: simdocs.audit(texts=TEXTS),
    "audit, sampled": lambda _: simdocs.audit(texts=TEXTS, sample=2),
    "passages": lambda _: simdocs.passages(texts=TEXTS),
    "quotations": lambda index: simdocs.query(index, texts=TEXTS, passages=True),
    "passages of two": lambda _: simdocs.compare(texts=TEXTS[:2], passages=True),
    "report": lambda _: simdocs.report(simdocs.dedupe(texts=TEXTS)),
    "show": lambda _: simdocs.show(text=TEXTS[0]),
    "dry run": lambda index: simdocs.index(texts=TEXTS, output=index, dry_run=True),
    "info": simdocs.info,
    "check": simdocs.check,
}


def of_numpy(result: object, path: str) -> Iterator[str]:
    """Yield where a result, outside of arrays, has a number of NumPy."""
    if isinstance(result, np.generic):
        yield f"{path}: {type(result).__name__}"
    elif isinstance(result, dict):
        for key, value in result.items():
            yield from of_numpy(value, f"{path}[{key!r}]")
    elif isinstance(result, tuple | list):
        for place, value in enumerate(result):
            yield from of_numpy(value, f"{path}[{place}]")
    elif is_dataclass(result):
        for field in fields(result):
            yield from of_numpy(getattr(result, field.name), f"{path}.{field.name}")
    elif isinstance(result, Result):
        for name, value in vars(result).items():
            yield from of_numpy(value, f"{path}.{name}")
        yield from of_numpy(list(result.rows()), f"{path}.rows()")


@pytest.mark.parametrize("question", ASKED)
def test_a_result_has_the_length_of_its_rows_and_yields_them(index, question):
    """Single numbers in it are Python's. Only arrays hold those of NumPy."""
    result = ASKED[question](index)
    assert list(of_numpy(result, question)) == []
    assert list(map(repr, result)) == list(map(repr, result.rows()))
    assert len(result) == len(list(result))
    assert bool(result) == (len(result) > 0)


REPRS = {
    "<BandIndex: documents=1, unit='char', k=5, num_perm=128, threshold=0.8, bands=18, rows=7>": lambda: simdocs.index(
        texts=["a b"], k=5
    ),
    "<Shingles: documents=2, unit='word', k=5, nfkc=True>": lambda: simdocs.shingle(
        texts=["a", "b"], unit="word", nfkc=True
    ),
    "<Deduplication of dedupe: documents=4, rows=2>": lambda: simdocs.dedupe(texts=TEXTS),
    "<Documents: 4>": lambda: simdocs.dedupe(texts=TEXTS).documents,
    "<SavedAnswer: 4 documents, 2 duplicates>": lambda: simdocs.dedupe(texts=TEXTS).saved(),
}


@pytest.mark.parametrize("said", REPRS)
def test_a_prompt_shows_what_it_is_and_what_is_not_the_default(said):
    assert repr(REPRS[said]()) == said


def test_a_line_says_where_rows_are_and_which_of_them_are_not_judged():
    assert [WrittenRows("kept_rows", b"a\n", 1200, *more).in_words() for more in ((None,), (1, 3, 2), (2, 0, 1))] == [
        r"kept rows: 1,200, written to a\n",
        r"kept rows: 1,200, of these 3 that could not be compared, written to 1 file in a\n, without any of 2 files"
        " that cannot be read",
        r"kept rows: 1,200, written to 2 files in a\n, without any of 1 file that cannot be read",
    ]


@pytest.mark.parametrize("question", ASKED)
def test_a_summary_is_lines_of_text_and_can_be_written_as_json(index, question):
    result: Result = ASKED[question](index)
    assert all("\n" not in line for line in lines_of(result, 0.5, verbose=True))
    facts = json.loads(json.dumps(result.summary(0.5)))
    assert facts.get("seconds", 0.5) == 0.5


def lines(answer: Result, listing: str | None = None, *, in_words: bool = False) -> list[dict[str, Any]]:
    """Return the first table of an answer as JSON Lines have it. in_words: with its numbers as strings."""
    table, *_ = tables_of(answer, Look(nested=False), listing)
    drawn = Jsonl(table.head).rows(list(table))
    numbers = {"parse_float": str, "parse_int": str} if in_words else {}
    return [json.loads(line, **numbers) for line in drawn.splitlines()]


def as_json(value: Any) -> Any:
    """Return a value of a table as JSON Lines have it, with six digits."""
    if isinstance(value, dict):
        return {name: as_json(one) for name, one in value.items()}
    if isinstance(value, list):
        return list(map(as_json, value))
    return round(value, 6) if isinstance(value, float) else value


def assert_same(answer: Result, listing: str | None = None, *, in_words: bool = False) -> None:
    """Compare a table with JSON Lines. in_words: its values are of any kind, and so strings in the table."""
    table = answer.to_arrow(listing)
    expected = lines(answer, listing, in_words=in_words)
    assert [as_json(row) for row in table.to_pylist()] == [as_json(line) for line in expected]
    assert not expected or table.column_names == list(expected[0])


@pytest.mark.parametrize("question", ASKED)
def test_tables_have_the_rows_of_json_lines(index, question):
    assert_same(ASKED[question](index), in_words=question.startswith(("compare", "audit", "info")))


def test_types_are_those_of_the_columns():
    found = simdocs.dedupe(texts=TEXTS, verify="estimate", cluster="components")
    types = {field.name: str(field.type) for field in found.to_arrow().schema}
    assert types == {"kept": "string", "duplicate": "string", "jaccard": "double", "estimate": "double"}
    assert found.to_arrow().column("jaccard").null_count == len(found) > 0
    types = {field.name: str(field.type) for field in found.to_arrow("groups").schema}
    assert types == {"document": "string", "group": "int64", "kept": "string", "jaccard": "double"}


def test_names_that_are_not_utf8_are_in_base64():
    table = simdocs.dedupe(texts=[A, A, A], names=["a", b"\xff", "b"]).to_arrow()
    assert table.column_names == ["kept", "duplicate", "duplicate_b64", "jaccard", "estimate"]
    assert table.column("duplicate").to_pylist() == [None, "b"]
    assert table.column("duplicate_b64").to_pylist() == ["/w==", None]


def test_a_frame_has_the_same_rows():
    pytest.importorskip("pandas", reason="no pandas here")
    found = simdocs.dedupe(texts=TEXTS)
    frame = found.to_pandas()
    assert [tuple(row) for row in frame.itertuples(index=False)] == list(found.rows())
    assert found.to_pandas("groups")["group"].tolist() == found.labels.tolist()
