"""The text and the id of a document are fields of its row: exact names, paths, several texts, and other formats."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdocs.options.recipes import Sequences
from simdocs.options.values import FIELD_NAMES, MOST_FIELDS
from simdocs.reading.batches import ABSENT, Batch, fields_of, value_of

names = st.sampled_from(["a", "b", "a.b", "a.a", "", ".", "b.a.b"])
values = st.recursive(
    st.none() | st.just("text") | st.just(7), lambda inner: st.dictionaries(names, inner), max_leaves=8
)


def value_within(known: Any, name: str) -> Any:
    """The twin: the value of a field, which may be a field of a field."""
    if not isinstance(known, dict):
        return None if known is None else ABSENT
    if name in known:
        return known[name]
    outer, dot, inner = name.partition(".")
    return value_within(known[outer], inner) if dot and outer in known else ABSENT


@given(st.dictionaries(names, values), names)
def test_the_value_of_a_field_is_that_of_its_twin(row: dict[str, Any], name: str) -> None:
    assert value_of(row, name) == value_within(row, name)


def test_an_exact_name_wins_over_a_path() -> None:
    row = {"meta.body": "exact", "meta": {"body": "by the path", "a.b": "inner", "a": {"b": "innermost"}}}
    assert value_of(row, "meta.body") == "exact"
    assert value_of(row, "meta.a.b") == "inner"
    assert value_of({"meta": None}, "meta.body") is None
    assert value_of({"turns": [{"value": "a"}, {"x": 1}, "b", {"value": ["c"]}]}, "turns.value") == ["a", ["c"]]
    assert value_of({"turns": [{"x": 1}, "b"]}, "turns.value") is ABSENT
    for absent in ("body", "meta.other", "meta.body.more", "", "."):
        assert value_of({"meta": {"body": "text"}}, absent) is ABSENT


def batch_of(*rows: dict[str, Any], fields: Sequences, errors: str = "surrogatepass") -> Batch:
    batch = Batch(b"x", "csv", 100, len(rows))
    for number, row in enumerate(rows, 1):
        batch.add_row(number, row, fields, errors=errors)
    return batch


def test_several_texts_and_the_elements_of_a_list_are_joined_by_line_feeds() -> None:
    for errors, lone, text in (("surrogatepass", "\ud800", b"\xed\xa0\x80"), ("surrogateescape", "\udcff", b"\xff")):
        rows = [{"body": "b", "title": title} for title in ("a", lone, ["c", None, "d"], [])]
        found = batch_of(*rows, fields=Sequences(text_field=("title", "body")), errors=errors)
        assert found.texts == [b"a\nb", text + b"\nb", b"c\nd\nb", b"b"]


def test_as_many_fields_can_be_named_as_help_says() -> None:
    names = tuple(map(str, range(MOST_FIELDS + 1)))
    assert FIELD_NAMES.check(names[1:]) == names[1:]
    with pytest.raises(ValueError, match=f"at most {MOST_FIELDS}"):
        FIELD_NAMES.check(names)


def test_messages_name_the_first_eight_fields_and_those_within_them() -> None:
    assert (
        fields_of({"a": {"b": 1}, "c": [{"d": 1}, {"e": 1}], "f": [], "g": [7]}) == "'a', 'c', 'f', 'g', 'a.b', 'c.d'"
    )
    names = [letter * 40 for letter in "abcdefgh"]
    assert fields_of(dict.fromkeys(names)) == ", ".join(map(repr, names))
    assert fields_of(dict.fromkeys([f"{names[0]}z", *names[1:], "i"])) == ", ".join(map(repr, names)) + ", ..."
    assert fields_of({}) == "no fields"


def test_rows_without_one_of_the_fields_are_skipped_one_by_one() -> None:
    fields = Sequences(text_field=("title", "body"))
    rows: list[dict[str, Any]] = [{"id": 1}, {"body": 7}, {"body": "b" * 99}]
    found = batch_of(*({"title": "a"} | row for row in rows), fields=fields)
    assert found.texts == []
    assert [(skip.line, skip.reason, skip.detail) for skip in found.skips] == [
        (1, "malformed", "field 'body' (--text-field) is missing; the row has 'title', 'id'"),
        (2, "malformed", "field 'body' is not a string"),
        (3, "oversized", "101 bytes"),
    ]
    said = "no row has all of the fields 'title', 'body'; the first has 'title', 'id': name one of them with --text"
    assert found.lacking.startswith(said)
    assert not batch_of({"title": "a", "body": "b"}, {"id": 1}, fields=fields).lacking
    ids = batch_of(*({"text": "a", "id": its_id} for its_id in (1, None, 0.5, True)), fields=Sequences())
    assert (ids.ids, ids.unusable_id and ids.unusable_id.line) == ([b"1", None, None, None], 3)
