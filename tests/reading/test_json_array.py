"""The documents of a JSON array are the objects that json finds in it, and damage is named where it begins."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdocs
from simdocs.reading.decode import NoTable
from simdocs.reading.files import LOOKED_AT
from simdocs.reading.formats.json_array import check, elements
from tests.reading.reading import FIELDS, read
from tests.reading.small_chunks import cut_small

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
rows = st.fixed_dictionaries({"text": st.text(max_size=20)}, optional={"other": values, "id": st.integers()})
arrays = st.lists(rows | values, max_size=12)
styles = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])


@given(arrays, styles, st.sampled_from([b"", b"\xef\xbb\xbf", b" \n"]), st.sampled_from([3, 16, 64, 1 << 19]))
def test_the_documents_are_the_objects_of_the_array(
    wanted: list[Any], style: dict[str, Any], before: bytes, size: int
) -> None:
    data = before + json.dumps(wanted, **style).encode("utf-8", "surrogatepass")
    try:
        json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return  # a lone surrogate is written as three bytes that are no UTF-8
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch, size)
        found = read(data, "json")
    texts = {
        number: row["text"].encode("utf-8", "surrogatepass")
        for number, row in enumerate(wanted, 1)
        if isinstance(row, dict) and isinstance(row.get("text"), str)
    }
    assert dict(zip(found.numbers, found.texts, strict=True)) == texts
    assert sorted([*texts, *(number for number, _ in found.skips)]) == list(range(1, len(wanted) + 1))
    assert found.trouble is None
    each = [json.loads(element) for element in elements(data.removeprefix(b"\xef\xbb\xbf"))]
    assert list(map(repr, each)) == list(map(repr, wanted))


@given(st.lists(rows, min_size=1, max_size=9), st.data())
def test_an_array_that_is_cut_off_has_the_objects_before_the_cut(wanted: list[Any], data: st.DataObject) -> None:
    whole = json.dumps(wanted).encode()
    ends = [len(json.dumps(wanted[: count + 1])) - 1 for count in range(len(wanted))]
    cut = data.draw(st.integers(1, len(whole) - 1))
    found = read(whole[:cut], "json")
    assert found.texts == [row["text"].encode("utf-8", "surrogatepass") for row in wanted[: found.count]]
    assert found.count == sum(end <= cut for end in ends)
    assert found.trouble is not None


@given(st.binary(max_size=40) | st.text("[]{},:\"'1e-. \n\\u", max_size=40).map(str.encode))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    for begun in (data, b'[{"text":"x"}' + data, b"[" + data):
        read(begun, "json")
        try:
            check(begun, FIELDS)
        except NoTable:
            continue


OBJECT = "begins like a JSON object, and not like an array of objects: make it an array, or give --input-format jsonl"
WRONG = {
    b'{"text": "x"}': OBJECT,
    b'{\n "text": "x"\n}': OBJECT,
    b'{"text": "x"}\n{"text": "y"}\n': "looks like JSON Lines: give --input-format jsonl to read each line as a",
    b'["x", "y"]': "this is a JSON array without objects: give",
    b"[link](x)": "this is not a JSON array (not JSON: Expecting value, line 1, column 2): give",
    b'[{"body": "x"}]': "no object has the field 'text'; the first has 'body': name one of them with --text-field, or",
    b'[{"body": "x"}, oops': "no object has the field 'text'; the first has 'body': name one of them with",
    b'[{"body": "x"}'
    + b', {"body": "y"}' * 10_000: "no object has the field 'text'; the first has 'body': name one of",
    b"text": "this is not JSON in UTF-8: give",
    b'[{"text": "x", "n": ' + b"[" * 100_000: "this is not a JSON array (nested too deeply): give",
}


@pytest.mark.parametrize("data", WRONG, ids=range(len(WRONG)))
def test_what_is_no_table_is_named_with_a_remedy(data: bytes) -> None:
    with pytest.raises(NoTable) as error:
        check(data, FIELDS)
    said = error.value.detail
    assert WRONG[data] in said
    assert said.endswith("give --input-format text to read it as one text")


def test_one_object_is_not_utf_8_and_one_is_larger_than_what_is_looked_at(tmp_path: Path) -> None:
    long = b'[{"text": "%b"}]' % (b"x" * LOOKED_AT)
    check(long[:LOOKED_AT], FIELDS)
    found = read(b'[{"text": "a"}, {"text": "\xff"}, {"text": "c"}]', "json")
    assert (found.numbers, found.skips) == ([1, 3], [(2, "not UTF-8")])
    binary = read(b'[{"text": "a\0"}]', "json").trouble
    assert binary is not None and binary.reason == "binary"
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(long))
    found = read(path, "json", limit=len(long) - 1)
    assert found.trouble is not None
    assert (found.trouble.reason, found.trouble.detail) == ("oversized", f"more than {len(long) - 1} bytes")


DAMAGED = {
    b'[{"text": "x"}] more': "the file goes on after the end of the array, line 1, column 17",
    b'[{"text": "x"} {"text": "y"}]': "neither a comma nor the end of the array after an object, line 1, column 16",
    b'[{"text": "x"},]': "Expecting value, line 1, column 16",
    b'[{"text": "x"},\n {"text": y}]': "Expecting value, line 2, column 11",
    b'[{"text": "x"},\n {"text": ': "the file ends before the array does",
    b'[{"text": "x"}, {"text": "a\tb"}]': "Invalid control character at, line 1, column 28",
    b'[{"text": "x"}, {"text": ' + b"[" * 100_000: "nested too deeply",
    b'[{"text": "x"}, {"n": ' + b"9" * 9999 + b"}]": "a number of too many digits",
}


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_damage_is_named_after_the_objects_before_it(tmp_path: Path, data: bytes) -> None:
    assert read(data, "json").texts == [b"x"]
    (tmp_path / "x.json").write_bytes(data)
    found = simdocs.signature(tmp_path / "x.json")
    ((_, why),) = found.skipped.by_reason["malformed"]
    assert (len(found.documents), why.removeprefix("not JSON: ")) == (1, f"{DAMAGED[data]}, from object 2 on")
