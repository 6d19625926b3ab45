"""to_arrow and to_pandas have the columns and the rows of JSON Lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

import simdocs
from simdocs.model.result import Look, Result, tables_of
from simdocs.views.output import Jsonl
from tests.cli.corpus import A
from tests.model.test_results import ASKED, TEXTS


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("built") / "x.index"
    simdocs.index(texts=TEXTS, output=path)
    return path


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
