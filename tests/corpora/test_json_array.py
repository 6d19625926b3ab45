"""JSON arrays are cut into the objects that the standard library finds in them, and damage is named where it begins."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.corpora.containers.container import ContainerFile, OneText, Part, container
from simdocs.corpora.decode import LOOKED_AT
from simdocs.corpora.read_tasks import Cutting
from simdocs.errors import UsageError
from simdocs.model.skipped import DocumentSkipped
from simdocs.options.texts import Sequences
from tests.corpora.finding import found_by
from tests.corpora.small_chunks import cut_small

ARRAY, FIELDS = container("json"), Sequences()

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
rows = st.fixed_dictionaries({"text": st.text(max_size=20)}, optional={"other": values, "id": st.integers()})
arrays = st.lists(rows | values, max_size=12)
styles = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])


def read(data: bytes, fields: Sequences = FIELDS) -> tuple[list[Part], str]:
    """The parts of an array, and what is wrong with it."""
    parts = list[Part]()
    try:
        for part in ARRAY.parts(ContainerFile(b"x.json", 1 << 30, held=data), fields):
            parts.append(part)
    except DocumentSkipped as skip:
        return parts, skip.detail
    return parts, ""


@given(arrays, styles, st.sampled_from([b"", b"\xef\xbb\xbf", b" \n"]), st.sampled_from([16, 64, 1 << 19]))
def test_the_documents_are_the_objects_of_the_array(
    wanted: list[Any], style: dict[str, Any], before: bytes, size: int
) -> None:
    data = before + json.dumps(wanted, **style).encode("utf-8", "surrogatepass")
    tables = [row for row in wanted if isinstance(row, dict) and "text" in row]
    try:
        json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return  # a lone surrogate is written as three bytes that are no UTF-8
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, size)
        parts, wrong = read(data)
        if not tables:
            assert (wrong == "") == (not wanted)
            return
        assert not wrong
        each = [ARRAY.documents(part, FIELDS) for part in parts]
    found = [(where, text) for some in each for where, text in zip(some.locators, some.texts, strict=True)]
    expected = [number for number, row in enumerate(wanted, 1) if row in tables and isinstance(row["text"], str)]
    assert [where.number for where, _ in found] == expected
    for where, text in found:
        document = data[where.start : where.start + where.extent]
        assert json.loads(document)["text"].encode("utf-8", "surrogatepass") == text
        assert document[:1] + document[-1:] == b"{}"


@given(st.lists(rows, min_size=1, max_size=9), st.data())
def test_an_array_that_is_cut_off_has_the_objects_before_the_cut(wanted: list[Any], data: st.DataObject) -> None:
    whole = json.dumps(wanted).encode()
    ends = [len(json.dumps(wanted[: count + 1])) - 1 for count in range(len(wanted))]
    cut = data.draw(st.integers(0, len(whole) - 1))
    parts, wrong = read(whole[:cut])
    left = sum(end <= cut for end in ends)
    assert sum(part.count for part in parts) == left
    if left:
        assert wrong == f"the file ends before the array does, from object {left + 1} on"
    else:
        assert (wrong == "") == (cut == 0)


@given(st.binary(max_size=40) | st.text("[]{},:\"'1e-. \n\\u", max_size=40).map(str.encode))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    for begun in (data, b'[{"text":"x"}' + data, b"[" + data):
        parts, _ = read(begun)
        for part in parts:
            ARRAY.documents(part, FIELDS)


WRONG = {
    b'{"text": "x"}': "not like an array of objects: give --input-format jsonl to read the object as a document, or",
    b'{\n "text": "x"\n}': "not like an array of objects: make it an array first, as with jq -s ., or give",
    b'{"body": "x"}': "this begins like a JSON object, and not like an array of objects: give",
    b'{"n": {"a": [1]}, "of": [], "data": [\n{"text"': "the array out of its field 'data' first, as with jq .data, or",
    b'{"all \'rows\'": [{"text": "x"}]}': """as with jq '.["all '"'"'rows'"'"'"]', or give""",
    b'{"text": "x"}\n{"text": "y"}\n': "looks like JSON Lines: give --input-format jsonl to read each line as a",
    b'["x", "y"]': "this is a JSON array without objects: give",
    b"[link](x)": "this is not a JSON array (not JSON: Expecting value, line 1, column 2): give",
    b'[{"body": "x"}]': "no object has the field 'text'; the first has 'body': name one of them with --text-field, or",
    '[{"text": "x"}]'.encode("utf-16"): "this is not JSON in UTF-8: give",
    b"text": "this is not JSON in UTF-8: give",
    b'[{"text": "x", "n": ' + b"[" * 100_000: "this is not a JSON array (nested too deeply): give",
}


@pytest.mark.parametrize("data", WRONG, ids=range(len(WRONG)))
def test_what_is_no_table_is_named_with_a_remedy(data: bytes) -> None:
    with pytest.raises(OneText) as error:
        next(ARRAY.parts(ContainerFile(b"x.json", 1 << 30, held=data), FIELDS))
    said = error.value.detail
    assert WRONG[data] in said
    assert said.endswith("give --input-format text to read it as one text")


DAMAGED = {
    b'[{"text": "x"}] more': "the file goes on after the end of the array, from object 2 on",
    b'[{"text": "x"} {"text": "y"}]': "after an object, line 1, column 16, from object 2 on",
    b'[{"text": "x"},]': "not JSON: Expecting value, line 1, column 16, from object 2 on",
    b'[{"text": "x"}, {"text": ': "the file ends before the array does, from object 2 on",
}


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_damage_is_named_after_the_objects_before_it(data: bytes) -> None:
    (part,), wrong = read(data)
    assert part.count == 1
    assert wrong.endswith(DAMAGED[data])


SKIPPED = {
    b'"text": 5': "field 'text' is not a string",
    b'"text": null': "field 'text' is null",
    b'"text": "\xff"': "not UTF-8",
    b'"text": "a\tb"': "not JSON: Invalid control character at, column 12",
    b'"text": "x", "n": ' + b"9" * 9999: "a number of too many digits",
}


@pytest.mark.parametrize("inner", SKIPPED, ids=range(len(SKIPPED)))
def test_an_object_that_is_no_document_is_skipped_alone(inner: bytes) -> None:
    (part,), wrong = read(b'[{"text": "x"}, {%b}, 7, {"text": "y", "text": "z"}]' % inner)
    found = ARRAY.documents(part, FIELDS)
    assert not wrong
    assert found.texts == [b"x", b"z"]
    assert [(skip.line, skip.detail) for skip in found.skips] == [(2, SKIPPED[inner]), (3, "not a JSON object")]


def test_the_largest_size_is_that_of_the_file(tmp_path: Path) -> None:
    rows = [{"text": "word " * 20} for _ in range(9)]
    for name, data in (("x.json", json.dumps(rows).encode()), ("x.json.gz", gzip.compress(json.dumps(rows).encode()))):
        path = tmp_path / name
        path.write_bytes(data)
        assert len(simdocs.dedupe(path, max_size=2000).documents) == 9
        assert simdocs.dedupe(path, max_size=900).skipped.counts == {"oversized": 1}
        os.utime(path, ns=(0, 0))
        simdocs.shingle(path, output=tmp_path / "x.shingles")
        assert simdocs.shingle(path, output=tmp_path / "x.shingles", max_size=900, allow_shrink=True).skipped.counts
        path.unlink()


def test_an_object_is_not_read_to_its_end(tmp_path: Path) -> None:
    with (tmp_path / "x.json").open("wb") as file:
        file.write(b'{"text": "' + b"x" * LOOKED_AT)
        file.truncate(1 << 40)
    skips = list[Any]()
    ((task, _),) = Cutting(found_by(tmp_path), 1 << 20, FIELDS, lambda skip, _: skips.append(skip)).tasks()
    assert (task.names, skips) == ([os.fsencode(tmp_path / "x.json")], [])  # type: ignore[union-attr]


def test_a_named_array_of_lines_says_which_format_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    path.write_text('{"text": "one"}\n{"text": "two"}\n')
    with pytest.raises(UsageError, match="give --input-format jsonl"):
        simdocs.dedupe(path)
    assert len(simdocs.dedupe(path, input_format="jsonl").documents) == 2
